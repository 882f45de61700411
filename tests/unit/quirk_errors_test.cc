// Quirks of errors and limits, each on and off (spec/volcano-job.md 12 no. 41 - 48).
#include <catch2/catch_test_macros.hpp>

#include "support/controller_bench.h"
#include "support/quirks.h"

using namespace pumice;
using namespace pumice::test;
using namespace pumice::volcano;

namespace {

ControllerConfig config_of(Quirk quirk, bool on) {
  ControllerConfig config;
  config.quirks.set(quirk, on);
  return config;
}

std::string worker_task(std::string_view more) {
  return "tasks: [{name: w, " + std::string(more) + ", " + std::string(kOneContainer) + "}]";
}

}  // namespace

TEST_CASE("missing-queue-terminates", "[quirks]") {
  for (const bool on : {true, false}) {
    CAPTURE(on);
    ControllerBench bench(two_workers(Event::PodEvicted, Action::RestartJob),
                          config_of(Quirk::MissingQueueTerminates, on));
    bench.controller.step({bench.now, Observation{QueueDeleted{"default"}}}, bench.output);
    bench.cluster.set_pod_group_phase(bench.cluster.pod_groups().begin()->first, PodGroupPhase::Inqueue);
    bench.run();
    for (int i = 0; i < 40 && bench.controller.next_deadline(); ++i) {
      bench.tick_to_deadline();
      bench.run();
    }
    CHECK(bench.status().phase.code == (on ? JobPhase::Terminated : JobPhase::Pending));
    if (on) continue;
    // When the queue comes the job goes on.
    bench.controller.step({bench.now, Observation{QueueAdded{"default", false}}}, bench.output);
    for (int i = 0; i < 4 && bench.controller.next_deadline(); ++i) {
      bench.tick_to_deadline();
      bench.run();
    }
    CHECK(bench.cluster.pods().size() == 2);
    CHECK_FALSE(bench.controller.next_deadline());
  }
}

TEST_CASE("missing-queue-terminates: a claim", "[quirks]") {
  for (const bool on : {true, false}) {
    CAPTURE(on);
    JobSpec spec = two_workers(Event::PodEvicted, Action::RestartJob);
    spec.volumes = {{"/data", "claim", {}}};
    ControllerBench bench(spec, config_of(Quirk::MissingQueueTerminates, on));
    for (int i = 0; i < 40 && bench.controller.next_deadline(); ++i) {
      bench.tick_to_deadline();
      bench.run();
    }
    CHECK(bench.status().phase.code == (on ? JobPhase::Terminated : JobPhase::Pending));
  }
}

TEST_CASE("failure-count-survives", "[quirks]") {
  for (const bool on : {true, false}) {
    CAPTURE(on);
    ControllerConfig config = config_of(Quirk::FailureCountSurvives, on);
    config.requeue_max = 1;
    ControllerBench bench(two_workers(Event::PodEvicted, Action::RestartJob), config);
    // No status can be written, so each sync of the job fails, and so does giving up.
    bench.fault = [](const EffectBody& body) {
      return std::holds_alternative<UpdateJobStatus>(body) || std::holds_alternative<CreatePod>(body)
                 ? ResultCode::Timeout
                 : ResultCode::Ok;
    };
    const auto outcomes = [&] {
      bench.output.trace.clear();
      const JobPtr job = bench.controller.cache().get("default/j")->job;
      auto after = std::make_shared<Job>(*job);
      ++after->meta.resource_version;
      auto spec = std::make_shared<JobSpec>(*job->spec);
      spec->priority_class_name += "x";
      after->spec = spec;
      bench.controller.step({bench.now, Observation{JobUpdated{job, after}}}, bench.output);
      bench.cluster.set_pod_group_phase(bench.cluster.pod_groups().begin()->first,
                                        bench.cluster.pod_groups().begin()->second.phase == PodGroupPhase::Inqueue
                                            ? PodGroupPhase::Running
                                            : PodGroupPhase::Inqueue);
      bench.run();
      while (bench.controller.next_deadline()) {
        bench.tick_to_deadline();
        bench.run();
      }
      std::vector<ProcessOutcome> list;
      for (const ProcessRecord& record : bench.processed())
        if (record.request.event.code == Event::OutOfSync) list.push_back(record.outcome);
      return list;
    };
    using Outcomes = std::vector<ProcessOutcome>;
    const Outcomes twice{ProcessOutcome::Requeued, ProcessOutcome::GaveUp};
    CHECK(outcomes() == twice);
    CHECK(outcomes() == (on ? Outcomes{ProcessOutcome::GaveUp} : twice));
  }
}

TEST_CASE("scale-down-evicts", "[quirks]") {
  Json args = sync_args(job_with(worker_task("replicas: 1"), "status: {state: {phase: Running}}"));
  args["pods"] = {pod_json("Running"), pod_json("Running", "", "j-w-1")};
  const auto synced = ask_both("volcano.execute", args, "scale-down-evicts");
  CHECK(effects_of(synced.on, "MarkPod").empty());
  CHECK(effects_of(synced.on, "DeletePod").size() == 1);
  CHECK(effects_of(synced.off, "MarkPod").size() == 1);
  CHECK(effects_of(synced.off, "MarkPod")[0].at("name") == "j-w-1");
  CHECK(effects_of(synced.off, "DeletePod").size() == 1);
  // What cannot be marked is not deleted, and the status tells of what is there.
  args["failures"] = from_yaml("[{effect: MarkPod, code: Timeout}]");
  const auto failed = ask_both("volcano.execute", args, "scale-down-evicts");
  CHECK_FALSE(failed.on.contains("error"));
  CHECK(failed.off.at("error") == "1 pod could not be marked");
  CHECK(effects_of(failed.off, "DeletePod").empty());
}

TEST_CASE("failed-create-stops-sync", "[quirks]") {
  Json args = sync_args(job_with(worker_task("replicas: 2"), "status: {state: {phase: Running}}"));
  args["pods"] = {pod_json("Running"), pod_json("Running", "", "j-w-7")};
  args["failures"] = from_yaml("[{effect: CreatePod, code: Forbidden}]");
  const auto synced = ask_both("volcano.execute", args, "failed-create-stops-sync");
  for (const Json& answer : {synced.on, synced.off}) {
    CHECK(answer.at("error") == "1 pod could not be created");
    CHECK(answer.at("outcome") == "Requeued");
  }
  CHECK(effects_of(synced.on, "DeletePod").empty());
  CHECK(effects_of(synced.on, "UpdateJobStatus").empty());
  CHECK(effects_of(synced.off, "DeletePod").size() == 1);
  CHECK(synced.off.at("job").at("status").at("running") == 1);
}

TEST_CASE("unknown-action-acts", "[quirks]") {
  Json args{{"job", job_with("minAvailable: 2, " + worker_task("replicas: 2"),
                             "status: {state: {phase: Restarting}, minAvailable: 2}")},
            {"status", {{"terminating", 2}}},
            {"action", {{"action", "RestartJobs"}}}};
  const auto answers = ask_both("volcano.transition", args, "unknown-action-acts");
  CHECK(answers.on.at("operation") == "kill");
  CHECK(answers.off.at("operation") == "sync");
  // It clears no delayed actions, either.
  const auto timers = on_and_off(Quirk::UnknownActionActs, [](const SimulationOptions& options) {
    World world(one_task(2, "minAvailable: 1, policies: [{event: PodFailed, action: RestartJob, timeout: 10m}]"),
                options);
    world.play("until Running");
    world.play("pod w-0 Failed exit=1");
    world.play("command RestartJobs");
    return world.simulation.controller().delayed().pending().size();
  });
  CHECK(timers.on == 0);
  CHECK(timers.off == 1);
}
