// What a pod is to the controller (spec/k8s-job.md 4, 7.6, 11).
#pragma once

#include <cstdint>
#include <optional>

#include "pumice/kubejob/model.h"
#include "pumice/kubejob/profile.h"
#include "pumice/time.h"

namespace pumice::kubejob {

[[nodiscard]] constexpr bool is_ended(PodPhase phase) noexcept {
  return phase == PodPhase::Succeeded || phase == PodPhase::Failed;
}
[[nodiscard]] bool is_active(const Pod& pod) noexcept;
[[nodiscard]] bool is_terminating(const Pod& pod) noexcept;
/// Has condition Ready = True. Of active pods these are the ready ones.
[[nodiscard]] bool is_ready(const Pod& pod) noexcept;

/// Replacements wait for the end of what they replace.
[[nodiscard]] bool only_replaces_failed(const JobSpec& spec, Quirks quirks) noexcept;
[[nodiscard]] bool is_considered_failed(const Pod& pod, const JobSpec& spec, Quirks quirks) noexcept;
[[nodiscard]] bool has_per_index_limit(const JobSpec& spec, Quirks quirks) noexcept;

/// `activeDeadlineSeconds`; what is longer than 285 years is for ever. Precondition: there is one.
[[nodiscard]] Duration active_deadline(const JobSpec& spec) noexcept;

/// The completion index, or `kUnknownIndex` if the annotation is missing, no number, or negative.
[[nodiscard]] std::int32_t completion_index(const Pod& pod) noexcept;
[[nodiscard]] bool is_valid_index(std::int32_t index, const JobSpec& spec) noexcept;

/// The two failure counts of a pod of a job with per-index limits (spec 7.6): 0 if missing or unusable.
[[nodiscard]] std::int32_t failure_count(const Pod& pod) noexcept;
[[nodiscard]] std::int32_t ignored_failure_count(const Pod& pod) noexcept;
[[nodiscard]] std::int64_t total_failure_count(const Pod& pod) noexcept;

/// Container restarts that count towards the limit with restartPolicy OnFailure: pods Running or Pending (spec 6.3).
[[nodiscard]] std::int64_t counted_restarts(const Pod& pod) noexcept;

/// When a pod ended (spec 11).
[[nodiscard]] Time finish_time(const Pod& pod, Quirks quirks = {}) noexcept;

}  // namespace pumice::kubejob
