#include "utf8.h"

#include <algorithm>
#include <array>

namespace pumice {

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

}  // namespace pumice
