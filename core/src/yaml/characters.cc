#include "yaml/characters.h"

#include <cstdint>
#include <string_view>

#include "compose.h"
#include "digits.h"
#include "pumice/yaml.h"
#include "utf8.h"

namespace pumice::yaml {
namespace {

constexpr bool is_allowed(std::uint32_t code) noexcept {
  return code == 0x09 || code == 0x0A || code == 0x0D || (code >= 0x20 && code <= 0x7E) || code == 0x85 ||
         (code >= 0xA0 && code <= 0xFFFD) || code >= 0x10000;
}

}  // namespace

std::optional<Problem> find_bad_character(std::string_view text) {
  if (const auto encoding = foreign_encoding(text)) {
    return Problem{0, "InvalidYaml", compose("the text is {}", *encoding), "save it as UTF-8"};
  }
  std::size_t at = 0;
  while (at < text.size()) {
    const Character character = character_at(text, at);
    if (character.length == 0) {
      return Problem{at, "InvalidYaml",
                     "byte 0x" + upper_hex(static_cast<unsigned char>(text[at]), 2) + " is not UTF-8",
                     "save the text as UTF-8"};
    }
    if (!is_allowed(character.code)) {
      return Problem{at, "InvalidYaml", "the control character U+" + upper_hex(character.code, 4) + " is not allowed",
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
