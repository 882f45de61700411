// One look of the `cronjob-legacy` controller: spec/k8s-cronjob.md 10.
#include <catch2/catch_test_macros.hpp>
#include <string>

#include "support/cronjob_scene.h"

namespace pumice::cronjob {
namespace {

using test::CronScene;
using test::time_of;
using Strings = std::vector<std::string>;

CronScene legacy() {
  CronScene scene(Profile::Legacy);
  scene.meta.creation = time_of("2020-03-02T08:59:00Z");
  scene.status.last_schedule = time_of("2020-03-02T09:00:00Z");
  return scene;
}
const Time kDue = time_of("2020-03-02T10:00:03Z");

TEST_CASE("a legacy look starts the last unmet run", "[cronjob][legacy]") {
  CronScene scene = legacy();
  scene.look(kDue);
  CHECK(scene.output.verdict == Verdict::Started);
  CHECK(scene.messages() == Strings{"Created job c-1583143200"});  // seconds, not minutes
  CHECK(scene.after().last_schedule == time_of("2020-03-02T10:00:00Z"));
  CHECK(scene.delay() == "none");
  CHECK(scene.effects<WriteStatus>().size() == 2);
  scene.spec.successful_limit = 3;
  scene.look(kDue);
  CHECK(scene.effects<WriteStatus>().size() == 3);
  // Without a run and without limits: one.
  scene.spec.successful_limit.reset();
  scene.look(time_of("2020-03-02T09:30:00Z"));
  CHECK(scene.effects<WriteStatus>().size() == 1);
  CHECK(scene.output.verdict == Verdict::NotDue);
}

TEST_CASE("a legacy look and the jobs", "[cronjob][legacy]") {
  CronScene scene = legacy();
  const Time now = time_of("2020-03-02T09:30:00Z");
  scene.job("good", Finish::Complete, true).completion = now;
  scene.job("orphan", Finish::Running, false);
  scene.list("lost");
  // Found live: nobody looks.
  scene.only_on_server = {{.ns = "default", .name = "lost", .uid = "lost-uid"}};
  scene.look(now);
  CHECK(scene.messages() == Strings{"Saw completed job: good, status: Complete",
                                    "Saw a job that the controller did not create or forgot: orphan",
                                    "Active job went missing: lost"});
  CHECK(scene.effects<ReadJob>().empty());
  CHECK(scene.effects<ReadCronJob>().empty());
  CHECK(scene.after().active.empty());
  CHECK_FALSE(scene.after().last_successful);
}

TEST_CASE("more than 100 missed runs", "[cronjob][legacy]") {
  CronScene scene = legacy();
  scene.spec.schedule = "* * * * *";
  scene.look(time_of("2020-03-02T10:41:00Z"));
  CHECK(scene.output.verdict == Verdict::TooManyMissed);
  CHECK(scene.events() == Strings{"Warning FailedNeedsStart"});
  CHECK(
      scene.messages().front().starts_with("Cannot determine if job needs to be started: too many missed start time"));
  CHECK(scene.effects<CreateJob>().empty());
  scene.look(time_of("2020-03-02T10:40:00Z"));
  CHECK(scene.output.verdict == Verdict::Started);
  scene.spec.starting_deadline_seconds = 200;
  scene.look(time_of("2020-03-05T10:41:00Z"));
  CHECK(scene.output.verdict == Verdict::Started);
  scene.spec.starting_deadline_seconds.reset();
  scene.quirks.set(Quirk::HundredMissed, false);
  scene.look(time_of("2020-03-05T10:41:00Z"));
  CHECK(scene.after().last_schedule == time_of("2020-03-05T10:41:00Z"));
}

TEST_CASE("a legacy look and what stops it", "[cronjob][legacy]") {
  CronScene scene = legacy();
  SECTION("suspended") {
    scene.spec.suspend = true;
    scene.look(kDue);
    CHECK(scene.output.verdict == Verdict::Suspended);
  }
  SECTION("being deleted") {
    scene.meta.deletion = kDue;
    scene.look(kDue);
    CHECK(scene.output.verdict == Verdict::Deleting);
  }
  SECTION("forbidden: silently") {
    scene.spec.policy = ConcurrencyPolicy::Forbid;
    scene.job("old", Finish::Running, true);
    scene.look(kDue);
    CHECK(scene.output.verdict == Verdict::Forbidden);
    CHECK(scene.events().empty());
    CHECK(scene.after().last_schedule == time_of("2020-03-02T09:00:00Z"));
  }
  SECTION("the status cannot be written") {
    scene.failures = {{"WriteStatus", "", ReplyCode::Conflict}};
    scene.look(kDue);
    CHECK(scene.effects<CreateJob>().empty());
    CHECK(scene.output.error.empty());
  }
  SECTION("the time zone: it knows none") {
    scene.spec.time_zone = "no/zone";
    scene.look(kDue);
    CHECK(scene.output.verdict == Verdict::Started);
  }
  SECTION("a schedule that cannot be read") {
    scene.spec.schedule = "0 0 * * 7";
    scene.look(kDue);
    CHECK(scene.messages() == Strings{"Cannot determine if job needs to be started: unparseable schedule: 0 0 * * 7 : "
                                      "end of range (7) above maximum (6): 7"});
  }
}

TEST_CASE("a legacy look replaces and creates", "[cronjob][legacy]") {
  CronScene scene = legacy();
  scene.spec.policy = ConcurrencyPolicy::Replace;
  scene.job("old", Finish::Running, true);
  SECTION("well") {
    scene.look(kDue);
    CHECK(scene.messages() == Strings{"Deleted job old", "Created job c-1583143200"});
    CHECK(scene.after().active.size() == 1);
  }
  SECTION("the old one cannot be read") {
    scene.failures = {{"ReadJob", "old", ReplyCode::Other, "no luck"}};
    scene.look(kDue);
    CHECK(scene.messages() == Strings{"Get job: no luck"});
    CHECK(scene.output.error.empty());
  }
  SECTION("the old one cannot be deleted") {
    scene.failures = {{"DeleteJob", "old", ReplyCode::Other, "no luck"}};
    scene.look(kDue);
    CHECK(scene.messages() == Strings{"Deleted job: no luck"});
    CHECK(scene.effects<CreateJob>().empty());
  }
  SECTION("the name is taken: told, and never repaired") {
    ChildJob existing{.ns = "default", .name = "c-1583143200", .uid = "there"};
    existing.controller = scene.owner();
    scene.only_on_server = {existing};
    scene.look(kDue);
    CHECK(scene.messages().back() == "Error creating job: jobs.batch \"c-1583143200\" already exists");
    CHECK(scene.after().last_schedule == time_of("2020-03-02T09:00:00Z"));
    scene.quirks.set(Quirk::ExistingJobRefused, false);
    scene.look(kDue);
    CHECK(scene.output.verdict == Verdict::Adopted);
    CHECK(scene.after().last_schedule == time_of("2020-03-02T10:00:00Z"));
  }
  SECTION("the namespace goes: silently") {
    scene.failures = {{"CreateJob", "", ReplyCode::NamespaceTerminating}};
    scene.look(kDue);
    CHECK(scene.messages() == Strings{"Deleted job old"});
  }
}

TEST_CASE("a legacy look cleans up behind the start", "[cronjob][legacy]") {
  CronScene scene = legacy();
  scene.spec.successful_limit = 1;
  scene.job("b", Finish::Complete, false).start = time_of("2020-03-02T09:00:00Z");
  scene.job("a", Finish::Complete, false).start = time_of("2020-03-02T08:00:00Z");
  scene.look(kDue);
  CHECK(scene.messages() == Strings{"Created job c-1583143200", "Deleted job a"});
}

}  // namespace
}  // namespace pumice::cronjob
