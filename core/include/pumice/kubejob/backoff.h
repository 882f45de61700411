// How long a failed pod is not replaced (spec/k8s-job.md 11).
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "pumice/time.h"

namespace pumice::kubejob {

/// Kept in memory only: a controller that starts anew has forgotten it.
struct BackoffRecord {
  std::int64_t failures = 0;  ///< since the last success
  std::optional<Time> last_failure;

  friend bool operator==(const BackoffRecord&, const BackoffRecord&) = default;
};

/// The record after these pods were seen, told by their finish times in any order.
[[nodiscard]] BackoffRecord next_record(const BackoffRecord& record, std::span<const Time> succeeded,
                                        std::span<const Time> failed);

/// 10 s, doubled with each failure after the first, at most `max`; less the time since the last failure.
[[nodiscard]] Duration remaining_backoff(std::int64_t failures, std::optional<Time> last_failure, Time now,
                                         Duration max);

/// Delay before try `failures_before + 1` of a failing key: `base` doubled each time, at most `max` (spec 3.1 Q-3).
[[nodiscard]] Duration retry_delay(std::int64_t failures_before, Duration base, Duration max) noexcept;

}  // namespace pumice::kubejob
