// The search runs in two gears.
//
// Where clocks keep one offset, the original's loops over months, days, hours and minutes find the smallest matching
// local time, and bits find it at once. The same holds for dates further on, whatever changes of offset lie between:
// the original moves from midnight to midnight there, and only a midnight that does not exist makes it go astray.
//
// Everything else is walked in the original's steps: days with a change of offset, zones that lose midnights, and the
// odd local mean time with seconds in its offset.
#include "cron/search.h"

#include <bit>

#include "civil.h"

namespace pumice::cron {
namespace {

constexpr std::int64_t kHour = 3600;
constexpr std::int64_t kMinute = 60;
constexpr std::int64_t kYearsAhead = 5;

std::int64_t first_of(const Field& field) noexcept { return std::countr_zero(field.values); }

/// True if the original's way from a local time to an instant (spec 5.5) stays inside the period.
bool is_plain(const ZonePeriod& period, std::int64_t local) noexcept {
  return period.contains(local) && period.contains(local - period.offset);
}

bool day_matches(const Fields& fields, const Wall& wall) noexcept {
  return fields.day_matches(wall.day_of_month, wall.weekday());
}

}  // namespace

/// What is left of the day that the search begins in.
struct Search::Today {
  enum class Kind : std::uint8_t { Found, Over, Unclear };
  Kind kind = Kind::Unclear;
  std::int64_t at = 0;  ///< the answer, or the midnight that ends the day
};

/// The instant of a local time, found as the original finds it (spec 5.5).
std::int64_t Search::instant(std::int64_t local) {
  const ZonePeriod first = period(local);
  if (first.offset == 0) return local;
  const std::int64_t guess = local - first.offset;
  return first.contains(guess) ? guess : local - period(guess).offset;
}

Search::Today Search::today(std::int64_t at, const Wall& now, const ZonePeriod& here) const {
  const std::int64_t hour = now.hour();
  const bool hour_matches = fields_.hour.has(hour);
  // An hour that does not match is first set back to its beginning.
  if (!hour_matches && !is_plain(here, now.day * kDaySeconds + hour * kHour)) return {};
  const std::int64_t minute = now.minute() + (now.second % kMinute > 0 ? 1 : 0);
  std::int64_t second = kDaySeconds;
  if (const std::uint64_t minutes = fields_.minute.values >> minute; hour_matches && minutes != 0) {
    second = hour * kHour + (minute + std::countr_zero(minutes)) * kMinute;
  } else if (const std::uint64_t hours = fields_.hour.values >> (hour + 1); hours != 0) {
    second = (hour + 1 + std::countr_zero(hours)) * kHour + first_of(fields_.minute) * kMinute;
  }
  const std::int64_t then = at + second - now.second;
  if (then >= here.end) return {};
  return {second < kDaySeconds ? Today::Kind::Found : Today::Kind::Over, then};
}

/// Goes on at the midnight that ends the day of `now`. `reset_day` is the first day whose midnight the original touches
/// on its way; `arrived` is the instant of midnight if hours were walked up to it.
std::optional<std::int64_t> Search::from_date(std::int64_t candidate, std::int64_t reset_day, const Wall& now,
                                              std::optional<std::int64_t> arrived) {
  const auto date = next_date(fields_, now, last_year_);
  const std::int64_t last_day = date ? *date : first_of_month(last_year_ + 1, 1);
  if (zone_.may_miss_midnight(reset_day, last_day)) return walk(candidate, false);
  if (!date) return std::nullopt;
  const std::int64_t midnight = *date * kDaySeconds;
  const std::int64_t at = arrived && *date == now.day + 1 ? *arrived : instant(midnight);
  const ZonePeriod& there = period(at);
  if (at + there.offset != midnight) return walk(candidate, false);
  const std::int64_t found = at + first_of(fields_.hour) * kHour + first_of(fields_.minute) * kMinute;
  return found < there.end ? std::optional(found) : walk(at, true);
}

std::optional<std::int64_t> Search::from(std::int64_t candidate) {
  const ZonePeriod here = period(candidate);
  const Wall now = wall_of(candidate + here.offset);
  last_year_ = now.year + kYearsAhead;
  if (fields_.minute.values == 0 || fields_.hour.values == 0 || fields_.month.values == 0) return std::nullopt;
  if (here.offset % kMinute != 0) return walk(candidate, false);
  if (!fields_.month.has(now.month)) {
    const std::int64_t first = first_of_month(now.year, now.month);
    return from_date(candidate, first, now, std::nullopt);
  }
  if (!day_matches(fields_, now)) return from_date(candidate, now.day, now, std::nullopt);
  const Today left = today(candidate, now, here);
  switch (left.kind) {
    case Today::Kind::Found: return left.at;
    case Today::Kind::Over: return from_date(candidate, now.day + 1, now, left.at);
    case Today::Kind::Unclear: break;
  }
  return walk(candidate, false);
}

// -- The original's steps (spec 5.3). A loop that comes to a new month, day or hour returns false: back to the start.

struct Search::Walk {
  std::int64_t at = 0;
  bool reset = false;
  bool stuck = false;  ///< a step led nowhere: a day that a zone left out altogether. The original never returns.
};

bool Search::walk_months(Walk& walk) {
  for (Wall now = wall(walk.at); !fields_.month.has(now.month);) {
    if (!walk.reset) {
      walk.reset = true;
      walk.at = instant(first_of_month(now.year, now.month) * kDaySeconds);
      now = wall(walk.at);
    }
    const std::int64_t year = now.month == 12 ? now.year + 1 : now.year;
    const std::int64_t first = first_of_month(year, now.month % 12 + 1);
    const std::int64_t next = instant((first + now.day_of_month - 1) * kDaySeconds + now.second);
    walk.stuck = next <= walk.at;
    walk.at = next;
    now = wall(walk.at);
    if (now.month == 1 || walk.stuck) return false;
  }
  return true;
}

bool Search::walk_days(Walk& walk) {
  for (Wall now = wall(walk.at); !day_matches(fields_, now);) {
    if (!walk.reset) {
      walk.reset = true;
      walk.at = instant(now.day * kDaySeconds);
      now = wall(walk.at);
    }
    std::int64_t next = instant((now.day + 1) * kDaySeconds + now.second);
    const std::int64_t hour = wall(next).hour();
    if (hour != 0) next += (hour > 12 ? 24 - hour : -hour) * kHour;
    walk.stuck = next <= walk.at;
    walk.at = next;
    now = wall(walk.at);
    if (now.day_of_month == 1 || walk.stuck) return false;
  }
  return true;
}

bool Search::walk_hours(Walk& walk) {
  for (Wall now = wall(walk.at); !fields_.hour.has(now.hour());) {
    if (!walk.reset) {
      walk.reset = true;
      walk.at = instant(now.day * kDaySeconds + now.hour() * kHour);
    }
    walk.at += kHour;
    now = wall(walk.at);
    if (now.hour() == 0) return false;
  }
  return true;
}

bool Search::walk_minutes(Walk& walk) {
  Wall now = wall(walk.at);
  while (!fields_.minute.has(now.minute())) {
    if (!walk.reset) {
      walk.reset = true;
      walk.at -= (walk.at % kMinute + kMinute) % kMinute;
    }
    walk.at += kMinute;
    now = wall(walk.at);
    if (now.minute() == 0) return false;
  }
  if (now.second % kMinute == 0) return true;
  walk.reset = true;
  while (wall(walk.at).second % kMinute != 0) ++walk.at;
  return false;
}

std::optional<std::int64_t> Search::walk(std::int64_t at, bool reset) {
  Walk walk{at, reset};
  while (!walk.stuck && wall(walk.at).year <= last_year_) {
    if (walk_months(walk) && walk_days(walk) && walk_hours(walk) && walk_minutes(walk)) return walk.at;
  }
  return std::nullopt;
}

}  // namespace pumice::cron
