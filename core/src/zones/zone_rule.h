// The rule that a compiled zone ends with, a POSIX TZ string such as `EST5EDT,M3.2.0,M11.1.0`.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "pumice/zone.h"

namespace pumice::zones {

/// A day of the year with a time of day at which clocks change.
struct RuleDay {
  enum class Kind : std::uint8_t { MonthWeekDay, JulianWithoutLeapDay, DayOfYear };
  Kind kind = Kind::MonthWeekDay;
  std::int32_t month = 0;  ///< 1 … 12
  std::int32_t week = 0;   ///< 1 … 5, 5 is the last
  std::int32_t day = 0;    ///< weekday from Sunday = 0, or day of the year
  std::int32_t time = 7200;

  /// The change in `year`, as seconds of local time since 1970-01-01T00:00:00.
  [[nodiscard]] std::int64_t in(std::int64_t year) const noexcept;
};

struct ZoneRule {
  std::int32_t standard = 0;  ///< seconds east of Greenwich
  std::int32_t summer = 0;
  bool changes = false;  ///< false: `standard` for ever
  RuleDay begin;         ///< of summer time, read on standard clocks
  RuleDay end;           ///< of summer time, read on summer clocks

  /// The period around `at`, as if the rule had always held.
  [[nodiscard]] ZonePeriod period_at(std::int64_t at) const noexcept;

 private:
  [[nodiscard]] bool alternates() const noexcept;
  [[nodiscard]] ZonePeriod usual_period(std::int64_t year, std::int64_t at, std::int64_t shift) const noexcept;
};

/// Empty if the text is no such rule.
[[nodiscard]] std::optional<ZoneRule> parse_zone_rule(std::string_view text) noexcept;

}  // namespace pumice::zones
