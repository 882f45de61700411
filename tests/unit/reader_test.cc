#include "pumice/model/reader.h"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

namespace pumice {
namespace {

YamlNode tree_of(std::string_view text) {
  auto documents = parse_yaml(text);
  REQUIRE(documents);
  return documents.value->front().root;
}

/// The findings, one per line, without their hints.
std::string findings_text(const Diagnostics& diagnostics) {
  std::string out;
  for (Diagnostic finding : diagnostics) {
    finding.hint.clear();
    out += to_text(finding) + "\n";
  }
  return out;
}

std::string findings_in(std::string_view text) {
  return findings_text(read_job(tree_of(text), "job.yaml").diagnostics);
}

constexpr std::string_view kWholeJob = R"(apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata:
  name: whole
  namespace: team-a
  uid: 0d4c
  resourceVersion: "17"
  creationTimestamp: "2026-03-02T09:00:00Z"
  deletionTimestamp: "2026-03-02T10:00:00Z"
  labels: {app: demo}
  annotations: {volcano.sh/preemptable: "true"}
  ownerReferences:
  - {apiVersion: batch.volcano.sh/v1alpha1, kind: CronJob, name: c, uid: 5e, controller: true}
spec:
  schedulerName: volcano
  minAvailable: 3
  volumes:
  - mountPath: /data
    volumeClaimName: claim
  - mountPath: /scratch
    volumeClaim: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
  plugins:
    ssh: []
    svc: ["--publish-not-ready-addresses=true"]
  runningEstimate: 2h0m0s
  queue: research
  maxRetry: 5
  ttlSecondsAfterFinished: 0
  priorityClassName: high
  minSuccess: 2
  networkTopology: {mode: soft, highestTierAllowed: 2}
  policies:
  - event: PodEvicted
    action: RestartJob
    timeout: 10m0s
  tasks:
  - name: master
    replicas: 1
    maxRetry: 4
    topologyPolicy: best-effort
    template: &template
      metadata: {labels: {role: master}}
      spec: {containers: [{name: main, image: busybox, resources: {requests: {cpu: 1}}}], restartPolicy: Never}
    policies:
    - events: [PodFailed, TaskFailed]
      action: AbortJob
    - exitCode: 137
      action: RestartTask
  - name: worker
    replicas: 4
    minAvailable: 0
    dependsOn: {name: [master], iteration: any}
    partitionPolicy: {totalPartitions: 2, partitionSize: 2, minPartitions: 1, networkTopology: {highestTierName: rack}}
    template: *template
status:
  state: {phase: Running, reason: r, message: m, lastTransitionTime: "2026-03-02T09:01:00Z"}
  minAvailable: 3
  taskStatusCount:
    master: {phase: {Running: 1}}
    worker: {}
  pending: 1
  running: 2
  succeeded: 3
  failed: 4
  unknown: 5
  terminating: 6
  version: 7
  retryCount: 8
  runningDuration: 1m0s
  controlledResources: {plugin-svc: svc}
  conditions:
  - {status: Pending, lastTransitionTime: "2026-03-02T09:00:01Z"}
  - {status: Running, lastTransitionTime: "2026-03-02T09:01:00Z"}
)";

TEST_CASE("every field of a Job is read", "[reader]") {
  const Result<Job> read = read_job(tree_of(kWholeJob), "job.yaml");
  CHECK(findings_text(read.diagnostics).empty());
  REQUIRE(read);
  const Job& job = *read.value;
  CHECK(job.key() == "team-a/whole");
  CHECK(job.meta.uid == "0d4c");
  CHECK(job.meta.resource_version == 17);
  CHECK(to_rfc3339(job.meta.creation) == "2026-03-02T09:00:00Z");
  CHECK(job.meta.deletion.has_value());
  CHECK(job.meta.labels.at("app") == "demo");
  CHECK(job.meta.annotations.at("volcano.sh/preemptable") == "true");
  REQUIRE(job.meta.owners.size() == 1);
  CHECK(job.meta.owners[0] == OwnerReference{"batch.volcano.sh/v1alpha1", "CronJob", "c", "5e", true});

  const JobSpec& spec = *job.spec;
  CHECK(spec.scheduler_name == "volcano");
  CHECK(spec.min_available == 3);
  REQUIRE(spec.volumes.size() == 2);
  CHECK(spec.volumes[0].volume_claim_name == "claim");
  CHECK(spec.volumes[0].volume_claim.is_null());
  CHECK(spec.volumes[1].volume_claim.at("accessModes").size() == 1);
  CHECK(spec.plugins.at("ssh").empty());
  CHECK(spec.plugins.at("svc").size() == 1);
  CHECK(spec.running_estimate == seconds(7200));
  CHECK(spec.queue == "research");
  CHECK(spec.max_retry == 5);
  CHECK(spec.ttl_seconds_after_finished == 0);
  CHECK(spec.priority_class_name == "high");
  CHECK(spec.min_success == 2);
  CHECK(spec.network_topology.at("mode") == "soft");
  REQUIRE(spec.policies.size() == 1);
  CHECK(spec.policies[0].event == volcano::Event::PodEvicted);
  CHECK(spec.policies[0].action == volcano::Action::RestartJob);
  CHECK(spec.policies[0].timeout == seconds(600));
  CHECK_FALSE(spec.policies[0].exit_code);

  REQUIRE(spec.tasks.size() == 2);
  const TaskSpec& master = spec.tasks[0];
  CHECK(master.replicas == 1);
  CHECK_FALSE(master.min_available);
  CHECK(master.max_retry == 4);
  CHECK(master.topology_policy == "best-effort");
  CHECK(master.pod_template.at("spec").at("restartPolicy") == "Never");
  REQUIRE(master.policies.size() == 2);
  CHECK(master.policies[0].events.size() == 2);
  CHECK(master.policies[0].event == volcano::Event::None);
  CHECK(master.policies[1].exit_code == 137);
  const TaskSpec& worker = spec.tasks[1];
  CHECK(worker.min_available == 0);
  CHECK(worker.depends_on == DependsOn{{"master"}, "any"});
  REQUIRE(worker.partition_policy);
  CHECK(worker.partition_policy->partition_size == 2);
  CHECK(worker.partition_policy->min_partitions == 1);
  CHECK(worker.pod_template == master.pod_template);

  const JobStatus& status = job.status;
  CHECK(status.phase == volcano::JobPhase::Running);
  CHECK(status.reason == "r");
  CHECK(status.message == "m");
  CHECK(status.last_transition.has_value());
  CHECK(status.task_counts.at("master")[PodPhase::Running] == 1);
  CHECK(status.task_counts.at("worker") == PhaseCounts{});
  CHECK(std::vector{status.pending, status.running, status.succeeded, status.failed, status.unknown, status.terminating,
                    status.version, status.retry_count} == std::vector{1, 2, 3, 4, 5, 6, 7, 8});
  CHECK(status.running_duration == seconds(60));
  CHECK(status.controlled_resources.at("plugin-svc") == "svc");
  REQUIRE(status.conditions.size() == 2);
  CHECK(status.conditions[1].status == volcano::JobPhase::Running);
}

TEST_CASE("a Job is printed as it was read", "[reader]") {
  const YamlNode tree = tree_of(kWholeJob);
  const Result<Job> read = read_job(tree);
  REQUIRE(read);
  const Json printed = to_json(*read.value);
  CHECK(printed == to_json(tree));

  const Result<YamlNode> again = node_from_json(printed);
  REQUIRE(again);
  const Result<Job> second = read_job(*again.value);
  REQUIRE(second);
  CHECK(*second.value->spec == *read.value->spec);
  CHECK(second.value->status == read.value->status);
  CHECK(second.value->meta == read.value->meta);
}

TEST_CASE("zero and empty members are not printed", "[reader]") {
  CHECK(to_json(JobSpec{}) == Json::object());
  CHECK(status_to_json(JobStatus{}) == Json::object());
  CHECK(to_json(LifecyclePolicy{}) == Json::object());
  CHECK(to_json(Job{}) ==
        Json::parse(R"({"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "metadata": {}, "spec": {}})"));

  JobStatus status;
  status.task_counts["w"][PodPhase::Failed] = 2;
  status.task_counts["v"] = {};
  status.last_transition = Time{-1};
  CHECK(status_to_json(status) == Json::parse(R"({"taskStatusCount": {"v": {}, "w": {"phase": {"Failed": 2}}},
                                                  "state": {"lastTransitionTime": "1969-12-31T23:59:59Z"}})"));
}

constexpr std::string_view kHead = "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\n";

TEST_CASE("the least a Job needs", "[reader]") {
  const auto read = read_job(
      tree_of("kind: Job\nmetadata: {name: j}\nspec:\n  tasks:\n  - template: {spec: {containers: [{name: c}]}}\n"));
  CHECK(read.diagnostics.empty());
  REQUIRE(read);
  CHECK(read.value->key() == "default/j");
  CHECK(read.value->meta.uid.empty());
  CHECK(read.value->spec->tasks.size() == 1);
}

TEST_CASE("everything that is wrong is said at once, with its place", "[reader]") {
  struct Case {
    const char* name;
    std::string text;
    std::string findings;
  };
  const std::string job =
      std::string(kHead) +
      "metadata: {name: j}\nspec:\n  tasks:\n  - name: w\n    template: {spec: {containers: [{name: c}]}}\n";
  const Case cases[] = {
      {"no object", "- 1\n", "job.yaml:1:1: error: expected a map, got a list\n"},
      {"nothing", std::string(kHead),
       "job.yaml:1:1: error: metadata: an object needs `metadata` with a name\njob.yaml:1:1: error: spec: a Job needs "
       "a `spec` with tasks\n"},
      {"types",
       job + "    replicas: two\n    minAvailable: 1.5\n    maxRetry: 3000000000\n    dependsOn: w\n  minSuccess: "
             "true\n  queue: 5\n",
       "job.yaml:8:15: error: spec.tasks[0].replicas: expected an integer, got string `two`\n"
       "job.yaml:9:19: error: spec.tasks[0].minAvailable: expected an integer, got number `1.5`\n"
       "job.yaml:10:15: error: spec.tasks[0].maxRetry: `3000000000` does not fit: the field holds integers from "
       "-2147483648 to 2147483647\n"
       "job.yaml:11:16: error: spec.tasks[0].dependsOn: expected a map, got string `w`\n"
       "job.yaml:13:10: error: spec.queue: expected a string, got number `5`\n"
       "job.yaml:12:15: error: spec.minSuccess: expected an integer, got boolean `true`\n"},
      {"unknown fields", job + "    replica: 2\n  minAvailible: 1\nsatus: {}\n",
       "job.yaml:8:5: warning: spec.tasks[0].replica: unknown field `replica` is ignored\n"
       "job.yaml:9:3: warning: spec.minAvailible: unknown field `minAvailible` is ignored\n"
       "job.yaml:10:1: warning: satus: unknown field `satus` is ignored\n"},
      {"unknown words",
       job +
           "    topologyPolicy: Best\n    dependsOn: {iteration: each}\n    policies:\n    - {event: podFailed, "
           "action: RestartPods}\n"
           "    - {events: ['*', Exploded], action: Explode}\n  plugins: {sshd: []}\n  networkTopology: {mode: hart}\n",
       "job.yaml:11:34: warning: spec.tasks[0].policies[0].action: unknown action `RestartPods`\n"
       "job.yaml:11:15: warning: spec.tasks[0].policies[0].event: unknown event `podFailed`\n"
       "job.yaml:12:22: warning: spec.tasks[0].policies[1].events[1]: unknown event `Exploded`\n"
       "job.yaml:12:41: warning: spec.tasks[0].policies[1].action: unknown action `Explode`\n"
       "job.yaml:9:28: warning: spec.tasks[0].dependsOn.iteration: unknown iteration `each`\n"
       "job.yaml:8:21: warning: spec.tasks[0].topologyPolicy: unknown topology policy `Best`\n"
       "job.yaml:13:13: warning: spec.plugins.sshd: unknown plugin `sshd`\n"
       "job.yaml:14:27: warning: spec.networkTopology.mode: unknown mode `hart`\n"},
      {"durations and times",
       job + "    policies: [{action: AbortJob, timeout: 5}, {action: AbortJob, timeout: 1d}]\n"
             "status: {state: {phase: Melted, lastTransitionTime: yesterday}}\n",
       "job.yaml:8:44: error: spec.tasks[0].policies[0].timeout: expected a string, got number `5`\n"
       "job.yaml:8:76: error: spec.tasks[0].policies[1].timeout: `1d` is not a duration\n"
       "job.yaml:9:25: warning: status.state.phase: unknown phase `Melted`\n"
       "job.yaml:9:53: error: status.state.lastTransitionTime: `yesterday` is not a time that can be used\n"},
      {"names",
       std::string(kHead) + "metadata: {name: My_Job, namespace: a.b, resourceVersion: x1}\nspec: {tasks: []}\n",
       "job.yaml:3:59: warning: metadata.resourceVersion: `x1` is not a resource version of decimal digits, it is "
       "taken as 0\n"
       "job.yaml:3:18: error: metadata.name: `My_Job` is not a valid name\n"
       "job.yaml:3:37: error: metadata.namespace: `a.b` is not a valid namespace\n"},
      {"generated name", std::string(kHead) + "metadata: {generateName: j-}\nspec: {}\n",
       "job.yaml:3:11: error: metadata.name: an object needs a name\n"},
      {"templates",
       std::string(kHead) + "metadata: {name: j}\nspec:\n  tasks:\n  - name: a\n  - template: {}\n  - template: {spec: "
                            "{}}\n  - template: {spec: {containers: []}}\n"
                            "  - template: {spec: {containers: [{image: i}, {name: ''}, 5, {name: 5}]}}\n  - template: "
                            "{spec: {containers: {name: c}}}\n"
                            "  - template: {metadata: {labels: {a: 1}}, spec: {containers: [{name: c}]}}\n",
       "job.yaml:6:5: error: spec.tasks[0].template: a task needs a pod template\n"
       "job.yaml:7:15: error: spec.tasks[1].template.spec: a pod template needs a `spec` with containers\n"
       "job.yaml:8:22: error: spec.tasks[2].template.spec.containers: a pod needs at least one container\n"
       "job.yaml:9:35: error: spec.tasks[3].template.spec.containers: a pod needs at least one container\n"
       "job.yaml:10:36: error: spec.tasks[4].template.spec.containers[0].name: a container needs a name\n"
       "job.yaml:10:55: error: spec.tasks[4].template.spec.containers[1].name: a container needs a name\n"
       "job.yaml:10:60: error: spec.tasks[4].template.spec.containers[2]: expected a map, got number `5`\n"
       "job.yaml:10:70: error: spec.tasks[4].template.spec.containers[3].name: expected a string, got number `5`\n"
       "job.yaml:11:35: error: spec.tasks[5].template.spec.containers: expected a list, got a map\n"
       "job.yaml:12:39: error: spec.tasks[6].template.metadata.labels.a: expected a string, got number `1`\n"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(findings_in(c.text) == c.findings);
  }
}

TEST_CASE("hints name what is near, or all there is", "[reader]") {
  const auto hint_of = [](const std::string& policy) {
    const auto read = read_job(tree_of("metadata: {name: j}\nspec: {policies: [" + policy + "]}\n"));
    REQUIRE(read.diagnostics.size() == 1);
    return read.diagnostics[0].hint;
  };
  CHECK(hint_of("{event: podFaild}") == "did you mean `PodFailed`?");
  CHECK(hint_of("{action: restartjob}") == "did you mean `RestartJob`?");
  CHECK(hint_of("{event: Boom}").starts_with("known are `*`, `PodFailed`, "));
  CHECK(hint_of("{evnt: PodFailed}") == "did you mean `event`?");
}

TEST_CASE("in wire mode only types count", "[reader]") {
  const auto tree = node_from_json(Json::parse(R"({"metadata": {"name": "Any_Name"}, "extra": 1,
      "spec": {"extra": 1, "tasks": [{"policies": [{"event": "Exploded", "action": "Explode"}], "template": {"spec": {}}}, null]},
      "status": {"state": {"phase": "Melted"}}})"));
  REQUIRE(tree);
  const Result<Job> read = read_job(*tree.value, {}, ReadMode::Wire);
  CHECK(read.diagnostics.empty());
  REQUIRE(read);
  CHECK(read.value->meta.ns.empty());
  CHECK(read.value->spec->tasks.size() == 2);
  CHECK(read.value->spec->tasks[0].policies[0].event.text() == "Exploded");
  CHECK(read.value->status.phase.text() == "Melted");

  const auto wrong = node_from_json(Json::parse(R"({"spec": {"tasks": {}}})"));
  CHECK_FALSE(read_job(*wrong.value, {}, ReadMode::Wire));
}

TEST_CASE("null counts as absent, and the year 1 as no time", "[reader]") {
  const auto read =
      read_job(tree_of("metadata: {name: j, creationTimestamp: null, namespace: null}\nspec: {tasks: null, minSuccess: "
                       "null, plugins: {svc: null}}\n"
                       "status: {state: {lastTransitionTime: '0001-01-01T00:00:00Z'}}\n"));
  CHECK(read.diagnostics.empty());
  REQUIRE(read);
  CHECK(read.value->meta.ns == "default");
  CHECK_FALSE(read.value->spec->min_success);
  CHECK(read.value->spec->plugins.at("svc").empty());
  CHECK_FALSE(read.value->status.last_transition);
}

TEST_CASE("foreign pod phases share a counter", "[reader]") {
  const auto read = read_job(tree_of(
      "metadata: {name: j}\nspec: {}\nstatus: {taskStatusCount: {w: {phase: {Unknown: 1, Odd: 2, Failed: 4}}}}\n"));
  REQUIRE(read);
  CHECK(read.value->status.task_counts.at("w")[PodPhase::Unknown] == 3);
  CHECK(read.value->status.task_counts.at("w")[PodPhase::Failed] == 4);
}

TEST_CASE("a header says what an object is", "[reader]") {
  const auto header = read_header(tree_of(kWholeJob), "job.yaml");
  REQUIRE(header);
  CHECK(header.value->is_volcano_job());
  CHECK(header.value->type_text() == "batch.volcano.sh/v1alpha1/Job");
  CHECK(header.value->ns == "team-a");
  CHECK(header.value->name == "whole");
  CHECK(header.value->kind_range.begin == Position{2, 7});

  const auto other = read_header(tree_of("apiVersion: batch/v1\nkind: Job\nmetadata: [odd]\n"));
  REQUIRE(other);
  CHECK_FALSE(other.value->is_volcano_job());
  CHECK(other.value->name.empty());

  const auto findings = [](std::string_view text) {
    return findings_text(read_header(tree_of(text), "f").diagnostics);
  };
  CHECK(findings("hello") == "f:1:1: error: expected a Kubernetes object, found string\n");
  CHECK(findings("a: 1\n") ==
        "f:1:1: error: apiVersion: `apiVersion` is missing\nf:1:1: error: kind: `kind` is missing\n");
  CHECK(findings("apiVersion: 1\nkind: ''\n") ==
        "f:1:13: error: apiVersion: expected a string, got number `1`\nf:2:7: error: kind: `kind` is missing\n");
}

TEST_CASE("field paths lead back to places", "[reader]") {
  const YamlNode tree = tree_of(
      "metadata:\n  labels: {\"a.b/c\": x, 'q\"[]': y}\nspec:\n  tasks:\n  - name: w\n    policies:\n    - event: "
      "PodFailed\n");
  struct Case {
    const char* path;
    Position want;
  };
  const Case cases[] = {
      {"", {1, 1}},
      {"spec.tasks[0].policies[0]", {7, 7}},
      {"spec.tasks[0].policies[0].event", {7, 14}},
      {R"(metadata.labels["a.b/c"])", {2, 21}},
      {R"(metadata.labels["q\"[]"])", {2, 32}},
      {"spec.tasks[0].policies[0].timeout", {7, 7}},
      {"spec.tasks[3].name", {5, 3}},
      {"nothing.there", {1, 1}},
      {"spec.tasks[-1]", {5, 3}},
      {"spec.tasks[99999999999999999999]", {5, 3}},
      {"spec.tasks[0", {5, 3}},
      {"spec.tasks[\"0\"]", {5, 3}},
      {"spec.tasks[\"0", {5, 3}},
      {"spec.tasks[\"0\\", {5, 3}},
      {"spec..tasks", {4, 3}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.path);
    const Position got = range_of(tree, c.path).begin;
    CHECK(got.line == c.want.line);
    CHECK(got.column == c.want.column);
  }
}

}  // namespace
}  // namespace pumice
