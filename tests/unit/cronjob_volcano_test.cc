// One look of the `volcano-cronjob` controller: spec/volcano-cronjob.md 3, 6, 7.1, 7.2 and 8.
#include <catch2/catch_test_macros.hpp>
#include <string>

#include "support/cronjob_scene.h"

namespace pumice::cronjob {
namespace {

using test::CronScene;
using test::time_of;
using Strings = std::vector<std::string>;

/// Created 10:00 on 2025-03-11, every five minutes, no limits.
CronScene volcano(ConcurrencyPolicy policy = ConcurrencyPolicy::Allow) {
  CronScene scene(Profile::Volcano);
  scene.meta.creation = time_of("2025-03-11T10:00:00Z");
  scene.spec.schedule = "*/5 * * * *";
  scene.spec.policy = policy;
  return scene;
}
Time clock(const std::string& text) { return time_of("2025-03-11T" + text + ":00Z"); }

constexpr ConcurrencyPolicy kAllow = ConcurrencyPolicy::Allow;
constexpr ConcurrencyPolicy kForbid = ConcurrencyPolicy::Forbid;
constexpr ConcurrencyPolicy kReplace = ConcurrencyPolicy::Replace;

struct Row {
  const char* schedule;
  ConcurrencyPolicy policy;
  std::int64_t deadline;
  const char* now;  ///< with a date where it is another day
  std::int64_t created;
  std::size_t events;
  const char* delay;
  const char* time_zone = nullptr;
};

TEST_CASE("Volcano: no jobs before", "[cronjob][volcano-cronjob]") {
  const Row rows[] = {
      {"*/5 * * * *", kAllow, 0, "10:03", 0, 0, "2m0.1s"},
      {"*/5 * * * *", kForbid, 0, "10:03", 0, 0, "2m0.1s"},
      {"*/5 * * * *", kReplace, 0, "10:03", 0, 0, "2m0.1s"},
      {"0 10 * * *", kAllow, 0, "10:00", 0, 0, "10h0m0.1s", "Pacific/Honolulu"},
      {"0 10 * * *", kAllow, 0, "20:00", 1, 1, "24h0m0.1s", "Pacific/Honolulu"},
      {"TZ=UTC 0 20 * * *", kAllow, 0, "20:00", 1, 2, "24h0m0.1s", "Pacific/Honolulu"},
      {"*/5 * * * *", kAllow, 0, "10:05", 1, 1, "5m0.1s"},
      {"*/5 * * * *", kForbid, 0, "10:05", 1, 1, "5m0.1s"},
      {"*/5 * * * *", kAllow, 60, "10:05", 1, 1, "5m0.1s"},
      {"*/5 * * * *", kForbid, 60, "10:05", 1, 1, "5m0.1s"},
      {"*/5 * * * *", kAllow, 0, "10:07", 1, 1, "3m0.1s"},
      {"*/5 * * * *", kAllow, 180, "10:07", 1, 1, "3m0.1s"},
      {"*/5 * * * *", kAllow, 60, "10:07", 0, 0, "3m0.1s"},
      {"*/5 * * * *", kAllow, 0, "20:00", 1, 2, "5m0.1s"},
      {"* * * * *", kAllow, 60'060, "2025-03-12T10:00:00Z", 1, 2, "1m0.1s"},
      {"@every 1h", kAllow, 0, "10:05", 0, 0, "55m0.1s"},
      {"@every 1h", kAllow, 0, "11:00", 1, 1, "1h0m0.1s"},
      {"@every 1h", kAllow, 60, "11:30", 0, 0, "30m0.1s"},
      {"@every 1h", kAllow, 1'000'000, "11:30", 1, 1, "30m0.1s"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.schedule, row.now, row.deadline);
    CronScene scene = volcano(row.policy);
    scene.spec.schedule = row.schedule;
    if (row.time_zone != nullptr) scene.spec.time_zone = row.time_zone;
    if (row.deadline != 0) scene.spec.starting_deadline_seconds = row.deadline;
    const std::string now = row.now;
    scene.look(now.size() == 5 ? clock(now) : time_of(now));
    CHECK(scene.output.error.empty());
    CHECK(static_cast<std::int64_t>(scene.effects<CreateJob>().size()) == row.created);
    CHECK(scene.events().size() == row.events);
    CHECK(scene.delay() == row.delay);
    CHECK(scene.output.written == (row.created > 0));
    CHECK(static_cast<std::int64_t>(scene.after().active.size()) == row.created);
  }
}

TEST_CASE("Volcano: what cannot be read", "[cronjob][volcano-cronjob]") {
  CronScene scene = volcano();
  scene.spec.schedule = "every other day";
  scene.look(clock("10:05"));
  CHECK(scene.output.failed());
  CHECK(scene.events().empty());
  CHECK(scene.delay() == "none");
  scene.quirks.set(Quirk::EndlessRetries, false);
  scene.look(clock("10:05"));
  CHECK_FALSE(scene.output.failed());

  scene = volcano();
  scene.spec.time_zone = "error TZ";
  scene.look(clock("10:05"));
  CHECK(scene.messages() == Strings{"Invalid time zone \"error TZ\": unknown time zone error TZ"});
  CHECK(scene.output.error == "unknown time zone error TZ");
  CHECK(scene.delay() == "none");

  scene = volcano();
  scene.spec.schedule = "59 23 31 2 *";
  scene.look(clock("10:05"));
  CHECK(scene.messages() ==
        Strings{"Error getting schedule time: time difference between two schedules is less than 1 second"});
  CHECK(scene.output.failed());

  // The controller takes names that admission refuses.
  scene = volcano();
  for (const char* name : {"", "Local"}) {
    scene.spec.time_zone = name;
    scene.look(clock("10:05"));
    CHECK(scene.output.verdict == Verdict::Started);
  }
}

TEST_CASE("Volcano: suspended", "[cronjob][volcano-cronjob]") {
  CronScene scene = volcano();
  scene.spec.suspend = true;
  scene.spec.time_zone = "not looked at";
  SECTION("no jobs") {
    scene.look(clock("10:05"));
    CHECK(scene.effects<WriteStatus>().empty());
  }
  SECTION("a completed job") {
    scene.job("done", Finish::Complete, false).completion = clock("10:01");
    scene.look(clock("10:05"));
    CHECK(scene.after().last_successful == clock("10:01"));
  }
  SECTION("a running job") {
    scene.job("c-29028605", Finish::Running, true);
    scene.status.last_schedule = clock("10:05");
    scene.look(clock("10:10"));
    CHECK(scene.output.effects.empty());
  }
  CHECK(scene.output.verdict == Verdict::Suspended);
  CHECK(scene.delay() == "none");
  CHECK(scene.output.error.empty());
}

TEST_CASE("Volcano: being deleted, nothing at all is done", "[cronjob][volcano-cronjob]") {
  CronScene scene = volcano();
  scene.meta.deletion = clock("10:02");
  scene.job("done", Finish::Complete, true).completion = clock("10:01");
  scene.look(clock("10:05"));
  CHECK(scene.output.effects.empty());
}

TEST_CASE("Volcano: the name of the job is taken", "[cronjob][volcano-cronjob]") {
  CronScene scene = volcano();
  ChildJob existing{.ns = "default", .name = "c-29028125", .uid = "there"};
  existing.controller = scene.owner();
  SECTION("upstream looks for it without its namespace") {
    scene.only_on_server = {existing};
    scene.look(clock("10:05"));
    CHECK(scene.output.error == "jobs.batch.volcano.sh \"c-29028125\" not found");
    CHECK(scene.effects<ReadJob>().front().ns.empty());
    CHECK_FALSE(scene.output.written);
    return;
  }
  scene.quirks.set(Quirk::ConflictNamespace, false);
  SECTION("own and over") {
    existing.finish = Finish::Complete;
    scene.only_on_server = {existing};
    scene.look(clock("10:05"));
    CHECK(scene.output.verdict == Verdict::JobThereAlready);
    CHECK(scene.events().empty());
    CHECK(scene.delay() == "5m0.1s");
    CHECK_FALSE(scene.after().last_schedule);
  }
  SECTION("own and running: taken in without an event") {
    scene.only_on_server = {existing};
    scene.look(clock("10:05"));
    CHECK(scene.output.verdict == Verdict::Adopted);
    CHECK(scene.events().empty());
    CHECK(scene.after().last_schedule == clock("10:05"));
    CHECK(scene.after().active.size() == 1);
  }
  SECTION("without an owner") {
    existing.controller.reset();
    scene.only_on_server = {existing};
    scene.look(clock("10:05"));
    CHECK(scene.messages() == Strings{"Job c-29028125 exists but is not owned by this CronJob (current owner: none)"});
    CHECK(scene.delay() == "5m0.1s");
    CHECK_FALSE(scene.output.written);
    scene.quirks.set(Quirk::ForeignJobRepeats, false);
    scene.look(clock("10:05"));
    CHECK(scene.after().last_schedule == clock("10:05"));
    CHECK(scene.after().active.empty());
  }
  SECTION("it cannot be read") {
    scene.only_on_server = {existing};
    scene.failures = {{"ReadJob", "", ReplyCode::Other, "no luck"}};
    scene.look(clock("10:05"));
    CHECK(scene.output.error == "failed to fetch conflicting job: no luck");
  }
}

TEST_CASE("Volcano: creations that fail", "[cronjob][volcano-cronjob]") {
  CronScene scene = volcano();
  SECTION("the namespace is being terminated") {
    scene.failures = {{"CreateJob", "", ReplyCode::NamespaceTerminating}};
    scene.look(clock("10:05"));
    CHECK(scene.messages() == Strings{"Namespace default is terminating, skipping job creation"});
  }
  SECTION("another error") {
    scene.failures = {{"CreateJob", "", ReplyCode::Other, "no luck"}};
    scene.look(clock("10:05"));
    CHECK(scene.messages() == Strings{"Failed to create job: no luck"});
    CHECK(scene.output.error == "no luck");
  }
  CHECK(scene.output.failed());
  CHECK(scene.delay() == "none");
}

TEST_CASE("Volcano: entries without a job", "[cronjob][volcano-cronjob]") {
  CronScene scene = volcano();
  scene.list("lost");
  SECTION("it exists nowhere") {
    scene.look(clock("10:05"));
    CHECK(scene.events() == Strings{"Warning StaleReference", "Normal SuccessfulCreate"});
    CHECK(scene.messages().front() == "Active job \"lost\" no longer exists (UID: lost-uid)");
    CHECK(scene.messages().back() == "Created job c-29028125 for CronJob default/c");
    CHECK(scene.after().active.size() == 1);
    CHECK(scene.effects<ReadJob>().empty());
  }
  SECTION("it was made anew") {
    scene.job("lost", Finish::Running, false).uid = "new";
    scene.jobs.back().controller.reset();
    scene.look(clock("10:03"));
    CHECK(scene.messages() ==
          Strings{"Active job reference \"lost\" points to a different UID (expected: lost-uid, actual: new)"});
    CHECK(scene.after().active.empty());
  }
  SECTION("it exists and has another owner: kept") {
    scene.job("lost", Finish::Running, false).controller.reset();
    scene.look(clock("10:03"));
    CHECK(scene.events().empty());
    CHECK_FALSE(scene.output.written);
  }
}

TEST_CASE("Volcano: jobs before", "[cronjob][volcano-cronjob]") {
  CronScene scene = volcano();
  SECTION("@every and a running job") {
    scene.spec.schedule = "@every 1h";
    scene.job("old", Finish::Running, true);
    scene.look(clock("10:30"));
    CHECK(scene.delay() == "30m0.1s");
    CHECK(scene.output.effects.empty());
    scene.look(clock("11:00"));
    CHECK(scene.after().active.size() == 2);
  }
  SECTION("completed, not in the list") {
    scene.job("done", Finish::Complete, false).completion = clock("10:01");
    scene.look(clock("10:03"));
    CHECK(scene.after().last_successful == clock("10:01"));
    CHECK(scene.events().empty());
  }
  SECTION("completed, in the list") {
    scene.job("done", Finish::Complete, true).completion = clock("10:01");
    scene.look(clock("10:03"));
    CHECK(scene.messages() == Strings{"Saw completed job: done in active, remove"});
    CHECK(scene.after().active.empty());
    scene.look(clock("10:05"));
    CHECK(scene.events().size() == 2);
    CHECK(scene.after().active.size() == 1);
  }
  SECTION("failed only") {
    scene.job("bad", Finish::Failed, false).completion = clock("10:01");
    scene.look(clock("10:03"));
    CHECK_FALSE(scene.output.written);
    CHECK_FALSE(scene.after().last_successful);
  }
  SECTION("one of each") {
    scene.job("done", Finish::Complete, false).completion = clock("10:01");
    scene.job("bad", Finish::Failed, false).completion = clock("10:06");
    scene.status.last_schedule = clock("10:05");
    scene.look(clock("10:07"));
    CHECK(scene.after().last_successful == clock("10:01"));
    CHECK(scene.delay() == "3m0.1s");
    scene.status.last_schedule.reset();
    scene.look(clock("10:15"));
    CHECK(scene.events() == Strings{"Normal SuccessfulCreate"});
    CHECK(scene.after().last_schedule == clock("10:15"));
  }
  SECTION("history limits") {
    scene.job("done", Finish::Complete, false).completion = clock("10:01");
    scene.status.last_schedule = clock("10:05");
    scene.spec.successful_limit = 0;
    scene.look(clock("10:07"));
    CHECK(scene.messages() == Strings{"Deleted job \"done\""});
    CHECK(scene.after().last_successful == clock("10:01"));
  }
  SECTION("history limits that are not reached") {
    for (const char* name : {"06", "11", "16", "21"}) {
      scene.job(name, Finish::Complete, false).completion = clock("10:" + std::string(name));
    }
    scene.status.last_schedule = clock("10:20");
    scene.spec.successful_limit = 5;
    scene.look(clock("10:22"));
    CHECK(scene.events().empty());
    CHECK(scene.after().last_successful == clock("10:21"));
  }
  SECTION("the running job is that of the due run") {
    scene.job("c-29028125", Finish::Running, true);
    scene.look(clock("10:05"));
    CHECK(scene.output.verdict == Verdict::AlreadyHandled);
    CHECK(scene.output.effects.empty());
  }
  SECTION("a completed one, and many missed") {
    scene.job("done", Finish::Complete, false).completion = clock("10:01");
    scene.look(clock("20:00"));
    CHECK(scene.events() == Strings{"Warning TooManyMissedTimes", "Normal SuccessfulCreate"});
    CHECK(scene.after().last_successful == clock("10:01"));
  }
}

TEST_CASE("Volcano: a running job and the policies", "[cronjob][volcano-cronjob]") {
  for (const ConcurrencyPolicy policy : {kAllow, kForbid, kReplace}) {
    CronScene scene = volcano(policy);
    scene.job("c-29028125", Finish::Running, true);
    scene.status.last_schedule = clock("10:05");
    scene.look(clock("10:07"));
    CHECK(scene.delay() == "3m0.1s");
    CHECK(scene.output.effects.empty());

    scene.look(clock("10:10"));
    CHECK(scene.delay() == "5m0.1s");
    if (policy == kAllow) {
      CHECK(scene.events().size() == 1);
      CHECK(scene.after().active.size() == 2);
    } else if (policy == kForbid) {
      CHECK(scene.events() == Strings{"Warning ForbidConcurrent"});
      CHECK_FALSE(scene.output.written);
      CHECK(scene.after().last_schedule == clock("10:05"));
    } else {
      CHECK(scene.events() ==
            Strings{"Warning ReplaceConcurrent", "Normal SuccessfulDelete", "Normal SuccessfulCreate"});
      CHECK(scene.after().active.size() == 1);
      scene.failures = {{"ReadJob", "", ReplyCode::Other, "no luck"}};
      scene.look(clock("10:10"));
      CHECK(scene.events() == Strings{"Warning ReplaceConcurrent", "Warning FailedGet"});
      CHECK(scene.output.failed());
      CHECK(scene.after().active.size() == 1);
      CHECK(scene.delay() == "none");
      scene.failures.clear();
    }
    scene.spec.starting_deadline_seconds = 60;
    scene.look(clock("10:12"));
    CHECK(scene.effects<CreateJob>().empty());
    scene.spec.starting_deadline_seconds = 180;
    scene.look(clock("10:12"));
    CHECK(scene.effects<CreateJob>().size() == (policy == kForbid ? 0 : 1));
  }
}

TEST_CASE("Volcano: an orphan is told of and not taken in", "[cronjob][volcano-cronjob][quirks]") {
  CronScene scene = volcano(kForbid);
  scene.job("orphan", Finish::Running, false);
  scene.look(clock("10:05"));
  CHECK(scene.messages().front() ==
        "Detected orphaned job forgotten or not managed by controller: orphan (UID: orphan-uid)");
  CHECK(scene.output.verdict == Verdict::Started);  // two at once, under Forbid
  scene.quirks.set(Quirk::OrphansIgnored, false);
  scene.look(clock("10:05"));
  CHECK(scene.output.verdict == Verdict::Forbidden);
  CHECK(scene.after().active.size() == 1);
}

TEST_CASE("Volcano: which jobs are its own", "[cronjob][volcano-cronjob]") {
  const CronScene scene = volcano();
  const CronJobPtr cronjob = scene.object({});
  OwnerReference owner = *scene.owner();
  ChildJob job{.ns = "default", .name = "j", .uid = "j"};
  const auto own = [&] {
    job.controller = std::make_shared<const OwnerReference>(owner);
    return is_child(job, *cronjob, Profile::Volcano);
  };
  CHECK(own());
  owner.api_version = "batch/v1";  // is not looked at
  CHECK(own());
  owner.kind = "Job";
  CHECK_FALSE(own());
  owner = *scene.owner();
  owner.uid = "other";
  CHECK_FALSE(own());
  owner = *scene.owner();
  job.ns = "elsewhere";
  CHECK_FALSE(own());
  CHECK(is_child(job, *cronjob, Profile::V2));  // an index over all namespaces
  job.controller.reset();
  CHECK_FALSE(is_child(job, *cronjob, Profile::Volcano));
}

TEST_CASE("Volcano: the oldest jobs go first", "[cronjob][volcano-cronjob]") {
  struct Case {
    const char* name;
    std::optional<Time> first;   ///< creation of `b`
    std::optional<Time> second;  ///< of `a`
    const char* deleted;
  };
  const Case cases[] = {
      {"neither has a creation time", {}, {}, "a"},
      {"one lacks it", clock("10:00"), {}, "b"},
      {"equal times", clock("10:00"), clock("10:00"), "a"},
      {"older first", clock("10:00"), clock("10:01"), "b"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CronScene scene = volcano();
    scene.spec.failed_limit = 1;
    scene.job("b", Finish::Failed, false).creation = c.first;
    scene.job("a", Finish::Failed, false).creation = c.second;
    scene.look(clock("10:03"));
    REQUIRE(scene.effects<DeleteJob>().size() == 1);
    CHECK(scene.effects<DeleteJob>().front().name == c.deleted);
  }
}

TEST_CASE("Volcano: Terminated and Aborted", "[cronjob][volcano-cronjob][quirks]") {
  CronScene scene = volcano();
  scene.spec.failed_limit = 0;
  scene.job("ended", Finish::Terminated, true);
  scene.job("aborted", Finish::Aborted, true);
  scene.look(clock("10:03"));
  CHECK(scene.messages() == Strings{"Saw completed job: ended in active, remove"});
  CHECK(scene.after().active.size() == 1);
  scene.quirks.set(Quirk::TerminatedKept, false);
  scene.look(clock("10:03"));
  CHECK(scene.effects<DeleteJob>().size() == 1);
  scene.quirks.set(Quirk::AbortedActive, false);
  scene.look(clock("10:03"));
  CHECK(scene.effects<DeleteJob>().size() == 2);
  CHECK(scene.after().active.empty());
}

TEST_CASE("Volcano: the status and errors", "[cronjob][volcano-cronjob][quirks]") {
  SECTION("an error leaves it unwritten") {
    CronScene scene = volcano();
    scene.job("done", Finish::Complete, true).completion = clock("10:01");
    scene.failures = {{"CreateJob", "", ReplyCode::Other}};
    scene.look(clock("10:05"));
    CHECK(scene.effects<WriteStatus>().empty());
    scene.quirks.set(Quirk::StatusLostOnError, false);
    scene.look(clock("10:05"));
    CHECK(scene.after().active.empty());
    CHECK(scene.output.failed());
  }
  SECTION("a failed write ends the round with nothing") {
    CronScene scene = volcano();
    scene.failures = {{"WriteStatus", "", ReplyCode::Conflict}};
    scene.look(clock("10:05"));
    CHECK_FALSE(scene.output.failed());
    CHECK(scene.delay() == "none");
    scene.quirks.set(Quirk::StatusFailureIgnored, false);
    scene.look(clock("10:05"));
    CHECK(scene.output.failed());
  }
}

TEST_CASE("Volcano: removing entries while walking over them", "[cronjob][volcano-cronjob][quirks]") {
  CronScene scene = volcano(kReplace);
  for (const char* name : {"a", "b", "c"}) scene.job(name, Finish::Running, true);
  scene.status.last_schedule = clock("10:05");
  scene.look(clock("10:10"));
  Strings deleted;
  for (const DeleteJob& one : scene.effects<DeleteJob>()) deleted.push_back(one.name);
  CHECK(deleted == Strings{"a", "c"});
  CHECK(scene.messages().back() == "Get job: jobs.batch.volcano.sh \"c\" not found");
  CHECK(scene.output.failed());
  scene.quirks.set(Quirk::SkippingRemoval, false);
  scene.look(clock("10:10"));
  CHECK(scene.effects<DeleteJob>().size() == 3);
  CHECK(scene.output.verdict == Verdict::Started);

  // Stale entries: the same one may be told of twice, another not at all.
  scene = volcano();
  for (const char* name : {"a", "b", "c"}) scene.list(name);
  scene.look(clock("10:03"));
  CHECK(scene.messages() == Strings{"Active job \"a\" no longer exists (UID: a-uid)",
                                    "Active job \"c\" no longer exists (UID: c-uid)",
                                    "Active job \"c\" no longer exists (UID: c-uid)"});
  REQUIRE(scene.after().active.size() == 1);
  CHECK(scene.after().active.front().name == "b");
}

TEST_CASE("Volcano: after a live read the caller keeps its own copy", "[cronjob][volcano-cronjob][quirks]") {
  CronScene scene = volcano();
  scene.status.last_schedule = clock("10:00");
  scene.job("fresh", Finish::Running, false);
  scene.server_status = scene.status;
  scene.server_status->active = {{.ns = "default", .name = "fresh", .uid = "fresh-uid"}};
  scene.look(clock("10:05"));
  CHECK(scene.output.after->active.size() == 1);
  scene.quirks.set(Quirk::StaleCopy, false);
  scene.look(clock("10:05"));
  CHECK(scene.output.after->active.size() == 2);
}

TEST_CASE("Volcano: the job's annotations", "[cronjob][volcano-cronjob]") {
  CronScene scene = volcano();
  scene.spec.labels = {{"l", "1"}};
  for (const StringMap& annotations : {StringMap{{"x", "1"}}, StringMap{{"x", "1"}, {"z", "2"}}}) {
    scene.spec.annotations = annotations;
    const CronJobPtr cronjob = scene.object({});
    const Json meta =
        job_json(*cronjob, clock("10:05"), Profile::Volcano, scene.quirks, *Zone::named("Europe/Rome")).at("metadata");
    CHECK(meta.at("labels").size() == 1);
    CHECK(meta.at("annotations").size() == annotations.size() + 1);
    CHECK(meta.at("annotations").at("volcano.sh/cronjob-scheduled-timestamp") == "2025-03-11T11:05:00+01:00");
    CHECK_FALSE(meta.contains("creationTimestamp"));
    CHECK_FALSE(meta.contains("namespace"));
    CHECK(meta.at("ownerReferences").at(0).at("apiVersion") == "batch.volcano.sh/v1alpha1");
  }
}

}  // namespace
}  // namespace pumice::cronjob
