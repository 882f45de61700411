// Pod phases as the controllers tell them apart.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace pumice {

/// `status.phase` of a Pod. `Unknown` stands for every string that is none of the other four (spec/volcano-job.md 8.4).
enum class PodPhase : std::uint8_t { Pending, Running, Succeeded, Failed, Unknown };
inline constexpr std::size_t kPodPhaseCount = 5;
inline constexpr std::array<PodPhase, kPodPhaseCount> kPodPhases{
    PodPhase::Pending, PodPhase::Running, PodPhase::Succeeded, PodPhase::Failed, PodPhase::Unknown};

[[nodiscard]] std::string_view to_string(PodPhase phase) noexcept;
[[nodiscard]] PodPhase pod_phase_from(std::string_view text) noexcept;

}  // namespace pumice
