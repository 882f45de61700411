// From a change to a request, asked as a program would (spec/volcano-job.md 3, 11.1).
#include <catch2/catch_test_macros.hpp>

#include "support/ask.h"

using namespace pumice;
using namespace pumice::test;

namespace {

Json pod(std::string_view phase, std::string_view more = "") {
  Json out = from_yaml(
      "{metadata: {name: j-w-0, namespace: ns, uid: p, resourceVersion: '5', labels: {volcano.sh/partition-id: '2'}, "
      "ownerReferences: [{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, name: j, uid: u, controller: true}], "
      "annotations: {volcano.sh/job-name: j, volcano.sh/task-spec: w, volcano.sh/job-version: '3'}}}");
  out["status"]["phase"] = phase;
  out.merge_patch(from_yaml("{" + std::string(more) + "}"));
  return out;
}

Json request(std::string_view kind, std::string_view type, const Json& before, const Json& after,
             const Json& cached = Json::array()) {
  Json change{{"kind", kind}, {"type", type}};
  if (!before.is_null()) change["old"] = before;
  if (!after.is_null()) change["new"] = after;
  Json args{{"job", job_with("tasks: [{name: w, replicas: 1, maxRetry: 2}]")}, {"pods", cached}, {"change", change}};
  return ask("volcano.request", args);
}

std::string event(const Json& answer) {
  return answer.contains("request")
             ? answer.at("request").at("event").get<std::string>()
             : "dropped " + answer.at("dropped").get<std::string>() +
                   (answer.contains("detail") ? " " + answer.at("detail").get<std::string>() : "");
}

const std::string kMarked = "metadata: {annotations: {volcano.sh/controller-out-of-sync: ''}}";
const std::string kNewer = "metadata: {resourceVersion: '6'}";

}  // namespace

TEST_CASE("requests of pods carry all names") {
  CHECK(request("Pod", "add", {}, pod("Running")).at("request") == from_yaml(R"(
    namespace: ns
    jobName: j
    jobUid: u
    taskName: w
    podName: j-w-0
    podUid: p
    partitionId: '2'
    event: PodPending
    exitCode: 0
    action: ''
    jobVersion: 3)"));
  CHECK(event(request("Pod", "add", {}, pod("Running", kMarked))) == "OutOfSync");
}

TEST_CASE("pods that are dropped, and the first reason") {
  const auto without = [](std::string_view more) { return pod("Running", more); };
  struct Row {
    std::string more;
    std::string on_add;
    std::string on_update;  ///< and on deletion
  };
  const std::string owner = "metadata: {ownerReferences: [{apiVersion: ";
  const std::string none = "dropped NotOfAJob";
  const std::string name = "dropped AnnotationMissing volcano.sh/job-name";
  const std::string version = "dropped AnnotationMissing volcano.sh/job-version";
  const std::string task = "dropped AnnotationMissing volcano.sh/task-spec";
  const std::string no = "metadata: {annotations: {";
  const Row rows[] = {
      {"metadata: {ownerReferences: null}", none, none},
      {owner + "batch.volcano.sh/v1alpha1, kind: Job, name: j, uid: u}]}", none, none},
      {owner + "batch/v1, kind: Job, name: j, uid: u, controller: true}]}", none, none},
      {owner + "batch.volcano.sh/v1alpha1, kind: JobFlow, name: j, uid: u, controller: true}]}", none, none},
      {no + "volcano.sh/job-name: null}}", name, name},
      {no + "volcano.sh/job-version: null}}", version, version},
      {no + "volcano.sh/task-spec: null}}", task, task},
      {no + "volcano.sh/job-name: null, volcano.sh/task-spec: null}}", name, task},
      {no + "volcano.sh/job-version: x, volcano.sh/task-spec: null}}", "dropped VersionUnreadable x", task},
      {no + "volcano.sh/job-version: '2147483648'}}", "dropped VersionUnreadable 2147483648",
       "dropped VersionUnreadable 2147483648"},
      {no + "volcano.sh/job-version: '+3'}}", "PodPending", "OutOfSync"},
  };
  for (const Row& row : rows) {
    INFO(row.more);
    CHECK(event(request("Pod", "add", {}, without(row.more))) == row.on_add);
    Json newer = without(row.more);
    newer.merge_patch(from_yaml("{" + kNewer + "}"));
    CHECK(event(request("Pod", "update", pod("Running"), newer)) == row.on_update);
    CHECK(event(request("Pod", "delete", without(row.more), {})) == row.on_update);
  }
  CHECK(event(request("Pod", "update", pod("Running"), pod("Failed"))) == "dropped SameResourceVersion");
}

TEST_CASE("events of pod updates") {
  struct Row {
    std::string_view before;
    std::string_view after;
    std::string_view want;
  };
  for (const Row& row : {Row{"Running", "Failed", "PodFailed"}, Row{"Failed", "Failed", "OutOfSync"},
                         Row{"Running", "Succeeded", "TaskCompleted"}, Row{"Succeeded", "Succeeded", "OutOfSync"},
                         Row{"Pending", "Running", "PodRunning"}, Row{"Running", "Running", "OutOfSync"},
                         Row{"Running", "Pending", "PodPending"}, Row{"Pending", "Pending", "OutOfSync"},
                         Row{"Running", "Unknown", "OutOfSync"}, Row{"Running", "", "OutOfSync"}}) {
    INFO(row.before << " " << row.after);
    const Json cached = Json::array({pod(row.before)});
    CHECK(event(request("Pod", "update", pod(row.before), pod(row.after, kNewer), cached)) == row.want);
    Json marked = pod(row.after, kNewer);
    marked.merge_patch(from_yaml("{" + kMarked + "}"));
    CHECK(event(request("Pod", "update", pod(row.before), marked, cached)) == "OutOfSync");
  }
  // Restarts of containers, masked by a change of phase.
  const std::string restarts =
      kNewer + ", status: {containerStatuses: [{restartCount: 1}], initContainerStatuses: [{restartCount: 1}]}";
  const Json cached = Json::array({pod("Running")});
  CHECK(event(request("Pod", "update", pod("Running"), pod("Running", restarts), cached)) == "TaskFailed");
  CHECK(event(request("Pod", "update", pod("Pending"), pod("Running", restarts), cached)) == "PodRunning");
  // The exit code of the first status only, on the way into Failed only.
  const std::string exits = kNewer +
                            ", status: {containerStatuses: [{state: {terminated: {exitCode: 7}}}, "
                            "{state: {terminated: {exitCode: 9}}}]}";
  CHECK(request("Pod", "update", pod("Running"), pod("Failed", exits), cached).at("request").at("exitCode") == 7);
  CHECK(request("Pod", "update", pod("Failed"), pod("Failed", exits), cached).at("request").at("exitCode") == 0);
}

TEST_CASE("events of pods that are gone") {
  const Json cached = Json::array({pod("Running")});
  CHECK(event(request("Pod", "delete", pod("Running"), {}, cached)) == "PodEvicted");
  CHECK(event(request("Pod", "delete", pod("Running"), {})) == "OutOfSync");
  CHECK(event(request("Pod", "delete", pod("Running", kMarked), {}, cached)) == "OutOfSync");
}

TEST_CASE("jobs, PodGroups and commands") {
  const Json job = job_with("tasks: []");
  const auto newer = [&](std::string_view more) {
    Json out = job;
    out["metadata"]["resourceVersion"] = "8";
    out.merge_patch(from_yaml("{" + std::string(more) + "}"));
    return out;
  };
  CHECK(event(request("Job", "add", {}, job)) == "OutOfSync");
  CHECK(event(request("Job", "update", job, job)) == "dropped SameResourceVersion");
  CHECK(event(request("Job", "update", job, newer("status: {running: 3}"))) == "dropped SpecAndPhaseSame");
  CHECK(event(request("Job", "update", job, newer("metadata: {deletionTimestamp: '2026-03-02T09:00:00Z'}"))) ==
        "dropped SpecAndPhaseSame");
  CHECK(event(request("Job", "update", job, newer("status: {state: {phase: Running}}"))) == "OutOfSync");
  CHECK(event(request("Job", "update", job, newer("spec: {minAvailable: 1}"))) == "OutOfSync");
  CHECK(event(request("Job", "delete", job, {})) == "dropped NoCallback");

  const auto group = [](std::string_view phase, std::string_view more = "") {
    return from_yaml("{metadata: {name: g, namespace: ns" + std::string(more) +
                     "}, status: {phase: " + std::string(phase) + "}}");
  };
  const Json moved = request("PodGroup", "update", group("Pending"), group("Running"));
  CHECK(moved.at("request").at("jobName") == "g");
  CHECK(event(moved).empty());
  CHECK(event(request("PodGroup", "update", group("Running"), group("Unknown"))) == "Unknown");
  CHECK(event(request("PodGroup", "update", group("Running"), group("Running"))) == "dropped PhaseSame");
  CHECK(event(request("PodGroup", "add", {}, group("Running"))) == "dropped NoCallback");
  CHECK(event(request("PodGroup", "delete", group("Running"), {})) == "dropped NoCallback");
  const std::string owners = ", ownerReferences: [{kind: Job, name: a}, {kind: Job, name: b}, {kind: Pod, name: c}]";
  CHECK(request("PodGroup", "update", group("Pending"), group("Running", owners)).at("request").at("jobName") == "b");

  const auto command = [](std::string_view target) {
    return from_yaml("{metadata: {name: c, namespace: ns}, action: AbortJob, target: " + std::string(target) + "}");
  };
  const std::string good = "{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, name: j, uid: other}";
  const Json taken = request("Command", "add", {}, command(good));
  CHECK(event(taken) == "CommandIssued");
  CHECK(taken.at("request").at("action") == "AbortJob");
  CHECK(taken.at("request").at("jobUid") == "");
  const std::string queue = "{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, name: q}";
  CHECK(event(request("Command", "add", {}, command(queue))).starts_with("dropped NotForAJob"));
  CHECK(event(request("Command", "add", {}, command("null"))).starts_with("dropped NotForAJob"));
  CHECK(event(request("Command", "update", command(queue), command(good))) == "CommandIssued");
  CHECK(event(request("Command", "update", command(good), command(good))) == "dropped NoCallback");
  CHECK(event(request("Command", "delete", command(good), {})) == "dropped NoCallback");
}

TEST_CASE("changes that cannot be read") {
  const auto code = [](std::string_view change) {
    return answer_of("volcano.request", Json{{"change", from_yaml(change)}}).at("error").at("code");
  };
  CHECK(code("{kind: Node, type: add, new: {}}") == "InvalidArgument");
  CHECK(code("{kind: Pod, type: sync, new: {}}") == "InvalidArgument");
  CHECK(code("{kind: Pod, type: add}") == "InvalidArgument");
  CHECK(code("{kind: Pod, type: update, new: {}}") == "InvalidArgument");
  CHECK(code("{kind: Job, type: add, new: {spec: {tasks: [{replicas: 5000}]}}}") == "LimitExceeded");
  CHECK(answer_of("volcano.request", Json::object()).at("error").at("code") == "MissingArgument");
}
