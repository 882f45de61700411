// `job.sync` at the border of `pumice eval`.
#include <catch2/catch_test_macros.hpp>
#include <string>

#include "pumice/eval.h"
#include "pumice/json.h"

namespace pumice {
namespace {

Json ask(const Json& args) { return Json::parse(eval_line(Json{{"op", "job.sync"}, {"args", args}}.dump(), 1)); }

Json job(const char* spec) {
  Json out = Json::parse(R"({"apiVersion": "batch/v1", "kind": "Job",
      "metadata": {"name": "j", "namespace": "n", "uid": "u"}, "spec": {}})");
  out["spec"] = Json::parse(spec);
  out["spec"]["template"] = Json::parse(R"({"spec": {"restartPolicy": "Never", "containers": [{"name": "main"}]}})");
  return out;
}
Json pod(const char* name, const char* phase) {
  Json out = Json::parse(R"({"metadata": {"namespace": "n", "finalizers": ["batch.kubernetes.io/job-tracking"],
      "ownerReferences": [{"apiVersion": "batch/v1", "kind": "Job", "name": "j", "uid": "u", "controller": true}]}})");
  out["metadata"]["name"] = out["metadata"]["uid"] = name;
  out["status"]["phase"] = phase;
  return out;
}
std::vector<std::string> kinds(const Json& answer) {
  std::vector<std::string> list;
  for (const Json& effect : answer.at("ok").at("effects")) list.push_back(effect.at("effect"));
  return list;
}
using Strings = std::vector<std::string>;
constexpr const char* kNow = "2026-01-01T00:00:00Z";

TEST_CASE("job.sync: pods are created", "[kubejob][eval]") {
  const Json answer =
      ask({{"job", job(R"({"parallelism": 2, "completions": 5})")}, {"pods", Json::array()}, {"now", kNow}});
  CHECK(kinds(answer) == Strings{"CreatePod", "EmitEvent", "CreatePod", "EmitEvent", "UpdateJobStatus"});
  const Json& ok = answer.at("ok");
  CHECK(ok.at("job").at("status") == Json{{"active", 2},
                                          {"ready", 0},
                                          {"terminating", 0},
                                          {"startTime", kNow},
                                          {"uncountedTerminatedPods", Json::object()}});
  CHECK(ok.at("pods").size() == 2);
  CHECK(ok.at("pods").at(0).at("metadata").at("generateName") == "j-");
  CHECK(ok.at("pods").at(0).at("metadata").at("labels").at("batch.kubernetes.io/controller-uid") == "u");
  CHECK(ok.at("expectations") == Json{{"creations", 2}, {"deletions", 0}});
  CHECK(ok.at("effects").at(0).at("result") == "Ok");
  CHECK_FALSE(ok.contains("error"));
  CHECK_FALSE(ok.contains("requeueAfter"));
  CHECK(ok.at("trace").at("manage") == "Created");
}

TEST_CASE("job.sync: a failure, its back-off and its reason", "[kubejob][eval]") {
  Json failed = pod("p", "Failed");
  failed["status"]["containerStatuses"] = Json::parse(
      R"([{"name": "main", "state": {"terminated": {"exitCode": 1, "finishedAt": "2025-12-31T23:59:56Z"}}}])");
  const Json ok = ask({{"job", job("{}")}, {"pods", {failed}}, {"now", kNow}}).at("ok");
  CHECK(ok.at("requeueAfter") == "6s");
  CHECK(ok.at("backoff") == Json{{"failures", 1}, {"lastFailure", "2025-12-31T23:59:56Z"}});
  CHECK(ok.at("job").at("status").at("failed") == 1);
  CHECK_FALSE(ok.at("pods").at(0).at("metadata").contains("finalizers"));
  CHECK(ok.at("trace").at("budget") ==
        Json{{"failures", 1}, {"limit", 6}, {"retriesLeft", 5}, {"nextRetry", "2026-01-01T00:00:06Z"}});
  CHECK(ok.at("trace").at("failures") ==
        Json::array({{{"pod", "p"}, {"counted", true}, {"reason", "NoPolicy"}, {"action", "Count"}}}));
}

TEST_CASE("job.sync: what the controller remembers", "[kubejob][eval]") {
  const Json unmet =
      ask({{"job", job("{}")}, {"pods", Json::array()}, {"now", kNow}, {"expectations", {{"creations", 1}}}});
  CHECK(unmet.at("ok").at("trace").at("expectationsSatisfied") == false);
  CHECK(kinds(unmet) == Strings{"UpdateJobStatus"});
  const Json old = ask({{"job", job("{}")},
                        {"pods", Json::array()},
                        {"now", kNow},
                        {"expectations", {{"creations", 1}, {"since", "2025-12-31T23:00:00Z"}}}});
  CHECK(kinds(old).front() == "CreatePod");
  const Json waits = ask({{"job", job("{}")},
                          {"pods", Json::array()},
                          {"now", kNow},
                          {"backoff", {{"failures", 2}, {"lastFailure", "2025-12-31T23:59:50Z"}}}});
  CHECK(waits.at("ok").at("requeueAfter") == "10s");
  const Json expected = ask({{"job", job("{}")},
                             {"pods", {pod("p", "Succeeded")}},
                             {"now", kNow},
                             {"expectations", {{"finalizers", {"p"}}}}});
  CHECK(expected.at("ok").at("job").at("status").value("succeeded", 0) == 0);
}

TEST_CASE("job.sync: effects that fail", "[kubejob][eval]") {
  const Json fourth = ask({{"job", job(R"({"parallelism": 9, "completions": 9})")},
                           {"pods", Json::array()},
                           {"now", kNow},
                           {"failures", {{{"effect", "CreatePod"}, {"nth", 3}, {"result", "Forbidden"}}}}});
  CHECK(fourth.at("ok").at("error") == "Forbidden");
  CHECK(fourth.at("ok").at("requeueAfter") == "1s");
  CHECK(fourth.at("ok").at("pods").size() == 2);
  const Json conflict = ask({{"job", job("{}")},
                             {"pods", {pod("p", "Succeeded")}},
                             {"now", kNow},
                             {"failures", {{{"effect", "UpdateJobStatus"}, {"result", "Conflict"}}}}});
  CHECK(conflict.at("ok").at("error") == "tracking status: adding uncounted pods to status: Conflict");
  const Json named = ask({{"job", job(R"({"parallelism": 0})")},
                          {"pods", {pod("p", "Running"), pod("q", "Running")}},
                          {"now", kNow},
                          {"failures", {{{"effect", "DeletePod"}, {"name", "q"}, {"result", "Timeout"}}}}});
  CHECK(named.at("ok").at("job").at("status").at("active") == 1);
}

TEST_CASE("job.sync: profiles and quirks", "[kubejob][eval]") {
  const auto conditions = [](Json more) {
    Json args = {{"job", job("{}")}, {"pods", {pod("p", "Succeeded")}}, {"now", kNow}};
    args.update(more);
    Strings types;
    const Json answer = ask(args);
    for (const Json& condition : answer.at("ok").at("job").at("status").at("conditions"))
      types.push_back(condition.at("type"));
    return types;
  };
  CHECK(conditions(Json::object()) == Strings{"SuccessCriteriaMet", "Complete"});
  CHECK(conditions({{"profile", "job-1.27"}}) == Strings{"Complete"});
  CHECK(conditions({{"profile", "job-1.27"}, {"quirksOff", {"direct-terminal"}}}) ==
        Strings{"SuccessCriteriaMet", "Complete"});
  CHECK(conditions({{"quirksOn", {"direct-terminal"}}}) == Strings{"Complete"});
}

TEST_CASE("job.sync: what is wrong with a question", "[kubejob][eval]") {
  const auto code = [](Json more) {
    Json args = {{"job", job("{}")}, {"pods", Json::array()}, {"now", kNow}};
    args.update(more);
    const Json answer = ask(args);
    return answer.contains("error") ? answer.at("error").at("code").get<std::string>() : "ok";
  };
  CHECK(code(Json::object()) == "ok");
  CHECK(code({{"profile", "cron"}}) == "UnknownProfile");
  CHECK(code({{"quirksOn", {"no-such"}}}) == "UnknownQuirk");
  CHECK(code({{"now", "yesterday"}}) == "InvalidArgument");
  CHECK(code({{"pods", Json::object()}}) == "InvalidArgument");
  CHECK(code({{"job", Json{{"spec", {{"parallelism", "two"}}}}}}) == "InvalidArgument");
  CHECK(code({{"failures", {{{"effect", "CreatePod"}, {"result", "Perhaps"}}}}}) == "InvalidArgument");
  CHECK(code({{"job", Json::object()}}) == "ok");
  CHECK(code({{"pods", {Json::object(), Json::object()}}}) == "ok");
}

}  // namespace
}  // namespace pumice
