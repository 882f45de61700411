#include "cron/words.h"

#include <array>
#include <bit>

#include "civil.h"
#include "compose.h"
#include "cron/search.h"
#include "digits.h"
#include "list_text.h"

namespace pumice::cron {
namespace {

constexpr std::array<std::string_view, 7> kWeekdays{"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                    "Thursday", "Friday", "Saturday"};
constexpr std::array<std::string_view, 13> kMonths{"",        "January",  "February", "March",  "April",
                                                   "May",     "June",     "July",     "August", "September",
                                                   "October", "November", "December"};
constexpr int kTimesShown = 6;

std::string value_text(unsigned value, FieldKind kind) {
  switch (kind) {
    case FieldKind::Minute:
    case FieldKind::Hour:
    case FieldKind::Day: break;
    case FieldKind::Month: return std::string(kMonths.at(value));
    case FieldKind::Weekday: return std::string(kWeekdays.at(value));
  }
  return std::to_string(value);
}

const FieldFacts& facts_of(FieldKind kind) { return all_fields()[static_cast<std::size_t>(kind)]; }

bool is_full(const Fields& fields, FieldKind kind) { return is_full(field_of(fields, kind), facts_of(kind)); }

/// n if the values are 0, n, 2n … and go on evenly over the end of the range; else 0.
std::int64_t even_step(const Field& field, std::int64_t size) {
  const int count = std::popcount(field.values);
  if (count < 2 || size % count != 0) return 0;
  const std::int64_t step = size / count;
  for (std::int64_t value = 0; value < size; value += step) {
    if (!field.has(value)) return 0;
  }
  return step;
}

std::string hours_text(const Fields& fields) {
  if (is_full(fields, FieldKind::Hour)) return "";
  if (const std::int64_t step = even_step(fields.hour, 24)) return compose(" of every {} hours from 0", step);
  const bool one = std::popcount(fields.hour.values) == 1;
  return compose(" of hour{} {}", one ? "" : "s", values_text(fields.hour, FieldKind::Hour));
}

std::string time_text(const Fields& fields) {
  const int minutes = std::popcount(fields.minute.values);
  const int hours = std::popcount(fields.hour.values);
  if (is_full(fields, FieldKind::Minute)) return "every minute" + hours_text(fields);
  if (minutes * hours <= kTimesShown) {
    std::vector<std::string> times;
    for (std::int64_t second = 0; second < kDaySeconds; second += 60) {
      if (fields.hour.has(second / 3600) && fields.minute.has(second / 60 % 60)) times.push_back(clock_text(second));
    }
    return "at " + list_text(times, "and");
  }
  if (const std::int64_t step = even_step(fields.minute, 60)) {
    return compose("every {} minutes{}", step, hours_text(fields));
  }
  if (minutes == 1 && fields.minute.has(0)) {
    if (is_full(fields, FieldKind::Hour)) return "every hour, on the hour";
    if (const std::int64_t step = even_step(fields.hour, 24)) return compose("every {} hours from 00:00", step);
  }
  const std::string hours_of = is_full(fields, FieldKind::Hour) ? " of every hour" : hours_text(fields);
  return compose("at minute{} {}{}", minutes == 1 ? "" : "s", values_text(fields.minute, FieldKind::Minute), hours_of);
}

std::string day_text(const Fields& fields) {
  const bool any_day = is_full(fields, FieldKind::Day);
  const bool any_weekday = is_full(fields, FieldKind::Weekday);
  const bool both = fields.day.star || fields.weekday.star;
  if ((any_day && any_weekday) || (!both && (any_day || any_weekday))) return "every day";
  const std::string days =
      compose("day{} {}", std::popcount(fields.day.values) == 1 ? "" : "s", values_text(fields.day, FieldKind::Day));
  const std::string weekdays = values_text(fields.weekday, FieldKind::Weekday);
  if (!both && fields.weekday.values == 0) return "on " + days + " of the month";
  if (!both && fields.day.values == 0) return "on " + weekdays;
  if (!both) return compose("on {} of the month and also on {}", days, weekdays);
  if (any_weekday) return "on " + days + " of the month";
  if (any_day) return "on " + weekdays;
  return compose("on {} of the month if that is a {}", days, weekdays);
}

}  // namespace

std::span<const FieldFacts, 5> all_fields() noexcept {
  static constexpr std::array kFacts{
      FieldFacts{FieldKind::Minute, "minute", 0, 59}, FieldFacts{FieldKind::Hour, "hour", 0, 23},
      FieldFacts{FieldKind::Day, "day of month", 1, 31}, FieldFacts{FieldKind::Month, "month", 1, 12},
      FieldFacts{FieldKind::Weekday, "day of week", 0, 6}};
  return kFacts;
}

const Field& field_of(const Fields& fields, FieldKind kind) noexcept {
  switch (kind) {
    case FieldKind::Minute: return fields.minute;
    case FieldKind::Hour: return fields.hour;
    case FieldKind::Day: return fields.day;
    case FieldKind::Month: return fields.month;
    case FieldKind::Weekday: break;
  }
  return fields.weekday;
}

bool is_full(const Field& field, const FieldFacts& facts) noexcept {
  return std::popcount(field.values) == facts.max - facts.min + 1;
}

std::string clock_text(std::int64_t second) {
  return padded_digits(static_cast<std::uint64_t>(second / 3600), 2) + ":" +
         padded_digits(static_cast<std::uint64_t>(second / 60 % 60), 2);
}

std::string date_text(std::int64_t day) {
  const Wall wall = wall_of(day * kDaySeconds);
  return padded_digits(static_cast<std::uint64_t>(wall.year), 4) + "-" +
         padded_digits(static_cast<std::uint64_t>(wall.month), 2) + "-" +
         padded_digits(static_cast<std::uint64_t>(wall.day_of_month), 2);
}

std::string values_text(const Field& field, FieldKind kind) {
  std::vector<std::string> words;
  for (std::uint64_t rest = field.values; rest != 0;) {
    const auto first = static_cast<unsigned>(std::countr_zero(rest));
    const auto length = static_cast<unsigned>(std::countr_one(rest >> first));
    if (length >= 3) {
      words.push_back(value_text(first, kind) + " to " + value_text(first + length - 1, kind));
    } else {
      for (unsigned i = 0; i < length; ++i) words.push_back(value_text(first + i, kind));
    }
    rest &= ~(((std::uint64_t{1} << length) - 1) << first);
  }
  return list_text(words, "and");
}

std::string meaning_of(const Field& field, const FieldFacts& facts) {
  if (field.values == 0) return "no value at all";
  if (is_full(field, facts)) return "every " + std::string(facts.name);
  return values_text(field, facts.kind);
}

std::string sentence_of(const Fields& fields) {
  if (fields.minute.values == 0 || fields.hour.values == 0 || fields.month.values == 0) return "never";
  std::string text = time_text(fields);
  const std::string days = day_text(fields);
  const bool by_the_clock = text.starts_with("at ") && text.find(':') != std::string::npos;
  if (days != "every day") {
    text += " " + days;
  } else if (by_the_clock) {
    text = "every day " + text;
  }
  if (!is_full(fields, FieldKind::Month)) text += " in " + values_text(fields.month, FieldKind::Month);
  return text;
}

}  // namespace pumice::cron
