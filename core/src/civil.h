// Days and dates, proleptic Gregorian. Days count from 1970-01-01.
#pragma once

#include <chrono>
#include <cstdint>

namespace pumice {

inline constexpr std::int64_t kDaySeconds = 86'400;

[[nodiscard]] constexpr std::int64_t floor_div(std::int64_t a, std::int64_t b) noexcept {
  return a / b - (a % b < 0 ? 1 : 0);
}

/// From Sunday = 0; the epoch was a Thursday. Any day that seconds in 64 bits reach.
[[nodiscard]] constexpr unsigned weekday_of(std::int64_t day) noexcept {
  constexpr std::int64_t kWholeWeeks = std::int64_t{7} << 45U;  // more days than there are before the epoch
  return static_cast<unsigned>(static_cast<std::uint64_t>(day + 4 + kWholeWeeks) % 7);
}

struct CivilDate {
  std::int64_t year;
  unsigned month;
  unsigned day;
};

[[nodiscard]] constexpr CivilDate date_of(std::int64_t day) noexcept {
  const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(static_cast<int>(day)))};
  return {static_cast<int>(date.year()), static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day())};
}

[[nodiscard]] constexpr std::int64_t first_of_month(std::int64_t year, unsigned month) noexcept {
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(year)), std::chrono::month(month),
                                         std::chrono::day(1)};
  return std::chrono::sys_days(date).time_since_epoch().count();
}

}  // namespace pumice
