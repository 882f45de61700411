#include "pumice/model/pod_phase.h"

namespace pumice {

std::string_view to_string(PodPhase phase) noexcept {
  switch (phase) {
    case PodPhase::Pending: return "Pending";
    case PodPhase::Running: return "Running";
    case PodPhase::Succeeded: return "Succeeded";
    case PodPhase::Failed: return "Failed";
    case PodPhase::Unknown: return "Unknown";
  }
  return "Unknown";
}

PodPhase pod_phase_from(std::string_view text) noexcept {
  for (const PodPhase phase : kPodPhases) {
    if (to_string(phase) == text) return phase;
  }
  return PodPhase::Unknown;
}

}  // namespace pumice
