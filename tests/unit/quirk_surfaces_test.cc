// Profiles and quirks where they are asked for: eval, engine, explanations.
#include <catch2/catch_test_macros.hpp>

#include "pumice/engine.h"
#include "support/quirks.h"

using namespace pumice;
using namespace pumice::test;
using volcano::Quirk;

namespace {

Json transition_args() {
  return {{"job", job_with("minAvailable: 2, tasks: [{name: w, replicas: 2, template: {spec: {}}}]",
                           "status: {state: {phase: Aborted}}")},
          {"status", Json::object()},
          {"action", {{"action", "ResumeJob"}}}};
}

std::string last_text(const World& world) { return record_text(world); }
bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("profile, quirksOff and quirksOn of every operation", "[quirks][eval]") {
  Json args = transition_args();
  CHECK(ask("volcano.transition", args).at("retryCount") == 1);
  args["quirksOff"] = {"resume-uses-retry", "restarting-deaf"};
  CHECK(ask("volcano.transition", args).at("retryCount") == 0);
  args["quirksOn"] = {"resume-uses-retry"};
  CHECK(ask("volcano.transition", args).at("retryCount") == 1);
  args["profile"] = "volcano-classic";
  CHECK(ask("volcano.transition", args).at("retryCount") == 1);

  const auto error = [](std::string_view op, Json with) {
    const Json error = answer_of(op, with).at("error");
    return error.at("code").get<std::string>() + " " + error.at("message").get<std::string>();
  };
  args["quirksOff"] = {"resume-uses-retries"};
  CHECK(error("volcano.transition", args) ==
        "UnknownQuirk args.quirksOff[0]: there is no quirk `resume-uses-retries`, did you mean `resume-uses-retry`?");
  args["profile"] = "volcano-classical";
  CHECK(error("volcano.transition", args).starts_with("UnknownProfile args.profile: `volcano-classical` is none of "));
  const Json pod = pod_json("Pending");
  for (const auto& [op, with] :
       {std::pair{"volcano.execute", sync_args(job_with("tasks: []"))},
        std::pair{"volcano.request", Json{{"change", {{"kind", "Pod"}, {"type", "add"}, {"new", pod}}}}},
        std::pair{"volcano.applyPolicies", Json{{"job", job_with("")}, {"request", Json::object()}}}}) {
    Json wrong = with;
    wrong["profile"] = "job";
    CHECK(error(op, wrong) == "UnknownProfile args.profile: `job` is none of volcano, volcano-classic");
    wrong["profile"] = "volcano";
    CHECK(answer_of(op, wrong).contains("ok"));
    wrong["quirksOn"] = {"no-marks", "nothing"};
    CHECK(error(op, wrong).starts_with("UnknownQuirk args.quirksOn[1]: there is no quirk `nothing`"));
  }
}

TEST_CASE("profile, quirksOff and quirksOn of a session", "[quirks][engine]") {
  const std::string manifest = one_task(2, "minAvailable: 2");
  const auto succeeded = [&](Json more) {
    Engine engine;
    more["text"] = manifest;
    const Json created = Json::parse(engine.create(more.dump()));
    INFO(created.dump());
    if (created.at("type") != "success") return created.at("diagnostics")[0].at("message").get<std::string>();
    const Json ran = Json::parse(engine.run(
        Json{{"session", created.at("session")}, {"events", {"until Running", "pod w-* Succeeded", "until settled"}}}
            .dump()));
    return ran.at("view").at("jobs")[0].at("phase").get<std::string>();
  };
  CHECK(succeeded(Json::object()) == "Completed");
  CHECK(succeeded({{"profile", "volcano-classic"}}) == "Completed");
  CHECK(succeeded({{"quirksOff", {"kill-clears-counts"}}, {"quirksOn", {"no-marks"}}}) == "Completed");
  CHECK(succeeded({{"profile", "job"}}) == "`job` is none of volcano, volcano-classic");
  CHECK(succeeded({{"quirksOff", {"kill-clear-counts"}}}) == "there is no quirk `kill-clear-counts`");
  CHECK(succeeded({{"quirksOff", "no-marks"}}) == "must be a list");
  CHECK(succeeded({{"quirksOn", {1}}}) == "must be a string");
}

TEST_CASE("explanations stay true with a quirk off", "[quirks][words]") {
  SECTION("empty-target-restarts") {
    World world(one_task(2, "policies: [{event: PodEvicted, action: RestartPod}]"),
                options_without({Quirk::EmptyTargetRestarts}));
    world.play("until Running");
    world.play("pod w-0 gone");
    CHECK(has(last_text(world), "RestartPod finds no pod, so it is a plain sync"));
  }
  SECTION("max-retry-counts-runs") {
    const std::string manifest = one_task(1, "maxRetry: 1, policies: [{event: PodFailed, action: RestartJob}]");
    const auto text = on_and_off(Quirk::MaxRetryCountsRuns, [&](const SimulationOptions& options) {
      World world(manifest, options);
      world.play("until Running");
      world.play("pod w-0 Failed exit=1");
      return last_text(world);
    });
    CHECK(has(text.on, "which is the last and ends in Failed"));
    CHECK_FALSE(has(text.off, "which is the last"));
  }
  SECTION("replaced-timer-fires") {
    const std::string manifest = one_task(1,
                                          "policies: [{event: PodPending, action: RestartPod, timeout: 1h}, "
                                          "{event: TaskFailed, action: AbortJob, timeout: 2h}]");
    const auto text = on_and_off(Quirk::ReplacedTimerFires, [&](const SimulationOptions& options) {
      SimulationOptions manual = options;
      manual.automation = Automation::Manual;
      World world(manifest, manual);
      world.play("podgroup Inqueue");
      world.play("pod w-0 restarts=3");
      return last_text(world);
    });
    CHECK(has(text.on, "whose timer runs on unseen and will fire too"));
    CHECK(has(text.off, "whose timer is stopped"));
  }
  SECTION("unknown-action-acts") {
    const auto text = on_and_off(Quirk::UnknownActionActs, [](const SimulationOptions& options) {
      World world(one_task(1), options);
      world.play("until Running");
      world.play("command RestartJobs");
      return last_text(world);
    });
    CHECK(has(text.on, "so the phase's default happens"));
    CHECK(has(text.off, "so it is a plain sync"));
  }
  SECTION("zero-minimum-runs") {
    World world(one_task(1, "minAvailable: 0", "minAvailable: 0"), options_without({Quirk::ZeroMinimumRuns}));
    world.play("podgroup Pending");
    CHECK(world.phase() == "Pending");
  }
  SECTION("failed-counts-as-started") {
    SimulationOptions manual = options_without({Quirk::FailedCountsAsStarted});
    manual.automation = Automation::Manual;
    World world(one_task(2, "minAvailable: 2"), manual);
    world.play("podgroup Inqueue");
    world.play("pod w-0 Failed exit=1");
    CHECK(has(last_text(world), "0 pods run or have succeeded, 2 are needed"));
  }
  SECTION("expiry-unchecked") {
    SimulationOptions manual = options_without({Quirk::ExpiryUnchecked});
    manual.automation = Automation::Manual;
    World world(one_task(1, "policies: [{event: PodPending, action: RestartPod, timeout: 1h}]"), manual);
    world.play("podgroup Inqueue");
    world.play("pod w-0 Succeeded");
    world.play("advance nextTimer");
    CHECK(has(last_text(world), "the pod waits no longer"));
  }
}

TEST_CASE("the newer profile is the default", "[quirks]") {
  CHECK(SimulationOptions().controller.quirks == volcano::kVolcanoQuirks);
  CHECK(volcano::ControllerConfig().quirks == volcano::Quirks::of(volcano::Profile::Volcano));
  // Plans and decisions without an argument are those of the table.
  for (int phase = 0; phase < static_cast<int>(volcano::kJobPhaseCount); ++phase)
    for (int action = 0; action < static_cast<int>(volcano::kActionCount); ++action) {
      const auto p = static_cast<volcano::JobPhase>(phase);
      const auto a = static_cast<volcano::Action>(action);
      // A difference that no plan depends on goes the other way, and must come to the same.
      volcano::Quirks other = volcano::kVolcanoQuirks;
      other.set(Quirk::WideVersion, true);
      CHECK(volcano::plan(p, a) == volcano::plan(p, a, other));
    }
}
