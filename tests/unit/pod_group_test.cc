// The PodGroup of a job (spec/volcano-job.md 8.3, 8.8, 11.3, 11.6).
#include "pumice/volcano/pod_group.h"

#include <catch2/catch_test_macros.hpp>

#include "pumice/model/reader.h"
#include "support/ask.h"

using namespace pumice;
using namespace pumice::test;
using namespace pumice::volcano;

namespace {

Job read(const Json& json) {
  const Result<YamlNode> node = node_from_json(json);
  REQUIRE(node.ok());
  const Result<Job> job = read_job(*node.value, "", ReadMode::Wire);
  REQUIRE(job.ok());
  return *job.value;
}

GroupFields fields_of(const Job& job, const std::map<std::string, std::int32_t>& classes = {}) {
  return GroupFields::of(*job.spec, classes);
}

}  // namespace

TEST_CASE("least resources, upstream's table") {
  struct Row {
    int available;
    int master;
    int worker;
    std::string_view high;
    std::string_view cpu;
    int pods;
  };
  // Rows 2 - 12 and 14 - 19 of spec 11.3. Row 13 is upstream's second rule called by itself, where the first would be
  // taken: its input is that of row 14.
  const Row rows[] = {{2, 1, 1, "", "150m", 2},       {3, 2, 1, "master", "200m", 3}, {3, 2, 1, "", "200m", 3},
                      {3, 1, 2, "", "250m", 3},       {3, 1, 1, "master", "200m", 3}, {3, 1, 1, "worker", "250m", 3},
                      {3, 0, 1, "worker", "250m", 3}, {4, 2, 1, "worker", "300m", 4}, {4, 1, 1, "worker", "300m", 4},
                      {2, 1, 2, "", "100m", 2},       {2, 2, 1, "", "100m", 2},       {3, 2, 2, "", "200m", 3},
                      {3, 1, 1, "", "200m", 3}};
  for (const Row& row : rows) {
    INFO(row.available << " " << row.master << " " << row.worker << " " << row.high);
    const auto task = [&](std::string_view name, int available, std::string_view cpu) {
      return "{name: " + std::string(name) + ", replicas: 2, minAvailable: " + std::to_string(available) +
             ", template: {spec: {priorityClassName: " + std::string(name) +
             ", containers: [{name: c, resources: {requests: {cpu: " + std::string(cpu) + "}}}]}}}";
    };
    const Job job = read(job_with("minAvailable: " + std::to_string(row.available) + ", tasks: [" +
                                  task("master", row.master, "50m") + ", " + task("worker", row.worker, "100m") + "]"));
    const Json got = *fields_of(job, {{std::string(row.high), 3}, {"other", 9}}).min_resources;
    CHECK(got.value("cpu", "") == row.cpu);
    CHECK(got.at("requests.cpu") == got.at("cpu"));
    CHECK(got.value("pods", "") == std::to_string(row.pods));
    CHECK(got.at("count/pods") == got.at("pods"));
  }
}

TEST_CASE("a task that owes pods has others make up for them") {
  const Job job =
      read(job_with("minAvailable: 3, tasks: [{name: w, minAvailable: 2}, {name: x, replicas: 5, minAvailable: 0, " +
                    std::string(kOneContainer) + "}]"));
  CHECK(fields_of(job).min_resources->value("pods", "") == "5");
}

TEST_CASE("usage of a pod counts containers, init containers, sidecars and overhead") {
  const Job job = read(job_with(R"(minAvailable: 2, tasks: [{name: w, replicas: 2, template: {spec: {
    overhead: {cpu: 10m, memory: 1Mi},
    initContainers: [
      {name: side, restartPolicy: Always, resources: {requests: {cpu: 20m}}},
      {name: init, resources: {requests: {cpu: 1, memory: 1Gi}, limits: {memory: 2Gi}}}],
    containers: [
      {name: a, resources: {requests: {cpu: '0.3', memory: 100Mi, example.com/gpu: 1, hugepages-2Mi: 4Mi, other: 5},
                            limits: {cpu: 500m, example.com/gpu: 1}}},
      {name: b, resources: {requests: {cpu: 200m, ephemeral-storage: 1Gi, kubernetes.io/x: 1, memory: bad}}}]}}}])"));
  CHECK(*fields_of(job).min_resources == from_yaml(R"(
    count/pods: '2'
    pods: '2'
    cpu: 2060m            # (1 + 20m, more than 300m + 200m + 20m) + 10m, twice
    requests.cpu: 2060m
    limits.cpu: 1020m     # 500m + 10m, twice
    memory: 2050Mi
    requests.memory: 2050Mi
    limits.memory: 4098Mi
    ephemeral-storage: 2Gi
    requests.ephemeral-storage: 2Gi
    example.com/gpu: '2'
    requests.example.com/gpu: '2'
    hugepages-2Mi: 8Mi
    requests.hugepages-2Mi: 8Mi
)"));
}

TEST_CASE("no pods need nothing") {
  const Job job = read(job_with("minAvailable: 0, tasks: [{name: w, replicas: 2, minAvailable: 0}]"));
  CHECK(*fields_of(job).min_resources == Json::object());
}

TEST_CASE("members and sub-groups of partitioned tasks") {
  struct Row {
    std::string_view task;
    std::int32_t members;
  };
  for (const Row& row : {Row{"partitionPolicy: {totalPartitions: 2, partitionSize: 3}", 6},
                         Row{"partitionPolicy: {totalPartitions: 2, partitionSize: 3, minPartitions: 1}", 3},
                         Row{"minAvailable: 5, partitionPolicy: {partitionSize: 3, minPartitions: 1}", 5},
                         Row{"minAvailable: 0", 0}, Row{"maxRetry: 1", 6}}) {
    INFO(row.task);
    const Job job = read(job_with("tasks: [{name: w, replicas: 6, " + std::string(row.task) + "}]"));
    CHECK(fields_of(job).min_task_member.at("w") == row.members);
  }
  const Job job = read(job_with(
      "tasks: [{name: a, replicas: 2}, {name: w, replicas: 6, partitionPolicy: {totalPartitions: 2, partitionSize: 3, "
      "networkTopology: {mode: hard, highestTierName: rack}}}]"));
  CHECK(*fields_of(job).sub_groups == from_yaml(R"(
    - name: w
      subGroupSize: 3
      minSubGroups: 0
      labelSelector: {matchLabels: {volcano.sh/task-spec: w}}
      matchLabelKeys: [volcano.sh/partition-id]
      networkTopology: {mode: hard, highestTierName: rack})"));
}

TEST_CASE("a new PodGroup says what the job says") {
  const Job job =
      read(job_with("minAvailable: 1, priorityClassName: p, networkTopology: {mode: soft, highestTierAllowed: 2, "
                    "highestTierName: r}, "
                    "tasks: [{name: w, replicas: 1}]",
                    "metadata: {labels: {l: '1'}, annotations: {a: '2'}}"));
  CHECK(to_json(new_pod_group(job, fields_of(job))) == from_yaml(R"(
    apiVersion: scheduling.volcano.sh/v1beta1
    kind: PodGroup
    metadata:
      name: j-u
      namespace: ns
      labels: {l: '1'}
      annotations: {a: '2'}
      ownerReferences:
      - {apiVersion: batch.volcano.sh/v1alpha1, kind: Job, name: j, uid: u, controller: true, blockOwnerDeletion: true}
    spec:
      minMember: 1
      minTaskMember: {w: 1}
      queue: q
      priorityClassName: p
      minResources: {count/pods: '1', pods: '1'}
      networkTopology: {mode: soft, highestTierAllowed: 2})"));
  const Job named = read(job_with("networkTopology: {mode: hard, highestTierName: r}"));
  CHECK(*new_pod_group(named, fields_of(named)).network_topology == from_yaml("{mode: hard, highestTierName: r}"));
}

TEST_CASE("a PodGroup that exists is brought up to date, in part") {
  const Job job = read(job_with(
      "minAvailable: 2, priorityClassName: new, queue: q, tasks: [{name: a, replicas: 1}, {name: w, replicas: 2, "
      "partitionPolicy: {totalPartitions: 1, partitionSize: 2}}]"));
  const GroupFields fields = fields_of(job);
  const PodGroup good = new_pod_group(job, fields);
  const auto changes = [&](auto edit) {
    PodGroup group = good;
    edit(group);
    const PodGroup before = group;
    const bool changed = bring_up_to_date(group, job, fields);
    CHECK(changed == !(group == before));
    CHECK(is_up_to_date(group, job, fields));
    return changed;
  };
  CHECK_FALSE(changes([](PodGroup&) {}));
  CHECK_FALSE(changes([](PodGroup& g) { g.queue = "other"; }));
  CHECK_FALSE(changes([](PodGroup& g) { g.labels["x"] = "y"; }));
  CHECK_FALSE(changes([](PodGroup& g) { g.annotations["x"] = "y"; }));
  CHECK_FALSE(changes([](PodGroup& g) { g.network_topology = Json{{"mode", "hard"}}; }));
  CHECK_FALSE(changes([](PodGroup& g) { g.min_task_member["gone"] = 3; }));
  CHECK_FALSE(changes([&](PodGroup& g) { g.sub_groups = Json(*g.sub_groups); }));
  CHECK_FALSE(changes([](PodGroup& g) {
    Json list = *g.sub_groups;
    list.push_back(Json{{"name", "gone"}});
    g.sub_groups = list;
  }));
  CHECK(changes([](PodGroup& g) { g.priority_class_name = "old"; }));
  CHECK(changes([](PodGroup& g) { g.min_member = 1; }));
  CHECK(changes([](PodGroup& g) { g.min_resources = {}; }));
  CHECK(changes([](PodGroup& g) { g.min_task_member.clear(); }));
  CHECK(changes([](PodGroup& g) { g.min_task_member["w"] = 1; }));
  CHECK(changes([](PodGroup& g) { g.sub_groups = {}; }));
  CHECK(changes([](PodGroup& g) { g.sub_groups = Json::array({Json{{"name", "a"}}, (*g.sub_groups)[0]}); }));
}

TEST_CASE("the newest true condition of the PodGroup is told") {
  const Job job = read(job_with("tasks: []"));
  const auto text = [&](std::string_view conditions) {
    Json json = from_yaml("{status: {conditions: [" + std::string(conditions) + "]}}");
    const Result<YamlNode> node = node_from_json(json);
    FieldContext context;
    FieldReader reader(*node.value, context);
    return pending_text(job, read_pod_group(reader));
  };
  const std::string unschedulable =
      "{type: Unschedulable, status: 'True', lastTransitionTime: '2026-03-02T09:00:01Z', message: test message}";
  const std::string scheduled = "{type: Scheduled, status: 'True', lastTransitionTime: '2026-03-02T09:00:0";
  CHECK(text("").empty());
  CHECK(text(unschedulable) == "PodGroup ns:j unschedulable, reason: test message");
  CHECK(text(scheduled + "0Z'}, " + unschedulable) == "PodGroup ns:j unschedulable, reason: test message");
  CHECK(text(scheduled + "2Z'}, " + unschedulable).empty());
  CHECK(text(scheduled + "1Z'}, " + unschedulable).empty());  // of equals the first
  CHECK(text("{type: Unschedulable, status: 'False', message: m}").empty());
}
