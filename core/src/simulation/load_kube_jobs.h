// batch/v1 Jobs of the manifests.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "pumice/kubejob/model.h"
#include "pumice/kubeworld/world.h"
#include "pumice/model/reader.h"
#include "pumice/simulation/simulation.h"

namespace pumice::simulation {

[[nodiscard]] bool is_kube_job(const ObjectHeader& header) noexcept;
/// Reads one and lets admission look at it; absent if it cannot be simulated. Its pods are added to `pods`.
[[nodiscard]] std::optional<kubejob::Job> load_kube_job(const YamlNode& root, const std::string& file,
                                                        const SimulationOptions& options, std::int64_t& pods,
                                                        Diagnostics& diagnostics);
[[nodiscard]] kubeworld::WorldConfig kube_config(const SimulationOptions& options);

}  // namespace pumice::simulation
