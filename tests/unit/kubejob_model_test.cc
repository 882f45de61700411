// Jobs and pods from documents and back; defaults; profiles (spec/k8s-job.md 2, 15).
#include <catch2/catch_test_macros.hpp>
#include <limits>
#include <set>

#include "pumice/kubejob/defaults.h"
#include "pumice/kubejob/profile.h"
#include "pumice/kubejob/reader.h"
#include "pumice/yaml.h"

namespace pumice::kubejob {
namespace {

Result<Job> job_of(const std::string& text, ReadMode mode = ReadMode::Wire) {
  auto documents = parse_yaml(text);
  REQUIRE(documents.ok());
  return kubejob::read_job(documents.value->front().root, "job.yaml", mode);
}
Job defaulted(const std::string& spec) {
  auto job = job_of("{metadata: {name: j, uid: u}, spec: {" + spec + "}}");
  REQUIRE(job.ok());
  set_defaults(*job.value);
  return *job.value;
}

TEST_CASE("everything of a job is read and written again", "[kubejob]") {
  const Json job = Json::parse(R"({
    "apiVersion": "batch/v1", "kind": "Job",
    "metadata": {"name": "j", "namespace": "n", "uid": "u", "resourceVersion": "7", "generation": 3,
                 "creationTimestamp": "2026-01-01T00:00:00Z", "deletionTimestamp": "2026-01-02T00:00:00Z",
                 "labels": {"a": "b"}, "annotations": {"c": "d"}, "finalizers": ["foregroundDeletion"]},
    "spec": {"parallelism": 2, "completions": 5, "activeDeadlineSeconds": 100, "backoffLimit": 4,
             "backoffLimitPerIndex": 1, "maxFailedIndexes": 2, "completionMode": "Indexed", "suspend": true,
             "manualSelector": true, "ttlSecondsAfterFinished": 60, "podReplacementPolicy": "Failed",
             "managedBy": "example.com/other",
             "selector": {"matchLabels": {"a": "b"},
                          "matchExpressions": [{"key": "k", "operator": "In", "values": ["x", "y"]}]},
             "podFailurePolicy": {"rules": [
               {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]},
               {"action": "FailJob", "onExitCodes": {"containerName": "main", "operator": "In", "values": [3, 4]}}]},
             "successPolicy": {"rules": [{"succeededIndexes": "0-2", "succeededCount": 1}]},
             "template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "i"}]}}},
    "status": {"conditions": [{"type": "Suspended", "status": "True", "reason": "JobSuspended", "message": "m",
                               "lastProbeTime": "2026-01-01T00:00:01Z",
                               "lastTransitionTime": "2026-01-01T00:00:02Z"}],
               "startTime": "2026-01-01T00:00:03Z", "completionTime": "2026-01-01T00:00:04Z", "active": 1, "ready": 0,
               "terminating": 2, "succeeded": 3, "failed": 4, "completedIndexes": "0-2", "failedIndexes": "",
               "uncountedTerminatedPods": {"succeeded": ["x"], "failed": ["y"]}}})");
  const auto tree = node_from_json(job);
  REQUIRE(tree.ok());
  const auto read = kubejob::read_job(*tree.value, "", ReadMode::Manifest);
  REQUIRE(read.ok());
  CHECK(to_json(*read.value) == job);
}

TEST_CASE("a pod is read and written again", "[kubejob]") {
  const Json pod = Json::parse(R"({
    "apiVersion": "v1", "kind": "Pod",
    "metadata": {"name": "p", "generateName": "j-", "namespace": "n", "uid": "u",
                 "deletionTimestamp": "2026-01-02T00:00:00Z", "deletionGracePeriodSeconds": 30,
                 "finalizers": ["batch.kubernetes.io/job-tracking"],
                 "ownerReferences": [{"apiVersion": "batch/v1", "kind": "Job", "name": "j", "uid": "ju",
                                      "controller": true, "blockOwnerDeletion": true}]},
    "spec": {"nodeName": "n1", "hostname": "j-0", "initContainers": [{"name": "side", "restartPolicy": "Always"}]},
    "status": {"phase": "Failed",
               "conditions": [{"type": "Ready", "status": "False", "lastTransitionTime": "2026-01-01T00:00:00Z"}],
               "containerStatuses": [{"name": "main", "restartCount": 2, "state": {"terminated":
                 {"exitCode": 3, "finishedAt": "2026-01-01T00:00:05Z"}}}],
               "initContainerStatuses": [{"name": "side", "restartCount": 0}]}})");
  const auto tree = node_from_json(pod);
  REQUIRE(tree.ok());
  FieldContext context;
  FieldReader reader(*tree.value, context);
  const Pod read = kubejob::read_pod(reader);
  CHECK(context.diagnostics.empty());
  CHECK(to_json(read) == pod);
  CHECK(read.restartable_init == std::vector<std::string>{"side"});
  CHECK(read.containers.at(0).exit_code == 3);
}

TEST_CASE("what is wrong with a job has a place", "[kubejob]") {
  const auto wrong = job_of(
      "apiVersion: batch/v1\nkind: Job\nmetadata: {name: j}\nspec:\n  parallelism: two\n  backofLimit: 3\n"
      "  completionMode: indexed\n  podFailurePolicy: {rules: [{action: Fail, onExitCodes: {values: [a]}}]}\n",
      ReadMode::Manifest);
  CHECK_FALSE(wrong.ok());
  std::set<std::string> fields;
  for (const Diagnostic& finding : wrong.diagnostics) fields.insert(finding.field);
  CHECK(fields == std::set<std::string>{"spec.parallelism", "spec.backofLimit", "spec.completionMode", "spec.template",
                                        "spec.podFailurePolicy.rules[0].action",
                                        "spec.podFailurePolicy.rules[0].onExitCodes.values[0]"});
  CHECK_FALSE(job_of("{metadata: {name: j}}", ReadMode::Manifest).ok());
  CHECK_FALSE(job_of("{spec: {template: {}}}", ReadMode::Manifest).ok());
}

TEST_CASE("D-1, D-3 and the column of defaults", "[kubejob]") {
  const Job bare = defaulted("");
  CHECK(bare.spec->completions == 1);
  CHECK(bare.spec->parallelism == 1);
  CHECK(bare.spec->backoff_limit == 6);
  CHECK(bare.spec->completion_mode == "NonIndexed");
  CHECK(bare.spec->suspend == false);
  CHECK(bare.spec->manual_selector == false);
  CHECK(bare.spec->pod_replacement_policy == "TerminatingOrFailed");

  const Job only_parallelism = defaulted("parallelism: 3");
  CHECK_FALSE(only_parallelism.spec->completions.has_value());
  const Job only_completions = defaulted("completions: 3");
  CHECK(only_completions.spec->parallelism == 1);
  CHECK(defaulted("backoffLimitPerIndex: 1").spec->backoff_limit == std::numeric_limits<std::int32_t>::max());

  const Job policy = defaulted("podFailurePolicy: {rules: [{action: Ignore, onPodConditions: [{type: A}]}]}");
  CHECK(policy.spec->pod_replacement_policy == "Failed");
  CHECK(policy.spec->pod_failure_policy->at(0).on_pod_conditions.at(0).status == "True");

  Job twice = policy;
  set_defaults(twice);
  CHECK(*twice.spec == *policy.spec);
}

TEST_CASE("D-2: a job without labels takes those of its template", "[kubejob]") {
  CHECK(defaulted("template: {metadata: {labels: {a: b}}}").meta.labels == StringMap{{"a", "b"}});
  auto labelled = job_of("{metadata: {labels: {c: d}}, spec: {template: {metadata: {labels: {a: b}}}}}");
  set_defaults(*labelled.value);
  CHECK(labelled.value->meta.labels == StringMap{{"c", "d"}});
}

TEST_CASE("D-4: what is stored of a new job", "[kubejob]") {
  Job job = defaulted("template: {metadata: {labels: {a: b}}}");
  job.status.failed = 3;
  prepare_create(job);
  CHECK(job.status == JobStatus{});
  CHECK(job.generation == 1);
  CHECK(job.spec->selector->text() == "batch.kubernetes.io/controller-uid=u");
  CHECK(job.spec->pod_template.at("metadata").at("labels") == Json{{"a", "b"},
                                                                   {"controller-uid", "u"},
                                                                   {"batch.kubernetes.io/controller-uid", "u"},
                                                                   {"job-name", "j"},
                                                                   {"batch.kubernetes.io/job-name", "j"}});
  Job manual = defaulted("manualSelector: true, selector: {matchLabels: {x: z}}, template: {}");
  prepare_create(manual);
  CHECK(manual.spec->selector->text() == "x=z");
  CHECK(manual.spec->pod_template == Json::object());
}

TEST_CASE("D-5, D-6: writes and deletions", "[kubejob]") {
  Job stored = defaulted("parallelism: 1");
  stored.generation = 4;
  stored.status.active = 1;
  Job wanted = defaulted("parallelism: 2");
  wanted.status.active = 9;
  const Job updated = prepare_update(stored, wanted);
  CHECK(updated.generation == 5);
  CHECK(updated.status.active == 1);
  CHECK(updated.spec->parallelism == 2);
  CHECK(prepare_update(stored, defaulted("parallelism: 1")).generation == 4);
  JobStatus status;
  status.failed = 2;
  const Job with_status = prepare_status_update(stored, status);
  CHECK(with_status.status.failed == 2);
  CHECK(with_status.generation == 4);
  CHECK(with_status.spec == stored.spec);
  CHECK(effective_propagation(Propagation::Default) == Propagation::Orphan);
  CHECK(effective_propagation(Propagation::Background) == Propagation::Background);
}

TEST_CASE("label selectors", "[kubejob]") {
  const auto selector = [](const char* text) {
    auto job = job_of(std::string("{spec: {selector: ") + text + "}}");
    REQUIRE(job.ok());
    return *job.value->spec->selector;
  };
  const StringMap labels{{"app", "a"}, {"tier", "b"}};
  CHECK(selector("{matchLabels: {app: a}}").matches(labels));
  CHECK_FALSE(selector("{matchLabels: {app: b}}").matches(labels));
  CHECK(selector("{}").matches(labels));
  CHECK(selector("{matchExpressions: [{key: tier, operator: In, values: [b, c]}]}").matches(labels));
  CHECK_FALSE(selector("{matchExpressions: [{key: tier, operator: NotIn, values: [b]}]}").matches(labels));
  CHECK(selector("{matchExpressions: [{key: absent, operator: NotIn, values: [b]}]}").matches(labels));
  CHECK(selector("{matchExpressions: [{key: app, operator: Exists}]}").matches(labels));
  CHECK(selector("{matchExpressions: [{key: absent, operator: DoesNotExist}]}").matches(labels));
  CHECK_FALSE(selector("{matchExpressions: [{key: app, operator: Near}]}").is_usable());
  CHECK_FALSE(selector("{matchExpressions: [{key: app, operator: In}]}").matches(labels));
  CHECK(selector("{matchLabels: {app: a}, matchExpressions: [{key: tier, operator: In, values: [b, c]}, "
                 "{key: x, operator: DoesNotExist}]}")
            .text() == "app=a,tier in (b,c),!x");
}

TEST_CASE("spec 15: profiles are a table of differences", "[kubejob]") {
  for (std::size_t i = 0; i < kQuirkCount; ++i) {
    const auto quirk = static_cast<Quirk>(i);
    CAPTURE(quirk_names()[i]);
    CHECK(quirk_from(quirk_names()[i]) == quirk);
    Quirks quirks = job_profile();
    quirks.set(quirk, !quirks.has(quirk));
    CHECK(quirks.has(quirk) != job_profile().has(quirk));
    CHECK_FALSE(quirks == job_profile());
  }
  // Rows of the older version are on there alone.
  for (const Quirk quirk : {Quirk::FailedPodDelaysSync, Quirk::ForcedRetry, Quirk::DirectTerminal, Quirk::NoManagedBy,
                            Quirk::NoCompleteReason}) {
    CHECK_FALSE(job_profile().has(quirk));
    CHECK(job_1_27_profile().has(quirk));
  }
  for (const Quirk quirk : {Quirk::ClearStartOnSuspend, Quirk::FinishedMarker}) {
    CHECK(job_profile().has(quirk));
    CHECK_FALSE(job_1_27_profile().has(quirk));
  }
  CHECK_FALSE(job_profile().has(Quirk::ConsistencyCheck));
  CHECK(profile_from("job") == job_profile());
  CHECK(profile_from("job-1.27") == job_1_27_profile());
  CHECK_FALSE(profile_from("volcano").has_value());
  CHECK_FALSE(quirk_from("no-such-quirk").has_value());
}

}  // namespace
}  // namespace pumice::kubejob
