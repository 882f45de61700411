// The webhook as a function: bodies in, answers out (spec/volcano-admission.md 1.3 - 1.5).
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <string>

#include "pumice/admission/webhook.h"
#include "support/admission.h"

namespace pumice::admission {
namespace {

Json review_of_job(const std::string& manifest, const std::string& operation = "CREATE", const Json& old = nullptr,
                   const std::string& group = "batch.volcano.sh", const std::string& version = "v1alpha1",
                   const std::string& resource = "jobs") {
  Json request{{"uid", "u-1"},
               {"operation", operation},
               {"namespace", "team"},
               {"resource", {{"group", group}, {"version", version}, {"resource", resource}}},
               {"object", test::json_of(manifest)}};
  if (!old.is_null()) request["oldObject"] = old;
  return {{"apiVersion", "admission.k8s.io/v1"}, {"kind", "AdmissionReview"}, {"request", request}};
}

const std::string kPending = test::volcano_job(
    "{queue: default, minAvailable: 1, policies: [{event: PodPending, action: AbortJob}], tasks: [{name: w, replicas: "
    "1, template: " +
    test::kPod + "}]}");

Options behind_api_server() {
  Options options;
  options.schema = false;
  return options;
}

Json response_of(const WebhookAnswer& answer) {
  const Json json = Json::parse(answer.body);
  CHECK(json["apiVersion"] == "admission.k8s.io/v1");
  CHECK(json["kind"] == "AdmissionReview");
  CHECK_FALSE(json.contains("request"));
  return json["response"];
}

TEST_CASE("paths that are answered", "[admission][webhook]") {
  CHECK(std::is_sorted(webhook_paths().begin(), webhook_paths().end()));
  for (const char* path :
       {"/jobs/mutate", "/jobs/validate", "/cronjobs/validate", "/jobflows/validate", "/mutate", "/validate"}) {
    CAPTURE(path);
    CHECK(is_webhook_path(path));
  }
  for (const char* path : {"", "/", "/jobs", "/validate/", "/pods/mutate"}) {
    CAPTURE(path);
    CHECK_FALSE(is_webhook_path(path));
  }
}

TEST_CASE("an answer and what is told of it", "[admission][webhook]") {
  Json review = review_of_job(kPending);
  review["request"]["dryRun"] = true;
  const WebhookAnswer answer = answer_body(review.dump(), "/jobs/validate", behind_api_server());
  CHECK(answer.status == 200);
  CHECK(answer.allowed);
  CHECK(answer.dry_run);
  CHECK(answer.uid == "u-1");
  CHECK(answer.ns == "team");
  CHECK(answer.resource == "batch.volcano.sh/v1alpha1/jobs");
  CHECK(answer.operation == "CREATE");
  CHECK(answer.codes == std::vector<std::string>{"volcano.lint.pending-without-timeout"});
  const Json response = response_of(answer);
  CHECK(response["uid"] == "u-1");
  CHECK(response["allowed"] == true);
  REQUIRE(response["warnings"].size() == 1);
  CHECK(response["warnings"][0].get<std::string>().ends_with(" [volcano.lint.pending-without-timeout]"));
  // A webhook that fills in has nothing to say to the one who asks.
  const Json filled = response_of(answer_body(review.dump(), "/jobs/mutate", behind_api_server()));
  CHECK_FALSE(filled.contains("warnings"));
  CHECK(filled["patchType"] == "JSONPatch");
}

TEST_CASE("bodies that are no review are refused with their uid where it can be read", "[admission][webhook]") {
  struct Case {
    std::string body;
    int status;
    std::string uid;
    std::string message;
  };
  const std::string deep(1000, '[');
  const std::string good = review_of_job(kPending).dump();
  const Case cases[] = {
      {"", 400, "", "the body is empty: an AdmissionReview is expected"},
      {"{", 400, "", "the body is no JSON object: an AdmissionReview is expected"},
      {"[]", 400, "", "the body is no JSON object: an AdmissionReview is expected"},
      {"null", 400, "", "the body is no JSON object: an AdmissionReview is expected"},
      {"apiVersion: admission.k8s.io/v1", 400, "", "the body is no JSON object: an AdmissionReview is expected"},
      {"{}", 400, "", "the AdmissionReview has no request"},
      {R"({"request": {"uid": "u"}})", 200, "u",
       "expect resource to be a job, cronjob, jobflow or jobtemplate of a known group and version"},
      {R"({"request": {"uid": 7}})", 400, "", ""},
      {R"({"request": {"uid": "u", "object": {)", 200, "u",
       "the body is no JSON object: an AdmissionReview is expected"},
      {R"({"request": {"object": {"uid": "x"}, "uid": "u", )", 200, "u", ""},
      {R"({"request": {"object": {"uid": "x"}, )", 400, "", ""},
      {R"({"uid": "x", "response": {"uid": "y"}, "request": [{"uid": "z"}], )", 400, "", ""},
      {R"({"request": {"uid": "u", "object": )" + deep, 200, "u", "the body is nested deeper than 256 levels"},
      {deep, 400, "", "the body is nested deeper than 256 levels"},
      {"{\"request\": {\"uid\": \"u\", \"object\": \"\xff\"}}", 200, "u",
       "the body is no JSON object: an AdmissionReview is expected"},
      {R"({"request": {"uid": "u", "object": 1e999}})", 200, "u",
       "the body is no JSON object: an AdmissionReview is expected"},
      {R"({"apiVersion": "admission.k8s.io/v1beta1", "kind": "AdmissionReview", "request": {"uid": "u"}})", 200, "u",
       "only AdmissionReview of admission.k8s.io/v1 is understood"},
      {R"({"apiVersion": "v1", "kind": "Pod", "request": {"uid": "u"}})", 200, "u",
       "only AdmissionReview of admission.k8s.io/v1 is understood"},
      {R"({"apiVersion": "admission.k8s.io/v1", "kind": "Pod", "request": {"uid": "u"}})", 200, "u",
       "only an AdmissionReview is understood"},
      {std::string(kReviewBytesMax + 1, ' '), 400, "", "the body is larger than 3145728 bytes"},
      {good.substr(0, good.size() - 1), 200, "u-1", "the body is no JSON object: an AdmissionReview is expected"},
  };
  for (const Case& one : cases) {
    CAPTURE(one.body.substr(0, 100));
    const WebhookAnswer answer = answer_body(one.body, "/validate", behind_api_server());
    CHECK(answer.status == one.status);
    CHECK_FALSE(answer.allowed);
    CHECK(answer.uid == one.uid);
    const Json response = response_of(answer);
    CHECK(response["uid"] == one.uid);
    CHECK(response["allowed"] == false);
    CHECK_FALSE(response["status"]["message"].get<std::string>().empty());
    if (!one.message.empty()) CHECK(response["status"]["message"] == one.message);
  }
}

TEST_CASE("any value in place of any other is answered", "[admission][webhook]") {
  const Json review = review_of_job(kPending, "UPDATE", test::json_of(kPending));
  const Json flat = review.flatten();
  const Json values[] = {
      nullptr, true, -1, 1e300, "", "x", Json::array(), Json::object(), Json::array({Json::array()})};
  for (const auto& [pointer, ignored] : flat.items()) {
    for (const Json& value : values) {
      Json changed = review;
      changed[Json::json_pointer(pointer)] = value;
      CAPTURE(pointer, value);
      for (const std::string_view path : webhook_paths()) {
        const WebhookAnswer answer = answer_body(changed.dump(), path, behind_api_server());
        CHECK((answer.status == 200) == !answer.uid.empty());
        CHECK(response_of(answer)["allowed"] == answer.allowed);
      }
    }
  }
}

TEST_CASE("what a configuration denies is refused, but not what is there already", "[admission][webhook]") {
  const LintConfig config =
      *parse_lint_config("apiVersion: pumice.dev/v1\nkind: LintConfig\ndeny: [volcano.lint]\n", "c").value;
  Options options = behind_api_server();
  options.lint_config = &config;
  const auto response = [&](const Json& review, const char* path = "/validate") {
    return response_of(answer_body(review.dump(), path, options));
  };
  const Json created = response(review_of_job(kPending));
  CHECK(created["allowed"] == false);
  const std::string message = created["status"]["message"];
  CHECK(message.starts_with("denied by the lint configuration: "));
  CHECK(message.ends_with(" [volcano.lint.pending-without-timeout]"));
  CHECK(response(review_of_job(kPending), "/jobs/mutate")["allowed"] == true);

  Json old = test::json_of(kPending);
  const Json same = response(review_of_job(kPending, "UPDATE", old));
  CHECK(same["allowed"] == true);
  CHECK(same["warnings"].size() == 1);
  old["spec"]["tasks"][0]["replicas"] = 2;
  CHECK(response(review_of_job(kPending, "UPDATE", old))["allowed"] == false);
  // The cluster's own words come first.
  Json bad = review_of_job(kPending);
  bad["request"]["object"]["spec"]["minAvailable"] = 5;
  CHECK(response(bad)["status"]["message"] == "job 'minAvailable' should not be greater than total replicas in tasks;");
}

TEST_CASE("queues that are not known", "[admission][webhook]") {
  Options options = behind_api_server();
  options.lint = false;
  CHECK(response_of(answer_body(review_of_job(kPending).dump(), "/validate", options))["allowed"] == true);
  options.queues_missing = "nobody answers";
  CHECK(response_of(answer_body(review_of_job(kPending).dump(), "/validate", options))["status"]["message"] ==
        "the queues of the cluster are not known: nobody answers;");
  // Other rules do not care.
  const Json kube = review_of_job(test::kube_job(""), "CREATE", nullptr, "batch", "v1", "jobs");
  CHECK(response_of(answer_body(kube.dump(), "/validate", options))["allowed"] == true);
  options.queues = {{"default", "Open", ""}};
  CHECK(response_of(answer_body(review_of_job(kPending).dump(), "/validate", options))["allowed"] == true);
}

TEST_CASE("warnings keep to the API server's bounds", "[admission][webhook]") {
  const auto finding = [](Severity severity, const std::string& message) {
    return Diagnostic{.severity = severity, .code = "volcano.lint.x", .field = "spec", .message = message};
  };
  CHECK(api_warnings({finding(Severity::Error, "a"), finding(Severity::Note, "b")}).empty());
  CHECK(api_warnings({finding(Severity::Warning, "a\nb\x7f")}) ==
        std::vector<std::string>{"spec: a b  [volcano.lint.x]"});
  std::string long_text;
  for (int i = 0; i < 200; ++i) long_text += "ä";
  const std::vector<std::string> cut = api_warnings({finding(Severity::Warning, long_text)});
  REQUIRE(cut.size() == 1);
  CHECK(cut[0].size() <= 256);
  CHECK(cut[0].size() >= 250);
  CHECK(cut[0].ends_with("ä… [volcano.lint.x]"));
  const std::vector<std::string> many =
      api_warnings(Diagnostics(50, finding(Severity::Warning, std::string(300, 'w'))));
  std::size_t bytes = 0;
  for (const std::string& one : many) bytes += one.size();
  CHECK(bytes <= 4096);
  CHECK(many.size() == 16);
  CHECK(many.back() == "and 35 more warnings");
}

TEST_CASE("log fields are bounded", "[admission][webhook]") {
  Json review = review_of_job(kPending);
  review["request"]["uid"] = std::string(1000, 'u');
  review["request"]["namespace"] = std::string(1000, 'n');
  review["request"]["operation"] = std::string(1000, 'o');
  review["request"]["resource"]["group"] = std::string(1000, 'g');
  const WebhookAnswer answer = answer_body(review.dump(), "/validate", behind_api_server());
  CHECK(answer.uid.size() <= 128);
  CHECK(answer.ns.size() <= 128);
  CHECK(answer.operation == "other");
  CHECK(answer.resource == "other");
  // The answer has all of it.
  CHECK(response_of(answer)["uid"] == std::string(1000, 'u'));
}

}  // namespace
}  // namespace pumice::admission
