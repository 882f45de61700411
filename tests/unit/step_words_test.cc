// Sentences of whole steps: what a step did is told, whichever of its records explains it best.
#include <catch2/catch_test_macros.hpp>

#include <string>
#include <vector>

#include "pumice/simulation/report.h"

namespace pumice {
namespace {

constexpr const char* kPod = "template: {spec: {containers: [{name: main}], restartPolicy: Never}}";

/// A job of one task `w`; `spec` is more of the job's spec, `task` more of the task, each as lines of YAML.
std::string job(int replicas, const std::string& spec, const std::string& task = "") {
  std::string text =
      "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: train}\nspec:\n  tasks:\n    - name: w\n"
      "      replicas: " +
      std::to_string(replicas) + "\n      " + kPod + "\n";
  if (!task.empty()) text += "      " + task + "\n";
  return text + "  " + spec + "\n";
}

/// Plays the events and gives the last step.
struct Played {
  Simulation simulation;
  StepRecord last;
};
Played play(const std::string& manifest, const std::vector<std::string>& events, Automation automation) {
  auto created = Simulation::create({{"job.yaml", manifest}}, {.automation = automation});
  REQUIRE(created.ok());
  Played played{*std::move(created.value), {}};
  played.last = played.simulation.start();
  for (const std::string& line : events) {
    INFO(line);
    const auto event = parse_event(line);
    REQUIRE(event.ok());
    played.last = played.simulation.apply(*event.value).back();
    CHECK(played.last.refused.empty());
  }
  return played;
}

std::string told(const std::string& manifest, const std::vector<std::string>& events,
                 Automation automation = Automation::Manual) {
  const Played played = play(manifest, events, automation);
  return sentence(played.simulation, played.last);
}

const std::vector<std::string> kRunning{"podgroup Running", "pod w-* Running"};

std::vector<std::string> running_and(const std::vector<std::string>& more) {
  std::vector<std::string> events = kRunning;
  events.insert(events.end(), more.begin(), more.end());
  return events;
}

TEST_CASE("a phase that moves is told before timers", "[report]") {
  const std::string delayed = "policies: [{event: PodPending, action: RestartPod, timeout: 10m}]";
  CHECK(told(job(2, delayed), {"until Running"}, Automation::Assist) ==
        "2 pods run: Pending to Running, 2 pods run or have ended, 2 are needed; 2 delayed actions are cancelled.");
  CHECK(told(job(2, delayed), {"podgroup Inqueue", "command RestartJob", "pod w-* gone", "podgroup Inqueue"}) ==
        "The PodGroup is Inqueue: 2 pods created; Restarting to Pending, no pod is terminating; then PodPending of w-0 "
        "→ spec.policies[0] matches (PodPending) → ignored: RestartPod is already waiting for w-0 until +10m0s, armed "
        "by an earlier pod of this name and spec.policies[0]; this event itself causes no sync; likewise for w-1.");
}

TEST_CASE("an old timer that hits a new pod says so", "[report]") {
  const std::string delayed = "policies: [{event: PodPending, action: RestartPod, timeout: 10m}]";
  CHECK(told(job(1, delayed), {"podgroup Inqueue", "command RestartJob", "pod w-0 gone", "podgroup Inqueue",
                               "pod w-0 Running", "advance nextTimer"}) ==
        "The delayed RestartPod of w-0 is due, armed by PodPending of an earlier pod of this name and spec.policies[0] "
        "→ Running to Restarting, retry 2 of 3; 1 pod deleted.");
}

TEST_CASE("an action that is put off causes no sync by itself", "[report]") {
  CHECK(told(job(2, "policies: [{event: PodFailed, action: RestartJob, timeout: 1m}]"),
             running_and({"pod w-0 Failed exit=1"})) ==
        "w-0 failed with exit code 1 → spec.policies[0] matches (PodFailed) → RestartJob waits 1m0s, until +1m0s, "
        "unless a pod of this name runs before; this event itself causes no sync.");
  CHECK(told(job(2, "policies: [{event: PodFailed, action: RestartJob, timeout: -5s}]"),
             running_and({"pod w-0 Failed exit=1"})) ==
        "The delayed RestartJob of w-0 is due, armed by PodFailed and spec.policies[0] → Running to Restarting, retry "
        "1 of 3; 2 pods deleted.");
}

TEST_CASE("an action that is due at once happens before the next event", "[report]") {
  auto played =
      play(job(2, "policies: [{event: PodFailed, action: AbortJob, timeout: -5s}]"), kRunning, Automation::Manual);
  const auto steps = played.simulation.apply(*parse_event("pod w-0 Failed").value);
  REQUIRE(steps.size() == 2);
  CHECK(steps[0].source == StepSource::User);
  CHECK(steps[1].source == StepSource::Timer);
  CHECK(steps[1].time == steps[0].time);
  CHECK(played.simulation.controller().delayed().pending().empty());
}

TEST_CASE("deletions behind the record that explains a step are told", "[report]") {
  CHECK(told(job(2, "minSuccess: 1"), running_and({"pod w-0 Succeeded"})) ==
        "w-0 succeeded: Running to Completed, 1 pod succeeded, minSuccess is 1 (1 still running); then 1 pod deleted.");
  CHECK(told(job(2, "maxRetry: 1\n  policies: [{event: PodFailed, action: RestartPod}]"),
             running_and({"pod w-0 Failed exit=1"})) ==
        "w-0 failed with exit code 1 → spec.policies[0] matches (PodFailed) → RestartPod: Running to Restarting, retry "
        "1 of 1, which is the last and ends in Failed; 1 pod deleted; then to Failed, retryCount 1 has reached "
        "maxRetry 1; then 1 pod deleted.");
}

TEST_CASE("the exit code is that of the first container", "[report]") {
  std::string manifest = job(1, "policies: [{exitCode: 42, action: RestartJob}]");
  const std::string one = "[{name: main}]";
  manifest.replace(manifest.find(one), one.size(), "[{name: side}, {name: main}]");
  CHECK(
      told(manifest, running_and({"pod w-0 Failed exit=42 container=main"})) ==
      "w-0 failed → no policy matches PodFailed of w-0: spec.policies[0] wants exit code 42; only the first container "
      "(`side`) counts; its exit code is 0 or unknown → Running to Failed, the only pod ended, but task w has 0 of "
      "the 1 success its minAvailable asks for (a default: its replicas).");
}

TEST_CASE("pods that the controller is removing itself raise no event", "[report]") {
  const std::string policy = "policies: [{event: '*', action: RestartJob}]";
  const Played failed =
      play(job(2, policy), running_and({"command AbortJob", "pod w-0 Failed exit=143"}), Automation::Manual);
  CHECK(sentence(failed.simulation, failed.last) ==
        "Nothing changed but the version (4 → 5): w-0 failed with exit code 143 (the controller is removing it itself: "
        "marked, so this raises no PodFailed); the job stays Aborting, 2 pods are still terminating.");
  CHECK(explain_text(failed.simulation, failed.last, Explain::Fails)
            .find("1 policy not asked: the controller is removing this pod itself (marked), so its failure or "
                  "disappearance raises no event\n") != std::string::npos);
  CHECK(explain_text(failed.simulation, failed.last, Explain::Full)
            .find("OutOfSync of w-0 is queued (marked, so no PodFailed)\n") != std::string::npos);
  CHECK(told(job(2, policy), running_and({"command AbortJob", "pod w-* gone"})) ==
        "2 pods are gone (the controller removed them itself: marked, so this raises no PodEvicted): Aborting to "
        "Aborted, no pod is terminating any more.");
}

TEST_CASE("pods that are not counted do not end a job", "[report]") {
  CHECK(told(job(2, "maxRetry: 3"), running_and({"pod w-0 deleted", "pod w-0 Succeeded"})) ==
        "w-0 succeeded: the job stays Running, 1 of 2 pods has not ended, 1 is terminating.");
  CHECK(told(job(2, "maxRetry: 3"), running_and({"pod w-0 deleted", "pod w-0 Succeeded", "pod w-1 Succeeded"})) ==
        "w-1 succeeded → TaskCompleted of task w → there is no policy for TaskCompleted of task w → the job stays "
        "Running, 1 of 2 pods counted as ended; terminating or missing pods are not counted.");
}

TEST_CASE("Restarting waits for pods, or for a count", "[report]") {
  const std::string none = "maxRetry: 3";
  CHECK(told(job(2, none), running_and({"command RestartJob", "pod w-* gone"})) ==
        "Nothing happened: 2 pods are gone (the controller removed them itself: marked, so this raises no PodEvicted); "
        "the job stays Restarting, the status still says 2 terminating: nothing is recounted until the PodGroup is "
        "taken in.");
  CHECK(told(job(2, none), running_and({"command RestartJob", "podgroup Inqueue"})) ==
        "The PodGroup is Inqueue: the job stays Restarting, 2 of 2 pods are terminating, minAvailable is 2.");
  CHECK(told(job(1, none), running_and({"command RestartJob", "podgroup Inqueue"})) ==
        "The PodGroup is Inqueue: the job stays Restarting, the only pod is terminating, minAvailable is 1.");
  CHECK(told(job(1, none), running_and({"command RestartJob", "podgroup Inqueue", "pod w-0 gone"})) ==
        "w-0 is gone (the controller removed it itself: marked, so this raises no PodEvicted): 1 pod created; "
        "Restarting to Pending, no pod is terminating.");
}

TEST_CASE("counts that no sync took are told as such", "[report]") {
  CHECK(told(job(2, "maxRetry: 3"), running_and({"podgroup Pending"})) ==
        "The PodGroup is Pending: the job stays Running, 2 of 2 pods have not ended (by the counts as stored: the "
        "PodGroup is not taken in, so no pod is looked at).");
}

TEST_CASE("a policy whose action finds a finished job is named", "[report]") {
  CHECK(told(job(2, "policies: [{event: TaskCompleted, action: CompleteJob}]"), running_and({"pod w-* Succeeded"})) ==
        "2 pods succeeded: Running to Completed, both pods ended, 2 succeeded, minAvailable is 2 (a default: the sum "
        "over the tasks); then TaskCompleted of task w → spec.policies[0] matches (TaskCompleted) → CompleteJob "
        "changes nothing, Completed is final; the version goes from 0 to 1.");
}

TEST_CASE("counts that are written anew are a change", "[report]") {
  CHECK(told(job(2, "maxRetry: 3"), running_and({"pod w-0 Failed exit=1"})) ==
        "Only the counts changed (running 2 → 1, failed 0 → 1): w-0 failed with exit code 1 → there is no policy for "
        "PodFailed of w-0 → the job stays Running, 1 of 2 pods has not ended.");
}

TEST_CASE("a version that grows is a change", "[report]") {
  CHECK(told(job(2, "maxRetry: 3"), running_and({"command RestartJob", "command AbortJob"})) ==
        "Nothing changed but the version (1 → 2): command AbortJob → it only deletes pods again while Restarting: the "
        "job stays Restarting, 2 of 2 pods are terminating, minAvailable is 2.");
  CHECK(told(job(1, "maxRetry: 3"), running_and({"pod w-0 Succeeded", "command ResumeJob"})) ==
        "Nothing changed but the version (1 → 2): command ResumeJob → it changes nothing, Completed is final.");
}

TEST_CASE("ended pods that a kill keeps are told of, even if nothing else was to be deleted", "[report]") {
  const std::string policy = "maxRetry: 1\n  policies: [{event: PodFailed, action: RestartJob}]";
  CHECK(told(job(1, policy), running_and({"pod w-0 Failed exit=1"})) ==
        "w-0 failed with exit code 1 → spec.policies[0] matches (PodFailed) → RestartJob: Running to Restarting, retry "
        "1 of 1, which is the last and ends in Failed; no pod deleted, 1 ended pod is kept (last retry); then to "
        "Failed, retryCount 1 has reached maxRetry 1.");
  CHECK(told(job(3, "maxRetry: 3"), running_and({"pod w-0 Succeeded", "pod w-1 Failed exit=1", "command AbortJob"})) ==
        "Command AbortJob → Running to Aborting; 1 pod deleted, 2 ended pods are kept.");
}

TEST_CASE("TaskFailed tells the sum", "[report]") {
  CHECK(told(job(2, "maxRetry: 3"), running_and({"pod w-0 restarts=2", "pod w-1 restarts=1"})) ==
        "Nothing happened: w-1 has 1 container restart → 3 restarts in task w, its maxRetry is 3 (TaskFailed) → there "
        "is no policy for TaskFailed of task w → the job stays Running, 2 of 2 pods have not ended.");
}

TEST_CASE("finished pods are not remembered", "[report]") {
  CHECK(told(job(3, "maxRetry: 3"), running_and({"pod w-0 Succeeded", "pod w-0 gone"})) ==
        "w-0, which had succeeded, is gone (finished pods are not remembered: PodEvicted) → there is no policy for "
        "PodEvicted of w-0 → 1 pod created; Running to Pending, 1 pod is pending, minAvailable 3 of 3 pods leaves room "
        "for 0.");
}

TEST_CASE("policies do not look at minAvailable", "[report]") {
  const std::string policy = "policies: [{event: PodEvicted, action: AbortJob}]";
  CHECK(told(job(3, "minAvailable: 1\n  " + policy), running_and({"pod w-2 gone"})) ==
        "w-2 is gone (PodEvicted) → spec.policies[0] matches (PodEvicted), policies do not look at minAvailable → "
        "AbortJob: Running to Aborting; 2 pods deleted.");
  CHECK(told(job(3, policy), running_and({"pod w-2 gone"})) ==
        "w-2 is gone (PodEvicted) → spec.policies[0] matches (PodEvicted) → AbortJob: Running to Aborting; 2 pods "
        "deleted.");
}

TEST_CASE("a minAvailable that was filled in is told as such", "[report]") {
  const std::vector<std::string> events = running_and({"pod w-0 Succeeded", "pod w-1 Failed exit=1"});
  const std::string cause = "w-1 failed with exit code 1 → there is no policy for PodFailed of w-1 → Running to ";
  CHECK(told(job(2, "maxRetry: 3"), events) ==
        cause +
            "Failed, both pods ended, but task w has 1 of the 2 successes its minAvailable asks for (a default: its "
            "replicas).");
  CHECK(told(job(2, "maxRetry: 3", "minAvailable: 2"), events) ==
        cause + "Failed, both pods ended, but task w has 1 of the 2 successes its minAvailable asks for.");
  CHECK(told(job(2, "minAvailable: 1"), events) ==
        cause + "Completed, both pods ended, 1 succeeded, minAvailable is 1.");
}

TEST_CASE("all jobs that a step moves are told of", "[report]") {
  std::string both = job(1, "policies: [{event: PodFailed, action: RestartJob, timeout: 1m}]");
  std::string second = both;
  second.replace(second.find("train"), 5, "other");
  both += "---\n" + second;
  CHECK(told(both, {"podgroup train Running", "podgroup other Running", "pod *-w-0 Running", "pod *-w-0 Failed exit=1",
                    "advance nextTimer"}) ==
        "train: the delayed RestartJob of w-0 is due, armed by PodFailed and spec.policies[0] → Running to Restarting, "
        "retry 1 of 3; 1 pod deleted; other: Running to Restarting, 1 pod deleted.");
}

}  // namespace
}  // namespace pumice
