// Quirks of restarts, counts and completion, each on and off (spec/volcano-job.md 12 no. 26 - 40).
#include <catch2/catch_test_macros.hpp>

#include "support/controller_bench.h"
#include "support/quirks.h"

using namespace pumice;
using namespace pumice::test;
using namespace pumice::volcano;

namespace {

using Texts = std::vector<std::string>;

/// `sync fromRunning -> Completed 0`: operation, status function, phase and retryCount after it.
std::string moved(const Json& answer) {
  return answer.at("operation").get<std::string>() + " " + answer.at("function").get<std::string>() + " -> " +
         answer.at("phase").get<std::string>() + " " + std::to_string(answer.at("retryCount").get<int>());
}

/// `spec` with a phase and retryCount; `counts` as the operation found them.
Texts transition_both(std::string_view quirk, std::string_view spec, std::string_view state, std::string_view counts,
                      std::string_view action) {
  const Json args{{"job", job_with(spec, "status: {" + std::string(state) + "}")},
                  {"status", from_yaml("{" + std::string(counts) + "}")},
                  {"action", {{"action", action}}}};
  const OnOff<Json> answers = ask_both("volcano.transition", args, quirk);
  return {moved(answers.on), moved(answers.off)};
}

constexpr std::string_view kTwo = "minAvailable: 2, tasks: [{name: w, replicas: 2, template: {spec: {}}}]";

Json execute_args(std::string_view spec, std::string_view status, std::initializer_list<Json> pods,
                  std::string_view action) {
  Json args = sync_args(job_with(spec, "status: {" + std::string(status) + "}"));
  args["pods"] = Json(pods);
  args["action"] = from_yaml("{" + std::string(action) + "}");
  return args;
}
OnOff<Json> execute_both(std::string_view quirk, const Json& args) { return ask_both("volcano.execute", args, quirk); }
Json status_of(const Json& answer) { return answer.at("job").at("status"); }

std::string worker_task(std::string_view more) {
  return "tasks: [{name: w, " + std::string(more) + ", " + std::string(kOneContainer) + "}]";
}

}  // namespace

TEST_CASE("targeted-uses-retry", "[quirks]") {
  for (const char* action : {"RestartPod", "RestartTask", "RestartPartition"}) {
    CHECK(transition_both("targeted-uses-retry", kTwo, "state: {phase: Running}", "running: 1", action) ==
          Texts{"killTarget restart -> Restarting 1", "killTarget toRestarting -> Restarting 0"});
  }
  CHECK(transition_both("targeted-uses-retry", kTwo, "state: {phase: Running}", "running: 1", "RestartJob") ==
        Texts{"kill restart -> Restarting 1", "kill restart -> Restarting 1"});
}

TEST_CASE("max-retry-counts-runs", "[quirks]") {
  const auto with = [](std::string_view retries) {
    return transition_both("max-retry-counts-runs", kTwo,
                           "state: {phase: Restarting}, minAvailable: 2, retryCount: " + std::string(retries), "",
                           "SyncJob");
  };
  CHECK(with("2") == Texts{"sync fromRestarting -> Pending 2", "sync fromRestarting -> Pending 2"});
  CHECK(with("3") == Texts{"sync fromRestarting -> Failed 3", "sync fromRestarting -> Pending 3"});
  CHECK(with("4") == Texts{"sync fromRestarting -> Failed 4", "sync fromRestarting -> Failed 4"});
  // A job that fails each time runs once more, and only its last failed pod is kept.
  const auto runs = on_and_off(Quirk::MaxRetryCountsRuns, [](const SimulationOptions& options) {
    World world(one_task(1, "maxRetry: 1, policies: [{event: PodFailed, action: RestartJob}]"), options);
    int count = 0;
    while (count < 9 && world.phase() != "Failed") {
      world.play("until Running");
      ++count;
      world.play("pod w-0 Failed exit=1");
      world.play("until settled");
    }
    return std::pair(count, world.pod("j-w-0") != nullptr);
  });
  CHECK(runs.on == std::pair(1, true));
  CHECK(runs.off == std::pair(2, true));
}

TEST_CASE("resume-uses-retry", "[quirks]") {
  for (const char* phase : {"Aborted", "Aborting"}) {
    CHECK(transition_both("resume-uses-retry", kTwo, "state: {phase: " + std::string(phase) + "}", "", "ResumeJob") ==
          Texts{"kill restart -> Restarting 1", "kill toRestarting -> Restarting 0"});
  }
}

TEST_CASE("restarting-deaf", "[quirks]") {
  const auto with = [](std::string_view action) {
    return transition_both("restarting-deaf", kTwo, "state: {phase: Restarting}, minAvailable: 2", "terminating: 2",
                           action);
  };
  const std::string deaf = "kill fromRestarting -> Restarting 0";
  CHECK(with("AbortJob") == Texts{deaf, "kill toAborting -> Aborting 0"});
  CHECK(with("TerminateJob") == Texts{deaf, "kill toTerminating -> Terminating 0"});
  CHECK(with("CompleteJob") == Texts{deaf, "kill toCompleting -> Completing 0"});
  CHECK(with("ResumeJob") == Texts{deaf, "sync fromRestarting -> Restarting 0"});
  CHECK(with("RestartJob") == Texts{deaf, deaf});
}

TEST_CASE("stored-counts-decide", "[quirks]") {
  Json args = execute_args("minAvailable: 2, " + worker_task("replicas: 2"),
                           "state: {phase: Restarting}, minAvailable: 2, terminating: 2", {}, "action: SyncJob");
  args["podGroup"]["status"]["phase"] = "Pending";
  const auto synced = execute_both("stored-counts-decide", args);
  CHECK(status_of(synced.on).at("state").at("phase") == "Restarting");
  CHECK(status_of(synced.on).at("terminating") == 2);
  CHECK(status_of(synced.off).at("state").at("phase") == "Pending");
  CHECK_FALSE(status_of(synced.off).contains("terminating"));
}

TEST_CASE("targeted-drops-plugins", "[quirks]") {
  Json args = execute_args("plugins: {svc: []}, " + worker_task("replicas: 2"),
                           "state: {phase: Running}, controlledResources: {plugin-svc: svc}",
                           {pod_json("Running"), pod_json("Running", "", "j-w-1")},
                           "action: RestartPod, target: {type: pod, taskName: w, podName: j-w-0}");
  const auto targeted = execute_both("targeted-drops-plugins", args);
  CHECK(effects_of(targeted.on, "DeleteObject").size() == 3);
  CHECK_FALSE(status_of(targeted.on).contains("controlledResources"));
  CHECK(effects_of(targeted.off, "DeleteObject").empty());
  CHECK(status_of(targeted.off).at("controlledResources") == Json{{"plugin-svc", "svc"}});
  CHECK(effects_of(targeted.off, "DeletePod").size() == 1);
  args["action"] = {{"action", "RestartJob"}};
  const auto whole = execute_both("targeted-drops-plugins", args);
  CHECK(effects_of(whole.on, "DeleteObject").size() == 3);
  CHECK(effects_of(whole.off, "DeleteObject").size() == 3);
}

TEST_CASE("kill-clears-counts", "[quirks]") {
  const auto done = execute_both(
      "kill-clears-counts",
      execute_args(worker_task("replicas: 3"), "state: {phase: Completed}, succeeded: 1",
                   {pod_json("Succeeded"), pod_json("Failed", "", "j-w-1"), pod_json("Running", "", "j-w-2")},
                   "action: SyncJob"));
  CHECK_FALSE(status_of(done.on).contains("succeeded"));
  CHECK(status_of(done.on).at("terminating") == 1);
  CHECK(status_of(done.off).at("succeeded") == 1);
  CHECK(status_of(done.off).at("failed") == 1);
  CHECK_FALSE(status_of(done.off).contains("running"));
  CHECK(status_of(done.off).at("terminating") == 1);
  CHECK(status_of(done.off).at("taskStatusCount") == from_yaml("{w: {phase: {Succeeded: 1, Failed: 1}}}"));
  const auto targeted = execute_both(
      "kill-clears-counts",
      execute_args(worker_task("replicas: 3"), "state: {phase: Running}",
                   {pod_json("Failed"), pod_json("Running", "", "j-w-1"), pod_json("Running", "", "j-w-2")},
                   "action: RestartPod, target: {type: pod, taskName: w, podName: j-w-0}"));
  CHECK_FALSE(status_of(targeted.on).contains("running"));
  CHECK(status_of(targeted.off).at("running") == 2);
  CHECK_FALSE(status_of(targeted.off).contains("failed"));
  // What a person sees of a job that is through.
  const auto seen = on_and_off(Quirk::KillClearsCounts, [](const SimulationOptions& options) {
    World world(one_task(2, "minAvailable: 2"), options);
    world.play("until Running");
    world.play("pod w-* Succeeded");
    world.play("until settled");
    return std::pair(world.phase(), world.status().succeeded);
  });
  CHECK(seen.on == std::pair(std::string("Completed"), 0));
  CHECK(seen.off == std::pair(std::string("Completed"), 2));
}

TEST_CASE("failed-counts-as-started", "[quirks]") {
  const auto with = [](std::string_view counts) {
    return transition_both("failed-counts-as-started", kTwo, "state: {phase: Pending}", counts, "SyncJob");
  };
  CHECK(with("failed: 2") == Texts{"sync fromPending -> Running 0", "sync fromPending -> Failed 0"});
  CHECK(with("failed: 1, running: 1") == Texts{"sync fromPending -> Running 0", "sync fromPending -> Pending 0"});
  CHECK(with("succeeded: 1, running: 1") == Texts{"sync fromPending -> Running 0", "sync fromPending -> Running 0"});
}

TEST_CASE("completed-while-running", "[quirks]") {
  CHECK(transition_both("completed-while-running", "minSuccess: 1, " + std::string(kTwo), "state: {phase: Running}",
                        "running: 1, succeeded: 1",
                        "SyncJob") == Texts{"sync fromRunning -> Completed 0", "sync fromRunning -> Completing 0"});
  const auto phases = on_and_off(Quirk::CompletedWhileRunning, [](const SimulationOptions& options) {
    World world(one_task(2, "minSuccess: 1"), options);
    world.play("until Running");
    world.play("pod w-0 Succeeded");
    world.play("until settled");
    return world.phases();
  });
  CHECK(phases.on == Texts{"Pending", "Running", "Completed"});
  CHECK(phases.off == Texts{"Pending", "Running", "Completing", "Completed"});
}

TEST_CASE("shrunk-falls-back", "[quirks]") {
  const std::string spec = "minAvailable: 3, tasks: [{name: w, replicas: 2, template: {spec: {}}}]";
  const auto with = [&](std::string_view counts) {
    return transition_both("shrunk-falls-back", spec, "state: {phase: Running}", counts, "SyncJob");
  };
  CHECK(with("running: 2") == Texts{"sync fromRunning -> Pending 0", "sync fromRunning -> Running 0"});
  CHECK(with("running: 1, pending: 1") == Texts{"sync fromRunning -> Pending 0", "sync fromRunning -> Pending 0"});
}

TEST_CASE("marked-counted-twice", "[quirks]") {
  const auto synced = execute_both(
      "marked-counted-twice",
      execute_args(worker_task("replicas: 2"), "state: {phase: Running}",
                   {pod_json("Running", "metadata: {annotations: {volcano.sh/controller-out-of-sync: 'true'}}"),
                    pod_json("Running", "", "j-w-1")},
                   "action: SyncJob"));
  CHECK(status_of(synced.on).at("running") == 2);
  CHECK(status_of(synced.on).at("terminating") == 1);
  CHECK(status_of(synced.off).at("running") == 1);
  CHECK(status_of(synced.off).at("terminating") == 1);
  CHECK(status_of(synced.off).at("taskStatusCount") == from_yaml("{w: {phase: {Running: 1}}}"));
}

TEST_CASE("zero-minimum-runs", "[quirks]") {
  const auto phases = on_and_off(Quirk::ZeroMinimumRuns, [](const SimulationOptions& options) {
    World world(one_task(1, "minAvailable: 0", "minAvailable: 0"), options);
    const std::string first = world.phase();
    world.play("until settled");
    return Texts{first, world.phase()};
  });
  CHECK(phases.on == Texts{"Running", "Running"});
  CHECK(phases.off == Texts{"Pending", "Running"});
}

TEST_CASE("transition-time-moves and duration-dropped", "[quirks]") {
  const Json args = execute_args(
      "minAvailable: 2, " + worker_task("replicas: 3"),
      "state: {phase: Running, lastTransitionTime: '2026-03-02T09:30:00Z'}, minAvailable: 2, runningDuration: 5m0s, "
      "conditions: [{status: Running, lastTransitionTime: '2026-03-02T09:30:00Z'}]",
      {pod_json("Running"), pod_json("Running", "", "j-w-1"), pod_json("Running", "", "j-w-2")}, "action: SyncJob");
  const auto time = execute_both("transition-time-moves", args);
  CHECK(status_of(time.on).at("state").at("lastTransitionTime") == "2026-03-02T10:00:00Z");
  CHECK(status_of(time.off).at("state").at("lastTransitionTime") == "2026-03-02T09:30:00Z");
  CHECK(status_of(time.off).at("conditions").size() == 1);
  CHECK(status_of(time.off).at("running") == 3);
  const auto duration = execute_both("duration-dropped", args);
  CHECK_FALSE(status_of(duration.on).contains("runningDuration"));
  CHECK(status_of(duration.off).at("runningDuration") == "5m0s");
  // A change of the phase moves the time all the same.
  Json ends = args;
  for (Json& pod : ends["pods"]) pod["status"]["phase"] = "Succeeded";
  const auto ended = execute_both("transition-time-moves", ends);
  CHECK(status_of(ended.off).at("state").at("phase") == "Completed");
  CHECK(status_of(ended.off).at("state").at("lastTransitionTime") == "2026-03-02T10:00:00Z");
}
