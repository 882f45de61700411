// Time as data: instants and durations are integers, the clock is an input.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pumice {

/// A span in nanoseconds, as Go's `time.Duration`: signed, 64 bit, about ±292 years.
struct Duration {
  std::int64_t ns = 0;
  friend constexpr auto operator<=>(const Duration&, const Duration&) = default;
};

/// An instant in nanoseconds since 1970-01-01T00:00:00Z, without leap seconds; covers the years 1678 to 2262.
struct Time {
  std::int64_t ns = 0;
  friend constexpr auto operator<=>(const Time&, const Time&) = default;
};

constexpr Duration kNanosecond{1};
constexpr Duration kMillisecond{1'000'000};
constexpr Duration kSecond{1'000'000'000};

[[nodiscard]] constexpr Duration seconds(std::int64_t n) noexcept { return {n * kSecond.ns}; }

/// Sum and difference saturate at the ends of the range instead of overflowing.
[[nodiscard]] Time operator+(Time time, Duration duration) noexcept;
[[nodiscard]] Duration operator-(Time later, Time earlier) noexcept;

/// Reads a Go duration string (`1h30m`, `-1.5s`, `0`, `+5us`, `.5h`) exactly as Go's `time.ParseDuration` does,
/// including its rounding of fractions and its overflow limits. Absent if Go would report an error.
[[nodiscard]] std::optional<Duration> parse_duration(std::string_view text) noexcept;

/// True for a text that `parse_duration` refuses only because of its size: more than 2562047h47m16s, some 292 years.
[[nodiscard]] bool is_duration_too_long(std::string_view text);

/// What is wrong with a text that `parse_duration` refuses, for messages: `is not a duration`, or that it is too long.
[[nodiscard]] std::string_view duration_problem(std::string_view text);

/// What Go's `time.ParseDuration` says about a text that it refuses (`time: unknown unit "d" in duration "1d"`); empty
/// for a text that it accepts.
[[nodiscard]] std::string duration_error(std::string_view text);

/// Go's canonical form: `1h30m0s`, `1.5s`, `100ms`, `0s`.
[[nodiscard]] std::string to_string(Duration duration);

/// RFC 3339 in UTC; fractions of a second only when there are any: `2026-03-02T09:00:00Z`, `2026-03-02T09:00:00.005Z`.
[[nodiscard]] std::string to_rfc3339(Time time);

/// Without the fraction of its second: the resolution of times in the API.
[[nodiscard]] Time whole_seconds(Time time) noexcept;

/// Reads RFC 3339 with any offset. Absent if malformed or outside the range of `Time`.
[[nodiscard]] std::optional<Time> parse_rfc3339(std::string_view text) noexcept;

}  // namespace pumice
