// Activations that clock changes repeat, and times that they leave out: for lists of activations (spec 5.6).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pumice/cron/schedule.h"

namespace pumice::cron {

enum class ClockMark : std::uint8_t { None, FirstOfTwo, SecondOfTwo };
/// `first of two`, `second of two`; empty for None.
[[nodiscard]] std::string_view to_string(ClockMark mark) noexcept;

/// Whether the clocks of the schedule's zone show `at`'s local time twice, and which time this is. None for `@every`,
/// and for schedules of every hour, which just go on.
[[nodiscard]] ClockMark mark_of(const Schedule& schedule, Time at);

struct SkippedTime {
  Time change;        ///< when the clocks go forward
  std::string local;  ///< `2026-03-29 02:30`: the time that does not exist
};
/// The times on paper that a change in `begin` < t ≤ `end` leaves out, at most `max`.
[[nodiscard]] std::vector<SkippedTime> skipped_between(const Schedule& schedule, Time begin, Time end, std::size_t max);

}  // namespace pumice::cron
