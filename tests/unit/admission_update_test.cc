// Volcano's webhook for Jobs on update (spec/volcano-admission.md 4 and 7.2).
#include <catch2/catch_test_macros.hpp>

#include <string>

#include "support/admission.h"

namespace pumice::admission {
namespace {

using test::kPod;
using test::review_of;
using test::verdict_of;
using test::volcano_job;
using test::webhook;

const std::string kFrozen =
    "job updates may not change fields other than `minAvailable`, `tasks[*].replicas under spec` and "
    "`PriorityClassName`";

std::string task(const std::string& more) { return "{name: w, template: " + kPod + ", " + more + "}"; }
std::string job(const std::string& more, const std::string& tasks) {
  return volcano_job("{queue: default, schedulerName: volcano, maxRetry: 3, " + more + ", tasks: [" + tasks + "]}");
}
const std::string kFive = "replicas: 5, minAvailable: 5, maxRetry: 3";

/// What is said to `now` in place of a job with five pods, all needed.
std::string verdict(const std::string& now, const std::string& old = job("minAvailable: 5", task(kFive))) {
  Options options = webhook();
  options.fill = false;
  return verdict_of(review_of(now, options, old));
}
std::string with_task(const std::string& more, const std::string& minimum = "minAvailable: 5") {
  return verdict(job(minimum, task(more)));
}

TEST_CASE("an update may change how many pods there are", "[admission]") {
  CHECK(with_task(kFive) == "allowed");
  CHECK(with_task("replicas: 6, minAvailable: 5, maxRetry: 3") == "allowed");
  CHECK(with_task("replicas: 4, minAvailable: 3, maxRetry: 3", "minAvailable: 3") == "allowed");
  CHECK(with_task("replicas: 6, maxRetry: 3", "minAvailable: 1, priorityClassName: high") == "allowed");
  CHECK(
      verdict("apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: j, namespace: team, labels: {a: b}, "
              "resourceVersion: '2'}\nspec: {queue: default, schedulerName: volcano, maxRetry: 3, minAvailable: 5, "
              "tasks: [" +
              task(kFive) + "]}\nstatus: {state: {phase: Running}}\n") == "allowed");
}

TEST_CASE("rules of an update in their order", "[admission]") {
  CHECK(with_task("replicas: -1") == "'replicas' must be >= 0 in task: w");
  CHECK(with_task("replicas: 5, minAvailable: -1") == "'minAvailable' must be >= 0 in task: w");
  CHECK(with_task("replicas: 4, minAvailable: 5, maxRetry: 3") == "'minAvailable' must be <= 'replicas' in task: w");
  CHECK(with_task("replicas: 4, minAvailable: 4, maxRetry: 3") ==
        "job 'minAvailable' must not be greater than total replicas");
  CHECK(with_task("replicas: 4, minAvailable: 4, maxRetry: 3", "minAvailable: -1") ==
        "job 'minAvailable' must be >= 0");
  CHECK(with_task(kFive, "minAvailable: 5, networkTopology: {highestTierAllowed: 1, highestTierName: rack}") ==
        "must not specify 'highestTierAllowed' and 'highestTierName' in networkTopology simultaneously");
  CHECK(verdict(job("minAvailable: 5", task(kFive) + ", {name: x, replicas: 1, template: " + kPod + "}")) ==
        "job updates may not add or remove tasks");
  CHECK(with_task(kFive, "minAvailable: 5, minSuccess: 1") == kFrozen);
}

TEST_CASE("partitions on update", "[admission]") {
  const std::string partitions = "partitionPolicy: {totalPartitions: 2, partitionSize: 2}, ";
  const std::string old = job("minAvailable: 4", task(partitions + "replicas: 4"));
  CHECK(verdict(old, old) == "allowed");
  CHECK(verdict(job("minAvailable: 4", task(partitions + "replicas: 6")), old) ==
        "'Replicas' are not equal to TotalPartitions*PartitionSize in task: w, job: j");
  CHECK(verdict(job("minAvailable: 4", task("partitionPolicy: {totalPartitions: 3, partitionSize: 2}, replicas: 6")),
                old) == kFrozen);
  CHECK(verdict(job("minAvailable: 4", task("partitionPolicy: {totalPartitions: 2, partitionSize: 2, networkTopology: "
                                            "{highestTierAllowed: 1, highestTierName: r}}, replicas: 4")),
                old) ==
        "must not specify 'highestTierAllowed' and 'highestTierName' in networkTopology simultaneously");
}

TEST_CASE("everything else is frozen", "[admission]") {
  const std::string old =
      job("minAvailable: 1", task("replicas: 1, maxRetry: 3") + ", {name: x, replicas: 1, template: " + kPod + "}");
  const auto changed = [&](const std::string& more, const std::string& tasks) {
    return verdict(job(more, tasks), old);
  };
  const std::string first = task("replicas: 1, maxRetry: 3");
  const std::string second = "{name: x, replicas: 1, template: " + kPod + "}";
  CHECK(changed("minAvailable: 1", first + ", " + second) == "allowed");
  CHECK(changed("minAvailable: 1", second + ", " + first) == kFrozen);
  CHECK(changed("minAvailable: 1", first + ", {name: other, replicas: 1, template: " + kPod + "}") == kFrozen);
  CHECK(changed("minAvailable: 1, ttlSecondsAfterFinished: 9", first + ", " + second) == kFrozen);
  CHECK(changed("minAvailable: 1, plugins: {svc: []}", first + ", " + second) == kFrozen);
  CHECK(changed("minAvailable: 1, policies: [{event: PodFailed, action: RestartJob}]", first + ", " + second) ==
        kFrozen);
  CHECK(changed("minAvailable: 1, policies: []", first + ", " + second) == "allowed");
  CHECK(changed("minAvailable: 1", task("replicas: 1, maxRetry: 4") + ", " + second) == kFrozen);
  CHECK(changed("minAvailable: 1", task("replicas: 1, maxRetry: 3, dependsOn: {name: [x]}") + ", " + second) ==
        kFrozen);
  CHECK(verdict(volcano_job("{queue: other, schedulerName: volcano, maxRetry: 3, minAvailable: 1, tasks: [" + first +
                            ", " + second + "]}"),
                old) == kFrozen);
}

TEST_CASE("quantities compare by value", "[admission]") {
  const auto with = [](const std::string& cpu) {
    return job("minAvailable: 1",
               "{name: w, replicas: 1, template: {spec: {containers: [{name: m, image: i, env: [{name: "
               "VAR, value: '" +
                   cpu + "'}], resources: {requests: {cpu: " + cpu + "}}}]}}}");
  };
  const auto requests = [](const std::string& cpu) {
    return job(
        "minAvailable: 1",
        "{name: w, replicas: 1, template: {spec: {containers: [{name: m, image: i, resources: {requests: {cpu: " + cpu +
            "}}}]}}}");
  };
  CHECK(verdict(requests("1000m"), requests("1")) == "allowed");
  CHECK(verdict(requests("2"), requests("1")) == kFrozen);
  CHECK(verdict(with("1000m"), with("1")) == kFrozen);  // the variable is a text
}

TEST_CASE("the name of a claim that the controller made may appear", "[admission]") {
  const std::string tasks = task("replicas: 1");
  const std::string made = "volumeClaim: {accessModes: [ReadWriteOnce]}";
  const std::string old = job("minAvailable: 1, volumes: [{mountPath: /a, " + made + "}]", tasks);
  CHECK(verdict(job("minAvailable: 1, volumes: [{mountPath: /a, volumeClaimName: j-volume-1, " + made + "}]", tasks),
                old) == "allowed");
  CHECK(verdict(job("minAvailable: 1, volumes: [{mountPath: /b, " + made + "}]", tasks), old) == kFrozen);
  const std::string existing = job("minAvailable: 1, volumes: [{mountPath: /a, volumeClaimName: c}]", tasks);
  CHECK(verdict(job("minAvailable: 1, volumes: [{mountPath: /a, volumeClaimName: d}]", tasks), existing) == kFrozen);
}

TEST_CASE("each field that may not change is named", "[admission]") {
  const Review review = review_of(job("minAvailable: 5, minSuccess: 1",
                                      "{name: w, replicas: 5, minAvailable: 5, maxRetry: 3, template: {spec: "
                                      "{containers: [{name: main, image: new}]}}}"),
                                  webhook(), job("minAvailable: 5", task(kFive)));
  CHECK(verdict_of(review) == kFrozen);
  CHECK(test::codes_of(review) ==
        "volcano.job.update-field  spec.minSuccess\n"
        "volcano.job.update-field  spec.tasks[0].template\n");
}

TEST_CASE("a manifest without what the cluster filled in is no change", "[admission]") {
  const std::string manifest = volcano_job("{tasks: [{name: w, replicas: 2, template: " + kPod + "}]}");
  const Json stored = review_of(manifest, test::cluster()).defaulted;
  CHECK(verdict_of(review_of(manifest, test::cluster(), stored.dump())) == "allowed");
  const std::string scaled = volcano_job("{tasks: [{name: w, replicas: 3, template: " + kPod + "}]}");
  CHECK(verdict_of(review_of(scaled, test::cluster(), stored.dump())) == "allowed");
}

}  // namespace
}  // namespace pumice::admission
