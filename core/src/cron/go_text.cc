#include "cron/go_text.h"

#include <array>
#include <limits>

#include "compose.h"
#include "digits.h"
#include "utf8.h"

namespace pumice::cron {
namespace {

struct Rune {
  std::uint32_t code = 0xFFFD;
  std::size_t bytes = 1;
  bool valid = false;
};

/// The character at the front of a text that is not empty; a byte that is no UTF-8 stands for itself.
Rune first_rune(std::string_view text) {
  const Character first = character_at(text, 0);
  return first.length == 0 ? Rune{} : Rune{first.code, first.length, true};
}

bool is_space(std::uint32_t code) noexcept {
  if (code < 0x80) return code == ' ' || (code >= '\t' && code <= '\r');
  return code == 0x85 || code == 0xA0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200A) || code == 0x2028 ||
         code == 0x2029 || code == 0x202F || code == 0x205F || code == 0x3000;
}

struct Stretch {
  std::uint32_t first, last;
};

/// Controls, formats, separators, private use and what can never be a character.
bool is_printable(std::uint32_t code) noexcept {
  constexpr std::array kNot{
      Stretch{0, 0x1F},          Stretch{0x7F, 0xA0},        Stretch{0xAD, 0xAD},       Stretch{0x600, 0x605},
      Stretch{0x61C, 0x61C},     Stretch{0x6DD, 0x6DD},      Stretch{0x70F, 0x70F},     Stretch{0x890, 0x891},
      Stretch{0x8E2, 0x8E2},     Stretch{0x1680, 0x1680},    Stretch{0x180E, 0x180E},   Stretch{0x2000, 0x200F},
      Stretch{0x2028, 0x202F},   Stretch{0x205F, 0x206F},    Stretch{0x3000, 0x3000},   Stretch{0xD800, 0xF8FF},
      Stretch{0xFEFF, 0xFEFF},   Stretch{0xFFF0, 0xFFFB},    Stretch{0xFFFE, 0xFFFF},   Stretch{0x110BD, 0x110BD},
      Stretch{0x110CD, 0x110CD}, Stretch{0x13430, 0x1343F},  Stretch{0x1BCA0, 0x1BCA3}, Stretch{0x1D173, 0x1D17A},
      Stretch{0xE0000, 0xE00FF}, Stretch{0xE01F0, 0x10FFFF},
  };
  for (const Stretch& stretch : kNot) {
    if (code >= stretch.first && code <= stretch.last) return false;
  }
  return true;
}

void append_escaped(std::string& out, const Rune& rune, unsigned char byte) {
  constexpr std::string_view kNamed = "abtnvfr";  // from 7 on
  if (!rune.valid) {
    out += "\\x" + hex(byte, 2);
  } else if (rune.code >= 7 && rune.code <= 13) {
    out += '\\';
    out += kNamed[rune.code - 7];
  } else if (rune.code < ' ' || rune.code == 0x7F) {
    out += "\\x" + hex(rune.code, 2);
  } else if (rune.code < 0x10000) {
    out += "\\u" + hex(rune.code, 4);
  } else {
    out += "\\U" + hex(rune.code, 8);
  }
}

}  // namespace

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size();) {
    const Rune rune = first_rune(text.substr(i));
    if (is_space(rune.code)) {
      if (i > begin) words.push_back(text.substr(begin, i - begin));
      begin = i + rune.bytes;
    }
    i += rune.bytes;
  }
  if (begin < text.size()) words.push_back(text.substr(begin));
  return words;
}

std::string_view trimmed(std::string_view text) {
  std::size_t end = 0;
  std::size_t begin = text.size();
  for (std::size_t i = 0; i < text.size();) {
    const Rune rune = first_rune(text.substr(i));
    if (!is_space(rune.code)) {
      begin = std::min(begin, i);
      end = i + rune.bytes;
    }
    i += rune.bytes;
  }
  return begin < end ? text.substr(begin, end - begin) : std::string_view();
}

std::string lower(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const Rune rune = first_rune(text.substr(i));
    if (rune.code >= 'A' && rune.code <= 'Z') {
      out += static_cast<char>(rune.code - 'A' + 'a');
    } else if (rune.code == 0x130) {  // capital I with a dot: its small letter is the usual i
      out += 'i';
    } else {
      out += text.substr(i, rune.bytes);
    }
    i += rune.bytes;
  }
  return out;
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (std::size_t i = 0; i < text.size();) {
    const Rune rune = first_rune(text.substr(i));
    if (rune.code == '"' || rune.code == '\\') {
      out += '\\';
      out += text[i];
    } else if (rune.valid && is_printable(rune.code)) {
      out += text.substr(i, rune.bytes);
    } else {
      append_escaped(out, rune, static_cast<unsigned char>(text[i]));
    }
    i += rune.bytes;
  }
  return out + '"';
}

Number to_number(std::string_view text) {
  const auto refused = [&](std::string_view why) {
    return Number{0, compose("strconv.Atoi: parsing {}: {}", quoted(text), why)};
  };
  std::string_view digits = text;
  const bool negative = digits.starts_with('-');
  if (negative || digits.starts_with('+')) digits.remove_prefix(1);
  if (digits.empty()) return refused("invalid syntax");
  // The original reads an unsigned number first, and stops where that does not fit: what follows is not looked at.
  std::uint64_t magnitude = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return refused("invalid syntax");
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (__builtin_mul_overflow(magnitude, std::uint64_t{10}, &magnitude) ||
        __builtin_add_overflow(magnitude, digit, &magnitude)) {
      return refused("value out of range");
    }
  }
  constexpr std::uint64_t kLimit = std::uint64_t{1} << 63U;
  if (magnitude > kLimit || (magnitude == kLimit && !negative)) return refused("value out of range");
  return {static_cast<std::int64_t>(negative ? 0 - magnitude : magnitude), {}};
}

}  // namespace pumice::cron
