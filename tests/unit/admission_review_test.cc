// AdmissionReview in and out (spec/volcano-admission.md 1.3 - 1.5), through the operation `admission.review`.
#include <catch2/catch_test_macros.hpp>

#include <string>

#include "pumice/eval.h"
#include "support/admission.h"

namespace pumice::admission {
namespace {

Json ask(const Json& args) {
  const Json answer = Json::parse(eval_line(Json{{"op", "admission.review"}, {"args", args}}.dump(), 1));
  return answer.contains("ok") ? answer["ok"] : answer;
}

struct Request {
  std::string group = "batch.volcano.sh";
  std::string version = "v1alpha1";
  std::string resource = "jobs";
  std::string operation = "CREATE";
};

Json review_with(const Json& object, const Request& request = {}, const Json& old = nullptr) {
  Json inner{{"uid", "u-1"},
             {"resource", {{"group", request.group}, {"version", request.version}, {"resource", request.resource}}},
             {"operation", request.operation},
             {"object", object}};
  if (!old.is_null()) inner["oldObject"] = old;
  return {{"apiVersion", "admission.k8s.io/v1"}, {"kind", "AdmissionReview"}, {"request", inner}};
}

Json response_to(const Json& review, const Json& config = Json::object()) {
  const Json answer = ask({{"review", review}, {"config", config}});
  REQUIRE(answer.contains("review"));
  CHECK(answer["review"]["apiVersion"] == "admission.k8s.io/v1");
  CHECK(answer["review"]["kind"] == "AdmissionReview");
  CHECK_FALSE(answer["review"].contains("request"));
  return answer["review"]["response"];
}

std::string decoded(const std::string& text) {
  const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    if (c == '=') break;
    bits = bits << 6U | static_cast<std::uint32_t>(letters.find(c));
    if ((count += 6) < 8) continue;
    count -= 8;
    out += static_cast<char>(bits >> static_cast<unsigned>(count) & 0xFFU);
  }
  return out;
}

const Json kJob = test::json_of(test::one_task("replicas: 2"));
const Json kBad = test::json_of(test::one_task("replicas: 2", "minAvailable: 3"));
const std::string kBadText = "job 'minAvailable' should not be greater than total replicas in tasks;";

TEST_CASE("allowed with a patch, denied with a message", "[admission]") {
  const Json allowed = response_to(review_with(kJob));
  CHECK(allowed["uid"] == "u-1");
  CHECK(allowed["allowed"] == true);
  CHECK_FALSE(allowed.contains("status"));
  CHECK(allowed["patchType"] == "JSONPatch");
  const Json patch = Json::parse(decoded(allowed["patch"].get<std::string>()));
  CHECK(kJob.patch(patch)["spec"]["tasks"][0]["minAvailable"] == 2);
  CHECK(response_to(review_with(kJob.patch(patch))) == Json{{"uid", "u-1"}, {"allowed", true}});

  const Json denied = response_to(review_with(kBad));
  CHECK(denied == Json{{"uid", "u-1"}, {"allowed", false}, {"status", {{"message", kBadText}}}});
}

TEST_CASE("each webhook does its part", "[admission]") {
  const auto at = [](const std::string& path) { return Json{{"path", path}}; };
  const Json mutated = response_to(review_with(kBad), at("/jobs/mutate"));
  CHECK(mutated["allowed"] == true);
  CHECK(mutated.contains("patch"));
  const Json validated = response_to(review_with(kJob), at("/jobs/validate"));
  CHECK(validated == Json{{"uid", "u-1"}, {"allowed", true}});
  CHECK(response_to(review_with(kBad), at("/jobs/validate"))["status"]["message"] == kBadText);
  // What is only validated has its defaults already: an absent queue is an empty one.
  const Json answer = ask({{"review", review_with(kJob)}, {"queues", Json::array()}, {"config", at("/jobs/validate")}});
  CHECK(answer["review"]["response"]["status"]["message"] ==
        "unable to find job queue: queue.scheduling.volcano.sh \"\" not found;");
  CHECK(response_to(review_with(kJob), at("/pods/mutate"))["status"]["message"] ==
        "there is no webhook `/pods/mutate`");
}

TEST_CASE("the patch as upstream writes it", "[admission]") {
  const Json config{{"path", "/jobs/mutate"}, {"patch", "upstream"}};
  const Json patch = Json::parse(decoded(response_to(review_with(kJob), config)["patch"].get<std::string>()));
  REQUIRE(patch.size() == 5);
  CHECK(patch[3]["path"] == "/spec/tasks");
  const Json full = response_to(review_with(kJob.patch(patch)), config);
  CHECK(full["patchType"] == "JSONPatch");
  CHECK(decoded(full["patch"].get<std::string>()) == "null");
  CHECK(ask({{"review", review_with(kJob)}, {"config", {{"patch", "large"}}}})["error"]["code"] == "InvalidArgument");
}

TEST_CASE("requests that a webhook does not take", "[admission]") {
  const auto message = [](const Json& review, const std::string& path) {
    const Json response = response_to(review, {{"path", path}});
    CHECK(response["allowed"] == false);
    return response["status"]["message"].get<std::string>();
  };
  Request pods{.group = "", .version = "v1", .resource = "pods"};
  CHECK(message(review_with(kJob, pods), "/jobs/validate") == "expect resource to be {batch.volcano.sh v1alpha1 jobs}");
  CHECK(message(review_with(kJob), "/cronjobs/validate") ==
        "expect resource to be {batch.volcano.sh v1alpha1 cronjobs}");
  CHECK(message(review_with(kJob, {.operation = "DELETE"}), "/jobs/validate") ==
        "expect operation to be 'CREATE' or 'UPDATE'");
  CHECK(message(review_with(kJob, {.operation = "CONNECT"}), "/jobs/validate") ==
        "expect operation to be 'CREATE' or 'UPDATE'");
  CHECK(message(review_with(kJob, {.operation = "UPDATE"}, kJob), "/jobs/mutate") ==
        "expect operation to be 'CREATE' ");
  CHECK(message(review_with(nullptr, {.operation = "DELETE"}), "/jobs/validate") ==
        "expect operation to be 'CREATE' or 'UPDATE'");
  // The object is read first.
  Json wrong = kJob;
  wrong["spec"]["minAvailable"] = "three";
  const std::string unreadable =
      "json: cannot unmarshal string into Go struct field JobSpec.spec.minAvailable of type int32";
  CHECK(message(review_with(wrong, {.operation = "DELETE"}), "/jobs/validate") == unreadable);
  CHECK(message(review_with(wrong), "/jobs/validate") == unreadable);
  CHECK(message(review_with(wrong), "/jobs/mutate") == unreadable);
  CHECK(message(review_with(nullptr), "/jobs/validate") == "the request has no object");
  CHECK(message(review_with(kJob, {.operation = "UPDATE"}), "/jobs/validate") == "the request has no oldObject");
}

TEST_CASE("whatever comes is answered", "[admission]") {
  const auto message = [](const Json& review) {
    const Json response = response_to(review);
    CHECK(response["allowed"] == false);
    return response["status"]["message"].get<std::string>();
  };
  CHECK(message(Json::object()) == "the AdmissionReview has no request");
  CHECK(message({{"request", "x"}}) == "the AdmissionReview has no request");
  CHECK(message({{"apiVersion", "admission.k8s.io/v1beta1"}, {"request", Json::object()}}) ==
        "only AdmissionReview of admission.k8s.io/v1 is understood");
  CHECK(response_to({{"request", {{"uid", 7}}}})["uid"] == "");
  CHECK(ask(Json::object())["error"]["code"] == "MissingArgument");
  // Kind and version may be left out.
  Json bare = review_with(kJob);
  bare.erase("apiVersion");
  bare.erase("kind");
  CHECK(response_to(bare)["allowed"] == true);
}

TEST_CASE("an update is not filled in", "[admission]") {
  Json old = test::json_of(test::one_task("replicas: 2"));
  Json now = old;
  now["spec"]["tasks"][0]["replicas"] = 3;
  CHECK(response_to(review_with(now, {.operation = "UPDATE"}, old)) == Json{{"uid", "u-1"}, {"allowed", true}});
  now["spec"]["queue"] = "other";
  CHECK(response_to(review_with(now, {.operation = "UPDATE"}, old))["status"]["message"] ==
        "job updates may not change fields other than `minAvailable`, `tasks[*].replicas under spec` and "
        "`PriorityClassName`");
}

TEST_CASE("other kinds", "[admission]") {
  const Request cron{.group = "batch", .version = "v1", .resource = "cronjobs"};
  const Request job{.group = "batch", .version = "v1", .resource = "jobs"};
  const Request flow{.group = "flow.volcano.sh", .resource = "jobflows"};
  CHECK(response_to(review_with(test::json_of(test::kube_job("parallelism: -1")), job))["status"]["message"] ==
        "Job.batch \"j\" is invalid: spec.parallelism: Invalid value: -1: must be greater than or equal to 0");
  CHECK(response_to(review_with(test::json_of(test::kube_cron("schedule: x")), cron),
                    {{"path", "/validate"}})["allowed"] == false);
  CHECK(response_to(review_with(test::json_of(test::kube_cron("schedule: '@daily'")), cron), {{"path", "/mutate"}})
            .contains("patch"));
  CHECK(response_to(
            review_with({{"spec", {{"flows", Json::array({{{"name", "a"}, {"dependsOn", {{"targets", {"b"}}}}}})}}}},
                        flow),
            {{"path", "/jobflows/validate"}})["status"]["message"] ==
        "jobflow Flow is not DAG: vertex is not defined: b");
}

TEST_CASE("findings come along", "[admission]") {
  Json object = test::json_of(
      test::one_task("replicas: 2", "minAvailable: 3, policies: [{event: PodPending, action: AbortJob}]"));
  const auto codes = [&](const Json& config) {
    std::string out;
    const Json answer = ask({{"review", review_with(object)}, {"config", config}});
    for (const Json& finding : answer["diagnostics"]) {
      out += finding["code"].get<std::string>() + " ";
    }
    return out;
  };
  CHECK(codes(Json::object()) == "volcano.job.min-available volcano.lint.pending-without-timeout ");
  CHECK(codes({{"lint", false}}) == "volcano.job.min-available ");
  CHECK(codes({{"ignore", {"volcano.lint"}}}) == "volcano.job.min-available ");
  object["spec"]["maxRetry"] = -1;
  CHECK(codes({{"lint", false}}) == "volcano.job.min-available ");
  CHECK(codes({{"lint", false}, {"schema", true}}) == "volcano.schema.minimum volcano.job.min-available ");
  CHECK(ask({{"review", review_with(object)}, {"config", {{"after", "soon"}}}})["error"]["code"] == "InvalidArgument");
}

}  // namespace
}  // namespace pumice::admission
