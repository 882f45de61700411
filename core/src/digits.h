// Digits in texts.
#pragma once

#include <charconv>
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

/// `value` in base 10 or 16 (lower case) with at least `width` digits.
inline std::string padded_digits(std::uint64_t value, std::size_t width, int base = 10) {
  char digits[20];
  const char* const end = std::to_chars(digits, digits + sizeof digits, value, base).ptr;
  const auto size = static_cast<std::size_t>(end - digits);
  std::string text(size < width ? width - size : 0, '0');
  return text.append(digits, size);
}
inline std::string hex(std::uint64_t value, std::size_t width) { return padded_digits(value, width, 16); }
inline std::string upper_hex(std::uint64_t value, std::size_t width) {
  std::string text = hex(value, width);
  for (char& c : text) c = c >= 'a' ? static_cast<char>(c - 'a' + 'A') : c;
  return text;
}

}  // namespace pumice
