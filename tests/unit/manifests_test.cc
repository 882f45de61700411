// What Simulation::create says about manifests beyond what the reader finds.
#include <catch2/catch_test_macros.hpp>

#include <string>

#include "pumice/simulation/simulation.h"

namespace pumice {
namespace {

/// Findings of a severity, one per line, without their hints.
std::string findings(const Result<Simulation>& created, Severity severity) {
  std::string out;
  for (Diagnostic finding : created.diagnostics) {
    if (finding.severity != severity) continue;
    finding.hint.clear();
    out += to_text(finding) + "\n";
  }
  return out;
}

Result<Simulation> create(const std::string& text, const SimulationOptions& options = {}) {
  return Simulation::create({{"job.yaml", text}}, options);
}

std::string job(const std::string& name, const std::string& task, const std::string& indent, const std::string& more) {
  const auto line = [&](const std::string& text) { return indent + text + "\n"; };
  return line("apiVersion: batch.volcano.sh/v1alpha1") + line("kind: Job") + line("metadata: {name: " + name + "}") +
         line("spec:") + line("  tasks:") + line("  - name: " + task) +
         line("    template: {spec: {restartPolicy: Never, containers: [{name: main}]}}") + line("    replicas: 1") +
         (more.empty() ? "" : line(more));
}

std::string in_list(const std::string& item) {
  std::string text = item;
  text.replace(0, 2, "- ");
  return text;
}

TEST_CASE("the items of a list are read like documents", "[manifests]") {
  const auto created =
      create("apiVersion: v1\nkind: List\nitems:\n" + in_list(job("a", "w", "  ", "")) +
             "- {apiVersion: v1, kind: ConfigMap, metadata: {name: c}}\n" + in_list(job("b", "w", "  ", "  extra: 1")));
  REQUIRE(created.ok());
  CHECK(created.value->jobs() == std::vector<std::string>{"default/a", "default/b"});
  CHECK(findings(created, Severity::Warning) ==
        "job.yaml:12:26: warning: items[1].kind: `v1/ConfigMap` is not simulated\n"
        "job.yaml:21:5: warning: items[2].spec.extra: unknown field `extra` is ignored\n");
  const auto place = created.value->place_of("default/b", "spec.tasks[0].name");
  REQUIRE(place);
  CHECK(place->range.begin == Position{18, 13});
}

TEST_CASE("what a JobList holds are Jobs, whether they say so or not", "[manifests]") {
  const auto created = create(
      "{apiVersion: batch.volcano.sh/v1alpha1, kind: JobList, items: [{metadata: {name: a}, spec: {tasks: [{name: w, "
      "template: {spec: {restartPolicy: Never, containers: [{name: m}]}}}]}}]}");
  REQUIRE(created.ok());
  CHECK(created.value->jobs() == std::vector<std::string>{"default/a"});
}

TEST_CASE("lists that hold nothing, no objects, or themselves", "[manifests]") {
  const auto errors = [](const char* text) { return findings(create(text), Severity::Error); };
  constexpr const char* kNone = "job.yaml:1:1: error: no Volcano Job is among the documents\n";
  CHECK(errors("{apiVersion: v1, kind: List}") == kNone);
  CHECK(errors("{apiVersion: v1, kind: List, items: []}") == kNone);
  CHECK(errors("{apiVersion: v1, kind: List, items: {}}") ==
        "job.yaml:1:37: error: items: expected a list, found map\n");
  CHECK(errors("{apiVersion: v1, kind: List, items: [7]}") ==
        "job.yaml:1:38: error: items[0]: expected a Kubernetes object, found number\n");
  CHECK(errors("{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: List, items: [{kind: Job}]}]}") ==
        "job.yaml:1:75: error: items[0].items[0].apiVersion: `apiVersion` is missing\n");
}

TEST_CASE("what the manifest of a running Job says beyond its spec is not used", "[manifests]") {
  const auto created = create(
      "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata:\n  name: a\n  deletionTimestamp: "
      "\"2026-03-02T10:00:00Z\"\nspec: {tasks: [{name: w, template: {spec: {restartPolicy: Never, containers: [{name: "
      "m}]}}}]}\nstatus: {state: {phase: Running}}\n");
  REQUIRE(created.ok());
  CHECK(findings(created, Severity::Note) ==
        "job.yaml:7:1: note: status: a Job that is created begins without status, so this is not used\n");
  CHECK(findings(created, Severity::Warning) ==
        "job.yaml:5:3: warning: metadata.deletionTimestamp: a Job that is created is not being deleted, so this is not "
        "used\n");
}

TEST_CASE("pods whose names the API server refuses", "[manifests]") {
  CHECK(findings(create(job("a", "W_1", "", "")), Severity::Error) ==
        "job.yaml:6:11: error: spec.tasks[0].name: pods of task `W_1` cannot be created: the API server refuses names "
        "such as `a-W_1-0`\n");
  CHECK(findings(create(job("a", std::string(252, 'w'), "", "")), Severity::Error) ==
        "job.yaml:6:11: error: spec.tasks[0].name: pods of this task cannot be created: their names would have 256 "
        "characters, 253 are allowed\n");
  const auto created = create(job("a", "w.1", "", ""));
  CHECK(created.ok());
  CHECK(
      findings(created, Severity::Warning) ==
      "job.yaml:6:11: warning: spec.tasks[0].name: Volcano's webhook refuses the task name `w.1`; without the webhook "
      "it can be used\n");
}

TEST_CASE("timeouts and options that lead behind the end of time", "[manifests][time]") {
  const auto created =
      create(job("a", "w", "", "  policies: [{event: PodFailed, action: RestartJob, timeout: 2562047h}]"));
  REQUIRE(created.ok());
  CHECK(findings(created, Severity::Warning) ==
        "job.yaml:9:62: warning: spec.policies[0].timeout: a timeout of 2562047h0m0s never expires here: it leads "
        "behind the end of time that can be simulated, 2262-04-11T23:47:16Z\n");
  CHECK(findings(create(job("a", "w", "", "  policies: [{event: PodFailed, action: RestartJob, timeout: 2562048h}]")),
                 Severity::Error) ==
        "job.yaml:9:62: error: spec.policies[0].timeout: `2562048h` is too long a duration: 2562047h47m16s, some 292 "
        "years, are the most\n");
  SimulationOptions options;
  options.timings.run = seconds(9'000'000'000);
  CHECK(findings(create(job("a", "w", "", ""), options), Severity::Error) ==
        "error: timings.run: 2500000h0m0s from the start lies behind the end of time that can be simulated, "
        "2262-04-11T23:47:16Z\n");
  options.start = *parse_rfc3339("2262-04-11T12:00:00Z");
  CHECK(findings(create(job("a", "w", "", ""), options), Severity::Error) ==
        "error: start: 2262-04-11T12:00:00Z is less than a day before the end of time that can be simulated, "
        "2262-04-11T23:47:16Z\n");
}

}  // namespace
}  // namespace pumice
