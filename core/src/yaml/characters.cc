#include "yaml/characters.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "pumice/yaml.h"

namespace pumice::yaml {
namespace {

constexpr bool is_allowed(std::uint32_t code) noexcept {
  return code == 0x09 || code == 0x0A || code == 0x0D || (code >= 0x20 && code <= 0x7E) || code == 0x85 ||
         (code >= 0xA0 && code <= 0xFFFD) || code >= 0x10000;
}

}  // namespace

Character character_at(std::string_view text, std::size_t offset) {
  const auto byte = [&](std::size_t k) -> std::uint32_t {
    return offset + k < text.size() ? static_cast<unsigned char>(text[offset + k]) : 0U;
  };
  const std::uint32_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t length = (lead >> 5) == 0x06 ? 2 : (lead >> 4) == 0x0E ? 3 : (lead >> 3) == 0x1E ? 4 : 0;
  if (length == 0) return {};
  std::uint32_t code = lead & (0x7FU >> length);
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte(k) & 0xC0U) != 0x80U) return {};
    code = (code << 6) | (byte(k) & 0x3FU);
  }
  constexpr std::array<std::uint32_t, 5> kSmallest = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < kSmallest[length] || code > 0x10FFFF || is_surrogate) return {};
  return {code, length};
}

std::string_view character_text(std::string_view text, std::size_t offset) {
  return text.substr(offset, std::max<std::size_t>(1, character_at(text, offset).length));
}

std::string utf8_of(std::uint32_t code) {
  const auto tail = [code](unsigned shift) { return static_cast<char>(0x80U | ((code >> shift) & 0x3FU)); };
  if (code < 0x80) return {static_cast<char>(code)};
  if (code < 0x800) return {static_cast<char>(0xC0U | (code >> 6)), tail(0)};
  if (code < 0x10000) return {static_cast<char>(0xE0U | (code >> 12)), tail(6), tail(0)};
  return {static_cast<char>(0xF0U | (code >> 18)), tail(12), tail(6), tail(0)};
}

std::optional<Problem> find_bad_character(std::string_view text) {
  if (const auto encoding = foreign_encoding(text)) {
    return Problem{0, "InvalidYaml", fmt::format("the text is {}", *encoding), "save it as UTF-8"};
  }
  std::size_t at = 0;
  while (at < text.size()) {
    const Character character = character_at(text, at);
    if (character.length == 0) {
      return Problem{at, "InvalidYaml", fmt::format("byte 0x{:02X} is not UTF-8", static_cast<unsigned char>(text[at])),
                     "save the text as UTF-8"};
    }
    if (!is_allowed(character.code)) {
      return Problem{at, "InvalidYaml", fmt::format("the control character U+{:04X} is not allowed", character.code),
                     "remove it, or write it as an escape in double quotes"};
    }
    at += character.length;
  }
  return std::nullopt;
}

}  // namespace pumice::yaml

namespace pumice {

std::optional<std::string_view> foreign_encoding(std::string_view text) noexcept {
  using namespace std::string_view_literals;
  const auto is_zero = [&](std::size_t at) { return at < text.size() && text[at] == '\0'; };
  const bool has_four = text.size() >= 4;
  const bool wide = text.starts_with("\xFF\xFE\0\0"sv) || text.starts_with("\0\0\xFE\xFF"sv) ||
                    (has_four && is_zero(1) && is_zero(2) && is_zero(3) && !is_zero(0)) ||
                    (has_four && is_zero(0) && is_zero(1) && is_zero(2) && !is_zero(3));
  if (wide) return "UTF-32";
  const bool narrow =
      text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF") || (text.size() >= 2 && is_zero(0) != is_zero(1));
  if (narrow) return "UTF-16";
  return std::nullopt;
}

}  // namespace pumice
