// Callbacks and queue: spec/k8s-cronjob.md 3 and 11.3, spec/volcano-cronjob.md 2 and 7.2.
#include <catch2/catch_test_macros.hpp>
#include <string>

#include "pumice/cronjob/controller.h"
#include "support/cronjob_scene.h"

namespace pumice::cronjob {
namespace {

using test::CronScene;
using test::duration_of;
using test::time_of;

/// When the key is worked on behind an update from `before` to `after`; `none`: not at all.
struct Update {
  Profile profile;
  std::string now;
  std::string last;
  std::vector<Effect> effects;

  std::string wait(const Spec& before, const Spec& after) {
    CronScene scene(profile);
    scene.meta.creation = time_of("2016-05-19T08:00:00Z");
    scene.status.last_schedule = time_of(last);
    scene.spec = before;
    const CronJobPtr old_object = scene.object(scene.status);
    scene.spec = after;
    const CronJobPtr new_object = scene.object(scene.status);
    const cron::ZoneSource zones;
    Cluster cluster(profile, Quirks::of(profile), old_object, {});
    SyncOutput output;
    // The first look, of a CronJob without a run to start, so that the key waits for the next one.
    const Time start = time_of(last);
    Controller waiting(profile, Quirks::of(profile), start, zones);
    SyncInput input;
    input.now = start;
    input.cronjob = old_object.get();
    waiting.work(input, cluster, output);
    effects.clear();
    waiting.observe_update(time_of(now), *old_object, *new_object, effects);
    const auto next = waiting.next_deadline();
    return next ? to_string(*next - time_of(now)) : "none";
  }
};

Spec spec_of(const std::string& schedule) {
  Spec spec;
  spec.schedule = schedule;
  return spec;
}

TEST_CASE("updates of a CronJob", "[cronjob][controller]") {
  for (const Profile profile : {Profile::V2, Profile::Volcano}) {
    Update update{profile, "2016-05-19T09:59:59Z", "2016-05-19T09:59:00Z", {}};
    // Another template, or an equal time zone: now.
    Spec other = spec_of("0 23 * * *");
    other.labels = {{"a", "b"}};
    CHECK(update.wait(spec_of("0 23 * * *"), other) == "0s");
    Spec zone = spec_of("0 23 * * *");
    zone.time_zone = "UTC";
    CHECK(update.wait(zone, zone) == "0s");
    // A schedule: at its next time, and an earlier wake-up stays.
    CHECK(update.wait(spec_of("0 23 * * *"), spec_of("* * * * *")) == "1.1s");
    CHECK(update.wait(spec_of("@every 1m"), spec_of("@every 3m")) == "1.1s");  // the old timer is nearer
    CHECK(update.wait(spec_of("@every 3m"), spec_of("@every 1m")) == "1.1s");
    // Garbage: told, and nothing is queued besides.
    CHECK(update.wait(spec_of("0 23 * * *"), spec_of("garbage")) == "13h0m1.1s");
    REQUIRE(update.effects.size() == 1);
    CHECK(words_of(std::get<EmitEvent>(update.effects.front()).event, profile).message ==
          "unparseable schedule for cronjob: garbage");
  }
}

TEST_CASE("the delay behind a change of the schedule", "[cronjob][controller]") {
  // Without an old timer, as upstream's tests see it.
  const auto delay_of = [](const std::string& schedule, const std::string& now, const std::string& last) {
    CronScene scene;
    scene.status.last_schedule = time_of(last);
    scene.spec.schedule = schedule;
    ScheduleMemo memo;
    const CronJobPtr object = scene.object(scene.status);
    memo.read(object->spec, Profile::V2, scene.zones);
    return to_string(
        delay(*memo.clockwork(), DueQuestion::of(*object, object->status, time_of(now), Quirks::of(Profile::V2))));
  };
  CHECK(delay_of("@every 3m", "2016-05-19T09:59:59Z", "2016-05-19T09:59:00Z") == "2m1.1s");
  CHECK(delay_of("@every 1m", "2016-05-19T09:59:59Z", "2016-05-19T09:59:00Z") == "1.1s");
  CHECK(delay_of("*/1 * * * *", "2025-03-11T10:00:00Z", "2025-03-11T10:00:00Z") == "1m0.1s");
  CHECK(delay_of("@every 3m", "2025-03-11T10:00:00Z", "2025-03-11T10:00:00Z") == "3m0.1s");
  CHECK(delay_of("@every 1m", "2025-03-11T10:00:00Z", "2025-03-11T10:00:00Z") == "1m0.1s");
}

TEST_CASE("errors are tried again with growing pauses", "[cronjob][controller]") {
  for (const Profile profile : {Profile::V2, Profile::Volcano}) {
    CronScene scene(profile);
    scene.meta.creation = time_of("2016-05-19T08:30:00Z");
    const CronJobPtr object = scene.object({});
    Cluster cluster(profile, scene.quirks, object, {});
    cluster.failures = {{"CreateJob", "", ReplyCode::Other, "no luck", 30}};
    const Time start = time_of("2016-05-19T09:00:00Z");
    Controller controller(profile, scene.quirks, start, scene.zones);
    SyncOutput output;
    Time now = start;
    std::vector<std::string> pauses;
    for (int i = 0; i < 21; ++i) {
      SyncInput input;
      input.now = now;
      input.cronjob = object.get();
      controller.work(input, cluster, output);
      REQUIRE(output.failed());
      const Time next = controller.next_deadline().value();
      pauses.push_back(to_string(next - now));
      now = next;
    }
    CHECK(pauses[0] == "5ms");
    CHECK(pauses[1] == "10ms");
    CHECK(pauses[10] == "5.12s");
    CHECK(pauses[17] == "10m55.36s");
    CHECK(pauses[18] == "16m40s");
    CHECK(pauses[20] == "16m40s");
    // Success makes the next error's pause a short one again.
    cluster.failures.clear();
    SyncInput input;
    input.now = now;
    input.cronjob = object.get();
    controller.work(input, cluster, output);
    CHECK_FALSE(output.failed());
    cluster.failures = {{"CreateJob", "", ReplyCode::Other, "no luck", 30}};
    input.now = now + duration_of("24h");
    controller.observe(input.now);
    controller.work(input, cluster, output);
    CHECK(output.failed());
    CHECK(to_string(controller.next_deadline().value() - input.now) == "5ms");
  }
}

TEST_CASE("without a delay a CronJob sleeps until something changes", "[cronjob][controller]") {
  CronScene scene;
  scene.meta.creation = time_of("2016-05-19T08:30:00Z");
  scene.spec.suspend = true;
  const CronJobPtr object = scene.object({});
  for (const Profile profile : {Profile::V2, Profile::Legacy, Profile::Volcano}) {
    Cluster cluster(profile, Quirks::of(profile), object, {});
    const Time start = time_of("2016-05-19T09:00:00Z");
    Controller controller(profile, Quirks::of(profile), start, scene.zones);
    CHECK(controller.next_deadline() == start);
    SyncOutput output;
    SyncInput input;
    input.now = start;
    input.cronjob = object.get();
    controller.work(input, cluster, output);
    CHECK_FALSE(controller.next_deadline());
    controller.observe(start + duration_of("63s"));
    // Legacy sees it when it looks the next time.
    const Duration wait = controller.next_deadline().value() - start;
    CHECK(to_string(wait) == (profile == Profile::Legacy ? "1m10s" : "1m3s"));
  }
}

TEST_CASE("a look that waits for an answer has changed nothing", "[cronjob][controller]") {
  struct Silent final : Server {
    const Reply* answer(const Effect&) override { return nullptr; }
  } silent;
  CronScene scene;
  scene.meta.creation = time_of("2016-05-19T08:30:00Z");
  const CronJobPtr object = scene.object({});
  const Time start = time_of("2016-05-19T09:00:00Z");
  Controller controller(Profile::V2, scene.quirks, start, scene.zones);
  SyncOutput output;
  SyncInput input;
  input.now = start;
  input.cronjob = object.get();
  controller.work(input, silent, output);
  CHECK(output.waiting);
  CHECK(controller.next_deadline() == start);
}

}  // namespace
}  // namespace pumice::cronjob
