// Questions that people really asked about CronJobs, each as a small story with its right end (cases.md, group C).
#include <catch2/catch_test_macros.hpp>
#include <string>

#include "pumice/cronjob/timeline.h"
#include "support/cronjob_scene.h"

namespace pumice::cronjob {
namespace {

using test::duration_of;
using test::time_of;
using Strings = std::vector<std::string>;

struct Story {
  explicit Story(const std::string& name, const std::string& schedule, Profile profile = Profile::V2) {
    meta.ns = "default";
    meta.name = name;
    meta.uid = "cron-uid";
    spec.schedule = schedule;
    spec.successful_limit = 3;
    spec.failed_limit = 1;
    options.profile = profile;
    options.quirks = Quirks::of(profile);
  }
  void span(std::string_view from, std::string_view until) {
    options.from = time_of(from);
    options.until = time_of(until);
    if (meta.creation == Time{}) meta.creation = options.from;
  }
  void edit(std::string_view at, const Spec& to) {
    options.edits.push_back({time_of(at), std::make_shared<const Spec>(to)});
  }
  void down(std::string_view from, std::string_view until) {
    options.outages.push_back({time_of(from), time_of(until)});
  }
  void run() {
    CronJob cronjob;
    cronjob.meta = std::make_shared<const ObjectMeta>(meta);
    cronjob.spec = std::make_shared<const Spec>(spec);
    cronjob.status = status;
    std::vector<ChildJobPtr> list;
    for (const ChildJob& job : jobs) list.push_back(std::make_shared<const ChildJob>(job));
    timeline = simulate(cronjob, list, options);
    CHECK(timeline.stopped.empty());
  }

  /// `job at the time of its start`, whole seconds: the controller waits 100 ms behind the minute.
  [[nodiscard]] Strings starts() const {
    Strings list;
    for (const Entry& entry : timeline.entries) {
      if (entry.outcome != Outcome::Started) continue;
      const Time at{entry.at.ns / kSecond.ns * kSecond.ns};
      list.push_back(job_name(*timeline.cronjob, entry.run, options.profile, options.quirks) + " " + to_rfc3339(at));
    }
    return list;
  }
  /// `10:00 skipped job-active newer-run`, of what did not start.
  [[nodiscard]] Strings losses() const {
    Strings list;
    for (const Entry& entry : timeline.entries) {
      if (entry.outcome == Outcome::Started) continue;
      std::string text = to_rfc3339(entry.run).substr(11, 5) + " " + std::string(to_string(entry.outcome));
      for (const Cause cause : {entry.obstacle, entry.decided}) {
        if (cause != Cause::None) text += " " + std::string(to_string(cause));
      }
      list.push_back(text);
    }
    return list;
  }
  /// `TooManyMissedTimes 08:00:20`, one a note.
  [[nodiscard]] Strings notes() const {
    Strings list;
    for (const Note& note : timeline.notes) {
      list.push_back(std::string(words_of(note.event, options.profile).reason) + " " +
                     to_rfc3339(note.at).substr(11, 8));
    }
    return list;
  }

  ObjectMeta meta;
  Spec spec;
  Status status;
  std::vector<ChildJob> jobs;
  TimelineOptions options;
  Timeline timeline;
};

TEST_CASE("C01: a cluster asleep overnight", "[cronjob][cases]") {
  for (const Profile profile : {Profile::V2, Profile::Legacy, Profile::Volcano}) {
    Story story("anise", "* * * * *", profile);
    story.status.last_schedule = time_of("2026-03-01T22:00:00Z");
    story.span("2026-03-01T22:00:30Z", "2026-03-02T08:02:30Z");
    story.down("2026-03-01T22:00:30Z", "2026-03-02T08:00:20Z");
    story.run();
    if (profile == Profile::Legacy) {
      // It never starts anything again, and says so at every look.
      CHECK(story.starts().empty());
      CHECK(story.notes().size() == 14);
      CHECK(story.notes().front() == "FailedNeedsStart 08:00:20");
      CHECK(story.losses().size() == 602);
      CHECK(story.losses().front() == "22:01 open outage");
      CHECK(story.losses().back() == "08:02 open hundred-missed");
      continue;
    }
    CHECK(story.starts() == Strings{"anise-29540640 2026-03-02T08:00:20Z", "anise-29540641 2026-03-02T08:01:00Z",
                                    "anise-29540642 2026-03-02T08:02:00Z"});
    CHECK(story.notes() == Strings{"TooManyMissedTimes 08:00:20"});
    CHECK(story.losses().size() == 599);
    CHECK(story.losses().front() == "22:01 missed outage newer-run");
  }
}

TEST_CASE("C02: suspended for three days, then resumed", "[cronjob][cases]") {
  for (const bool deadline : {false, true}) {
    Story story("basil", "*/10 * * * *");
    story.status.last_schedule = time_of("2026-03-01T09:00:00Z");
    if (deadline) story.spec.starting_deadline_seconds = 30;
    Spec resumed = story.spec;
    story.spec.suspend = true;
    story.span("2026-03-01T09:01:00Z", "2026-03-04T09:15:00Z");
    story.edit("2026-03-04T09:04:30Z", resumed);
    story.run();
    if (deadline) {
      CHECK(story.starts() == Strings{"basil-29543590 2026-03-04T09:10:00Z"});
      CHECK(story.notes().empty());
      CHECK(story.losses().back() == "09:00 skipped suspended deadline");
    } else {
      CHECK(story.starts() == Strings{"basil-29543580 2026-03-04T09:04:30Z", "basil-29543590 2026-03-04T09:10:00Z"});
      CHECK(story.notes() == Strings{"TooManyMissedTimes 09:04:30"});
      CHECK(story.losses().size() == 431);
      CHECK(story.losses().back() == "08:50 skipped suspended newer-run");
    }
  }
}

TEST_CASE("C03: lost to the starting deadline, and nobody is told", "[cronjob][cases]") {
  Story story("caraway", "0 * * * *");
  story.spec.starting_deadline_seconds = 60;
  story.status.last_schedule = time_of("2026-03-02T10:00:00Z");
  story.span("2026-03-02T10:30:00Z", "2026-03-02T12:30:00Z");
  story.down("2026-03-02T10:50:00Z", "2026-03-02T11:05:00Z");
  story.run();
  CHECK(story.starts() == Strings{"caraway-29540880 2026-03-02T12:00:00Z"});
  CHECK(story.notes().empty());
  CHECK(story.losses() == Strings{"11:00 missed outage deadline"});
  CHECK(sentence_of(story.timeline.entries.front(), Profile::V2) ==
        "missed: the controller was down; its starting deadline had passed");
  story.options.quirks.set(Quirk::SilentDeadline, false);
  story.run();
  CHECK(story.notes() == Strings{"MissSchedule 11:05:00"});
}

TEST_CASE("C04: moved from 23:00 to 05:00 at noon", "[cronjob][cases]") {
  const auto told = [](std::optional<std::int64_t> deadline, bool old_timer) {
    Story story("dill", "0 23 * * *");
    story.spec.time_zone = "Etc/UTC";
    story.spec.starting_deadline_seconds = deadline;
    story.status.last_schedule = time_of("2025-03-13T23:00:00Z");
    story.span("2025-03-13T23:30:00Z", "2025-03-15T06:00:00Z");
    story.options.quirks.set(Quirk::OldTimer, old_timer);
    Spec edited = story.spec;
    edited.schedule = "0 5 * * *";
    story.edit("2025-03-14T12:00:00Z", edited);
    story.run();
    return story.starts();
  };
  CHECK(told({}, true) == Strings{"dill-29032140 2025-03-14T23:00:00Z", "dill-29033580 2025-03-15T05:00:00Z"});
  CHECK(told(600, true) == Strings{"dill-29033580 2025-03-15T05:00:00Z"});
  CHECK(told({}, false) == Strings{"dill-29033580 2025-03-15T05:00:00Z"});
}

TEST_CASE("C06: moved a minute later just after it ran", "[cronjob][cases]") {
  const auto told = [](std::optional<std::int64_t> deadline, Profile profile) {
    Story story("ginger", "33 16 * * *", profile);
    story.spec.time_zone = "Etc/UTC";
    story.spec.starting_deadline_seconds = deadline;
    story.span("2018-05-02T16:00:00Z", "2018-05-03T17:00:00Z");
    story.options.plans = {{duration_of("2m59.9s"), Finish::Complete}};
    Spec edited = story.spec;
    edited.schedule = "34 16 * * *";
    story.edit("2018-05-02T16:34:08Z", edited);
    story.run();
    return story.starts();
  };
  CHECK(told({}, Profile::V2) == Strings{"ginger-25421313 2018-05-02T16:33:00Z", "ginger-25421314 2018-05-02T16:36:00Z",
                                         "ginger-25422754 2018-05-03T16:34:00Z"});
  CHECK(told(60, Profile::V2) ==
        Strings{"ginger-25421313 2018-05-02T16:33:00Z", "ginger-25422754 2018-05-03T16:34:00Z"});
  // The old poller sees it at its next look.
  CHECK(told({}, Profile::Legacy)[1] == "ginger-1525278840 2018-05-02T16:34:10Z");
}

TEST_CASE("C19: Forbid, and a run that starts late", "[cronjob][cases]") {
  for (const bool deadline : {false, true}) {
    Story story("hyssop", "0 * * * *");
    story.spec.policy = ConcurrencyPolicy::Forbid;
    if (deadline) story.spec.starting_deadline_seconds = 600;
    story.span("2026-03-02T00:30:00Z", "2026-03-02T04:30:00Z");
    story.options.plans = {{duration_of("2h29m59.9s"), Finish::Complete}};
    story.options.plan.run = duration_of("5m");
    story.run();
    CHECK(story.notes() == Strings{"JobAlreadyActive 02:00:00", "JobAlreadyActive 03:00:00"});
    if (deadline) {
      CHECK(story.starts() == Strings{"hyssop-29540220 2026-03-02T01:00:00Z", "hyssop-29540400 2026-03-02T04:00:00Z"});
      CHECK(story.losses() == Strings{"02:00 skipped job-active deadline", "03:00 skipped job-active deadline"});
    } else {
      CHECK(story.starts() == Strings{"hyssop-29540220 2026-03-02T01:00:00Z", "hyssop-29540340 2026-03-02T03:30:00Z",
                                      "hyssop-29540400 2026-03-02T04:00:00Z"});
      CHECK(story.losses() == Strings{"02:00 skipped job-active newer-run"});
      CHECK(sentence_of(story.timeline.entries[0], Profile::V2) == "started");
      CHECK(sentence_of(story.timeline.entries[1], Profile::V2) ==
            "skipped: the policy is Forbid, and a job was active (that of 2026-03-02T01:00:00Z); only the latest of "
            "the missed runs is made up for");
      CHECK(sentence_of(story.timeline.entries[2], Profile::V2) ==
            "started 30m0s late: the policy is Forbid, and a job was active (that of 2026-03-02T01:00:00Z)");
    }
  }
}

TEST_CASE("C20: Forbid with runs longer than the period", "[cronjob][cases]") {
  Story story("juniper", "0 * * * *");
  story.spec.policy = ConcurrencyPolicy::Forbid;
  story.span("2026-03-02T00:30:00Z", "2026-03-02T07:30:00Z");
  story.options.plan.run = duration_of("3h0m9.9s");
  story.run();
  CHECK(story.starts() == Strings{"juniper-29540220 2026-03-02T01:00:00Z", "juniper-29540400 2026-03-02T04:00:10Z",
                                  "juniper-29540580 2026-03-02T07:00:19Z"});
  CHECK(story.losses() == Strings{"02:00 skipped job-active newer-run", "03:00 skipped job-active newer-run",
                                  "05:00 skipped job-active newer-run", "06:00 skipped job-active newer-run"});
}

TEST_CASE("C21: Forbid, and a job that can never start", "[cronjob][cases]") {
  for (const bool deadline : {false, true}) {
    Story story("lovage", "0 * * * *");
    story.spec.policy = ConcurrencyPolicy::Forbid;
    if (deadline) story.spec.job_spec = Json{{"activeDeadlineSeconds", 900}};
    story.span("2026-03-02T00:30:00Z", "2026-03-02T04:30:00Z");
    story.options.plans = {{duration_of("1000h"), Finish::Complete}};  // its image is never pulled
    story.run();
    if (deadline) {
      CHECK(story.starts()[1] == "lovage-29540280 2026-03-02T02:00:00Z");
      CHECK(story.losses().empty());
    } else {
      CHECK(story.starts().size() == 1);
      CHECK(story.notes() ==
            Strings{"JobAlreadyActive 02:00:00", "JobAlreadyActive 03:00:00", "JobAlreadyActive 04:00:00"});
    }
  }
}

TEST_CASE("C40: a finished job removed by its TTL within the same minute", "[cronjob][cases]") {
  Story story("rosemary", "0 * * * *");
  story.spec.job_spec = Json{{"ttlSecondsAfterFinished", 0}};
  story.span("2026-03-02T09:30:00Z", "2026-03-02T11:30:00Z");
  story.options.plan.run = duration_of("5s");
  story.run();
  CHECK(story.starts() == Strings{"rosemary-29540760 2026-03-02T10:00:00Z", "rosemary-29540820 2026-03-02T11:00:00Z"});
  CHECK(story.timeline.jobs.empty());
}

TEST_CASE("C41: one tick makes one job, even if the status is lost", "[cronjob][cases]") {
  Story story("saffron", "0 * * * *");
  story.span("2026-03-02T09:30:00Z", "2026-03-02T10:30:00Z");
  story.options.plan.run = duration_of("20m");
  story.options.troubles = {{time_of("2026-03-02T10:00:00Z"), {"WriteStatus", "", ReplyCode::Other, "lost", 3}}};
  story.run();
  CHECK(story.timeline.jobs.size() == 1);
  CHECK(story.timeline.cronjob->status.last_schedule == time_of("2026-03-02T10:00:00Z"));
  for (const std::string& one : story.starts()) CHECK(one == "saffron-29540760 2026-03-02T10:00:00Z");
}

TEST_CASE("C16: @every is counted from the last run", "[cronjob][cases]") {
  for (const Profile profile : {Profile::V2, Profile::Volcano}) {
    Story story("sumac", "@every 6h", profile);
    story.status.last_schedule = time_of("2026-03-01T02:13:00Z");
    story.span("2026-03-01T02:20:00Z", "2026-03-01T09:00:00Z");
    story.down("2026-03-01T05:00:00Z", "2026-03-01T05:00:00Z");
    story.down("2026-03-01T07:30:00Z", "2026-03-01T07:30:00Z");
    story.run();
    CHECK(story.starts() == Strings{"sumac-29539213 2026-03-01T08:13:00Z"});
  }
}

TEST_CASE("C28: a controller without zone data", "[cronjob][cases]") {
  Story story("wasabi", "0 9 * * *");
  story.spec.time_zone = "Europe/Amsterdam";
  story.options.zones.find = [](std::string_view) { return std::optional<Zone>(); };
  story.span("2026-03-02T07:00:00Z", "2026-03-03T12:00:00Z");
  story.run();
  CHECK(story.starts().empty());
  CHECK(story.notes() == Strings{"UnknownTimeZone 07:00:00"});
}

TEST_CASE("C39: what the history limits keep", "[cronjob][cases]") {
  Story story("cumin", "0 * * * *");
  story.spec.successful_limit = 1;
  story.span("2026-03-02T00:30:00Z", "2026-03-02T05:30:00Z");
  story.options.plans = {{duration_of("1m"), Finish::Complete},
                         {duration_of("1m"), Finish::Complete},
                         {duration_of("1m"), Finish::Failed}};
  story.options.plan.run = duration_of("10h");
  story.run();
  Strings kept;
  for (const ChildJobPtr& job : story.timeline.jobs) kept.push_back(job->name);
  CHECK(kept == Strings{"cumin-29540280", "cumin-29540340", "cumin-29540400", "cumin-29540460"});
  CHECK(story.timeline.jobs[1]->finish == Finish::Failed);
  CHECK(story.timeline.cronjob->status.active.size() == 2);
}

TEST_CASE("V54: a Volcano CronJob whose status lost the job", "[cronjob][cases]") {
  for (const bool ignored : {true, false}) {
    Story story("petrel", "*/5 * * * *", Profile::Volcano);
    story.spec.policy = ConcurrencyPolicy::Forbid;
    story.options.quirks.set(Quirk::OrphansIgnored, ignored);
    story.status.last_schedule = time_of("2026-03-02T10:00:00Z");
    ChildJob job{.ns = "default", .name = "petrel-29540760", .uid = "first"};
    job.creation = job.start = time_of("2026-03-02T10:00:00Z");
    CronJob self;
    self.meta = std::make_shared<const ObjectMeta>(story.meta);
    job.controller = std::make_shared<const OwnerReference>(owner_of(self, Profile::Volcano));
    story.jobs = {job};
    story.span("2026-03-02T10:01:00Z", "2026-03-02T10:06:00Z");
    story.options.plan.run = duration_of("1h");
    story.run();
    CHECK(story.starts().size() == (ignored ? 1 : 0));
    CHECK(story.notes().front() == "OrphanedJob 10:01:00");
    CHECK(story.timeline.jobs.size() == (ignored ? 2 : 1));
  }
}

TEST_CASE("Replace: the running job gives way", "[cronjob][cases]") {
  Story story("thyme", "0 * * * *");
  story.spec.policy = ConcurrencyPolicy::Replace;
  story.span("2026-03-02T00:30:00Z", "2026-03-02T02:30:00Z");
  story.options.plan.run = duration_of("90m");
  story.run();
  CHECK(story.starts().size() == 2);
  CHECK(story.losses() == Strings{"01:00 replaced"});
  CHECK(sentence_of(story.timeline.entries[1], Profile::V2) ==
        "replaced: its job was deleted for the run of 2026-03-02T02:00:00Z");
  CHECK(story.timeline.jobs.size() == 1);
}

TEST_CASE("the legacy poller comes up to ten seconds late", "[cronjob][cases]") {
  Story story("old", "* * * * *", Profile::Legacy);
  story.span("2026-03-02T00:00:07Z", "2026-03-02T00:02:30Z");
  story.run();
  CHECK(story.starts() == Strings{"old-1772409660 2026-03-02T00:01:07Z", "old-1772409720 2026-03-02T00:02:07Z"});
  CHECK(story.losses().empty());
}

TEST_CASE("a changed schedule that cannot be read", "[cronjob][cases]") {
  Story story("cress", "0 * * * *");
  story.span("2026-03-02T00:30:00Z", "2026-03-02T03:30:00Z");
  Spec edited = story.spec;
  edited.schedule = "when it suits";
  story.edit("2026-03-02T01:30:00Z", edited);
  story.run();
  CHECK(story.starts().size() == 1);
  CHECK(story.notes() == Strings{"UnParseableCronJobSchedule 01:30:00", "UnparseableSchedule 02:00:00"});
}

TEST_CASE("office hours and an outage: the estimate loses runs for good", "[cronjob][cases][quirks]") {
  for (const bool estimate : {true, false}) {
    Story story("office", "0 8-10 * * 1-5");
    story.options.quirks.set(Quirk::MissedEstimate, estimate);
    story.status.last_schedule = time_of("2026-03-05T08:00:00Z");  // a Thursday
    story.span("2026-03-05T08:30:00Z", "2026-03-06T08:30:00Z");
    story.down("2026-03-05T08:30:00Z", "2026-03-06T07:00:00Z");
    story.run();
    if (estimate) {
      CHECK(story.starts() == Strings{"office-29546400 2026-03-06T08:00:00Z"});
      CHECK(story.losses() == Strings{"09:00 missed outage newer-run", "10:00 missed outage newer-run"});
    } else {
      CHECK(story.starts() == Strings{"office-29545080 2026-03-06T07:00:00Z", "office-29546400 2026-03-06T08:00:00Z"});
    }
  }
}

TEST_CASE("two profiles side by side", "[cronjob][cases]") {
  Story now("anise", "*/5 * * * *");
  Story legacy("anise", "*/5 * * * *", Profile::Legacy);
  for (Story* story : {&now, &legacy}) {
    story->span("2026-03-02T00:00:03Z", "2026-03-02T01:00:00Z");
    story->run();
  }
  CHECK(compare(now.timeline, Profile::V2, legacy.timeline, Profile::Legacy).empty());
  for (Story* story : {&now, &legacy}) {
    story->options.until = time_of("2026-03-02T10:02:00Z");
    story->down("2026-03-02T00:06:00Z", "2026-03-02T10:00:30Z");
    story->run();
  }
  const auto differences = compare(now.timeline, Profile::V2, legacy.timeline, Profile::Legacy);
  CHECK(differences.size() == 119);
  CHECK(differences.back().run == time_of("2026-03-02T10:00:00Z"));
  CHECK(differences.back().first->outcome == Outcome::Started);
  CHECK(differences.back().second->outcome == Outcome::Open);
}

TEST_CASE("limits of a timeline", "[cronjob][cases]") {
  Story story("mad", "@every 1s");
  story.span("2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z");
  story.down("2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z");
  CronJob cronjob;
  cronjob.meta = std::make_shared<const ObjectMeta>(story.meta);
  cronjob.spec = std::make_shared<const Spec>(story.spec);
  CHECK(simulate(cronjob, {}, story.options).stopped == "more than 2000000 runs");
}

}  // namespace
}  // namespace pumice::cronjob
