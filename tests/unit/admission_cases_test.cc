// Admission cases from public reports, and manifests as people publish them, where those are at hand (`PUMICE_SHARED`,
// or `shared` beside the source tree).
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "support/admission.h"

namespace pumice::admission {
namespace {

using test::cluster;
using test::kPod;
using test::kube_cron;
using test::kube_job;
using test::one_task;
using test::review_of;
using test::verdict_of;
using test::volcano_job;

bool has_code(const Review& review, std::string_view code) {
  return std::any_of(review.diagnostics.begin(), review.diagnostics.end(),
                     [&](const Diagnostic& finding) { return finding.code == code; });
}

TEST_CASE("V32: without a restart policy the job is admitted and never completes", "[admission]") {
  const Review review =
      review_of(volcano_job("{tasks: [{name: w, replicas: 1, template: {spec: {containers: [{name: main, image: "
                            "registry.example/tool:1}]}}}]}"));
  CHECK(review.allowed);
  CHECK(has_code(review, "volcano.lint.restart-policy-always"));
}

TEST_CASE("V36: a deadline of the job is no field", "[admission]") {
  const Review review = review_of(
      volcano_job("{activeDeadlineSeconds: 300, tasks: [{name: w, replicas: 1, template: {spec: {restartPolicy: Never, "
                  "activeDeadlineSeconds: 300, containers: [{name: main, image: registry.example/tool:1}]}}}]}"));
  CHECK(review.allowed);
  CHECK(has_code(review, "schema.unknown-field"));
  CHECK(has_code(review, "volcano.lint.kubernetes-field"));
}

TEST_CASE("V39: a gang that counts dependants is never complete", "[admission]") {
  const Review review =
      review_of(volcano_job("{minAvailable: 3, tasks: [{name: lead, replicas: 1, template: " + kPod +
                            "}, {name: w, replicas: 2, dependsOn: {name: [lead]}, template: " + kPod + "}]}"));
  CHECK(review.allowed);
  CHECK(has_code(review, "volcano.lint.gang-waits-for-dependants"));
}

TEST_CASE("V43: the action of an exit code is not looked at", "[admission]") {
  const Review review = review_of(one_task("replicas: 1", "policies: [{exitCode: 3, action: CloseQueue}]"));
  CHECK(review.allowed);
  CHECK(has_code(review, "volcano.lint.exit-code-action"));
}

TEST_CASE("V44: the code of the second container does not count", "[admission]") {
  CHECK(has_code(
      review_of(volcano_job("{policies: [{exitCode: 42, action: RestartJob}], tasks: [{name: w, replicas: 1, template: "
                            "{spec: {restartPolicy: Never, containers: [{name: helper, image: h}, {name: main, image: "
                            "t}]}}}]}")),
      "volcano.lint.exit-code-first-container"));
}

TEST_CASE("V46: the image of a live job cannot be changed", "[admission]") {
  const std::string old = one_task("replicas: 1");
  std::string now = old;
  now.replace(now.find("tool:1"), 6, "tool:2");
  CHECK(verdict_of(review_of(now, cluster(), old)) ==
        "job updates may not change fields other than `minAvailable`, `tasks[*].replicas under spec` and "
        "`PriorityClassName`");
}

TEST_CASE("V47: missing, closed, inner, open and new queues", "[admission]") {
  const auto verdict = [](std::vector<Queue> queues, const std::string& more = "queue: blue") {
    Options options = cluster();
    options.queues = std::move(queues);
    return verdict_of(review_of(one_task("replicas: 1", more), options));
  };
  CHECK(verdict({}) == "unable to find job queue: queue.scheduling.volcano.sh \"blue\" not found;");
  CHECK(verdict({{"blue", "Closed", "root"}}) ==
        "can only submit job to queue with state `Open`, queue `blue` status is `Closed`;");
  CHECK(verdict({{"blue", "Open", "root"}, {"navy", "Open", "blue"}}) ==
        "can only submit job to leaf queue, queue `blue` has 1 child queues;");
  CHECK(verdict({{"blue", "Open", "root"}}) == "allowed");
  CHECK(verdict({{"blue", "", "root"}}) ==
        "can only submit job to queue with state `Open`, queue `blue` status is ``;");
  CHECK(verdict({{"default", "Open", "root"}}, "") == "allowed");
}

TEST_CASE("V48: minAvailable of a task with partitions", "[admission]") {
  const auto review = [](const std::string& task) { return review_of(one_task(task), cluster()); };
  const Review a = review("replicas: 8, partitionPolicy: {totalPartitions: 4, partitionSize: 2, minPartitions: 3}");
  CHECK(a.allowed);
  CHECK(a.defaulted["spec"]["tasks"][0]["minAvailable"] == 6);
  CHECK(a.defaulted["spec"]["minAvailable"] == 6);
  const Review b = review("replicas: 8, partitionPolicy: {totalPartitions: 4, partitionSize: 2}");
  CHECK(b.allowed);
  CHECK(b.defaulted["spec"]["tasks"][0]["minAvailable"] == 8);
  CHECK(verdict_of(review("replicas: 7, partitionPolicy: {totalPartitions: 4, partitionSize: 2}")) ==
        "'Replicas' are not equal to TotalPartitions*PartitionSize in task: w, job: j");
}

TEST_CASE("V49: a task without replicas is admitted", "[admission]") {
  CHECK(review_of(volcano_job("{minAvailable: 1, tasks: [{name: opt, replicas: 0, minAvailable: 0, template: " + kPod +
                              "}, {name: w, replicas: 1, template: " + kPod + "}]}"))
            .allowed);
}

TEST_CASE("V02 and V22: what retries and minAvailable mean is told", "[admission]") {
  CHECK(has_code(review_of(one_task("replicas: 1", "maxRetry: 1, policies: [{event: PodFailed, action: RestartJob}]")),
                 "volcano.lint.max-retry-runs"));
  CHECK(review_of(one_task("replicas: 2")).defaulted["spec"]["minAvailable"] == 2);
}

TEST_CASE("K09: with a failure policy only failed pods are replaced", "[admission]") {
  const std::string policy =
      ", podFailurePolicy: {rules: [{action: FailJob, onExitCodes: {operator: In, values: [9]}}]}";
  CHECK(review_of(kube_job("")).allowed);
  CHECK(review_of(kube_job("podReplacementPolicy: Failed")).allowed);
  CHECK(verdict_of(review_of(kube_job("podReplacementPolicy: TerminatingOrFailed" + policy))) ==
        "Job.batch \"j\" is invalid: spec.podReplacementPolicy: Unsupported value: \"TerminatingOrFailed\": supported "
        "values: "
        "\"Failed\"");
  CHECK(review_of(kube_job(policy.substr(2))).defaulted["spec"]["podReplacementPolicy"] == "Failed");
}

TEST_CASE("K29: fields that only work together", "[admission]") {
  CHECK(verdict_of(review_of(kube_job("completions: 3, backoffLimitPerIndex: 1"))) ==
        "Job.batch \"j\" is invalid: spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode");
  CHECK(verdict_of(review_of(kube_job("completionMode: Indexed, completions: 3, maxFailedIndexes: 1"))) ==
        "Job.batch \"j\" is invalid: spec.backoffLimitPerIndex: Required value: when maxFailedIndexes is specified");
  CHECK(verdict_of(review_of(
            kube_job("completionMode: Indexed, completions: 3, podFailurePolicy: {rules: [{action: FailIndex, "
                     "onExitCodes: {operator: In, values: [4]}}]}"))) ==
        "Job.batch \"j\" is invalid: spec.podFailurePolicy.rules[0].action: Invalid value: \"FailIndex\": requires the "
        "backoffLimitPerIndex to be set");
  CHECK(verdict_of(review_of(kube_job("completions: 3, successPolicy: {rules: [{succeededCount: 1}]}"))) ==
        "Job.batch \"j\" is invalid: spec.successPolicy: Invalid value: {\"rules\":[{\"succeededCount\":1}]}: requires "
        "indexed "
        "completion mode");
}

TEST_CASE("C27, C30, C32, C46: schedules that are refused", "[admission]") {
  for (const char* schedule :
       {"TZ=UTC", "CRON_TZ=Europe/Paris", "0 0 * * 7", "0 0 * * 5-7", "0 0 * * MON-SUN", "0 */5 * * * *", "0 2-7/1 * *",
        "60 * * * *", "0 24 * * *", "0 0 0 * *", "*/0 * * * *", "whenever it suits", "@never"}) {
    CAPTURE(schedule);
    const std::string text = "schedule: '" + std::string(schedule) + "'";
    CHECK_FALSE(review_of(kube_cron(text)).allowed);
    CHECK_FALSE(review_of(test::volcano_cron(text)).allowed);
  }
  for (const char* schedule : {"0 0 * * 0,5,6", "0 0 * * SUN-SAT", "@hourly"}) {
    CAPTURE(schedule);
    CHECK(review_of(kube_cron("schedule: '" + std::string(schedule) + "'")).allowed);
  }
}

TEST_CASE("C28: the zones are our own", "[admission]") {
  CHECK(review_of(kube_cron("schedule: '0 9 * * *', timeZone: Europe/Amsterdam")).allowed);
}

// --- manifests as published ---

std::string shared_folder() {
  const char* from_environment = std::getenv("PUMICE_SHARED");
  return from_environment != nullptr ? from_environment : PUMICE_SOURCE_DIR "/../shared";
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// What is said of each object of a file, by kinds that are known here.
std::vector<Review> reviews_of(const std::string& text) {
  std::vector<Review> out;
  auto documents = parse_yaml(text);
  if (!documents) return out;
  Diagnostics findings;
  for (YamlDocument& document : *documents.value) {
    for (const FoundObject& found : objects_of(document.root, "m.yaml", findings)) {
      const auto kind = kind_of(found.header.api_version, found.header.kind);
      if (!kind) continue;
      out.push_back(review(*kind, to_json(*found.node), nullptr, {}));
      locate(out.back().diagnostics, *found.node, "m.yaml");
    }
  }
  return out;
}

TEST_CASE("published manifests", "[admission]") {
  const std::filesystem::path folder = shared_folder() + "/manifests";
  if (!std::filesystem::exists(folder)) SKIP("no manifests at " << folder);
  std::size_t objects = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".yaml") continue;
    const std::string name = entry.path().filename().string();
    CAPTURE(name);
    for (const Review& review : reviews_of(text_of(entry.path()))) {
      ++objects;
      CHECK(review.allowed == review.message.empty());
      CHECK(review.allowed != has_errors(review.diagnostics));
      for (const Diagnostic& finding : review.diagnostics) {
        CAPTURE(finding.code, finding.field);
        CHECK(finding.range.begin.known());
        CHECK(find_rule(finding.code) != nullptr);
      }
    }
  }
  CHECK(objects > 20);
}

TEST_CASE("published manifests that are refused on purpose", "[admission]") {
  const std::filesystem::path folder = shared_folder() + "/manifests/volcano";
  if (!std::filesystem::exists(folder)) SKIP("no manifests at " << folder);
  const auto message = [&](const std::string& name) {
    const std::vector<Review> reviews = reviews_of(text_of(folder / name));
    REQUIRE(reviews.size() == 1);
    return reviews[0].message;
  };
  CHECK(message("invalid_jobs__duplicatedPolicyEvent-webhook-deny.yaml").find("duplicate event ") != std::string::npos);
  CHECK(message("invalid_jobs__duplicatedTaskName-webhook-deny.yaml").find("duplicated task name ") !=
        std::string::npos);
  CHECK(message("invalid_jobs__minAvailable-webhook-deny.yaml")
            .find("job 'minAvailable' should not be greater than total replicas in tasks;") != std::string::npos);
}

}  // namespace
}  // namespace pumice::admission
