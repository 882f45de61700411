#include <algorithm>
#include <limits>

#include "civil.h"
#include "cron/search.h"

namespace pumice::cron {
namespace {

constexpr std::int64_t kSecondsMax = std::numeric_limits<std::int64_t>::max() / kSecond.ns;

std::optional<Time> time_of(std::int64_t seconds) noexcept {
  return seconds <= kSecondsMax ? std::optional(Time{seconds * kSecond.ns}) : std::nullopt;
}

}  // namespace

Schedule Schedule::every(Duration delay) {
  Schedule schedule;
  schedule.every_seconds_ = std::max<std::int64_t>(1, delay.ns / kSecond.ns);
  return schedule;
}

std::optional<Time> Schedule::next(Time after) const {
  PeriodMemory memory;
  return next(after, memory);
}

std::optional<Time> Schedule::next(Time after, PeriodMemory& memory) const {
  const std::int64_t now = floor_div(after.ns, kSecond.ns);
  if (is_every()) return time_of(now + every_seconds_);
  const auto found = Search(fields_, zone_, memory).from(now + 1);
  return found ? time_of(*found) : std::nullopt;
}

}  // namespace pumice::cron
