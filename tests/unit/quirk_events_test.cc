// Quirks of policies, events, versions and identity, each on and off (spec/volcano-job.md 12 no. 4 - 18).
#include <catch2/catch_test_macros.hpp>

#include "support/controller_bench.h"
#include "support/quirks.h"

using namespace pumice;
using namespace pumice::test;
using namespace pumice::volcano;

namespace {

using Texts = std::vector<std::string>;

constexpr std::string_view kSpec = "tasks: [{name: w, replicas: 1, maxRetry: 2, template: {spec: {}}}]";

Json request_args(std::string_view kind, std::string_view type, const Json& before, const Json& after,
                  const Json& pods = Json::array(), std::string_view job_more = "") {
  Json change{{"kind", kind}, {"type", type}};
  if (!before.is_null()) change["old"] = before;
  if (!after.is_null()) change["new"] = after;
  return {{"job", job_with(kSpec, job_more)}, {"pods", pods}, {"change", change}};
}

/// `PodFailed 3`, the event and the exit code, if that is not 0.
std::string event_of(const Json& answer) {
  if (!answer.contains("request")) return "dropped " + answer.at("dropped").get<std::string>();
  const Json& request = answer.at("request");
  const int code = request.at("exitCode");
  return request.at("event").get<std::string>() + (code == 0 ? "" : " " + std::to_string(code));
}

Texts events_of(const OnOff<Json>& answers) { return {event_of(answers.on), event_of(answers.off)}; }

OnOff<Json> request_both(std::string_view quirk, const Json& args) { return ask_both("volcano.request", args, quirk); }

/// Action and source of a decision.
std::string decided(const Json& answer) {
  return answer.at("action").get<std::string>() + " " + answer.at("source").get<std::string>();
}

Texts decide_both(std::string_view quirk, std::string_view spec, std::string_view status, std::string_view request) {
  const Json args{{"job", job_with(spec, status)}, {"request", from_yaml("{" + std::string(request) + "}")}};
  const OnOff<Json> answers = ask_both("volcano.applyPolicies", args, quirk);
  return {decided(answers.on), decided(answers.off)};
}

constexpr std::string_view kNewer = "metadata: {resourceVersion: '6'}";

}  // namespace

TEST_CASE("first-container-exit-code", "[quirks]") {
  const auto failed = [](std::string_view statuses) {
    return pod_json("Failed",
                    "metadata: {resourceVersion: '6'}, status: {containerStatuses: " + std::string(statuses) + "}");
  };
  const auto events = [&](std::string_view statuses) {
    return events_of(request_both("first-container-exit-code",
                                  request_args("Pod", "update", pod_json("Running"), failed(statuses))));
  };
  CHECK(events("[{name: a, state: {terminated: {exitCode: 0}}}, {name: b, state: {terminated: {exitCode: 3}}}]") ==
        Texts{"PodFailed", "PodFailed 3"});
  CHECK(events("[{name: a, state: {running: {}}}, {name: b, state: {terminated: {exitCode: 4}}}]") ==
        Texts{"PodFailed", "PodFailed 4"});
  CHECK(events("[{name: a, state: {terminated: {exitCode: 5}}}, {name: b, state: {terminated: {exitCode: 6}}}]") ==
        Texts{"PodFailed 5", "PodFailed 5"});
}

TEST_CASE("exit-code-any-event", "[quirks]") {
  const auto with = [](std::string_view request) {
    return decide_both("exit-code-any-event", "policies: [{exitCode: 0, action: AbortJob}]", "", request);
  };
  CHECK(with("event: PodEvicted") == Texts{"AbortJob JobPolicy", "SyncJob NoMatch"});
  CHECK(with("event: ''") == Texts{"AbortJob JobPolicy", "SyncJob NoMatch"});
  CHECK(with("event: PodFailed") == Texts{"AbortJob JobPolicy", "AbortJob JobPolicy"});
  Json args{{"job", job_with("policies: [{exitCode: 0, action: AbortJob}]")}, {"request", {{"event", "PodEvicted"}}}};
  const auto reasons = ask_both("volcano.applyPolicies", args, "exit-code-any-event");
  CHECK(reasons.on.at("considered")[0].at("reason") == "MatchedExitCode");
  CHECK(reasons.off.at("considered")[0].at("reason") == "NotAFailure");
  CHECK(reasons.off.at("considered")[0].at("outcome") == "notMatched");
}

TEST_CASE("unknown-without-version", "[quirks]") {
  const Json group = from_yaml("{metadata: {name: j, namespace: ns}, status: {phase: Running}}");
  Json lost = group;
  lost["status"]["phase"] = "Unknown";
  const auto answers = request_both("unknown-without-version", request_args("PodGroup", "update", group, lost,
                                                                            Json::array(), "status: {version: 4}"));
  CHECK(answers.on.at("request").at("jobVersion") == 0);
  CHECK(answers.on.at("request").at("jobUid") == "");
  CHECK(answers.off.at("request").at("jobVersion") == 4);
  CHECK(answers.off.at("request").at("jobUid") == "u");
  // The whole way: a policy for Unknown answers in the second life of the job, too.
  const auto phases = on_and_off(Quirk::UnknownWithoutVersion, [](const SimulationOptions& options) {
    World world(one_task(1, "policies: [{event: Unknown, action: RestartJob}]"), options);
    world.play("until Running");
    world.play("command RestartJob");
    world.play("until Running");
    world.play("podgroup Unknown");
    return std::pair(world.phase(), world.status().retry_count);
  });
  CHECK(phases.on == std::pair(std::string("Running"), 1));
  CHECK(phases.off.second == 2);
}

TEST_CASE("empty-target-restarts", "[quirks]") {
  const auto ends = on_and_off(Quirk::EmptyTargetRestarts, [](const SimulationOptions& options) {
    World world(one_task(2, "policies: [{event: PodEvicted, action: RestartPod}]"), options);
    world.play("until Running");
    world.play("pod w-0 gone");
    world.play("until settled");
    return std::pair(world.status().retry_count, world.pod("j-w-0") != nullptr);
  });
  CHECK(ends.on == std::pair(1, true));
  CHECK(ends.off == std::pair(0, true));
}

TEST_CASE("task-failed-repeats", "[quirks]") {
  const std::string restarted = "status: {containerStatuses: [{name: a, restartCount: 2, ready: false}]}";
  const Json before = pod_json("Running", restarted);
  const auto same =
      request_both("task-failed-repeats",
                   request_args("Pod", "update", before, pod_json("Running", std::string(kNewer) + ", " + restarted),
                                Json::array({before})));
  CHECK(events_of(same) == Texts{"TaskFailed", "OutOfSync"});
  const Json fresh = pod_json("Running", "status: {containerStatuses: [{name: a, restartCount: 1}]}");
  const auto more =
      request_both("task-failed-repeats",
                   request_args("Pod", "update", fresh, pod_json("Running", std::string(kNewer) + ", " + restarted),
                                Json::array({fresh})));
  CHECK(events_of(more) == Texts{"TaskFailed", "TaskFailed"});
}

TEST_CASE("no-job-updated", "[quirks]") {
  const auto with = [](std::string_view spec) {
    return job_with(spec, "metadata: {resourceVersion: '8'}, status: {version: 2}");
  };
  const Json before = job_with(kSpec, "status: {version: 2}");
  const auto scaled =
      request_both("no-job-updated", request_args("Job", "update", before, with("tasks: [{name: w, replicas: 5}]")));
  CHECK(events_of(scaled) == Texts{"OutOfSync", "JobUpdated"});
  CHECK(scaled.off.at("request").at("jobVersion") == 2);
  CHECK(scaled.off.at("request").at("jobUid") == "u");
  // The controller itself names claims.
  const auto named = request_both(
      "no-job-updated", request_args("Job", "update", before,
                                     with(std::string(kSpec) + ", volumes: [{mountPath: /a, volumeClaimName: b}]")));
  CHECK(events_of(named) == Texts{"OutOfSync", "OutOfSync"});
}

TEST_CASE("finish-before-policy", "[quirks]") {
  for (const bool on : {true, false}) {
    CAPTURE(on);
    Quirks quirks = kVolcanoQuirks;
    quirks.set(Quirk::FinishBeforePolicy, on);
    JobSpec spec = two_workers(Event::PodFailed, Action::RestartJob);
    spec.tasks[0].replicas = spec.min_available = 1;
    ControllerBench bench(spec, {.quirks = quirks});
    bench.make_running();
    bench.output.trace.clear();
    // A sync is queued by a change that means nothing; the failure comes before it is processed.
    bench.cluster.set_pod_ready("default/j-w-0", false, "");
    bench.cluster.set_pod_phase("default/j-w-0", PodPhase::Failed, 1, "", bench.now);
    bench.run();
    CHECK(bench.status().phase.code == (on ? JobPhase::Failed : JobPhase::Restarting));
    CHECK(bench.status().retry_count == (on ? 0 : 1));
    CHECK(bench.processed().front().reason ==
          (on ? TransitionReason::TaskMinAvailableMissed : TransitionReason::EventsWaiting));
  }
}

TEST_CASE("added-is-pending and missed-failures", "[quirks]") {
  const auto added = [](std::string_view quirk, std::string_view phase) {
    const std::string code = "status: {containerStatuses: [{name: a, state: {terminated: {exitCode: 9}}}]}";
    return events_of(request_both(quirk, request_args("Pod", "add", {}, pod_json(phase, code))));
  };
  CHECK(added("added-is-pending", "Running") == Texts{"PodPending", "PodRunning"});
  CHECK(added("added-is-pending", "Pending") == Texts{"PodPending", "PodPending"});
  CHECK(added("added-is-pending", "Succeeded") == Texts{"PodPending", "OutOfSync"});
  CHECK(added("added-is-pending", "Failed") == Texts{"PodPending", "OutOfSync"});
  CHECK(added("missed-failures", "Failed") == Texts{"PodPending", "PodFailed 9"});
  CHECK(added("missed-failures", "Running") == Texts{"PodPending", "PodPending"});
}

TEST_CASE("finished-is-evicted", "[quirks]") {
  const auto gone = [](std::string_view phase) {
    const Json pod = pod_json(phase);
    return events_of(request_both("finished-is-evicted", request_args("Pod", "delete", pod, {}, Json::array({pod}))));
  };
  CHECK(gone("Succeeded") == Texts{"PodEvicted", "OutOfSync"});
  CHECK(gone("Failed") == Texts{"PodEvicted", "PodEvicted"});
}

TEST_CASE("newer-version-passes", "[quirks]") {
  const auto with = [](std::string_view version) {
    return decide_both("newer-version-passes", "policies: [{event: PodFailed, action: AbortJob}]",
                       "status: {version: 2}", "event: PodFailed, jobVersion: " + std::string(version));
  };
  CHECK(with("3") == Texts{"AbortJob JobPolicy", "SyncJob StaleVersion"});
  CHECK(with("2") == Texts{"AbortJob JobPolicy", "AbortJob JobPolicy"});
  CHECK(with("1") == Texts{"SyncJob StaleVersion", "SyncJob StaleVersion"});
}

TEST_CASE("failed-kill-bumps", "[quirks]") {
  for (const bool on : {true, false}) {
    CAPTURE(on);
    Quirks quirks = kVolcanoQuirks;
    quirks.set(Quirk::FailedKillBumps, on);
    ControllerBench bench(two_workers(Event::PodFailed, Action::RestartJob), {.quirks = quirks});
    bench.make_running();
    bench.fault = fail_one_deletion();
    bench.cluster.set_pod_phase("default/j-w-0", PodPhase::Failed, 1, "", bench.now);
    bench.run();
    while (bench.controller.next_deadline() && bench.status().phase.code == JobPhase::Running) {
      bench.tick_to_deadline();
      bench.run();
    }
    for (const char* pod : {"default/j-w-0", "default/j-w-1"}) bench.cluster.remove_pod(pod);
    bench.run();
    CHECK(bench.status().version == 1);
    CHECK(bench.status().retry_count == (on ? 0 : 1));
  }
}

TEST_CASE("leftovers-counted", "[quirks]") {
  Json args = sync_args(job_with("minAvailable: 1, tasks: [{name: w, replicas: 1, " + std::string(kOneContainer) + "}]",
                                 "status: {state: {phase: Pending}}"));
  args["pods"] =
      Json::array({pod_json("Running",
                            "metadata: {ownerReferences: [{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, "
                            "name: j, uid: earlier, controller: true}]}")});
  const auto synced = ask_both("volcano.execute", args, "leftovers-counted");
  CHECK(synced.on.at("job").at("status").at("state").at("phase") == "Running");
  CHECK(synced.on.at("job").at("status").at("running") == 1);
  CHECK(synced.off.at("job").at("status").at("state").at("phase") == "Pending");
  CHECK_FALSE(synced.off.at("job").at("status").contains("running"));
  // The name is taken until the other one is gone; and it is not ours to be killed.
  CHECK(effects_of(synced.off, "CreatePod")[0].at("result") == "already exists");
  args["action"] = {{"action", "AbortJob"}};
  const auto killed = ask_both("volcano.execute", args, "leftovers-counted");
  CHECK(effects_of(killed.on, "DeletePod").size() == 1);
  CHECK(effects_of(killed.off, "DeletePod").empty());
}

TEST_CASE("leftovers come and go with their job", "[quirks]") {
  JobCache cache(kVolcanoQuirks.without(Quirk::LeftoversCounted));
  const auto job_of = [](const char* uid) {
    Job job;
    job.meta.ns = "ns";
    job.meta.name = "j";
    job.meta.uid = uid;
    JobSpec spec = two_workers(Event::PodFailed, Action::RestartJob);
    job.spec = std::make_shared<const JobSpec>(spec);
    return std::make_shared<const Job>(job);
  };
  const auto pod_of = [](const char* owner, PodPhase phase) {
    Pod pod;
    pod.ns = "ns";
    pod.name = "j-w-0";
    pod.owner_uid = owner;
    pod.job_name = "j";
    pod.task_name = "w";
    pod.job_version = "0";
    pod.phase = phase;
    return std::make_shared<const Pod>(pod);
  };
  const auto running = [&] { return cache.get("ns/j")->tasks[0].counts()[PodPhase::Running]; };
  REQUIRE(cache.add_job(job_of("a")));
  REQUIRE(cache.add_pod(pod_of("a", PodPhase::Running)));
  CHECK(running() == 1);
  REQUIRE(cache.delete_job("ns/j"));
  REQUIRE(cache.add_job(job_of("b")));
  CHECK(running() == 0);
  CHECK(cache.has_pod(*pod_of("a", PodPhase::Running)));
  CHECK(cache.update_pod(pod_of("a", PodPhase::Failed)));
  CHECK(cache.get("ns/j")->leftovers.at("j-w-0")->phase == PodPhase::Failed);
  CHECK(cache.delete_pod(*pod_of("a", PodPhase::Failed)));
  CHECK_FALSE(cache.has_pod(*pod_of("a", PodPhase::Failed)));
  REQUIRE(cache.add_pod(pod_of("b", PodPhase::Running)));
  CHECK(running() == 1);
  // An entry that holds leftovers alone stays, and goes with the last of them.
  REQUIRE(cache.delete_pod(*pod_of("b", PodPhase::Running)));
  REQUIRE(cache.add_pod(pod_of("a", PodPhase::Running)));
  REQUIRE(cache.delete_job("ns/j"));
  CHECK(cache.entry("ns/j") != nullptr);
  REQUIRE(cache.delete_pod(*pod_of("a", PodPhase::Running)));
  CHECK(cache.entry("ns/j") == nullptr);
}

TEST_CASE("command-ignores-uid", "[quirks]") {
  for (const bool on : {true, false}) {
    CAPTURE(on);
    Quirks quirks = kVolcanoQuirks;
    quirks.set(Quirk::CommandIgnoresUid, on);
    ControllerBench bench(two_workers(Event::PodFailed, Action::RestartJob), {.quirks = quirks});
    bench.make_running();
    bench.output.trace.clear();
    const Command command{"default", "c", Action::AbortJob,
                          OwnerReference{"batch.volcano.sh/v1alpha1", "Job", "j", "of-another", true}};
    // The bench's server does not know this one: its deletion is answered here.
    bench.controller.step({bench.now, Observation{CommandAdded{command}}}, bench.output);
    bench.controller.step({bench.now, Work{}}, bench.output);
    const EffectId id = bench.output.effects.front().id;
    bench.output.effects.clear();
    bench.controller.step({bench.now, EffectResults{{{id, ResultCode::Ok, nullptr, nullptr}}}}, bench.output);
    bench.output.effects.clear();
    bench.run();
    CHECK(bench.status().phase.code == (on ? JobPhase::Aborting : JobPhase::Running));
    CHECK(bench.processed().front().source == (on ? DecisionSource::Command : DecisionSource::OtherJobUid));
  }
}
