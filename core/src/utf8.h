// Texts as UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace pumice {

/// A character of a text.
struct Character {
  std::uint32_t code = 0;
  std::size_t length = 0;  ///< in bytes; 0 if these are no UTF-8
};

[[nodiscard]] Character character_at(std::string_view text, std::size_t offset);

/// The bytes of the character at `offset`, one byte if they are no UTF-8.
[[nodiscard]] std::string_view character_text(std::string_view text, std::size_t offset);

[[nodiscard]] std::string utf8_of(std::uint32_t code);

/// True for the bytes of a character behind its first: a text may not be cut before one.
[[nodiscard]] constexpr bool is_utf8_tail(char c) noexcept { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

}  // namespace pumice
