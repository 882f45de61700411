// The profile `volcano-classic`: spec/volcano-job.md 13, row by row, and each quirk of it off.
#include <catch2/catch_test_macros.hpp>

#include "support/controller_bench.h"
#include "support/quirks.h"

using namespace pumice;
using namespace pumice::test;
using namespace pumice::volcano;

namespace {

using Texts = std::vector<std::string>;

constexpr std::string_view kClassic = "volcano-classic";
constexpr volcano::Profile kOlder = volcano::Profile::Classic;

Json request_args(std::string_view type, const Json& before, const Json& after, const Json& pods = Json::array()) {
  Json change{{"kind", "Pod"}, {"type", type}};
  if (!before.is_null()) change["old"] = before;
  if (!after.is_null()) change["new"] = after;
  return {
      {"job", job_with("tasks: [{name: w, replicas: 1, template: {spec: {}}}]")}, {"pods", pods}, {"change", change}};
}

std::string event_of(const Json& answer) {
  if (!answer.contains("request")) return "dropped " + answer.at("dropped").get<std::string>();
  return answer.at("request").at("event");
}

/// The event under `volcano-classic`, the same without the quirk, and under `volcano`.
Texts events(std::string_view quirk, Json args) {
  const auto answers = ask_both("volcano.request", args, quirk, kClassic);
  args["profile"] = "volcano";
  return {event_of(answers.on), event_of(answers.off), event_of(ask("volcano.request", args))};
}

constexpr std::string_view kDeleting = "metadata: {resourceVersion: '6', deletionTimestamp: '2026-03-02T09:00:00Z'}";
constexpr std::string_view kMarked =
    "metadata: {resourceVersion: '6', annotations: {volcano.sh/controller-out-of-sync: 'true'}}";

ControllerConfig classic(std::initializer_list<Quirk> off = {}) {
  ControllerConfig config;
  config.quirks = Quirks::of(kOlder);
  for (const Quirk quirk : off) config.quirks.set(quirk, false);
  return config;
}

/// A pod that fails is restarted alone; if it is not back in time, the whole job is (volcano-sh/volcano#3812).
std::string escalation() {
  return one_task(2,
                  "policies: [{event: PodFailed, action: RestartPod}, "
                  "{event: PodEvicted, action: RestartJob, timeout: 10m}]");
}

}  // namespace

TEST_CASE("pod add, terminating: a deletion", "[quirks][classic]") {
  const Json pod = pod_json("Running", kDeleting);
  CHECK(events("terminating-is-gone", request_args("add", {}, pod)) == Texts{"PodEvicted", "PodPending", "PodPending"});
}

TEST_CASE("pod update, terminating: a deletion, at the start of it", "[quirks][classic]") {
  const Json before = pod_json("Running");
  CHECK(events("terminating-is-gone",
               request_args("update", before, pod_json("Running", kDeleting), Json::array({before}))) ==
        Texts{"PodEvicted", "OutOfSync", "OutOfSync"});
}

TEST_CASE("the pod leaves the cache when its deletion begins", "[quirks][classic]") {
  for (const bool on : {true, false}) {
    ControllerBench bench(two_workers(Event::Unknown, Action::RestartJob),
                          on ? classic() : classic({Quirk::TerminatingIsGone}));
    bench.make_running();
    bench.cluster.delete_pod("default/j-w-0", bench.now);
    bench.run();
    const TaskPods* pods = bench.controller.cache().get("default/j")->find_task("w");
    CHECK((pods->find("j-w-0") == nullptr) == on);
    // So it is never counted as terminating.
    CHECK(bench.status().terminating == (on ? 0 : 1));
  }
}

TEST_CASE("pod add: the task is neither asked for nor told", "[quirks][classic]") {
  Json without = pod_json("Pending", "metadata: {labels: {volcano.sh/partition-id: '1'}}");
  without["metadata"]["annotations"].erase("volcano.sh/task-spec");
  CHECK(events("add-without-task", request_args("add", {}, without)) ==
        Texts{"PodPending", "dropped AnnotationMissing", "dropped AnnotationMissing"});
  const auto named =
      ask_both("volcano.request", request_args("add", {}, pod_json("Pending")), "add-without-task", kClassic);
  CHECK(named.on.at("request").at("taskName") == "");
  CHECK(named.on.at("request").at("podName") == "j-w-0");
  CHECK(named.off.at("request").at("taskName") == "w");
  // So a policy of the task cannot answer it.
  const auto timers = on_and_off(
      Quirk::AddWithoutTask,
      [](const SimulationOptions& options) {
        World world(one_task(1, "", "policies: [{event: PodPending, action: RestartPod, timeout: 1h}]"), options);
        world.play("until Pending");
        world.play("podgroup Inqueue");
        return world.simulation.controller().delayed().pending().size();
      },
      kOlder);
  CHECK(timers.on == 0);
  CHECK(timers.off == 1);
}

TEST_CASE("pod add, update and delete: no event is overridden by a mark", "[quirks][classic]") {
  CHECK(events("no-marks", request_args("add", {}, pod_json("Pending", kMarked))) ==
        Texts{"PodPending", "OutOfSync", "OutOfSync"});
  const Json before = pod_json("Running");
  CHECK(events("no-marks", request_args("update", before, pod_json("Failed", kMarked), Json::array({before}))) ==
        Texts{"PodFailed", "OutOfSync", "OutOfSync"});
  const Json marked = pod_json("Running", kMarked);
  CHECK(events("no-marks", request_args("delete", marked, {}, Json::array({marked}))) ==
        Texts{"PodEvicted", "OutOfSync", "OutOfSync"});
}

TEST_CASE("kills do not mark, and a sync does not look at marks", "[quirks][classic]") {
  Json args = sync_args(job_with("tasks: [{name: w, replicas: 1, " + std::string(kOneContainer) + "}]",
                                 "status: {state: {phase: Running}}"));
  args["pods"] = Json::array({pod_json("Running", kMarked)});
  const auto synced = ask_both("volcano.execute", args, "no-marks", kClassic);
  CHECK(effects_of(synced.on, "DeletePod").empty());
  CHECK(effects_of(synced.off, "DeletePod").size() == 1);
  args["action"] = {{"action", "RestartJob"}};
  const auto killed = ask_both("volcano.execute", args, "no-marks", kClassic);
  CHECK(effects_of(killed.on, "MarkPod").empty());
  CHECK(effects_of(killed.on, "DeletePod").size() == 1);
  CHECK(killed.on.at("job").at("status").at("terminating") == 1);
  CHECK(effects_of(killed.off, "MarkPod").size() == 1);
  // A deletion that fails is told of as ever.
  args["failures"] = from_yaml("[{effect: DeletePod, code: Timeout}]");
  CHECK(ask_both("volcano.execute", args, "no-marks", kClassic).on.at("error") == "1 pod could not be deleted");
}

TEST_CASE("pod delete: unknown pods are evicted, too", "[quirks][classic]") {
  CHECK(events("unknown-pod-evicted", request_args("delete", pod_json("Running"), {})) ==
        Texts{"PodEvicted", "OutOfSync", "OutOfSync"});
}

TEST_CASE("versions wider than 32 bit wrap around", "[quirks][classic]") {
  const Json pod = pod_json("Pending", "metadata: {annotations: {volcano.sh/job-version: '4294967299'}}");
  CHECK(events("wide-version", request_args("add", {}, pod)) ==
        Texts{"PodPending", "dropped VersionUnreadable", "dropped VersionUnreadable"});
  Json args = request_args("add", {}, pod);
  args["profile"] = kClassic;
  CHECK(ask("volcano.request", args).at("request").at("jobVersion") == 3);
}

TEST_CASE("RestartPartition does not exist", "[quirks][classic]") {
  const Json args{{"job", job_with("minAvailable: 1, tasks: [{name: w, replicas: 1, template: {spec: {}}}]",
                                   "status: {state: {phase: Running}}")},
                  {"status", {{"running", 1}}},
                  {"action", {{"action", "RestartPartition"}}}};
  const auto moved = ask_both("volcano.transition", args, "no-restart-partition", kClassic);
  CHECK(moved.on.at("operation") == "sync");
  CHECK(moved.off.at("operation") == "killTarget");
  const Json asked{{"job", job_with("policies: [{event: PodFailed, action: RestartPartition}]")},
                   {"request", from_yaml("{event: PodFailed, taskName: w, podName: j-w-0, partitionId: '1'}")}};
  const auto decided = ask_both("volcano.applyPolicies", asked, "no-restart-partition", kClassic);
  CHECK(decided.on.at("target").at("type") == "");
  CHECK(decided.off.at("target").at("type") == "partition");
  const Json pod = pod_json("Running", "metadata: {labels: {volcano.sh/partition-id: '1'}}");
  const auto request = ask_both("volcano.request", request_args("delete", pod, {}, Json::array({pod})),
                                "no-restart-partition", kClassic);
  CHECK(request.on.at("request").at("partitionId") == "");
  CHECK(request.off.at("request").at("partitionId") == "1");
}

TEST_CASE("cache: the end of an unknown job's pod makes an entry", "[quirks][classic]") {
  Pod pod;
  pod.ns = "ns";
  pod.name = "j-w-0";
  pod.job_name = "j";
  pod.task_name = "w";
  pod.job_version = "0";
  JobCache older(Quirks::of(kOlder));
  CHECK(older.delete_pod(pod));
  CHECK(older.entry("ns/j") != nullptr);
  CHECK(older.get("ns/j") == nullptr);
  CHECK(older.delete_pod(pod));
  CHECK(older.entry("ns/j") != nullptr);
  JobCache newer;
  CHECK(newer.delete_pod(pod));
  CHECK(newer.entry("ns/j") == nullptr);
}

TEST_CASE("a pod given up is never read again", "[quirks][classic]") {
  for (const bool on : {true, false}) {
    CAPTURE(on);
    ControllerBench bench(two_workers(Event::Unknown, Action::RestartJob),
                          on ? classic() : classic({Quirk::ErrorTaskStuck}));
    bench.make_running();
    int reads = 0;
    bench.fault = [&reads](const EffectBody& body) {
      const bool is_read = std::holds_alternative<ReadPod>(body);
      if (is_read) ++reads;
      return is_read || std::holds_alternative<DeletePod>(body) ? ResultCode::Timeout : ResultCode::Ok;
    };
    const auto reads_after_failure = [&] {
      Request request;
      request.ns = "default";
      request.job_name = "j";
      reads = 0;
      bench.controller.queue_action(request, Action::RestartPod, {Scope::Pod, "w", "j-w-0", ""});
      bench.run();
      while (bench.controller.next_deadline()) {
        bench.tick_to_deadline();
        bench.run();
      }
      return reads;
    };
    const int first = reads_after_failure();
    CHECK(first == 10);
    CHECK(reads_after_failure() == (on ? 0 : first));
  }
}

TEST_CASE("giving up at the limit tells nobody", "[quirks][classic]") {
  for (const bool on : {true, false}) {
    CAPTURE(on);
    ControllerConfig config = on ? classic() : classic({Quirk::LimitWithoutEvent});
    config.requeue_max = 0;
    ControllerBench bench(two_workers(Event::PodEvicted, Action::RestartJob), config);
    bench.make_running();
    bench.output.trace.clear();
    bench.fault = fail_one_deletion();
    bench.cluster.create_command("default/j", Action::AbortJob);
    bench.run();
    bool told = false;
    bool gave_up = false;
    for (const ProcessRecord& record : bench.processed()) {
      gave_up = gave_up || record.outcome == ProcessOutcome::GaveUp;
      for (const Effect& effect : record.effects) {
        const auto* event = std::get_if<EmitEvent>(&effect.body);
        told = told || (event != nullptr && event->message.find("failed too often") != std::string::npos);
      }
    }
    CHECK(gave_up);
    CHECK(told == !on);
  }
}

TEST_CASE("an escalation is armed by the controller's own restart, in the older one only", "[quirks][classic]") {
  // volcano-sh/volcano#3812: PodFailed -> RestartPod, and PodEvicted -> RestartJob after 10 minutes.
  const auto armed = [](const SimulationOptions& options) {
    World world(escalation(), options);
    world.play("until Running");
    world.play("pod w-0 Failed exit=1");
    const auto pending = world.simulation.controller().delayed().pending();
    return pending.empty() ? std::string("nothing") : std::string(pending[0].action.action.text());
  };
  CHECK(armed(options_without({})) == "nothing");
  CHECK(armed(options_without({}, kOlder)) == "RestartJob");
  CHECK(armed(options_without({Quirk::NoMarks}, kOlder)) == "nothing");

  SECTION("the pod runs again: it is cancelled") {
    // The pod is gone before the new PodGroup is taken in; else nothing makes it anew (delay-skips-sync).
    SimulationOptions options = options_without({}, kOlder);
    options.timings.remove = {500 * kMillisecond.ns};
    World world(escalation(), options);
    world.play("until Running");
    world.play("pod w-0 Failed exit=1");
    CHECK(record_text(world).find("is being deleted, which counts as gone (PodEvicted)") != std::string::npos);
    world.play("until settled");
    CHECK(world.phase() == "Running");
    CHECK(world.status().retry_count == 1);
    CHECK(world.simulation.controller().delayed().pending().empty());
  }
  SECTION("the pod does not come back: the whole job is restarted after ten minutes") {
    SimulationOptions options = options_without({}, kOlder);
    options.automation = Automation::Manual;
    World world(escalation(), options);
    for (const char* event :
         {"podgroup Inqueue", "pod w-* Running", "pod w-0 Failed exit=1", "pod w-0 gone", "podgroup Inqueue"})
      world.play(event);
    CHECK(world.status().retry_count == 1);
    world.play("advance nextTimer");
    CHECK(world.phase() == "Restarting");
    CHECK(world.status().retry_count == 2);
  }
  SECTION("the newer one waits without end") {
    SimulationOptions options = options_without({});
    options.automation = Automation::Manual;
    World world(escalation(), options);
    for (const char* event : {"podgroup Inqueue", "pod w-* Running", "pod w-0 Failed exit=1", "pod w-0 gone"})
      world.play(event);
    CHECK_FALSE(world.simulation.controller().next_deadline());
    CHECK(world.status().retry_count == 1);
  }
}

TEST_CASE("a targeted restart takes the PodGroup away", "[quirks][classic]") {
  Json args = sync_args(job_with("tasks: [{name: w, replicas: 1, " + std::string(kOneContainer) + "}]",
                                 "status: {state: {phase: Running}}"));
  args["pods"] = Json::array({pod_json("Running")});
  args["action"] = from_yaml("{action: RestartPod, target: {type: pod, taskName: w, podName: j-w-0}}");
  const auto killed = ask_both("volcano.execute", args, "targeted-drops-group", kClassic);
  CHECK(effects_of(killed.on, "DeletePodGroup").size() == 1);
  CHECK(effects_of(killed.off, "DeletePodGroup").empty());
}

TEST_CASE("PodEvicted -> RestartTask feeds on its own deletions", "[quirks][classic]") {
  // volcano-sh/volcano#4814.
  const auto ends = [](const SimulationOptions& options) {
    World world(one_task(2, "policies: [{event: PodEvicted, action: RestartTask}]"), options);
    world.play("until Running");
    world.play("pod w-0 evicted");
    world.play("until settled");
    return world.phase() + " " + std::to_string(world.status().retry_count);
  };
  CHECK(ends(options_without({})) == "Running 1");
  // How often depends on what comes while the job is Restarting already, where it counts no retry.
  CHECK(ends(options_without({}, kOlder)) == "Running 2");
}
