// Quirks of delayed actions, each on and off (spec/volcano-job.md 12 no. 19 - 25).
#include <catch2/catch_test_macros.hpp>

#include "support/controller_bench.h"
#include "support/quirks.h"

using namespace pumice;
using namespace pumice::test;
using namespace pumice::volcano;

namespace {

DelayedAction delayed(Event event, Action action, std::string_view uid, std::string_view task = "w",
                      std::string_view partition = "") {
  DelayedAction entry;
  entry.request.ns = "default";
  entry.request.job_name = "j";
  entry.request.task_name = task;
  entry.request.pod_name = "j-" + std::string(task) + "-0";
  entry.request.pod_uid = uid;
  entry.request.partition_id = partition;
  entry.request.event = event;
  entry.action = action;
  entry.target = target_for(action, entry.request);
  entry.delay = seconds(60);
  return entry;
}

JobSpec one_worker(Event event, Action action, Duration timeout) {
  JobSpec spec = two_workers(event, action);
  spec.min_available = spec.tasks[0].replicas = 1;
  spec.policies[0].timeout = timeout;
  return spec;
}

ControllerConfig config_of(Quirk quirk, bool on) {
  ControllerConfig config;
  config.quirks.set(quirk, on);
  return config;
}

std::size_t timers(const ControllerBench& bench) { return bench.controller.delayed().pending().size(); }

}  // namespace

TEST_CASE("delay-skips-sync", "[quirks]") {
  const auto failed = on_and_off(Quirk::DelaySkipsSync, [](const SimulationOptions& options) {
    World world(one_task(2, "policies: [{event: PodFailed, action: RestartJob, timeout: 10m}]"), options);
    world.play("until Running");
    world.play("pod w-0 Failed exit=1");
    const std::string text = record_text(world);
    return std::pair(world.status().failed, text.find("a sync follows") != std::string::npos);
  });
  CHECK(failed.on == std::pair(0, false));
  CHECK(failed.off == std::pair(1, true));
}

TEST_CASE("expiry-unchecked: a pod that is not pending any more", "[quirks]") {
  for (const bool on : {true, false}) {
    CAPTURE(on);
    ControllerBench bench(one_worker(Event::PodPending, Action::RestartPod, seconds(60)),
                          config_of(Quirk::ExpiryUnchecked, on));
    bench.cluster.set_pod_group_phase(bench.cluster.pod_groups().begin()->first, PodGroupPhase::Inqueue);
    bench.run();
    REQUIRE(timers(bench) == 1);
    // It succeeds without having been seen to run, which cancels nothing (succeeded-keeps-timer).
    bench.cluster.set_pod_phase("default/j-w-0", PodPhase::Succeeded, 0, "", bench.now);
    bench.run();
    REQUIRE(timers(bench) == 1);
    bench.output.trace.clear();
    bench.tick_to_deadline();
    bench.run();
    REQUIRE(bench.processed().size() == 1);
    CHECK(bench.processed()[0].expired);
    CHECK(bench.processed()[0].outcome == (on ? ProcessOutcome::Executed : ProcessOutcome::Outdated));
    CHECK(bench.processed()[0].effects.empty() == !on);
  }
}

TEST_CASE("expiry-unchecked: a namesake of the job", "[quirks]") {
  for (const bool on : {true, false}) {
    CAPTURE(on);
    ControllerBench bench(one_worker(Event::PodFailed, Action::AbortJob, seconds(60)),
                          config_of(Quirk::ExpiryUnchecked, on));
    bench.make_running();
    bench.cluster.set_pod_phase("default/j-w-0", PodPhase::Failed, 1, "", bench.now);
    bench.run();
    REQUIRE(timers(bench) == 1);
    const JobPtr old = bench.controller.cache().get("default/j")->job;
    auto other = std::make_shared<Job>(*old);
    other->meta.uid = "another";
    bench.controller.step({bench.now, Observation{JobDeleted{old}}}, bench.output);
    bench.controller.step({bench.now, Observation{JobAdded{other}}}, bench.output);
    bench.output.trace.clear();
    bench.now = bench.now + seconds(60);
    bench.controller.step({bench.now, Tick{}}, bench.output);
    bench.run();
    bool outdated = false;
    bool expired = false;
    for (const ProcessRecord& record : bench.processed()) {
      expired = expired || record.expired;
      outdated = outdated || record.outcome == ProcessOutcome::Outdated;
    }
    CHECK(expired);
    CHECK(outdated == !on);
  }
}

TEST_CASE("killed-pod-keeps-timer", "[quirks]") {
  for (const bool on : {true, false}) {
    CAPTURE(on);
    ControllerBench bench(one_worker(Event::PodPending, Action::RestartPod, seconds(600)),
                          config_of(Quirk::KilledPodKeepsTimer, on));
    bench.cluster.set_pod_group_phase(bench.cluster.pod_groups().begin()->first, PodGroupPhase::Inqueue);
    bench.run();
    REQUIRE(timers(bench) == 1);
    const Time first_due = bench.controller.delayed().pending()[0].action.due;
    // The controller kills the pending pod; RestartJob clears actions on the whole job only.
    bench.now = bench.now + seconds(10);
    bench.cluster.create_command("default/j", Action::RestartJob);
    bench.run();
    bench.cluster.remove_pod("default/j-w-0");
    bench.run();
    CHECK(timers(bench) == (on ? 1 : 0));
    bench.cluster.set_pod_group_phase(bench.cluster.pod_groups().begin()->first, PodGroupPhase::Inqueue);
    bench.run();
    REQUIRE(timers(bench) == 1);
    CHECK((bench.controller.delayed().pending()[0].action.due == first_due) == on);
  }
}

TEST_CASE("replaced-timer-fires", "[quirks]") {
  for (const bool on : {true, false}) {
    CAPTURE(on);
    Quirks quirks = kVolcanoQuirks;
    quirks.set(Quirk::ReplacedTimerFires, on);
    DelayedActions registry(quirks);
    std::vector<TimerRecord> records;
    registry.add(delayed(Event::PodPending, Action::RestartPod, "u"), Time{}, records);
    registry.add(delayed(Event::PodFailed, Action::RestartJob, "u"), Time{}, records);
    CHECK(records.back().op == TimerOp::Replaced);
    CHECK(records.back().stops_other == !on);
    CHECK(registry.pending().size() == (on ? 2 : 1));
  }
}

TEST_CASE("timer-outlives-job", "[quirks]") {
  for (const bool on : {true, false}) {
    CAPTURE(on);
    // The other pod runs on, so that the job does not end.
    JobSpec spec = two_workers(Event::PodFailed, Action::RestartJob);
    spec.policies[0].timeout = seconds(60);
    ControllerBench bench(spec, config_of(Quirk::TimerOutlivesJob, on));
    bench.make_running();
    bench.cluster.set_pod_phase("default/j-w-0", PodPhase::Failed, 1, "", bench.now);
    bench.run();
    const JobPtr job = bench.controller.cache().get("default/j")->job;
    bench.controller.step({bench.now, Observation{JobDeleted{job}}}, bench.output);
    bench.tick_to_deadline();
    bench.run();
    // The same pod fails again in the job's second life.
    bench.controller.step({bench.now, Observation{JobAdded{job}}}, bench.output);
    bench.run();
    const PodPtr failed = bench.cluster.pods().at("default/j-w-0").pod;
    auto before = std::make_shared<Pod>(*failed);
    before->phase = PodPhase::Running;
    before->resource_version = 1;
    bench.controller.step({bench.now, Observation{PodUpdated{before, failed}}}, bench.output);
    bench.run();
    CHECK(timers(bench) == (on ? 0 : 1));
  }
}

TEST_CASE("restart-keeps-timers and partition-clears-others", "[quirks]") {
  const auto left = [](Quirk quirk, bool on, Action executed, std::string_view task) {
    Quirks quirks = kVolcanoQuirks;
    quirks.set(quirk, on);
    DelayedActions registry(quirks);
    std::vector<TimerRecord> records;
    registry.add(delayed(Event::PodFailed, Action::RestartPod, "u", "a"), Time{}, records);
    registry.add(delayed(Event::PodFailed, Action::RestartPartition, "u", "b", "0"), Time{}, records);
    registry.clean_up("default/j", executed, delayed(Event::PodFailed, executed, "u", task, "0").target, records);
    return registry.pending().size();
  };
  CHECK(left(Quirk::RestartKeepsTimers, true, Action::RestartJob, "a") == 2);
  CHECK(left(Quirk::RestartKeepsTimers, false, Action::RestartJob, "a") == 0);
  CHECK(left(Quirk::RestartKeepsTimers, false, Action::RestartTask, "a") == 2);
  CHECK(left(Quirk::PartitionClearsOthers, true, Action::RestartPartition, "c") == 1);
  CHECK(left(Quirk::PartitionClearsOthers, false, Action::RestartPartition, "c") == 2);
  CHECK(left(Quirk::PartitionClearsOthers, false, Action::RestartPartition, "b") == 1);
}

TEST_CASE("succeeded-keeps-timer", "[quirks]") {
  for (const bool on : {true, false}) {
    CAPTURE(on);
    ControllerBench bench(one_worker(Event::PodPending, Action::RestartPod, seconds(60)),
                          config_of(Quirk::SucceededKeepsTimer, on));
    bench.cluster.set_pod_group_phase(bench.cluster.pod_groups().begin()->first, PodGroupPhase::Inqueue);
    bench.run();
    REQUIRE(timers(bench) == 1);
    bench.cluster.set_pod_phase("default/j-w-0", PodPhase::Succeeded, 0, "", bench.now);
    bench.run();
    CHECK(timers(bench) == (on ? 1 : 0));
  }
}
