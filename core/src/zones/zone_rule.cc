#include "zones/zone_rule.h"

#include <algorithm>

#include "civil.h"

namespace pumice::zones {
namespace {

constexpr bool is_leap(std::int64_t year) noexcept { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

/// Takes the name of a kind of time: letters, or anything inside angle brackets.
bool take_name(std::string_view& text) noexcept {
  if (text.starts_with('<')) {
    const std::size_t end = text.find('>');
    if (end == std::string_view::npos) return false;
    text.remove_prefix(end + 1);
    return true;
  }
  const std::size_t end = std::min(text.find_first_of("+-,0123456789"), text.size());
  text.remove_prefix(end);
  return end >= 3;
}

std::optional<std::int32_t> take_number(std::string_view& text, std::int32_t max) noexcept {
  std::int32_t value = 0;
  std::size_t digits = 0;
  for (; digits < text.size() && text[digits] >= '0' && text[digits] <= '9'; ++digits) {
    value = value * 10 + (text[digits] - '0');
    if (value > max) return std::nullopt;
  }
  if (digits == 0) return std::nullopt;
  text.remove_prefix(digits);
  return value;
}

bool take(std::string_view& text, char c) noexcept {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

/// Takes `[+-]h[:m[:s]]` as seconds.
std::optional<std::int32_t> take_time(std::string_view& text) noexcept {
  const bool negative = take(text, '-');
  if (!negative) take(text, '+');
  std::optional<std::int32_t> part = take_number(text, 167);
  if (!part) return std::nullopt;
  std::int32_t seconds = *part * 3600;
  for (const std::int32_t unit : {60, 1}) {
    if (!take(text, ':')) break;
    part = take_number(text, 59);
    if (!part) return std::nullopt;
    seconds += *part * unit;
  }
  return negative ? -seconds : seconds;
}

/// Takes `,M3.2.0/2`, `,J60` or `,59`.
std::optional<RuleDay> take_day(std::string_view& text) noexcept {
  if (!take(text, ',')) return std::nullopt;
  RuleDay day;
  std::optional<std::int32_t> number;
  if (take(text, 'M')) {
    number = take_number(text, 12);
    if (!number || *number < 1 || !take(text, '.')) return std::nullopt;
    day.month = *number;
    number = take_number(text, 5);
    if (!number || *number < 1 || !take(text, '.')) return std::nullopt;
    day.week = *number;
    number = take_number(text, 6);
  } else if (take(text, 'J')) {
    day.kind = RuleDay::Kind::JulianWithoutLeapDay;
    number = take_number(text, 365);
    if (number && *number < 1) return std::nullopt;
  } else {
    day.kind = RuleDay::Kind::DayOfYear;
    number = take_number(text, 365);
  }
  if (!number) return std::nullopt;
  day.day = *number;
  if (take(text, '/')) {
    number = take_time(text);
    if (!number) return std::nullopt;
    day.time = *number;
  }
  return day;
}

}  // namespace

std::int64_t RuleDay::in(std::int64_t year) const noexcept {
  switch (kind) {
    case Kind::MonthWeekDay: {
      const auto month_number = static_cast<unsigned>(month);
      const std::int64_t first = first_of_month(year, month_number);
      const std::int64_t weekday = weekday_of(first);
      std::int64_t date = first + (day - weekday + 7) % 7 + 7 * (std::int64_t{week} - 1);
      // Every month has four of each weekday; the last one may be the fourth.
      if (week > 4) {
        const std::int64_t next = month == 12 ? first_of_month(year + 1, 1) : first_of_month(year, month_number + 1);
        if (date >= next) date -= 7;
      }
      return date * kDaySeconds + time;
    }
    case Kind::JulianWithoutLeapDay: {
      const bool behind_leap_day = is_leap(year) && day >= 60;
      return (first_of_month(year, 1) + day - 1 + (behind_leap_day ? 1 : 0)) * kDaySeconds + time;
    }
    case Kind::DayOfYear: return (first_of_month(year, 1) + day) * kDaySeconds + time;
  }
  return 0;
}

/// True if every year has its two changes in the same order.
bool ZoneRule::alternates() const noexcept {
  return begin.kind == RuleDay::Kind::MonthWeekDay && end.kind == RuleDay::Kind::MonthWeekDay &&
         begin.month != end.month;
}

/// The period that `at` lies in, unless a change lies on the other side of New Year: then it does not contain `at`.
ZonePeriod ZoneRule::usual_period(std::int64_t year, std::int64_t at, std::int64_t shift) const noexcept {
  const bool summer_first = begin.month < end.month;
  const auto first = [&](std::int64_t y) { return (summer_first ? begin.in(y)-standard : end.in(y)-summer) + shift; };
  const auto second = [&](std::int64_t y) { return (summer_first ? end.in(y)-summer : begin.in(y)-standard) + shift; };
  const std::int64_t first_now = first(year);
  if (at < first_now) return {second(year - 1), first_now, summer_first ? standard : summer};
  const std::int64_t second_now = second(year);
  if (at < second_now) return {first_now, second_now, summer_first ? summer : standard};
  return {second_now, first(year + 1), summer_first ? standard : summer};
}

ZonePeriod ZoneRule::period_at(std::int64_t at) const noexcept {
  if (!changes) return {kSinceEver, kForever, standard};
  constexpr std::int64_t kFar = std::int64_t{1} << 55;  // a billion years
  at = std::clamp(at, -kFar, kFar);
  // The calendar repeats after 400 years, which keeps the arithmetic below within its range.
  constexpr std::int64_t kCycle = 146'097 * kDaySeconds;
  const std::int64_t turns = floor_div(at, kCycle);
  const std::int64_t shift = turns * kCycle;
  const std::int64_t in_cycle = at - shift;
  const std::int64_t year = date_of(in_cycle / kDaySeconds).year;
  if (alternates()) {
    const ZonePeriod usual = usual_period(year, at, shift);
    if (usual.contains(at)) return usual;
  }
  ZonePeriod period{kSinceEver, kForever, standard};
  // The year before and the one behind: a change may lie on the other side of New Year in UTC.
  for (std::int64_t y = year - 1; y <= year + 1; ++y) {
    const std::array<std::pair<std::int64_t, std::int32_t>, 2> both{
        {{begin.in(y)-standard + shift, summer}, {end.in(y)-summer + shift, standard}}};
    for (const auto& [when, offset] : both) {
      if (when <= at && when > period.begin) {
        period.begin = when;
        period.offset = offset;
      } else if (when > at && when < period.end) {
        period.end = when;
      }
    }
  }
  return period;
}

std::optional<ZoneRule> parse_zone_rule(std::string_view text) noexcept {
  ZoneRule rule;
  if (!take_name(text)) return std::nullopt;
  const auto west = take_time(text);
  if (!west) return std::nullopt;
  rule.standard = -*west;
  if (text.empty()) return rule;
  rule.changes = true;
  if (!take_name(text)) return std::nullopt;
  rule.summer = rule.standard + 3600;
  if (!text.starts_with(',')) {
    const auto summer_west = take_time(text);
    if (!summer_west) return std::nullopt;
    rule.summer = -*summer_west;
  }
  const auto first = take_day(text);
  const auto last = first ? take_day(text) : std::nullopt;
  if (!last || !text.empty()) return std::nullopt;
  rule.begin = *first;
  rule.end = *last;
  return rule;
}

}  // namespace pumice::zones
