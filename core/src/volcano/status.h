// Small steps on a job status that sync and kill share.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "pumice/model/job.h"

namespace pumice::volcano {

/// Sets every count to zero and empties the counts per task.
void clear_counts(JobStatus& status);
/// Adds pods of one task, to the job's counts too. A task without pods gets no entry (spec 8.4).
void add_counts(JobStatus& status, const std::string& task, const PhaseCounts& counts);
/// Takes a pod away again, from the job's counts too.
void uncount(JobStatus& status, const std::string& task, PodPhase phase);
/// Adds pods to the job's counts alone.
void add_sums(JobStatus& status, const PhaseCounts& counts);
/// Spec 1.5, `conditions`: an older entry of the current phase goes, a new one is appended.
void append_condition(JobStatus& status, Time now);
/// `1 pod could not be deleted`, `2 pods could not be deleted`.
[[nodiscard]] std::string failed_text(std::int64_t pods, std::string_view what);
/// 32-bit arithmetic as in the real controller: it wraps around.
[[nodiscard]] constexpr std::int32_t wrapping_multiply(std::int32_t a, std::int32_t b) noexcept {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) * static_cast<std::uint32_t>(b));
}

}  // namespace pumice::volcano
