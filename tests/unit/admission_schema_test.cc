// Types and limits (spec/volcano-admission.md 5 and 6.3, spec/volcano-jobflow.md 1.1).
#include <catch2/catch_test_macros.hpp>

#include <string>

#include "support/admission.h"

namespace pumice::admission {
namespace {

using test::cluster;
using test::kPod;
using test::one_task;
using test::review_of;
using test::verdict_of;
using test::volcano_job;

std::string refused(const std::string& text, const std::string& kind = "Job.batch.volcano.sh \"j\"") {
  return kind + " is invalid: " + text;
}

TEST_CASE("limits of a Volcano Job", "[admission]") {
  struct Case {
    std::string manifest;
    std::string want;
  };
  const auto minimum = [](const std::string& field, const std::string& value, const std::string& least) {
    return refused(field + ": Invalid value: " + value + ": " + field + " in body should be greater than or equal to " +
                   least);
  };
  const std::string label = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$";
  const std::string subdomain = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$";
  const std::string events =
      "supported values: \"*\", \"PodPending\", \"PodRunning\", \"PodFailed\", \"PodEvicted\", \"Unknown\", "
      "\"TaskCompleted\", \"OutOfSync\", \"CommandIssued\", \"JobUpdated\", \"TaskFailed\"";
  const Case cases[] = {
      {one_task("replicas: 1", "minAvailable: -1"), minimum("spec.minAvailable", "-1", "0")},
      {one_task("replicas: 1", "maxRetry: -1"), minimum("spec.maxRetry", "-1", "0")},
      {one_task("replicas: 1", "ttlSecondsAfterFinished: -1"), minimum("spec.ttlSecondsAfterFinished", "-1", "0")},
      {one_task("replicas: -1"), minimum("spec.tasks[0].replicas", "-1", "0")},
      {one_task("replicas: 1, minAvailable: -1"), minimum("spec.tasks[0].minAvailable", "-1", "0")},
      {one_task("replicas: 1, maxRetry: -1"), minimum("spec.tasks[0].maxRetry", "-1", "0")},
      {one_task("replicas: 1", "minSuccess: 0"), minimum("spec.minSuccess", "0", "1")},
      {one_task("replicas: 1", "networkTopology: {highestTierAllowed: -1}"),
       minimum("spec.networkTopology.highestTierAllowed", "-1", "0")},
      {one_task("replicas: 1", "networkTopology: {mode: medium}"),
       refused("spec.networkTopology.mode: Unsupported value: \"medium\": supported values: \"hard\", \"soft\"")},
      {one_task("replicas: 1", "queue: Q"),
       refused("spec.queue: Invalid value: \"Q\": spec.queue in body should match '" + subdomain + "'")},
      {one_task("replicas: 1", "queue: " + std::string(254, 'q')),
       refused("spec.queue: Too long: may not be more than 253 bytes")},
      {one_task("replicas: 1", "priorityClassName: P"),
       refused("spec.priorityClassName: Invalid value: \"P\": spec.priorityClassName in body should match '" +
               subdomain + "'")},
      {one_task("replicas: 1", "schedulerName: " + std::string(64, 's')),
       refused("spec.schedulerName: Too long: may not be more than 63 bytes")},
      {volcano_job("{tasks: [{name: a.b, replicas: 1, template: " + kPod + "}]}"),
       refused("spec.tasks[0].name: Invalid value: \"a.b\": spec.tasks[0].name in body should match '" + label + "'")},
      {volcano_job("{tasks: []}"),
       refused("spec.tasks: Invalid value: 0: spec.tasks in body should have at least 1 items")},
      {one_task("replicas: 1, topologyPolicy: loose"),
       refused(
           "spec.tasks[0].topologyPolicy: Unsupported value: \"loose\": supported values: \"none\", \"best-effort\", "
           "\"restricted\", \"single-numa-node\"")},
      {one_task("replicas: 1, partitionPolicy: {totalPartitions: 1}"),
       refused("spec.tasks[0].partitionPolicy.partitionSize: Required value")},
      {one_task("replicas: 1, partitionPolicy: {totalPartitions: 0, partitionSize: 1}"),
       minimum("spec.tasks[0].partitionPolicy.totalPartitions", "0", "1")},
      {one_task("replicas: 1", "policies: [{event: Nothing, action: RestartJob}]"),
       refused("spec.policies[0].event: Unsupported value: \"Nothing\": " + events)},
      {one_task("replicas: 1, policies: [{events: [Nothing], action: RestartJob}]"),
       refused("spec.tasks[0].policies[0].events[0]: Unsupported value: \"Nothing\": " + events)},
      {one_task("replicas: 1", "volumes: [{mountPath: '', volumeClaimName: c}]"),
       refused("spec.volumes[0].mountPath: Invalid value: \"\": spec.volumes[0].mountPath in body should be at least 1 "
               "chars "
               "long")},
      {one_task("replicas: 1", "volumes: [{volumeClaimName: c}]"),
       refused("spec.volumes[0].mountPath: Required value")},
      {one_task("replicas: 1", "volumes: [{mountPath: 'a:b', volumeClaimName: c}]"),
       refused("spec.volumes[0].mountPath: Invalid value: \"a:b\": spec.volumes[0].mountPath in body should match "
               "'^[^:]*$'")},
      {one_task("replicas: 1, dependsOn: {iteration: sometimes}"), "allowed"},
      {one_task("replicas: 1", "policies: [{exitCode: 3, action: Nothing}]"), "allowed"},
      {volcano_job("{tasks: [{name: w, replicas: 1, template: " + kPod + "}]}", "Upper"),
       "Job.batch.volcano.sh \"Upper\" is invalid: metadata.name: Invalid value: \"Upper\": a lowercase RFC 1123 "
       "subdomain "
       "must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric "
       "character (e.g. 'example.com', regex used for validation is "
       "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"},
  };
  for (const Case& one : cases) {
    CAPTURE(one.manifest);
    CHECK(verdict_of(review_of(one.manifest, cluster())) == one.want);
  }
}

TEST_CASE("the schema comes before the webhook", "[admission]") {
  const Review review =
      review_of(one_task("replicas: 1", "minAvailable: -1, maxRetry: -1, plugins: {big: []}"), cluster());
  CHECK(review.message ==
        "Job.batch.volcano.sh \"j\" is invalid: [spec.maxRetry: Invalid value: -1: spec.maxRetry in body should be "
        "greater "
        "than or equal to 0, spec.minAvailable: Invalid value: -1: spec.minAvailable in body should be greater than or "
        "equal "
        "to 0]");
  CHECK(test::codes_of(review) ==
        "volcano.schema.minimum  spec.maxRetry\nvolcano.schema.minimum  spec.minAvailable\n"
        "volcano.job.plugin  spec.plugins.big\n");
}

TEST_CASE("wrong types", "[admission]") {
  CHECK(verdict_of(review_of(one_task("replicas: 1", "minAvailable: some"), cluster())) ==
        refused("spec.minAvailable: Invalid value: \"string\": spec.minAvailable in body must be of type integer: "
                "\"string\""));
  const std::string number =
      "json: cannot unmarshal number into Go struct field EnvVar.spec.template.spec.containers.env.value "
      "of type string";
  const std::string env = "containers: [{name: m, image: i, env: [{name: A, value: 1}]}]";
  CHECK(verdict_of(review_of(test::kube_job("template: {spec: {" + env + "}}"), cluster())) ==
        "Job in version \"v1\" cannot be handled as a Job: " + number);
  // Volcano's definition keeps templates as they are: its webhook is the first to read them.
  const Review review =
      review_of(volcano_job("{tasks: [{name: w, template: {spec: {" + env + "}}}]}"), test::webhook());
  CHECK(
      review.message ==
      "json: cannot unmarshal number into Go struct field EnvVar.spec.tasks.template.spec.containers.env.value of type "
      "string");
  CHECK_FALSE(review.readable);
  struct Case {
    std::string spec;
    std::string want;
  };
  const std::string cannot = "Job in version \"v1\" cannot be handled as a Job: ";
  const Case cases[] = {
      {"parallelism: x", "json: cannot unmarshal string into Go struct field JobSpec.spec.parallelism of type int32"},
      {"parallelism: 1.5",
       "json: cannot unmarshal number 1.5 into Go struct field JobSpec.spec.parallelism of type int32"},
      {"parallelism: 3000000000",
       "json: cannot unmarshal number 3000000000 into Go struct field JobSpec.spec.parallelism of type int32"},
      {"suspend: 'no'", "json: cannot unmarshal string into Go struct field JobSpec.spec.suspend of type bool"},
      {"template: [x]",
       "json: cannot unmarshal array into Go struct field JobSpec.spec.template of type v1.PodTemplateSpec"},
      {"template: {spec: {containers: {name: m}}}",
       "json: cannot unmarshal object into Go struct field PodSpec.spec.template.spec.containers of type "
       "[]v1.Container"},
      {"template: {spec: {containers: [m]}}",
       "json: cannot unmarshal string into Go struct field PodSpec.spec.template.spec.containers of type v1.Container"},
      {"template: {metadata: {labels: {a: 1}}}",
       "json: cannot unmarshal number into Go struct field ObjectMeta.spec.template.metadata.labels of type string"},
      {"template: {spec: {containers: [{command: run}]}}",
       "json: cannot unmarshal string into Go struct field Container.spec.template.spec.containers.command of type "
       "[]string"},
      {"template: {spec: {containers: [{resources: {limits: {cpu: lots}}}]}}",
       "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"},
  };
  for (const Case& one : cases) {
    CAPTURE(one.spec);
    CHECK(verdict_of(review_of(test::kube_job(one.spec), cluster())) == cannot + one.want);
  }
  CHECK(
      verdict_of(review_of(one_task("replicas: 1", "policies: [{event: PodPending, action: AbortJob, timeout: soon}]"),
                           test::webhook())) == "time: invalid duration \"soon\"");
}

TEST_CASE("unknown fields are told, with the name that may be meant", "[admission]") {
  const Review review = review_of(one_task("replicas: 1, minAvailabel: 1", "schedulername: x"), cluster());
  CHECK(review.allowed);
  REQUIRE(review.diagnostics.size() == 2);
  CHECK(review.diagnostics[0].message == "unknown field \"spec.schedulername\"");
  CHECK(review.diagnostics[0].hint == "did you mean `schedulerName`?");
  CHECK(review.diagnostics[1].message == "unknown field \"spec.tasks[0].minAvailabel\"");
  CHECK(review.diagnostics[1].severity == Severity::Warning);
}

TEST_CASE("limits of other Volcano kinds", "[admission]") {
  const std::string cron = "CronJob.batch.volcano.sh \"c\"";
  CHECK(verdict_of(review_of(test::volcano_cron("schedule: '* * * * *', startingDeadlineSeconds: -1"), cluster())) ==
        refused("spec.startingDeadlineSeconds: Invalid value: -1: spec.startingDeadlineSeconds in body should be "
                "greater than "
                "or equal to 0",
                cron));
  CHECK(
      verdict_of(review_of(test::volcano_cron("schedule: '* * * * *', concurrencyPolicy: Never"), cluster())) ==
      refused(
          "spec.concurrencyPolicy: Unsupported value: \"Never\": supported values: \"Allow\", \"Forbid\", \"Replace\"",
          cron));
  CHECK(verdict_of(review_of(test::volcano_cron("schedule: '* * * * *', failedJobsHistoryLimit: -1"), cluster())) ==
        refused("spec.failedJobsHistoryLimit: Invalid value: -1: spec.failedJobsHistoryLimit in body should be greater "
                "than or "
                "equal to 0",
                cron));
  CHECK(verdict_of(review_of("{apiVersion: batch.volcano.sh/v1alpha1, kind: CronJob, metadata: {name: c}, spec: {}}",
                             cluster())) ==
        refused("[spec.schedule: Required value, spec.jobTemplate: Required value]", cron));
  CHECK(verdict_of(review_of(test::volcano_cron("schedule: '* * * * *', jobTemplate: {spec: {minSuccess: 0}}"),
                             cluster())) == refused("spec.jobTemplate.spec.minSuccess: Invalid value: 0: "
                                                    "spec.jobTemplate.spec.minSuccess in body should be greater "
                                                    "than or equal to 1",
                                                    cron));
  const std::string flow = "JobFlow.flow.volcano.sh \"f\"";
  CHECK(verdict_of(review_of(
            "{apiVersion: flow.volcano.sh/v1alpha1, kind: JobFlow, metadata: {name: f}, spec: {flows: [{name: "
            "''}], jobRetainPolicy: keep}}",
            cluster())) ==
        refused("[spec.flows[0].name: Invalid value: \"\": spec.flows[0].name in body should be at least 1 chars long, "
                "spec.jobRetainPolicy: Unsupported value: \"keep\": supported values: \"retain\", \"delete\"]",
                flow));
  CHECK(verdict_of(review_of(
            "{apiVersion: flow.volcano.sh/v1alpha1, kind: JobTemplate, metadata: {name: f}, spec: {tasks: []}}",
            cluster())) == refused("spec.tasks: Invalid value: 0: spec.tasks in body should have at least 1 items",
                                   "JobTemplate.flow.volcano.sh \"f\""));
}

}  // namespace
}  // namespace pumice::admission
