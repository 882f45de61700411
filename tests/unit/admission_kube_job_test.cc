// batch/v1 Jobs (spec/k8s-job.md 14).
#include <catch2/catch_test_macros.hpp>

#include <string>

#include "support/admission.h"

namespace pumice::admission {
namespace {

using test::cluster;
using test::kPod;
using test::kube_job;
using test::review_of;
using test::verdict_of;

struct Case {
  std::string spec;
  std::string want;  ///< behind `Job.batch "j" is invalid: `; empty: allowed
};

void check(std::initializer_list<Case> cases) {
  for (const Case& one : cases) {
    CAPTURE(one.spec);
    CHECK(verdict_of(review_of(kube_job(one.spec), cluster())) ==
          (one.want.empty() ? "allowed" : "Job.batch \"j\" is invalid: " + one.want));
  }
}

const std::string kIndexed = "completionMode: Indexed, completions: 5";
const std::string kNegative = ": must be greater than or equal to 0";

TEST_CASE("numbers of a Job", "[admission]") {
  check({
      {"", ""},
      {"parallelism: -1", "spec.parallelism: Invalid value: -1" + kNegative},
      {"completions: -2", "spec.completions: Invalid value: -2" + kNegative},
      {"activeDeadlineSeconds: -1", "spec.activeDeadlineSeconds: Invalid value: -1" + kNegative},
      {"backoffLimit: -1", "spec.backoffLimit: Invalid value: -1" + kNegative},
      {"ttlSecondsAfterFinished: -1", "spec.ttlSecondsAfterFinished: Invalid value: -1" + kNegative},
      {kIndexed + ", backoffLimitPerIndex: -1", "spec.backoffLimitPerIndex: Invalid value: -1" + kNegative},
      {kIndexed + ", backoffLimitPerIndex: 1, maxFailedIndexes: -1",
       "spec.maxFailedIndexes: Invalid value: -1" + kNegative},
      {"parallelism: 0, completions: 0, backoffLimit: 0", ""},
  });
}

TEST_CASE("completion modes", "[admission]") {
  check({
      {"completionMode: Sorted",
       "spec.completionMode: Unsupported value: \"Sorted\": supported values: \"NonIndexed\", \"Indexed\""},
      {kIndexed, ""},
      {"completionMode: Indexed, parallelism: 2", "spec.completions: Required value: when completion mode is Indexed"},
      {kIndexed + ", parallelism: 100001",
       "spec.parallelism: Invalid value: 100001: must be less than or equal to 100000 when completion mode is Indexed"},
      {kIndexed + ", backoffLimitPerIndex: 1, maxFailedIndexes: 6",
       "spec.maxFailedIndexes: Invalid value: 6: must be less than or equal to completions"},
      {"completionMode: Indexed, completions: 100001, parallelism: 1, backoffLimitPerIndex: 1",
       "spec.maxFailedIndexes: Required value: must be specified when completions is above 100000"},
      {"completionMode: Indexed, completions: 100001, parallelism: 10001, backoffLimitPerIndex: 1, maxFailedIndexes: "
       "10001",
       "[spec.parallelism: Invalid value: 10001: must be less than or equal to 10000 when completions are above 100000 "
       "and used "
       "with backoff limit per index, spec.maxFailedIndexes: Invalid value: 10001: must be less than or equal to 10000 "
       "when "
       "completions are above 100000 and used with backoff limit per index]"},
      {"completionMode: Indexed, completions: 200000, parallelism: 1, backoffLimitPerIndex: 1, maxFailedIndexes: "
       "100001",
       "[spec.maxFailedIndexes: Invalid value: 100001: must be less than or equal to 100000, spec.maxFailedIndexes: "
       "Invalid "
       "value: 100001: must be less than or equal to 10000 when completions are above 100000 and used with backoff "
       "limit per "
       "index]"},
      {"completions: 3, backoffLimitPerIndex: 1",
       "spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode"},
      {"completions: 3, backoffLimitPerIndex: 1, maxFailedIndexes: 1",
       "[spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode, spec.maxFailedIndexes: Invalid "
       "value: 1: "
       "requires indexed completion mode]"},
      {kIndexed + ", maxFailedIndexes: 1",
       "spec.backoffLimitPerIndex: Required value: when maxFailedIndexes is specified"},
  });
}

TEST_CASE("managedBy, replacement and restart policies", "[admission]") {
  const std::string policy = "podFailurePolicy: {rules: [{action: FailJob, onExitCodes: {operator: In, values: [9]}}]}";
  const auto restart = [](const std::string& text) {
    return "template: {spec: {" + (text.empty() ? text : "restartPolicy: " + text + ", ") +
           "containers: [{name: m, image: i}]}}";
  };
  const std::string required =
      "spec.template.spec.restartPolicy: Required value: valid values: \"OnFailure\", \"Never\"";
  check({
      {"managedBy: acme.io/ctl", ""},
      {"managedBy: acme",
       "spec.managedBy: Invalid value: \"acme\": must be a domain-prefixed path (such as \"acme.io/foo\")"},
      {"managedBy: a.io/" + std::string(60, 'x'), "spec.managedBy: Too long: may not be more than 63 bytes"},
      {"podReplacementPolicy: Failed", ""},
      {"podReplacementPolicy: Never",
       "spec.podReplacementPolicy: Unsupported value: \"Never\": supported values: \"Failed\", "
       "\"TerminatingOrFailed\""},
      {"podReplacementPolicy: TerminatingOrFailed, " + policy,
       "spec.podReplacementPolicy: Unsupported value: \"TerminatingOrFailed\": supported values: \"Failed\""},
      {policy, ""},
      {restart("OnFailure"), ""},
      {restart(""), required},
      {restart("Always"), required},
      {restart("Sometimes"),
       "[spec.template.spec.restartPolicy: Unsupported value: \"Sometimes\": supported values: \"Always\", "
       "\"OnFailure\", "
       "\"Never\", spec.template.spec.restartPolicy: Unsupported value: \"Sometimes\": supported values: "
       "\"OnFailure\", "
       "\"Never\"]"},
      {restart("OnFailure") + ", " + policy,
       "spec.template.spec.restartPolicy: Invalid value: \"OnFailure\": only \"Never\" is supported when "
       "podFailurePolicy is "
       "specified"},
  });
}

TEST_CASE("pod failure policies", "[admission]") {
  const auto rule = [](const std::string& text) { return "podFailurePolicy: {rules: [" + text + "]}"; };
  const auto codes = [&](const std::string& text) { return rule("{action: FailJob, onExitCodes: {" + text + "}}"); };
  const auto conditions = [&](const std::string& text) {
    return rule("{action: Ignore, onPodConditions: [{" + text + "}]}");
  };
  const std::string at = "spec.podFailurePolicy.rules[0]";
  std::string many;
  for (int i = 0; i < 21; ++i)
    many += (i == 0 ? "" : ", ") + std::string("{action: Count, onPodConditions: [{type: T}]}");
  std::string codes_256;
  for (int i = 1; i <= 256; ++i) codes_256 += (i == 1 ? "" : ", ") + std::to_string(i);
  check({
      {rule(many), "spec.podFailurePolicy.rules: Too many: 21: must have at most 20 items"},
      {rule("{onExitCodes: {operator: In, values: [1]}}"),
       at + ".action: Required value: valid values: [\"Count\" \"FailIndex\" \"FailJob\" \"Ignore\"]"},
      {rule("{action: Retry, onExitCodes: {operator: In, values: [1]}}"),
       at + ".action: Unsupported value: \"Retry\": supported values: \"Count\", \"FailIndex\", \"FailJob\", "
            "\"Ignore\""},
      {rule("{action: FailIndex, onExitCodes: {operator: In, values: [1]}}"),
       at + ".action: Invalid value: \"FailIndex\": requires the backoffLimitPerIndex to be set"},
      {rule("{action: FailJob}"),
       at + ": Invalid value: specifying one of OnExitCodes and OnPodConditions is required"},
      {rule("{action: FailJob, onExitCodes: {operator: In, values: [1]}, onPodConditions: [{type: T}]}"),
       at + ": Invalid value: specifying both OnExitCodes and OnPodConditions is not supported"},
      {codes("values: [1]"), at + ".onExitCodes.operator: Required value: valid values: [\"In\" \"NotIn\"]"},
      {codes("operator: Is, values: [1]"),
       at + ".onExitCodes.operator: Unsupported value: \"Is\": supported values: \"In\", \"NotIn\""},
      {codes("operator: In, values: [1], containerName: other"),
       at + ".onExitCodes.containerName: Invalid value: \"other\": must be one of the container or initContainer names "
            "in the "
            "pod template"},
      {codes("operator: In, values: [1], containerName: main"), ""},
      {codes("operator: In"), at + ".onExitCodes.values: Invalid value: []int32(nil): at least one value is required"},
      {codes("operator: In, values: []"),
       at + ".onExitCodes.values: Invalid value: []int32{}: at least one value is required"},
      {codes("operator: In, values: [" + codes_256 + "]"),
       at + ".onExitCodes.values: Too many: 256: must have at most 255 items"},
      {codes("operator: In, values: [0, 1]"),
       at + ".onExitCodes.values[0]: Invalid value: 0: must not be 0 for the In operator"},
      {codes("operator: NotIn, values: [0, 1]"), ""},
      {codes("operator: In, values: [1, 1]"), at + ".onExitCodes.values[1]: Duplicate value: 1"},
      {codes("operator: In, values: [2, 1]"),
       at + ".onExitCodes.values: Invalid value: []int32{2, 1}: must be ordered"},
      {conditions("type: 'a b', status: 'True'"), at + ".onPodConditions[0].type: Invalid value: \"a b\": name part "
                                                       "must consist of alphanumeric characters, '-', '_' or "
                                                       "'.', and must start and end with an alphanumeric character "
                                                       "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used "
                                                       "for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"},
      {conditions("type: T, status: maybe"), at + ".onPodConditions[0].status: Unsupported value: \"maybe\": supported "
                                                  "values: \"False\", \"True\", \"Unknown\""},
      {conditions("type: T"), ""},
  });
}

TEST_CASE("success policies", "[admission]") {
  const auto rules = [](const std::string& text) { return kIndexed + ", successPolicy: {rules: [" + text + "]}"; };
  const std::string at = "spec.successPolicy.rules[0]";
  const auto indexes = [&](const std::string& text, const std::string& why) {
    return at + ".succeededIndexes: Invalid value: \"" + text + "\": error parsing succeededIndexes: " + why;
  };
  std::string many;
  for (int i = 0; i < 21; ++i) many += (i == 0 ? "" : ", ") + std::string("{succeededCount: 1}");
  check({
      {rules("{succeededIndexes: '0,2-4'}"), ""},
      {rules("{succeededCount: 5}"), ""},
      {"completions: 3, successPolicy: {rules: [{succeededCount: 1}]}",
       "spec.successPolicy: Invalid value: {\"rules\":[{\"succeededCount\":1}]}: requires indexed completion mode"},
      {rules(""),
       "spec.successPolicy.rules: Required value: at least one rules must be specified when the successPolicy is "
       "specified"},
      {rules(many), "spec.successPolicy.rules: Too many: 21: must have at most 20 items"},
      {rules("{}"), at + ": Required value: at least one of succeededCount or succeededIndexes must be specified"},
      {rules("{succeededIndexes: 1-2-3}"),
       indexes("1-2-3",
               "the fragment \"1-2-3\" violates the requirement that an index interval can have at most two parts "
               "separated by '-'")},
      {rules("{succeededIndexes: 'x'}"), indexes("x", "cannot convert string to integer for index: \"x\"")},
      {rules("{succeededIndexes: '1-'}"), indexes("1-", "cannot convert string to integer for index: \"\"")},
      {rules("{succeededIndexes: '5'}"), indexes("5", "too large index: \"5\"")},
      {rules("{succeededIndexes: '1-5'}"), indexes("1-5", "too large index: \"5\"")},
      {rules("{succeededIndexes: '3-2'}"), indexes("3-2", "non-increasing order, previous: 3, current: 2")},
      {rules("{succeededIndexes: '1,1'}"), indexes("1,1", "non-increasing order, previous: 1, current: 1")},
      {rules("{succeededCount: -1}"), at + ".succeededCount: Invalid value: -1" + kNegative},
      {rules("{succeededCount: 6}"),
       at + ".succeededCount: Invalid value: 6: must be less than or equal to 5 (the number of specified completions)"},
      {rules("{succeededIndexes: '0,2', succeededCount: 3}"),
       at +
           ".succeededCount: Invalid value: 3: must be less than or equal to 2 (the number of indexes in the specified "
           "succeededIndexes field)"},
      {rules("{succeededIndexes: '" + std::string(65537, '1') + "'}"),
       "[" + at + ".succeededIndexes: Too long: may not be more than 65536 bytes, " +
           indexes(std::string(65537, '1'),
                   "cannot convert string to integer for index: \"" + std::string(65537, '1') + "\"") +
           "]"},
  });
}

TEST_CASE("selectors", "[admission]") {
  const auto labelled = [](const std::string& labels, const std::string& more) {
    return "template: {metadata: {labels: {" + labels +
           "}}, spec: {restartPolicy: Never, containers: [{name: m, image: i}]}}" + more;
  };
  check({
      {labelled("app: a", ", manualSelector: true, selector: {matchLabels: {app: a}}"), ""},
      {labelled("app: a",
                ", manualSelector: true, selector: {matchExpressions: [{key: app, operator: In, values: [a]}]}"),
       ""},
      {labelled("app: a", ", manualSelector: true"),
       "[spec.selector: Required value, spec.template.metadata.labels: Invalid value: {\"app\":\"a\"}: `selector` does "
       "not match "
       "template `labels`]"},
      {labelled("app: a", ", manualSelector: true, selector: {matchLabels: {app: b}}"),
       "spec.template.metadata.labels: Invalid value: {\"app\":\"a\"}: `selector` does not match template `labels`"},
      {labelled("app: a", ", selector: {matchLabels: {app: a}}"),
       "spec.selector: Invalid value: {\"matchLabels\":{\"app\":\"a\",\"batch.kubernetes.io/controller-uid\":\"\"}}: "
       "`selector` "
       "not auto-generated"},
      {labelled("job-name: other", ""),
       "spec.template.metadata.labels[job-name]: Invalid value: {\"batch.kubernetes.io/controller-uid\":\"\","
       "\"batch.kubernetes.io/job-name\":\"j\",\"controller-uid\":\"\",\"job-name\":\"other\"}: must be 'j'"},
  });
}

TEST_CASE("names of a Job", "[admission]") {
  const auto verdict = [](const std::string& name, const std::string& spec) {
    return verdict_of(review_of(kube_job(spec, name), cluster()));
  };
  const std::string name(60, 'a');
  CHECK(verdict(name, "completionMode: Indexed, completions: 100") == "allowed");
  CHECK(verdict(name, "completionMode: Indexed, completions: 101") ==
        "Job.batch \"" + name + "\" is invalid: metadata.name: Invalid value: \"" + name +
            "\": will not able to create pod with invalid DNS label: " + name + "-100");
  CHECK(verdict("a.b", "completions: 3") == "allowed");
  CHECK(verdict("a.b", "completionMode: Indexed, completions: 3") ==
        "Job.batch \"a.b\" is invalid: metadata.name: Invalid value: \"a.b\": will not able to create pod with invalid "
        "DNS "
        "label: a.b-2");
  CHECK(review_of("{apiVersion: batch/v1, kind: Job, metadata: {generateName: j-}, spec: {completionMode: Indexed, "
                  "completions: 3, template: " +
                      kPod + "}}",
                  cluster())
            .allowed);
  CHECK(verdict_of(
            review_of("{apiVersion: batch/v1, kind: Job, metadata: {}, spec: {template: " + kPod + "}}", cluster())) ==
        "Job.batch \"\" is invalid: metadata.name: Required value: name or generateName is required");
  CHECK(review_of("{apiVersion: batch/v1, kind: Job, metadata: {generateName: j-}, spec: {template: " + kPod + "}}",
                  cluster())
            .allowed);
  CHECK(
      verdict_of(review_of(
          "{apiVersion: batch/v1, kind: Job, metadata: {name: j, labels: {a: 'b c'}}, spec: {template: " + kPod + "}}",
          cluster())) ==
      "Job.batch \"j\" is invalid: metadata.labels: Invalid value: \"b c\": a valid label must be an empty string or "
      "consist of "
      "alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. "
      "'MyValue',  or "
      "'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')");
}

TEST_CASE("a Job on update", "[admission]") {
  const auto verdict = [](const std::string& now, const std::string& old) {
    return verdict_of(review_of(kube_job(now), cluster(), kube_job(old)));
  };
  const auto immutable = [](const std::string& field, const std::string& value) {
    return "Job.batch \"j\" is invalid: spec." + field + ": Invalid value: " + value + ": field is immutable";
  };
  CHECK(
      verdict("parallelism: 3, completions: 3, backoffLimit: 1, activeDeadlineSeconds: 5, ttlSecondsAfterFinished: 5, "
              "suspend: true",
              "completions: 3") == "allowed");
  CHECK(verdict("completions: 4", "completions: 3") == immutable("completions", "4"));
  CHECK(verdict("completionMode: Indexed, completions: 4, parallelism: 4",
                "completionMode: Indexed, completions: 3, parallelism: 3") == "allowed");
  CHECK(verdict("completionMode: Indexed, completions: 4, parallelism: 3",
                "completionMode: Indexed, completions: 3, parallelism: 3") ==
        "Job.batch \"j\" is invalid: spec.completions: Invalid value: 4: can only be modified in tandem with "
        "spec.parallelism");
  CHECK(verdict("completionMode: Indexed, completions: 3", "completions: 3") ==
        immutable("completionMode", "\"Indexed\""));
  CHECK(verdict("managedBy: a.io/b", "") == immutable("managedBy", "\"a.io/b\""));
  CHECK(verdict("completionMode: Indexed, completions: 3, backoffLimitPerIndex: 2",
                "completionMode: Indexed, completions: 3, backoffLimitPerIndex: 1") ==
        immutable("backoffLimitPerIndex", "2"));
  CHECK(verdict("podFailurePolicy: {rules: [{action: FailJob, onExitCodes: {operator: In, values: [9]}}]}", "")
            .find("spec.podFailurePolicy: Invalid value: ") != std::string::npos);
  CHECK(verdict("completionMode: Indexed, completions: 3, successPolicy: {rules: [{succeededCount: 1}]}",
                "completionMode: Indexed, completions: 3") ==
        immutable("successPolicy", "{\"rules\":[{\"succeededCount\":1}]}"));
}

TEST_CASE("the template of a Job on update", "[admission]") {
  const auto with = [](const std::string& pod, const std::string& more, const std::string& status = "") {
    return "apiVersion: batch/v1\nkind: Job\nmetadata: {name: j, namespace: team}\nspec: {" + more +
           "template: {metadata: {labels: {a: b}}, spec: {restartPolicy: Never, " + pod +
           "containers: [{name: m, image: i}]}}}\n" + status;
  };
  const auto is_refused = [](const std::string& now, const std::string& old) {
    const Review review = review_of(now, cluster(), old);
    return !review.allowed &&
           review.message.starts_with("Job.batch \"j\" is invalid: spec.template: Invalid value: {") &&
           review.message.ends_with("}: field is immutable");
  };
  const std::string suspend = "suspend: true, ";
  const std::string moved =
      "nodeSelector: {disk: ssd}, tolerations: [{operator: Exists}], affinity: {nodeAffinity: "
      "{requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: "
      "k, operator: Exists}]}]}}}, ";
  CHECK(review_of(with(moved, suspend), cluster(), with("", suspend)).allowed);
  CHECK(is_refused(with(moved, ""), with("", "")));
  CHECK(is_refused(with(moved, suspend), with("", "")));
  CHECK(is_refused(with(moved, suspend), with("", suspend, "status: {startTime: '2026-03-02T09:00:00Z'}\n")));
  CHECK(is_refused(with("hostname: h, ", suspend), with("", suspend)));
  CHECK(review_of(with(moved, ""), cluster(), with("", suspend)).allowed);
}

TEST_CASE("an update of what the API server made", "[admission]") {
  const std::string labels =
      "{controller-uid: u, job-name: j, batch.kubernetes.io/controller-uid: u, batch.kubernetes.io/job-name: j}";
  const std::string old =
      "{apiVersion: batch/v1, kind: Job, metadata: {name: j, namespace: team, uid: u}, spec: {selector: "
      "{matchLabels: {batch.kubernetes.io/controller-uid: u}}, template: {metadata: {labels: " +
      labels + "}, spec: {restartPolicy: Never, containers: [{name: main, image: registry.example/tool:1}]}}}}";
  CHECK(verdict_of(review_of(kube_job("parallelism: 2, completions: 1"), cluster(), old)) == "allowed");
  CHECK(verdict_of(review_of(old, cluster(), old)) == "allowed");
}

}  // namespace
}  // namespace pumice::admission
