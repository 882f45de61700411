// What is filled in (spec/volcano-admission.md 2 and 7.4, spec/volcano-cronjob.md 1, spec/k8s-job.md 2.1,
// spec/k8s-cronjob.md 2).
#include <catch2/catch_test_macros.hpp>

#include <string>

#include "support/admission.h"

namespace pumice::admission {
namespace {

using test::kPod;
using test::one_task;
using test::review_of;
using test::volcano_job;
using test::webhook;

/// `field = value` for each default, one per line.
std::string defaults_of(const std::string& manifest) {
  const Review review = review_of(manifest, webhook());
  std::string out;
  for (const Default& one : review.defaults) {
    CHECK_FALSE(one.why.empty());
    out += one.field + " = " + one.value.dump() + "\n";
  }
  // The patch makes of the object what the review did, and a second review finds nothing to do.
  CHECK(test::json_of(manifest).patch(review.patch) == review.defaulted);
  CHECK(review_of(review.defaulted.dump(), webhook()).patch.empty());
  return out;
}

Json upstream_patch_of(const std::string& manifest) {
  Options options = webhook();
  options.upstream_patch = true;
  const Review review = review_of(manifest, options);
  return review.patch;
}

TEST_CASE("a Volcano Job gets what it lacks", "[admission]") {
  CHECK(defaults_of(volcano_job("{tasks: [{replicas: 2, template: " + kPod + "}]}")) ==
        "spec.queue = \"default\"\nspec.schedulerName = \"volcano\"\nspec.maxRetry = 3\n"
        "spec.tasks[0].name = \"default0\"\nspec.tasks[0].minAvailable = 2\nspec.tasks[0].maxRetry = 3\n"
        "spec.minAvailable = 2\n");
  CHECK(defaults_of(
            volcano_job("{queue: '', maxRetry: 0, minAvailable: 0, schedulerName: s, tasks: [{name: w, replicas: 2, "
                        "minAvailable: 0, maxRetry: 1, template: " +
                        kPod + "}]}")) == "spec.queue = \"default\"\nspec.maxRetry = 3\n");
  CHECK(
      defaults_of("{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, metadata: {name: j}}").starts_with("spec.queue"));
  Options options = webhook();
  options.scheduler_name = "other";
  CHECK(review_of(one_task("replicas: 1"), options).defaulted["spec"]["schedulerName"] == "other");
}

TEST_CASE("plugins that others need", "[admission]") {
  const auto plugins = [](const std::string& given) {
    return review_of(
               volcano_job("{plugins: " + given + ", tasks: [{name: master, replicas: 1, template: " + kPod + "}]}"),
               webhook())
        .defaulted["spec"]["plugins"]
        .dump();
  };
  CHECK(plugins("{tensorflow: []}") == R"({"svc":[],"tensorflow":[]})");
  CHECK(plugins("{pytorch: [a]}") == R"({"pytorch":["a"],"svc":[]})");
  CHECK(plugins("{ray: []}") == R"({"ray":[],"svc":[]})");
  CHECK(plugins("{mpi: []}") == R"({"mpi":[],"ssh":[],"svc":[]})");
  CHECK(plugins("{mpi: [], svc: [--x], ssh: [--y]}") == R"({"mpi":[],"ssh":["--y"],"svc":["--x"]})");
  CHECK(plugins("{hcclrank: []}") == R"({"hcclrank":[]})");
}

TEST_CASE("the patch as Volcano's webhook writes it", "[admission]") {
  const Json patch = upstream_patch_of(volcano_job(
      "{plugins: {env: []}, tasks: [{replicas: 1, template: " + kPod +
      "}, {replicas: 2, minAvailable: 1, template: " + kPod +
      "}, {replicas: 1, partitionPolicy: {totalPartitions: 1, partitionSize: 1, minPartitions: 1}, template: " + kPod +
      "}, {replicas: 1, partitionPolicy: {totalPartitions: 1, partitionSize: 1}, template: " + kPod + "}]}"));
  REQUIRE(patch.size() == 6);
  CHECK(patch[0].dump() == R"({"op":"add","path":"/spec/queue","value":"default"})");
  CHECK(patch[1].dump() == R"({"op":"add","path":"/spec/schedulerName","value":"volcano"})");
  CHECK(patch[2].dump() == R"({"op":"add","path":"/spec/maxRetry","value":3})");
  CHECK(patch[3]["op"] == "replace");
  CHECK(patch[3]["path"] == "/spec/tasks");
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(patch[3]["value"][i]["name"] == "default" + std::to_string(i));
    CHECK(patch[3]["value"][i]["minAvailable"] == 1);
    CHECK(patch[3]["value"][i]["maxRetry"] == 3);
  }
  CHECK(patch[4].dump() == R"({"op":"add","path":"/spec/minAvailable","value":4})");
  CHECK(patch[5].dump() == R"({"op":"replace","path":"/spec/plugins","value":{"env":[]}})");
  CHECK(upstream_patch_of(
            volcano_job("{queue: q, schedulerName: s, maxRetry: 1, minAvailable: 1, tasks: [{name: w, replicas: "
                        "1, minAvailable: 1, maxRetry: 1, template: " +
                        kPod + "}]}"))
            .is_null());
  CHECK(upstream_patch_of(volcano_job("{queue: q, schedulerName: s, maxRetry: 1}")).dump() ==
        R"([{"op":"add","path":"/spec/minAvailable","value":0}])");
}

TEST_CASE("minAvailable of tasks with partitions", "[admission]") {
  const auto minimum = [](const std::string& task) {
    return review_of(one_task(task), webhook()).defaulted["spec"]["tasks"][0]["minAvailable"].get<int>();
  };
  CHECK(minimum("replicas: 9, partitionPolicy: {totalPartitions: 3, partitionSize: 3, minPartitions: 2}") == 6);
  CHECK(minimum("replicas: 4, partitionPolicy: {totalPartitions: 2, partitionSize: 2}") == 4);
  CHECK(minimum("replicas: 5") == 5);
  const Json sum =
      review_of(volcano_job("{tasks: [{name: a, replicas: 2, minAvailable: 1}, {name: b, replicas: 3}]}"), webhook())
          .defaulted;
  CHECK(sum["spec"]["minAvailable"] == 4);
}

TEST_CASE("the DNS policy of pods on the host's network", "[admission]") {
  const auto policy = [](const std::string& pod) {
    const Json spec = review_of(test::one_container("name: m, image: i", pod), webhook())
                          .defaulted["spec"]["tasks"][0]["template"]["spec"];
    return spec.contains("dnsPolicy") ? spec["dnsPolicy"].get<std::string>() : "";
  };
  CHECK(policy("hostNetwork: true") == "ClusterFirstWithHostNet");
  CHECK(policy("hostNetwork: true, dnsPolicy: Default") == "Default");
  CHECK(policy("hostNetwork: false").empty());
}

TEST_CASE("Volcano CronJobs have the schema's defaults", "[admission]") {
  CHECK(defaults_of(test::volcano_cron("schedule: '* * * * *'")) ==
        "spec.concurrencyPolicy = \"Allow\"\nspec.suspend = false\nspec.successfulJobsHistoryLimit = 3\n"
        "spec.failedJobsHistoryLimit = 1\nspec.jobTemplate.spec.queue = \"default\"\n"
        "spec.jobTemplate.spec.maxRetry = 3\n");
}

TEST_CASE("a batch/v1 Job gets what it lacks", "[admission]") {
  const Json job = review_of(test::kube_job(""), webhook()).defaulted["spec"];
  CHECK(job["parallelism"] == 1);
  CHECK(job["completions"] == 1);
  CHECK(job["backoffLimit"] == 6);
  CHECK(job["completionMode"] == "NonIndexed");
  CHECK(job["suspend"] == false);
  CHECK(job["podReplacementPolicy"] == "TerminatingOrFailed");
  CHECK(job["manualSelector"] == false);
  CHECK(job["template"]["spec"]["dnsPolicy"] == "ClusterFirst");
  CHECK(job["template"]["spec"]["terminationGracePeriodSeconds"] == 30);
  CHECK(job["template"]["spec"]["containers"][0]["imagePullPolicy"] == "IfNotPresent");
  CHECK_FALSE(review_of(test::kube_job("parallelism: 2"), webhook()).defaulted["spec"].contains("completions"));
  CHECK(review_of(test::kube_job("completions: 2"), webhook()).defaulted["spec"]["parallelism"] == 1);
  CHECK(review_of(test::kube_job("completionMode: Indexed, completions: 2, backoffLimitPerIndex: 1"), webhook())
            .defaulted["spec"]["backoffLimit"] == 2147483647);
  const Json with_policy =
      review_of(test::kube_job("podFailurePolicy: {rules: [{action: Ignore, onPodConditions: [{type: "
                               "DisruptionTarget}]}]}"),
                webhook())
          .defaulted["spec"];
  CHECK(with_policy["podReplacementPolicy"] == "Failed");
  CHECK(with_policy["podFailurePolicy"]["rules"][0]["onPodConditions"][0]["status"] == "True");
  (void)defaults_of(test::kube_job(""));
  CHECK(defaults_of(
            test::kube_job("template: {metadata: {labels: {app: a}}, spec: {restartPolicy: Never, containers: [{name: "
                           "m, image: i}]}}"))
            .ends_with("metadata.labels = {\"app\":\"a\"}\n"));
}

TEST_CASE("images, ports, probes and volumes", "[admission]") {
  const auto container = [](const std::string& more, const std::string& image) {
    return review_of(test::kube_job("template: {spec: {restartPolicy: Never, volumes: [{name: v}, {name: s, secret: "
                                    "{secretName: s}}], containers: [{name: m, image: '" +
                                    image + "'" + more + "}]}}"),
                     webhook())
        .defaulted["spec"]["template"]["spec"];
  };
  const auto policy = [&](const std::string& image) {
    return container("", image)["containers"][0]["imagePullPolicy"].get<std::string>();
  };
  CHECK(policy("tool") == "Always");
  CHECK(policy("registry:5000/tool") == "Always");
  CHECK(policy("tool:latest") == "Always");
  CHECK(policy("registry:5000/tool:1") == "IfNotPresent");
  CHECK(policy("tool@sha256:0123456789012345678901234567890123456789012345678901234567890123") == "IfNotPresent");
  const Json pod = container(
      ", ports: [{containerPort: 80}], livenessProbe: {httpGet: {port: 80}, timeoutSeconds: 0}, env: "
      "[{name: VAR, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]",
      "i");
  CHECK(pod["containers"][0]["ports"][0]["protocol"] == "TCP");
  CHECK(pod["containers"][0]["livenessProbe"]["httpGet"]["path"] == "/");
  CHECK(pod["containers"][0]["livenessProbe"]["timeoutSeconds"] == 1);
  CHECK(pod["containers"][0]["livenessProbe"]["failureThreshold"] == 3);
  CHECK(pod["containers"][0]["env"][0]["valueFrom"]["fieldRef"]["apiVersion"] == "v1");
  CHECK(pod["volumes"][0]["emptyDir"] == Json::object());
  CHECK(pod["volumes"][1]["secret"]["defaultMode"] == 420);
}

TEST_CASE("a batch/v1 CronJob gets what it lacks", "[admission]") {
  const Json cron = review_of(test::kube_cron("schedule: '@daily'"), webhook()).defaulted["spec"];
  CHECK(cron["concurrencyPolicy"] == "Allow");
  CHECK(cron["suspend"] == false);
  CHECK(cron["successfulJobsHistoryLimit"] == 3);
  CHECK(cron["failedJobsHistoryLimit"] == 1);
  CHECK(cron["jobTemplate"]["spec"]["backoffLimit"] == 6);
}

}  // namespace
}  // namespace pumice::admission
