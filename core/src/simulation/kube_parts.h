// Small pieces of the simulation that are about batch/v1 Jobs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pumice/json.h"
#include "pumice/kubeworld/world.h"
#include "pumice/simulation/report.h"
#include "pumice/simulation/simulation.h"

namespace pumice::simulation {

struct Scene;

[[nodiscard]] kubeworld::PodChange pod_change(const PodEvent& event);
/// Any of them, or the one called `key`.
[[nodiscard]] bool any_kube_job_is(const kubeworld::World& world, const std::string& key, std::string_view state);
[[nodiscard]] bool kube_state_changed(const StepRecord& step, const std::string& key);

// In words and as JSON (kube_words.cc).

/// Batch/v1 Jobs that the manifests hold, for the first step: `Job pi`, `2 Jobs`.
void add_created_kube_jobs(const Scene& scene, std::vector<std::string>& list);
/// A step in which only batch/v1 Jobs took part.
[[nodiscard]] bool is_kube_step(const StepRecord& step);
/// What began such a step; empty if the user or the clock did.
[[nodiscard]] std::string kube_input(const StepRecord& step, const Scene& scene);
[[nodiscard]] std::string kube_sentence(const StepRecord& step, const Scene& scene);
/// `Active → Failed` and the like, for the head of a step.
void add_kube_changes(const StepRecord& step, const Scene& scene, Line& line, bool& any);
void add_kube_lines(const Simulation& after, const StepRecord& step, Explain level, std::vector<Line>& lines);
/// `kube` of a step: {changes, records, recordsTotal, fired}.
[[nodiscard]] Json kube_step_json(const StepRecord& step, bool with_records);
/// `kubeJobs` of the view, and what is upcoming.
void add_kube_view(const Simulation& simulation, Json& view);

}  // namespace pumice::simulation
