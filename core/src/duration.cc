// Durations as Go reads and writes them.
#include <array>
#include <limits>

#include "digits.h"
#include "pumice/time.h"

namespace pumice {
namespace {

constexpr std::int64_t kInt64Min = std::numeric_limits<std::int64_t>::min();

// Magnitudes are collected without a sign in 64 bits; 2^63 itself is allowed until the sign is known, because the
// smallest duration has exactly that magnitude.

constexpr std::uint64_t kMagnitudeMax = std::uint64_t{1} << 63;

struct Unit {
  std::string_view name;
  std::uint64_t ns;
};
constexpr std::array kUnits{
    Unit{"ns", 1},          Unit{"us", 1'000},        Unit{"\u00b5s", 1'000},  // micro sign
    Unit{"\u03bcs", 1'000},                                                    // Greek letter mu
    Unit{"ms", 1'000'000},  Unit{"s", 1'000'000'000}, Unit{"m", 60'000'000'000}, Unit{"h", 3'600'000'000'000},
};

std::optional<std::uint64_t> unit_named(std::string_view name) noexcept {
  for (const Unit& unit : kUnits) {
    if (unit.name == name) return unit.ns;
  }
  return std::nullopt;
}

/// Takes the digits in front of `text`. False if the number has more than 63 bits (2^63 itself is still taken).
bool take_integer(std::string_view& text, std::uint64_t& value) noexcept {
  value = 0;
  while (!text.empty() && is_digit(text.front())) {
    if (value > kMagnitudeMax / 10) return false;
    value = value * 10 + static_cast<std::uint64_t>(text.front() - '0');
    if (value > kMagnitudeMax) return false;
    text.remove_prefix(1);
  }
  return true;
}

struct Fraction {
  std::uint64_t digits = 0;
  double scale = 1;
};

/// Takes the digits behind a decimal point. Digits that no longer fit are dropped: they are below the precision.
Fraction take_fraction(std::string_view& text) noexcept {
  Fraction fraction;
  bool full = false;
  for (; !text.empty() && is_digit(text.front()); text.remove_prefix(1)) {
    if (full) continue;
    const auto digit = static_cast<std::uint64_t>(text.front() - '0');
    if (fraction.digits > (kMagnitudeMax - 1) / 10 || fraction.digits * 10 + digit > kMagnitudeMax) {
      full = true;
      continue;
    }
    fraction.digits = fraction.digits * 10 + digit;
    fraction.scale *= 10;
  }
  return fraction;
}

/// What is wrong with a duration, in the terms of Go's messages.
struct DurationProblem {
  enum class Kind : std::uint8_t { None, Invalid, MissingUnit, UnknownUnit };
  Kind kind = Kind::None;
  std::string_view unit{};
};

/// Takes one number with its unit, such as `1.5h`, and returns its nanoseconds.
std::optional<std::uint64_t> take_term(std::string_view& text, DurationProblem& problem) noexcept {
  problem.kind = DurationProblem::Kind::Invalid;
  if (text.front() != '.' && !is_digit(text.front())) return std::nullopt;
  const std::size_t before_integer = text.size();
  std::uint64_t whole = 0;
  if (!take_integer(text, whole)) return std::nullopt;
  bool any_digits = text.size() != before_integer;
  Fraction fraction;
  if (!text.empty() && text.front() == '.') {
    text.remove_prefix(1);
    const std::size_t before_fraction = text.size();
    fraction = take_fraction(text);
    any_digits = any_digits || text.size() != before_fraction;
  }
  if (!any_digits) return std::nullopt;

  std::size_t length = 0;
  while (length < text.size() && text[length] != '.' && !is_digit(text[length])) ++length;
  if (length == 0) {
    problem.kind = DurationProblem::Kind::MissingUnit;
    return std::nullopt;
  }
  const std::optional<std::uint64_t> unit = unit_named(text.substr(0, length));
  if (!unit) {
    problem = {DurationProblem::Kind::UnknownUnit, text.substr(0, length)};
    return std::nullopt;
  }
  text.remove_prefix(length);

  if (whole > kMagnitudeMax / *unit) return std::nullopt;
  std::uint64_t ns = whole * *unit;
  if (fraction.digits > 0) {
    // Go rounds through doubles in just this order; the last nanosecond depends on it.
    const double factor = static_cast<double>(*unit) / fraction.scale;
    ns += static_cast<std::uint64_t>(static_cast<double>(fraction.digits) * factor);
    if (ns > kMagnitudeMax) return std::nullopt;
  }
  problem.kind = DurationProblem::Kind::None;
  return ns;
}

std::optional<Duration> read_duration(std::string_view text, DurationProblem& problem) noexcept {
  problem.kind = DurationProblem::Kind::Invalid;
  bool negative = false;
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
    negative = text.front() == '-';
    text.remove_prefix(1);
  }
  if (text == "0") return Duration{0};
  if (text.empty()) return std::nullopt;
  std::uint64_t total = 0;
  while (!text.empty()) {
    const std::optional<std::uint64_t> term = take_term(text, problem);
    if (!term) return std::nullopt;
    problem.kind = DurationProblem::Kind::Invalid;
    total += *term;  // both at most 2^63: two terms of just that size wrap to 0, which Go accepts too
    if (total > kMagnitudeMax) return std::nullopt;
  }
  if (total == kMagnitudeMax) return negative ? std::optional(Duration{kInt64Min}) : std::nullopt;
  const auto ns = static_cast<std::int64_t>(total);
  return Duration{negative ? -ns : ns};
}

/// A text between quotes, as Go's package `time` writes it in messages.
std::string quoted(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x80) {
      out += "\\x";
      out += kHex[byte >> 4U];
      out += kHex[byte & 15U];
    } else {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
  }
  return out + '"';
}

}  // namespace

std::optional<Duration> parse_duration(std::string_view text) noexcept {
  DurationProblem problem;
  return read_duration(text, problem);
}

std::string duration_error(std::string_view text) {
  DurationProblem problem;
  if (read_duration(text, problem)) return {};
  switch (problem.kind) {
    case DurationProblem::Kind::None:
    case DurationProblem::Kind::Invalid: break;
    case DurationProblem::Kind::MissingUnit: return "time: missing unit in duration " + quoted(text);
    case DurationProblem::Kind::UnknownUnit:
      return "time: unknown unit " + quoted(problem.unit) + " in duration " + quoted(text);
  }
  return "time: invalid duration " + quoted(text);
}

bool is_duration_too_long(std::string_view text) {
  if (parse_duration(text)) return false;
  // The same text with small numbers in it is a duration if nothing but the size is wrong.
  std::string small;
  for (const char c : text) {
    if (is_digit(c) && !small.empty() && small.back() == '1') continue;
    small += is_digit(c) ? '1' : c;
  }
  return parse_duration(small).has_value();
}

std::string_view duration_problem(std::string_view text) {
  return is_duration_too_long(text) ? "is too long a duration: 2562047h47m16s, some 292 years, are the most"
                                    : "is not a duration";
}

std::string to_string(Duration duration) {
  const bool negative = duration.ns < 0;
  const std::uint64_t ns =
      negative ? 0 - static_cast<std::uint64_t>(duration.ns) : static_cast<std::uint64_t>(duration.ns);
  std::string out = negative ? "-" : "";
  if (ns == 0) return "0s";
  if (ns < 1'000) return out + std::to_string(ns) + "ns";
  if (ns < 1'000'000) {
    out += std::to_string(ns / 1'000);
    append_fraction(out, ns % 1'000, 3);
    return out + "\u00b5s";
  }
  if (ns < 1'000'000'000) {
    out += std::to_string(ns / 1'000'000);
    append_fraction(out, ns % 1'000'000, 6);
    return out + "ms";
  }
  const std::uint64_t total_seconds = ns / 1'000'000'000;
  if (total_seconds >= 3600) out += std::to_string(total_seconds / 3600) + "h";
  if (total_seconds >= 60) out += std::to_string(total_seconds / 60 % 60) + "m";
  out += std::to_string(total_seconds % 60);
  append_fraction(out, ns % 1'000'000'000, 9);
  return out + "s";
}

}  // namespace pumice
