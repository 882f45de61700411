#include "pumice/model/pod.h"

#include <algorithm>

namespace pumice {

std::int32_t Pod::restarts() const noexcept {
  std::int32_t sum = init_restarts;
  for (const ContainerStatus& container : containers) sum += container.restart_count;
  return sum;
}

std::int32_t Pod::restarts_of(std::string_view container) const noexcept {
  for (const ContainerStatus& status : containers)
    if (container.empty() || status.name == container) return status.restart_count;
  return 0;
}

bool Pod::all_ready() const noexcept {
  return std::all_of(containers.begin(), containers.end(), [](const ContainerStatus& c) { return c.ready; });
}

std::string_view to_string(PodGroupPhase phase) noexcept {
  switch (phase) {
    case PodGroupPhase::None: return "";
    case PodGroupPhase::Pending: return "Pending";
    case PodGroupPhase::Inqueue: return "Inqueue";
    case PodGroupPhase::Running: return "Running";
    case PodGroupPhase::Unknown: return "Unknown";
    case PodGroupPhase::Completed: return "Completed";
    case PodGroupPhase::Other: return "Other";
  }
  return "";
}

PodGroupPhase pod_group_phase_from(std::string_view text) noexcept {
  for (const auto phase : {PodGroupPhase::None, PodGroupPhase::Pending, PodGroupPhase::Inqueue, PodGroupPhase::Running,
                           PodGroupPhase::Unknown, PodGroupPhase::Completed})
    if (to_string(phase) == text) return phase;
  return PodGroupPhase::Other;
}

}  // namespace pumice
