// Dates as bits: what a month allows is one word.
#include <algorithm>
#include <bit>
#include <chrono>

#include "cron/search.h"

namespace pumice::cron {
namespace {

constexpr std::int64_t kSecondsPerDay = 86'400;

constexpr std::int64_t floor_div(std::int64_t a, std::int64_t b) noexcept { return a / b - (a % b < 0 ? 1 : 0); }

constexpr unsigned weekday_of(std::int64_t day) noexcept {
  return static_cast<unsigned>(((day + 4) % 7 + 7) % 7);  // the epoch was a Thursday
}

struct Date {
  std::int64_t year;
  unsigned month;
  unsigned day;
};

Date date_of(std::int64_t day) noexcept {
  const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(static_cast<int>(day)))};
  return {static_cast<int>(date.year()), static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day())};
}

}  // namespace

unsigned Wall::weekday() const noexcept { return weekday_of(day); }

Wall wall_of(std::int64_t local) noexcept {
  Wall wall;
  wall.day = floor_div(local, kSecondsPerDay);
  wall.second = local - wall.day * kSecondsPerDay;
  const Date date = date_of(wall.day);
  wall.year = date.year;
  wall.month = date.month;
  wall.day_of_month = date.day;
  return wall;
}

std::int64_t first_of_month(std::int64_t year, unsigned month) noexcept {
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(year)), std::chrono::month(month),
                                         std::chrono::day(1)};
  return std::chrono::sys_days(date).time_since_epoch().count();
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
  const Date start = date_of(from);
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
