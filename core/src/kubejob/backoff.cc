#include "pumice/kubejob/backoff.h"

#include <algorithm>

#include "pumice/kubejob/names.h"

namespace pumice::kubejob {
namespace {

/// `base` doubled `times` times, at most `max`.
Duration doubled(Duration base, std::int64_t times, Duration max) noexcept {
  std::int64_t ns = base.ns;
  for (; times > 0 && ns < max.ns; --times) ns *= 2;
  return {std::min(ns, max.ns)};
}

}  // namespace

BackoffRecord next_record(const BackoffRecord& record, std::span<const Time> succeeded, std::span<const Time> failed) {
  BackoffRecord next = record;
  std::optional<Time> last_success;
  if (!succeeded.empty()) {
    next = {};
    last_success = *std::max_element(succeeded.begin(), succeeded.end());
  }
  std::optional<Time> last_failure;
  for (const Time at : failed) {
    if (last_success && at <= *last_success) continue;
    ++next.failures;
    if (!last_failure || *last_failure < at) last_failure = at;
  }
  if (last_failure) next.last_failure = last_failure;
  return next;
}

Duration remaining_backoff(std::int64_t failures, std::optional<Time> last_failure, Time now, Duration max) {
  if (failures <= 0 || !last_failure) return {};
  const Duration backoff = doubled(kPodBackoffBase, failures - 1, max);
  const Duration elapsed = now - *last_failure;
  return elapsed > backoff ? Duration{} : Time{backoff.ns} - Time{elapsed.ns};  // saturates
}

Duration retry_delay(std::int64_t failures_before, Duration base, Duration max) noexcept {
  return doubled(base, failures_before, max);
}

}  // namespace pumice::kubejob
