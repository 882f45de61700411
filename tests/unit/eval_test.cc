#include "pumice/eval.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <string>

#include "pumice/json.h"

namespace pumice {
namespace {

Json answer_to(const std::string& line) { return Json::parse(eval_line(line, 7)); }

TEST_CASE("an answer is compact, sorted and carries the request's id", "[eval]") {
  CHECK(eval_line(R"({"op": "duration.parse", "id": 7, "args": {"text": "90s"}})", 1) ==
        R"({"id":7,"ok":{"canonical":"1m30s","nanoseconds":"90000000000"}})");
  for (const char* id : {"0", "null", "\"a\"", "[1,{\"b\":2}]", "1.5", "true", "18446744073709551615"}) {
    CAPTURE(id);
    const Json answer = answer_to(std::string(R"({"op":"duration.parse","args":{"text":"1s"},"id":)") + id + "}");
    CHECK(answer.at("id") == Json::parse(id));
    CHECK(answer.contains("ok"));
  }
  CHECK_FALSE(answer_to(R"({"op":"duration.parse","args":{"text":"1s"}})").contains("id"));
  CHECK(answer_to(R"({"op":"no","id":[5]})").at("id") == Json{5});
  CHECK(answer_to("{\"op\":\"duration.parse\",\"args\":{\"text\":\"1s\"}}\r").contains("ok"));
}

TEST_CASE("numbers in an id are echoed digit by digit", "[eval]") {
  for (const char* id : {"12345678901234567890123", "-98765432109876543210", "1.0", "1e2",
                         "0.1000000000000000055511151231", "[1e2,{\"a, }\\\"b\":[12345678901234567890123,\"x y\"]}]"}) {
    CAPTURE(id);
    const std::string line = std::string(R"({"a":{"id":1}, "op":"no","id":)") + id + "}";
    CHECK(eval_line(line, 1).find("},\"id\":" + std::string(id) + ",\"line\":1}") != std::string::npos);
  }
  CHECK(
      eval_line(
          R"({ "id" : 1.5 , "op":"duration.parse","args":{"text":"0"}, "\u0069d" : [ 12345678901234567890123 , "a b" ] })",
          1) == R"({"id":[12345678901234567890123,"a b"],"ok":{"canonical":"0s","nanoseconds":"0"}})");
}

TEST_CASE("what is wrong with a line is an answer too", "[eval]") {
  struct Case {
    const char* name;
    std::string line;
    std::string code;
    std::string message;
  };
  const Case cases[] = {
      {"empty", "", "InvalidJson", "the line is not JSON from column 1 on"},
      {"no JSON", "hello", "InvalidJson", "the line is not JSON from column 1 on"},
      {"cut off", R"({"op": "yaml.parse")", "InvalidJson", "the line is not JSON from column 20 on"},
      {"two values", "{} {}", "InvalidJson", "the line is not JSON from column 4 on"},
      {"not UTF-8", "{\"op\": \"\xff\"}", "InvalidJson", "the line is not JSON from column 9 on"},
      {"half a surrogate pair", R"({"op": "\ud800"})", "InvalidJson", "the line is not JSON from column 15 on"},
      {"a number beyond all", R"({"op": "yaml.parse", "id": 1e999})", "InvalidJson",
       "the line is not JSON from column 32 on"},
      {"text behind a NUL", std::string("{\"op\": \"no\"}\0 x", 15), "InvalidJson",
       "the line is not JSON: it holds a NUL byte"},
      {"no object", "[1]", "InvalidRequest", "a request is a JSON object"},
      {"no op", "{}", "InvalidRequest", "missing member `op`"},
      {"op no string", R"({"op": null})", "InvalidRequest", "`op` must be a string"},
      {"unknown op", R"({"op": "no"})", "UnknownOperation", "unknown operation `no`"},
      {"unknown op, near", R"({"op": "volcano.applypolicy"})", "UnknownOperation",
       "unknown operation `volcano.applypolicy`, did you mean `volcano.applyPolicies`?"},
      {"no args", R"({"op": "yaml.parse"})", "MissingArgument", "missing argument `text`"},
      {"null args", R"({"op": "yaml.parse", "args": null})", "MissingArgument", "missing argument `text`"},
      {"null argument", R"({"op": "duration.parse", "args": {"text": null}})", "MissingArgument",
       "missing argument `text`"},
      {"args no object", R"({"op": "yaml.parse", "args": ["a"]})", "InvalidArgument", "`args` must be an object"},
      {"one argument missing", R"({"op": "volcano.transition", "args": {"job": {}, "action": {}}})", "MissingArgument",
       "missing argument `status`"},
      {"argument of a wrong type", R"({"op": "yaml.parse", "args": {"text": 5}})", "InvalidArgument",
       "args.text: expected a string, got number `5`"},
      {"object of a wrong type", R"({"op": "volcano.applyPolicies", "args": {"job": [], "request": {}}})",
       "InvalidArgument", "args.job: expected a map, got a list"},
      {"not a duration", R"({"op": "duration.parse", "args": {"text": "1d"}})", "InvalidDuration",
       "`1d` is not a duration"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const Json answer = answer_to(c.line);
    CHECK(answer.at("error").at("code") == c.code);
    CHECK(answer.at("error").at("message") == c.message);
    CHECK(answer.at("line") == 7);
    CHECK(answer.at("error").at("line") == 7);
    CHECK_FALSE(answer.contains("ok"));
  }
}

TEST_CASE("all wrong types of the arguments are named at once", "[eval]") {
  const Json error = answer_to(R"({"op": "volcano.applyPolicies", "args": {
    "job": {"metadata": {"uid": 1}, "spec": {"tasks": [{"replicas": "3", "policies": [{"exitCode": 3000000000, "timeout": "5"}]}]}},
    "request": {"event": ["PodFailed"], "jobVersion": 1.5}}})")
                         .at("error");
  CHECK(error.at("code") == "InvalidArgument");
  std::vector<std::string> fields;
  for (const Json& finding : error.at("diagnostics")) {
    CHECK(finding.at("severity") == "error");
    fields.push_back(finding.at("field"));
  }
  CHECK(fields == std::vector<std::string>{"args.job.metadata.uid", "args.job.spec.tasks[0].replicas",
                                           "args.job.spec.tasks[0].policies[0].exitCode",
                                           "args.job.spec.tasks[0].policies[0].timeout", "args.request.event",
                                           "args.request.jobVersion"});
}

TEST_CASE("an argument that no operation asks for", "[eval]") {
  const Json answer = answer_to(R"({"op":"duration.parse","args":{"text":"1s","txt":"2s"}})");
  CHECK(answer.at("error").at("code") == "InvalidArgument");
  CHECK(answer.at("error").at("message") == "args.txt: there is no such argument, did you mean `text`?");
  CHECK(answer_to(R"({"op":"cron.next","args":{"schedule":"@daily","after":"2026-01-01T00:00:00Z","timezone":"UTC"}})")
            .at("error")
            .at("message") == "args.timezone: there is no such argument, did you mean `timeZone`?");
}

TEST_CASE("a line has limits", "[eval]") {
  const auto code_of = [](const std::string& line) {
    const Json answer = answer_to(line);
    return answer.contains("error") ? answer.at("error").at("code").get<std::string>() : "ok";
  };
  const auto deep = [](std::size_t levels) {  // one more level around it
    return R"({"op":"duration.parse","args":{"text":"1s"},"id":)" + std::string(levels, '[') +
           std::string(levels, ']') + "}";
  };
  CHECK(code_of(deep(99)) == "ok");
  CHECK(code_of(deep(100)) == "LimitExceeded");
  CHECK(code_of(deep(1'000'000)) == "LimitExceeded");
  CHECK(code_of(std::string(1'000'000, '[')) == "LimitExceeded");
  CHECK(code_of(R"({"id":")" + std::string(200, '[') + R"(","op":"duration.parse","args":{"text":"1s"}})") == "ok");
  CHECK(code_of(R"({"id":"\"[[","op":"duration.parse","args":{"text":"1s"}})") == "ok");

  const auto wide = [](std::size_t values) {
    std::string list = "0";
    for (std::size_t i = 1; i < values; ++i) list += ",0";
    return R"({"op":"duration.parse","id":[)" + list + R"(],"args":{"text":"1s"}})";
  };
  CHECK(code_of(wide(1'000)) == "ok");
  CHECK(code_of(wide(static_cast<std::size_t>(kEvalValuesMax))) == "LimitExceeded");

  const auto padded = [](std::int64_t bytes) {
    std::string line = R"({"op":"duration.parse","args":{"text":"1s"}})";
    line.resize(static_cast<std::size_t>(bytes), ' ');
    return line;
  };
  CHECK(code_of(padded(kEvalLineBytesMax)) == "ok");
  CHECK(code_of(padded(kEvalLineBytesMax + 1)) == "LimitExceeded");
}

TEST_CASE("operations are listed in order", "[eval]") {
  const std::vector<std::string_view> names = eval_operations();
  CHECK(std::is_sorted(names.begin(), names.end()));
  for (const std::string_view name : names) {
    CAPTURE(name);
    const Json answer = answer_to(Json{{"op", name}}.dump());
    CHECK(answer.at("error").at("code") == "MissingArgument");
  }
}

TEST_CASE("yaml.parse gives the document, or where it is wrong", "[eval]") {
  const Json good = answer_to(R"({"op":"yaml.parse","args":{"text":"a: yes\nb: [1, 0x10]\n"}})");
  CHECK(good.at("ok").at("json") == Json::parse(R"({"a": true, "b": [1, 16]})"));
  CHECK(good.at("ok").at("diagnostics") == Json::array());

  const Json twice = answer_to(R"({"op":"yaml.parse","args":{"text":"a: 1\na: 2\n"}})");
  CHECK(twice.at("ok").at("json") == Json::parse(R"({"a": 2})"));
  CHECK(twice.at("ok").at("diagnostics").at(0).at("code") == "DuplicateKey");
  CHECK(twice.at("ok").at("diagnostics").at(0).at("line") == 2);

  const Json bad = answer_to(R"({"op":"yaml.parse","args":{"text":"a:\n\t- 1\n"}})");
  CHECK(bad.at("error").at("code") == "InvalidYaml");
  CHECK(bad.at("error").at("message").get<std::string>().starts_with("line 2, column "));
  CHECK(bad.at("error").at("diagnostics").at(0).at("line") == 2);
}

TEST_CASE("volcano.applyPolicies says what it looked at", "[eval]") {
  const Json ok = answer_to(R"({"op": "volcano.applyPolicies", "args": {
    "job": {"metadata": {"name": "j", "namespace": "ns", "uid": "u"}, "status": {"version": 2}, "spec": {
      "policies": [{"event": "PodFailed", "action": "AbortJob"}],
      "tasks": [{"name": "w", "unknown": 1, "policies": [
        {"exitCode": 3, "action": "CompleteJob"},
        {"events": ["PodEvicted", "PodFailed"], "action": "RestartPartition", "timeout": "90s"},
        {"event": "*", "action": "RestartJob"}]}]}},
    "request": {"jobUid": "u", "taskName": "w", "podName": "j-w-0", "partitionId": "1", "event": "PodFailed", "exitCode": 4, "jobVersion": 2}}})")
                      .at("ok");
  CHECK(ok == Json::parse(R"({
    "action": "RestartPartition", "delay": "1m30s", "source": "TaskPolicy", "rule": "spec.tasks[0].policies[1]",
    "target": {"type": "partition", "taskName": "w", "podName": "j-w-0", "partition": "1"},
    "considered": [
      {"path": "spec.tasks[0].policies[0]", "reason": "ExitCodeDiffers", "outcome": "notMatched"},
      {"path": "spec.tasks[0].policies[1]", "reason": "MatchedEvent", "outcome": "matched"},
      {"path": "spec.tasks[0].policies[2]", "reason": "BehindEarlierMatch", "outcome": "notConsulted"},
      {"path": "spec.policies[0]", "reason": "HiddenByTask", "outcome": "notConsulted"}]})"));

  const Json foreign =
      answer_to(R"({"op": "volcano.applyPolicies", "args": {"job": {}, "request": {"action": "Explode"}}})").at("ok");
  CHECK(foreign.at("action") == "Explode");
  CHECK(foreign.at("source") == "Command");
  CHECK(foreign.at("target") == Json::parse(R"({"type": "", "taskName": "", "podName": "", "partition": ""})"));
}

TEST_CASE("volcano.transition says what is done and what comes of it", "[eval]") {
  const auto ok_of = [](const std::string& args) {
    return answer_to(R"({"op": "volcano.transition", "args": )" + args + "}").at("ok");
  };
  CHECK(
      ok_of(R"({"job": {"status": {"state": {"phase": "Running"}, "retryCount": 1}},
                  "status": {"state": {"phase": "Running"}, "retryCount": 1},
                  "action": {"action": "RestartPod", "target": {"type": "pod", "taskName": "w", "podName": "j-w-0"}}})") ==
      Json::parse(
          R"({"operation": "killTarget", "function": "restart", "changed": true, "phase": "Restarting", "retryCount": 2,
                        "reason": "RestartCounted",
                        "target": {"type": "pod", "taskName": "w", "podName": "j-w-0", "partition": ""}})"));
  CHECK(
      ok_of(
          R"({"job": {"status": {"state": {"phase": "Failed"}}}, "status": {"state": {"phase": "Failed"}}, "action": {"action": "ResumeJob"}})") ==
      Json::parse(
          R"({"operation": "kill", "function": "", "changed": false, "phase": "Failed", "retryCount": 0, "reason": "None",
                        "retain": ["Succeeded", "Failed"]})"));
  CHECK(
      ok_of(
          R"({"job": {"spec": {"minAvailable": 1, "tasks": [{"name": "w", "replicas": 1, "minAvailable": 1}]}, "status": {"state": {"phase": "Running"}}},
                  "status": {"state": {"phase": "Running"}, "failed": 1, "taskStatusCount": {"w": {"phase": {"Failed": 1}}}},
                  "action": {"action": "SyncJob"}})") ==
      Json::parse(
          R"({"operation": "sync", "function": "fromRunning", "changed": true, "phase": "Failed", "retryCount": 0,
                        "reason": "TaskMinAvailableMissed"})"));
}

TEST_CASE("counts alone take phase, retries and minAvailable from the job", "[eval]") {
  const Json ok = answer_to(R"({"op": "volcano.transition", "args": {
    "job": {"spec": {"maxRetry": 3, "tasks": [{"replicas": 2}]}, "status": {"state": {"phase": "Restarting"}, "retryCount": 2, "minAvailable": 2}},
    "status": {"terminating": 1}, "action": {"action": "SyncJob"}}})")
                      .at("ok");
  CHECK(ok.at("phase") == "Restarting");
  CHECK(ok.at("retryCount") == 2);
  CHECK(ok.at("reason") == "TooManyTerminating");
}

TEST_CASE("many lines are answered in order, with their numbers", "[eval]") {
  const std::string answers = eval_lines("{\"op\":\"none\"}\n\n{\"id\":1,\"op\":\"none\"}\r\nnot JSON\n[]");
  std::vector<Json> read;
  for (std::size_t at = 0; at < answers.size();) {
    const std::size_t end = answers.find('\n', at);
    REQUIRE(end != std::string::npos);
    read.push_back(Json::parse(answers.substr(at, end - at)));
    at = end + 1;
  }
  REQUIRE(read.size() == 5);
  CHECK(read[1]["error"]["code"] == "InvalidJson");
  CHECK(read[2]["id"] == 1);
  CHECK(read[2]["line"] == 3);
  CHECK(read[3]["line"] == 4);
  CHECK(read[4]["error"]["code"] == "InvalidRequest");
  CHECK(read[4]["line"] == 5);
  CHECK(eval_lines("").empty());
}

}  // namespace
}  // namespace pumice
