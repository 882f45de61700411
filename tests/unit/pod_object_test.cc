// What pods are made of (spec/volcano-job.md 8.5, 11.4).
#include "pumice/volcano/pod_object.h"

#include <catch2/catch_test_macros.hpp>

#include "support/ask.h"

using namespace pumice;
using namespace pumice::test;

namespace {

Json pod_of(const Json& job, std::string_view name) {
  return created_pod(ask("volcano.execute", sync_args(job)), name);
}

}  // namespace

TEST_CASE("a pod is the template with what the controller adds") {
  const Json job = job_with(
      "schedulerName: volcano, priorityClassName: high, tasks: [{name: w, replicas: 2, topologyPolicy: restricted, "
      "template: {metadata: {name: other, labels: {app: a, volcano.sh/job-name: mine}, annotations: {note: x}}, "
      "spec: {restartPolicy: OnFailure, containers: [{name: main, image: i}]}}}]",
      "metadata: {annotations: {volcano.sh/preemptable: 'true', volcano.sh/revocable-zone: z, unrelated: u, "
      "volcano.sh/jdb-min-available: '1', volcano.sh/jdb-max-unavailable: '2'}, "
      "labels: {volcano.sh/cooldown-time: 10s, volcano.sh/revocable-zone: not-copied}}, "
      "status: {state: {phase: Pending}, version: 4, retryCount: 2}");
  const Json want = from_yaml(R"(
apiVersion: v1
kind: Pod
metadata:
  name: j-w-1
  namespace: ns
  ownerReferences:
  - {apiVersion: batch.volcano.sh/v1alpha1, kind: Job, name: j, uid: u, controller: true, blockOwnerDeletion: true}
  annotations:
    note: x
    volcano.sh/task-index: '1'
    volcano.sh/task-spec: w
    scheduling.k8s.io/group-name: j-u
    volcano.sh/job-name: j
    volcano.sh/queue-name: q
    volcano.sh/job-version: '4'
    volcano.sh/template-uid: j-w
    volcano.sh/job-retry-count: '2'
    volcano.sh/numa-topology-policy: restricted
    volcano.sh/preemptable: 'true'
    volcano.sh/revocable-zone: z
    volcano.sh/jdb-min-available: '1'
  labels:
    app: a
    volcano.sh/task-index: '1'
    volcano.sh/job-name: j
    volcano.sh/task-spec: w
    volcano.sh/queue-name: q
    volcano.sh/job-namespace: ns
    volcano.sh/cooldown-time: 10s
spec:
  restartPolicy: OnFailure
  schedulerName: volcano
  priorityClassName: high
  containers: [{name: main, image: i}]
)");
  CHECK(pod_of(job, "j-w-1") == want);
}

TEST_CASE("the template's own scheduler and priority class come first") {
  const Json job = job_with(
      "schedulerName: volcano, priorityClassName: high, tasks: [{name: w, replicas: 1, "
      "template: {spec: {schedulerName: mine, priorityClassName: low, containers: [{name: main}]}}}]");
  const Json spec = pod_of(job, "j-w-0").at("spec");
  CHECK(spec.at("schedulerName") == "mine");
  CHECK(spec.at("priorityClassName") == "low");
}

TEST_CASE("the first of the two disruption budgets is copied") {
  const Json job = job_with("tasks: [{name: w, replicas: 1, " + std::string(kOneContainer) + "}]",
                            "metadata: {annotations: {volcano.sh/jdb-max-unavailable: '2'}}");
  CHECK(pod_of(job, "j-w-0").at("/metadata/annotations/volcano.sh~1jdb-max-unavailable"_json_pointer) == "2");
}

TEST_CASE("claims become volumes, each once, mounted in regular containers") {
  Json args = sync_args(job_with(
      "volumes: [{mountPath: /a, volumeClaimName: c1}, {mountPath: /b, volumeClaimName: c2}, "
      "{mountPath: /c, volumeClaimName: c1}], "
      "tasks: [{name: w, replicas: 1, template: {spec: {initContainers: [{name: first}], volumes: [{name: own}], "
      "containers: [{name: main, volumeMounts: [{name: own, mountPath: /own}]}, {name: side}]}}}]"));
  args["claims"] = from_yaml("[{metadata: {name: c1}}, {metadata: {name: c2}}]");
  const Json spec = created_pod(ask("volcano.execute", args), "j-w-0").at("spec");
  const Json& volumes = spec.at("volumes");
  REQUIRE(volumes.size() == 3);
  CHECK(volumes[0] == from_yaml("{name: own}"));
  CHECK(volumes[1].at("persistentVolumeClaim") == from_yaml("{claimName: c1}"));
  CHECK(volumes[2].at("persistentVolumeClaim") == from_yaml("{claimName: c2}"));
  const std::string name = volumes[1].at("name");
  CHECK(name.starts_with("j-"));
  CHECK(name.size() == 14);
  CHECK(name != volumes[2].at("name"));
  const Json& mounts = spec.at("containers")[0].at("volumeMounts");
  REQUIRE(mounts.size() == 3);
  CHECK(mounts[1] == Json{{"name", name}, {"mountPath", "/a"}});
  CHECK(mounts[2].at("mountPath") == "/b");
  CHECK(spec.at("containers")[1].at("volumeMounts").size() == 2);
  CHECK_FALSE(spec.at("initContainers")[0].contains("volumeMounts"));
}

TEST_CASE("partitions are counted through") {
  CHECK(volcano::partition_of(0, 2) == 0);
  CHECK(volcano::partition_of(1, 2) == 0);
  CHECK(volcano::partition_of(2, 2) == 1);
  CHECK(volcano::partition_of(3, 2) == 1);
  CHECK(volcano::partition_of(10, 5) == 2);
  CHECK(volcano::partition_of(0, 1) == 0);
  CHECK(volcano::partition_of(5, 0) == 0);
  CHECK(volcano::partition_of(-2, 3) == 0);
  const std::string task = "tasks: [{name: w, replicas: 4, " + std::string(kOneContainer);
  const std::string with = ", partitionPolicy: {totalPartitions: 2, partitionSize: 2}}]";
  const auto id = [](const Json& pod) {
    return pod.at("metadata").at("labels").value("volcano.sh/partition-id", "none");
  };
  CHECK(id(pod_of(job_with(task + with), "j-w-1")) == "0");
  CHECK(id(pod_of(job_with(task + with), "j-w-3")) == "1");
  CHECK(id(pod_of(job_with(task + "}]"), "j-w-3")) == "none");
}

TEST_CASE("templates of any shape make pods") {
  for (const char* text : {"", "template: {}", "template: {spec: {}}", "template: {spec: {containers: {}, volumes: 3}}",
                           "template: {spec: {containers: [3, {name: a, env: 4, ports: x, volumeMounts: 5}]}}",
                           "template: {metadata: {}, spec: {hostname: 3, initContainers: [null]}}"}) {
    INFO(text);
    Json job = job_with(
        "volumes: [{mountPath: /a, volumeClaimName: c}], plugins: {env: [], svc: [], ssh: [], "
        "tensorflow: [], pytorch: ['--wait-master-enabled'], mpi: [], hcclrank: []}");
    Json task = from_yaml("{name: master, replicas: 1, " + std::string(text) + "}");
    job["spec"]["tasks"] = Json::array({task, task});
    job["spec"]["tasks"][1]["name"] = "worker";
    Json args = sync_args(job);
    args["claims"] = from_yaml("[{metadata: {name: c}}]");
    const Json answer = ask("volcano.execute", args);
    CHECK(effects_of(answer, "CreatePod").size() == 2);
    CHECK_FALSE(answer.contains("error"));
  }
}

TEST_CASE("derived names are stable and look random") {
  CHECK(volcano::derived_suffix("a") == volcano::derived_suffix("a"));
  CHECK(volcano::derived_suffix("a") != volcano::derived_suffix("b"));
  CHECK(volcano::derived_suffix("").size() == 12);
}
