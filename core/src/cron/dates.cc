// Dates as bits: what a month allows is one word.
#include <algorithm>
#include <bit>

#include "civil.h"
#include "cron/search.h"

namespace pumice::cron {
unsigned Wall::weekday() const noexcept { return weekday_of(day); }

Wall wall_of(std::int64_t local) noexcept {
  Wall wall;
  wall.day = floor_div(local, kDaySeconds);
  wall.second = local - wall.day * kDaySeconds;
  const CivilDate date = date_of(wall.day);
  wall.year = date.year;
  wall.month = date.month;
  wall.day_of_month = date.day;
  return wall;
}

std::uint64_t days_of_month(const Fields& fields, std::int64_t first, unsigned length) noexcept {
  const std::uint64_t week = fields.weekday.values & 0x7F;
  // Bit i: the weekday of day 1 + i; then the same five times over, and moved to count from 1.
  const std::uint64_t turned = (week | week << 7U) >> weekday_of(first) & 0x7F;
  const std::uint64_t by_weekday = (turned | turned << 7U | turned << 14U | turned << 21U | turned << 28U) << 1U;
  const std::uint64_t by_day = fields.day.values;
  const std::uint64_t there = (std::uint64_t{2} << length) - 2;
  return (fields.day.star || fields.weekday.star ? by_day & by_weekday : by_day | by_weekday) & there;
}

std::optional<std::int64_t> next_date(const Fields& fields, std::int64_t from, std::int64_t last_year) noexcept {
  const CivilDate start = date_of(from);
  unsigned skipped = start.day;  // days before this one do not count
  unsigned month = start.month;
  for (std::int64_t year = start.year; year <= last_year; ++year, month = 1) {
    std::uint64_t months = fields.month.values >> month << month & 0x1FFE;
    for (; months != 0; months &= months - 1) {
      const auto candidate = static_cast<unsigned>(std::countr_zero(months));
      const std::int64_t first = first_of_month(year, candidate);
      const std::int64_t behind = candidate == 12 ? first + 31 : first_of_month(year, candidate + 1);
      std::uint64_t days = days_of_month(fields, first, static_cast<unsigned>(behind - first));
      if (year == start.year && candidate == start.month) days = days >> skipped << skipped;
      if (days != 0) return first + std::countr_zero(days) - 1;
    }
  }
  return std::nullopt;
}

}  // namespace pumice::cron
