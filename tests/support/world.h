// A simulation in a few lines, for tests.
#pragma once

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "pumice/simulation/simulation.h"

namespace pumice::test {

/// A simulation that is started and plays the events of the line form. All steps are kept.
class World {
 public:
  explicit World(std::string_view manifest, Automation automation = Automation::Assist)
      : World(manifest, options_for(automation)) {}
  World(std::string_view manifest, const SimulationOptions& options) : simulation(load(manifest, options)) {
    steps.push_back(simulation.start());
  }

  /// Plays one event and returns the number of steps it took.
  std::size_t play(std::string_view line) {
    const auto event = parse_event(line);
    INFO(line);
    REQUIRE(event.ok());
    const auto more = simulation.apply(*event.value);
    steps.insert(steps.end(), more.begin(), more.end());
    return more.size();
  }
  void play_all(std::initializer_list<std::string_view> lines) {
    for (const std::string_view line : lines) play(line);
  }

  [[nodiscard]] const Job& job() const { return *simulation.cluster().jobs().begin()->second; }
  [[nodiscard]] const JobStatus& status() const { return job().status; }
  [[nodiscard]] std::string phase() const { return std::string(status().phase.text()); }
  [[nodiscard]] const StepRecord& last() const { return steps.back(); }

  /// Every phase the first job went through, in order, one entry a change.
  [[nodiscard]] std::vector<std::string> phases() const {
    std::vector<std::string> list;
    for (const StepRecord& step : steps)
      for (const volcano::Record& record : step.records)
        if (const auto* process = std::get_if<volcano::ProcessRecord>(&record))
          if (!process->after.phase.text().empty() && (list.empty() || list.back() != process->after.phase.text()))
            list.emplace_back(process->after.phase.text());
    return list;
  }
  /// All requests processed in the last step.
  [[nodiscard]] std::vector<volcano::ProcessRecord> processed() const {
    std::vector<volcano::ProcessRecord> list;
    for (const volcano::Record& record : last().records)
      if (const auto* process = std::get_if<volcano::ProcessRecord>(&record)) list.push_back(*process);
    return list;
  }
  [[nodiscard]] const Pod* pod(const std::string& name) const {
    const auto it = simulation.cluster().pods().find(job().meta.ns + "/" + name);
    return it == simulation.cluster().pods().end() ? nullptr : it->second.pod.get();
  }

  Simulation simulation;
  std::vector<StepRecord> steps;

 private:
  static SimulationOptions options_for(Automation automation) {
    SimulationOptions options;
    options.automation = automation;
    return options;
  }
  static Simulation load(std::string_view manifest, const SimulationOptions& options) {
    auto created = Simulation::create({{"test.yaml", std::string(manifest)}}, options);
    for (const Diagnostic& finding : created.diagnostics)
      if (finding.severity == Severity::Error) FAIL_CHECK(to_text(finding));
    REQUIRE(created.ok());
    return std::move(*created.value);
  }
};

/// A Job called `j` with one task `w`; `spec` and `task` are flow-style members added to them.
inline std::string one_task(int replicas, std::string_view spec = "", std::string_view task = "") {
  std::string text = "{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, metadata: {name: j}, spec: {";
  if (!spec.empty()) text += std::string(spec) + ", ";
  text += "tasks: [{name: w, replicas: " + std::to_string(replicas) + ", ";
  if (!task.empty()) text += std::string(task) + ", ";
  return text +
         "template: {spec: {restartPolicy: Never, containers: [{name: main, image: registry.example/tool:1}]}}}]}}";
}

}  // namespace pumice::test
