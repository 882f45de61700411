// Which bytes a text may consist of, and what they are to the reader.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "yaml/problem.h"

namespace pumice::yaml {

/// The first place that is not UTF-8, or a character that no text may hold as such; nullopt if there is none.
[[nodiscard]] std::optional<Problem> find_bad_character(std::string_view text);

[[nodiscard]] constexpr bool is_blank(char c) noexcept { return c == ' ' || c == '\t'; }

[[nodiscard]] constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

[[nodiscard]] constexpr bool is_hex_digit(char c) noexcept {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/// `\0`, which stands for the end of a text, is never one.
[[nodiscard]] constexpr bool is_one_of(char c, std::string_view characters) noexcept {
  return c != '\0' && characters.find(c) != std::string_view::npos;
}

/// Letters of anchors, tag handles and directives.
[[nodiscard]] constexpr bool is_word(char c) noexcept {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
}

/// Length in bytes of the line break at the front of `text`, 0 if there is none. Besides LF, CR and CR LF the reader
/// takes U+0085, U+2028 and U+2029 for line breaks.
[[nodiscard]] constexpr std::size_t break_length(std::string_view text) noexcept {
  if (text.empty()) return 0;
  if (text[0] == '\n') return 1;
  if (text[0] == '\r') return text.size() > 1 && text[1] == '\n' ? 2 : 1;
  if (text.starts_with("\xC2\x85")) return 2;
  return text.starts_with("\xE2\x80\xA8") || text.starts_with("\xE2\x80\xA9") ? 3 : 0;
}

}  // namespace pumice::yaml
