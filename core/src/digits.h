// Digits in texts of times and durations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace pumice {

constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

/// Appends `.` and `value / 10^digits` without trailing zeros; nothing if that is zero.
inline void append_fraction(std::string& out, std::uint64_t value, int digits) {
  if (value == 0) return;
  std::string text = std::to_string(value);
  text.insert(0, static_cast<std::size_t>(digits) - text.size(), '0');
  text.erase(text.find_last_not_of('0') + 1);
  out += '.';
  out += text;
}

}  // namespace pumice
