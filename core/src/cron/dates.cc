// Dates as bits: what a month allows is one word.
#include <array>
#include <bit>

#include "civil.h"
#include "cron/search.h"

namespace pumice::cron {
namespace {

constexpr std::uint64_t kWeek = 0x7F;  // all weekdays

}  // namespace

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
  const std::uint64_t week = fields.weekday.values & kWeek;
  // Bit i: the weekday of day 1 + i; then the same five times over, and moved to count from 1.
  const std::uint64_t turned = week == kWeek ? kWeek : (week | week << 7U) >> weekday_of(first) & kWeek;
  const std::uint64_t by_weekday = (turned | turned << 7U | turned << 14U | turned << 21U | turned << 28U) << 1U;
  const std::uint64_t by_day = fields.day.values;
  const std::uint64_t there = (std::uint64_t{2} << length) - 2;
  return (fields.day.star || fields.weekday.star ? by_day & by_weekday : by_day | by_weekday) & there;
}

namespace {

constexpr std::array<std::uint8_t, 13> kLengths{0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
/// Days of an ordinary year before a month.
constexpr std::array<std::int64_t, 13> kBefore{0, 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};

constexpr bool is_leap(std::int64_t year) noexcept { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

}  // namespace

std::optional<std::int64_t> next_date(const Fields& fields, const Wall& now, std::int64_t last_year) noexcept {
  // Where the weekday decides nothing, and no month but February has the day, only leap years are worth a look.
  const bool any_weekday = (fields.day.star || fields.weekday.star) && (fields.weekday.values & kWeek) == kWeek;
  const bool leap_only = any_weekday && (fields.month.values & 0x1FFE) == 4 && (fields.day.values & 0x1FFFFFFE) == 0;
  unsigned month = now.month;
  std::int64_t year = now.year;
  std::int64_t new_year = now.day - (now.day_of_month - 1) - kBefore[month] - (month > 2 && is_leap(year) ? 1 : 0);
  while (year <= last_year) {
    const bool leap = is_leap(year);
    std::uint64_t months = leap_only && !leap ? 0 : fields.month.values >> month << month & 0x1FFE;
    for (; months != 0; months &= months - 1) {
      const auto candidate = static_cast<unsigned>(std::countr_zero(months));
      const std::int64_t first = new_year + kBefore[candidate] + (leap && candidate > 2 ? 1 : 0);
      const unsigned length = kLengths[candidate] + (leap && candidate == 2 ? 1U : 0U);
      std::uint64_t days = days_of_month(fields, first, length);
      // Days up to that of `now` do not count.
      if (year == now.year && candidate == now.month) days = days >> now.day_of_month >> 1U << now.day_of_month << 1U;
      if (days != 0) return first + std::countr_zero(days) - 1;
    }
    // None of the years between is a leap year.
    const std::int64_t years = leap_only ? 4 - (year & 3) : 1;
    new_year += years * 365 + (leap ? 1 : 0);
    year += years;
    month = 1;
  }
  return std::nullopt;
}

}  // namespace pumice::cron
