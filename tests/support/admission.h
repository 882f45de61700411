// Admission in a few words: manifests as YAML in, what the cluster says out.
#pragma once

#include <string>
#include <string_view>

#include "pumice/admission/review.h"
#include "pumice/check.h"
#include "pumice/model/reader.h"
#include "pumice/yaml.h"

namespace pumice::test {

inline Json json_of(const std::string& text) {
  const auto documents = parse_yaml(text);
  PUMICE_CHECK(documents.ok());
  return to_json(documents.value->front().root);
}

/// As a webhook behind an API server sees it: no rules of the schema, no lint.
inline admission::Options webhook() {
  admission::Options options;
  options.schema = false;
  options.lint = false;
  return options;
}

/// As a cluster answers `kubectl create`, without lint.
inline admission::Options cluster() {
  admission::Options options;
  options.lint = false;
  return options;
}

/// Reviews the object of a YAML text, in place of `old` if there is one. Findings have their places.
inline admission::Review review_of(const std::string& text, const admission::Options& options = {},
                                   const std::string& old = {}) {
  const auto documents = parse_yaml(text);
  PUMICE_CHECK(documents.ok());
  const YamlNode& root = documents.value->front().root;
  const auto header = read_header(root);
  PUMICE_CHECK(header.ok());
  const auto kind = admission::kind_of(header.value->api_version, header.value->kind);
  PUMICE_CHECK(kind.has_value());
  const Json before = old.empty() ? Json() : json_of(old);
  admission::Review review = admission::review(*kind, to_json(root), old.empty() ? nullptr : &before, options);
  admission::locate(review.diagnostics, root, "m.yaml");
  return review;
}

/// `code  field` for each finding, one per line.
inline std::string codes_of(const admission::Review& review) {
  std::string out;
  for (const Diagnostic& finding : review.diagnostics) out += finding.code + "  " + finding.field + "\n";
  return out;
}

/// What stands in `review.message` if there is one; else `allowed`.
inline std::string verdict_of(const admission::Review& review) {
  PUMICE_CHECK(review.allowed == review.message.empty());
  return review.allowed ? "allowed" : review.message;
}

// --- manifests ---

inline const std::string kPod =
    "{spec: {restartPolicy: Never, containers: [{name: main, image: registry.example/tool:1}]}}";

/// A Volcano Job `j` with a spec in YAML's flow style.
inline std::string volcano_job(const std::string& spec, const std::string& name = "j") {
  return "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: " + name +
         ", namespace: team}\nspec: " + spec + "\n";
}
/// One with a single task `w`, of which `task` has more members, and `more` for the spec.
inline std::string one_task(const std::string& task, const std::string& more = {}) {
  return volcano_job("{" + more + (more.empty() ? "" : ", ") + "tasks: [{name: w, " + task +
                     (task.empty() ? "" : ", ") + "template: " + kPod + "}]}");
}
/// One with one container that has more members than name and image.
inline std::string one_container(const std::string& container, const std::string& pod = {}) {
  return volcano_job("{tasks: [{name: w, replicas: 1, template: {spec: {restartPolicy: Never, " + pod +
                     (pod.empty() ? "" : ", ") + "containers: [{" + container + "}]}}}]}");
}

inline std::string kube_job(const std::string& spec, const std::string& name = "j") {
  return "apiVersion: batch/v1\nkind: Job\nmetadata: {name: " + name + ", namespace: team}\nspec: {" + spec +
         (spec.find("template:") == std::string::npos ? (spec.empty() ? "" : ", ") + ("template: " + kPod) : "") +
         "}\n";
}

inline std::string cron_job(const std::string& api_version, const std::string& spec, const std::string& name = "c") {
  const std::string job = api_version == "batch/v1"
                              ? "{spec: {template: " + kPod + "}}"
                              : "{spec: {tasks: [{name: w, replicas: 1, template: " + kPod + "}]}}";
  return "apiVersion: " + api_version + "\nkind: CronJob\nmetadata: {name: " + name + ", namespace: team}\nspec: {" +
         spec + (spec.find("jobTemplate:") == std::string::npos ? ", jobTemplate: " + job : "") + "}\n";
}
inline std::string volcano_cron(const std::string& spec, const std::string& name = "c") {
  return cron_job("batch.volcano.sh/v1alpha1", spec, name);
}
inline std::string kube_cron(const std::string& spec, const std::string& name = "c") {
  return cron_job("batch/v1", spec, name);
}

}  // namespace pumice::test
