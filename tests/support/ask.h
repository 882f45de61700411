// Operations of `pumice eval` with arguments written as YAML, for tests.
#pragma once

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <string_view>

#include "pumice/eval.h"
#include "pumice/json.h"
#include "pumice/yaml.h"

namespace pumice::test {

inline Json from_yaml(std::string_view text) {
  const Result<Json> json = yaml_to_json(text);
  INFO(text);
  REQUIRE(json.ok());
  return *json.value;
}

/// The whole answer, without its id.
inline Json answer_of(std::string_view op, const Json& args) {
  return Json::parse(eval_line(Json{{"op", op}, {"args", args}}.dump(), 1));
}

/// What is under `ok`.
inline Json ask(std::string_view op, const Json& args) {
  const Json answer = answer_of(op, args);
  INFO(answer.dump(1));
  REQUIRE(answer.contains("ok"));
  return answer.at("ok");
}

/// A Job `j` of uid `u` with these members of its spec and more of the object itself, both in flow style.
inline Json job_with(std::string_view spec, std::string_view more = "") {
  Json job = from_yaml(
      "{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, "
      "metadata: {name: j, namespace: ns, uid: u, resourceVersion: '7', "
      "creationTimestamp: '2026-03-02T09:00:00Z'}}");
  job["spec"] = from_yaml("{queue: q, maxRetry: 3, " + std::string(spec) + "}");
  job.merge_patch(from_yaml("{" + std::string(more) + "}"));
  return job;
}

inline constexpr std::string_view kOneContainer = "template: {spec: {containers: [{name: main, image: i}]}}";

/// A sync of `job` whose PodGroup was taken in.
inline Json sync_args(Json job) {
  Json args = from_yaml(
      "{now: '2026-03-02T10:00:00Z', action: {action: SyncJob}, "
      "podGroup: {metadata: {name: j-u, namespace: ns}, status: {phase: Inqueue}}}");
  args["job"] = std::move(job);
  return args;
}

/// The effects of one name, in order.
inline std::vector<Json> effects_of(const Json& answer, std::string_view effect) {
  std::vector<Json> list;
  for (const Json& entry : answer.at("effects"))
    if (entry.at("effect") == effect) list.push_back(entry);
  return list;
}

/// Names of all effects, those on objects with the object's kind and name: `CreateObject ConfigMap j-svc`.
inline std::vector<std::string> effect_names(const Json& answer) {
  std::vector<std::string> list;
  for (const Json& entry : answer.at("effects")) {
    std::string text = entry.at("effect");
    for (const char* part : {"kind", "reason", "name"})
      if (entry.contains(part)) text += " " + entry.at(part).get<std::string>();
    list.push_back(std::move(text));
  }
  return list;
}

/// The pod of this name among those that were created.
inline Json created_pod(const Json& answer, std::string_view name) {
  for (const Json& entry : effects_of(answer, "CreatePod"))
    if (entry.at("name") == name) return entry.at("pod");
  INFO(answer.dump(1));
  FAIL("no pod " << name);
  return {};
}

}  // namespace pumice::test
