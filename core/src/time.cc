#include "pumice/time.h"

#include <chrono>
#include <limits>

#include "digits.h"

namespace pumice {
namespace {

constexpr std::int64_t kInt64Max = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kInt64Min = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kNsPerSecond = kSecond.ns;

std::int64_t saturating_add(std::int64_t a, std::int64_t b) noexcept {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b > 0 ? kInt64Max : kInt64Min;
}

void append_two_digits(std::string& out, unsigned value) {
  out += static_cast<char>('0' + value / 10 % 10);
  out += static_cast<char>('0' + value % 10);
}

/// Takes exactly `count` digits.
std::optional<int> take_digits(std::string_view& text, std::size_t count) noexcept {
  if (text.size() < count) return std::nullopt;
  int value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_digit(text[i])) return std::nullopt;
    value = value * 10 + (text[i] - '0');
  }
  text.remove_prefix(count);
  return value;
}

bool take_char(std::string_view& text, char c) noexcept {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

/// Takes two digits of at most `max`.
std::optional<int> take_pair(std::string_view& text, int max) noexcept {
  const std::optional<int> value = take_digits(text, 2);
  return value && *value <= max ? value : std::nullopt;
}

/// Takes `YYYY-MM-DD`, returns days since 1970-01-01.
std::optional<std::int64_t> take_date(std::string_view& text) noexcept {
  const auto year = take_digits(text, 4);
  if (!year || !take_char(text, '-')) return std::nullopt;
  const auto month = take_pair(text, 12);
  if (!month || !take_char(text, '-')) return std::nullopt;
  const auto day = take_pair(text, 31);
  if (!day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date).time_since_epoch().count();
}

/// Takes `hh:mm:ss`, returns seconds since midnight.
std::optional<std::int64_t> take_clock(std::string_view& text) noexcept {
  const auto hour = take_pair(text, 23);
  if (!hour || !take_char(text, ':')) return std::nullopt;
  const auto minute = take_pair(text, 59);
  if (!minute || !take_char(text, ':')) return std::nullopt;
  const auto second = take_pair(text, 59);
  if (!second) return std::nullopt;
  return std::int64_t{*hour} * 3600 + *minute * 60 + *second;
}

/// Takes an optional `.digits`, returns nanoseconds; digits behind the ninth are dropped.
std::optional<std::int64_t> take_nanoseconds(std::string_view& text) noexcept {
  if (!take_char(text, '.')) return 0;
  std::int64_t ns = 0;
  std::int64_t weight = kNsPerSecond;
  std::size_t digits = 0;
  for (; digits < text.size() && is_digit(text[digits]); ++digits) {
    weight /= 10;
    ns += weight * (text[digits] - '0');
  }
  if (digits == 0) return std::nullopt;
  text.remove_prefix(digits);
  return ns;
}

/// Takes `Z` or `±hh:mm`, returns the seconds to subtract.
std::optional<std::int64_t> take_offset(std::string_view& text) noexcept {
  if (take_char(text, 'Z')) return 0;
  const bool east = take_char(text, '+');
  if (!east && !take_char(text, '-')) return std::nullopt;
  const auto hour = take_pair(text, 23);
  if (!hour || !take_char(text, ':')) return std::nullopt;
  const auto minute = take_pair(text, 59);
  if (!minute) return std::nullopt;
  const std::int64_t offset = std::int64_t{*hour} * 3600 + *minute * 60;
  return east ? offset : -offset;
}

}  // namespace

Time operator+(Time time, Duration duration) noexcept { return {saturating_add(time.ns, duration.ns)}; }

Duration operator-(Time later, Time earlier) noexcept {
  std::int64_t difference = 0;
  if (!__builtin_sub_overflow(later.ns, earlier.ns, &difference)) return {difference};
  return {later.ns > earlier.ns ? kInt64Max : kInt64Min};
}

Time whole_seconds(Time time) noexcept {
  const std::int64_t rest = (time.ns % kSecond.ns + kSecond.ns) % kSecond.ns;
  return time + Duration{-rest};
}

std::string to_rfc3339(Time time) {
  std::int64_t total_seconds = time.ns / kNsPerSecond;
  std::int64_t ns = time.ns % kNsPerSecond;
  if (ns < 0) {
    ns += kNsPerSecond;
    --total_seconds;
  }
  std::int64_t days = total_seconds / 86'400;
  std::int64_t second_of_day = total_seconds % 86'400;
  if (second_of_day < 0) {
    second_of_day += 86'400;
    --days;
  }
  const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(static_cast<int>(days)))};
  const auto second = static_cast<unsigned>(second_of_day);
  std::string out = std::to_string(static_cast<int>(date.year()));  // four digits: the range is 1677 to 2262
  out += '-';
  append_two_digits(out, static_cast<unsigned>(date.month()));
  out += '-';
  append_two_digits(out, static_cast<unsigned>(date.day()));
  out += 'T';
  append_two_digits(out, second / 3600);
  out += ':';
  append_two_digits(out, second / 60 % 60);
  out += ':';
  append_two_digits(out, second % 60);
  append_fraction(out, static_cast<std::uint64_t>(ns), 9);
  out += 'Z';
  return out;
}

std::optional<Time> parse_rfc3339(std::string_view text) noexcept {
  const auto days = take_date(text);
  if (!days || !take_char(text, 'T')) return std::nullopt;
  const auto clock = take_clock(text);
  if (!clock) return std::nullopt;
  const auto ns = take_nanoseconds(text);
  if (!ns) return std::nullopt;
  const auto offset = take_offset(text);
  if (!offset || !text.empty()) return std::nullopt;

  std::int64_t total_seconds = *days * 86'400 + *clock - *offset;
  std::int64_t rest = *ns;
  if (total_seconds < 0 &&
      rest > 0) {  // same sign for both parts, so that the ends of the range do not overflow midway
    ++total_seconds;
    rest -= kNsPerSecond;
  }
  std::int64_t result = 0;
  if (__builtin_mul_overflow(total_seconds, kNsPerSecond, &result)) return std::nullopt;
  if (__builtin_add_overflow(result, rest, &result)) return std::nullopt;
  return Time{result};
}

}  // namespace pumice
