#include "yaml/scalar.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "compose.h"
#include "pumice/json.h"
#include "utf8.h"
#include "yaml/backticks.h"
#include "yaml/characters.h"
#include "yaml/timestamp.h"

namespace pumice::yaml {
namespace {

bool is_word_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

/// Words with a fixed meaning. Only these spellings count: `yEs` and `tRUE` are strings.
std::optional<ScalarValue> resolve_word(std::string_view text) {
  if (is_word_of(text, {"y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"})) return true;
  if (is_word_of(text, {"n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"})) return false;
  if (is_word_of(text, {"", "~", "null", "Null", "NULL"})) return std::monostate{};
  if (is_word_of(text, {".nan", ".NaN", ".NAN"})) return std::numeric_limits<double>::quiet_NaN();
  if (is_word_of(text, {".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"})) {
    return std::numeric_limits<double>::infinity();
  }
  if (is_word_of(text, {"-.inf", "-.Inf", "-.INF"})) return -std::numeric_limits<double>::infinity();
  return std::nullopt;
}

int digit_value(char c) noexcept {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'z') return c - 'a' + 10;
  if (c >= 'A' && c <= 'Z') return c - 'A' + 10;
  return 99;
}

std::optional<std::uint64_t> read_magnitude(std::string_view digits, unsigned base) {
  if (digits.empty()) return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : digits) {
    const int digit = digit_value(c);
    if (digit >= static_cast<int>(base)) return std::nullopt;
    const auto step = static_cast<std::uint64_t>(digit);
    if (value > (std::numeric_limits<std::uint64_t>::max() - step) / base) return std::nullopt;
    value = value * base + step;
  }
  return value;
}

/// Digits with an optional sign. A signed number must fit 64 bits with sign, an unsigned one may use all 64.
std::optional<ScalarValue> read_signed(std::string_view text, unsigned base, bool negative, bool has_sign) {
  const auto magnitude = read_magnitude(text, base);
  if (!magnitude) return std::nullopt;
  constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (negative) {
    if (*magnitude > kMax + 1) return std::nullopt;
    return static_cast<std::int64_t>(0 - *magnitude);
  }
  if (*magnitude <= kMax) return static_cast<std::int64_t>(*magnitude);
  if (has_sign) return std::nullopt;
  return *magnitude;
}

/// `0x1F`, `0o17`, `0b11`, `017` (octal) and decimal numbers, without underscores.
std::optional<ScalarValue> read_integer(std::string_view text) {
  const bool has_sign = !text.empty() && (text.front() == '-' || text.front() == '+');
  const bool negative = has_sign && text.front() == '-';
  if (has_sign) text.remove_prefix(1);
  unsigned base = 10;
  if (text.size() > 1 && text.front() == '0') {
    const char mark = static_cast<char>(text[1] | 0x20);
    if (text.size() > 2 && (mark == 'x' || mark == 'o' || mark == 'b')) {
      base = mark == 'x' ? 16 : mark == 'o' ? 8 : 2;
      text.remove_prefix(2);
    } else {
      base = 8;
      text.remove_prefix(1);
    }
  }
  return read_signed(text, base, negative, has_sign);
}

/// `0b` may be followed by a sign of its own, a leniency of the reader that is imitated.
std::optional<ScalarValue> read_binary_with_inner_sign(std::string_view text) {
  const bool outer_minus = text.starts_with("-0b");
  if (!outer_minus && !text.starts_with("0b")) return std::nullopt;
  text.remove_prefix(outer_minus ? 3 : 2);
  bool negative = outer_minus;
  bool has_sign = outer_minus;
  if (!outer_minus && !text.empty() && (text.front() == '-' || text.front() == '+')) {
    has_sign = true;
    negative = text.front() == '-';
    text.remove_prefix(1);
  }
  return read_signed(text, 2, negative, has_sign);
}

/// `[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`, rewritten as JSON has it; empty if the text is no such
/// number.
std::string decimal_as_json(std::string_view text) {
  std::string out;
  std::size_t at = 0;
  const auto digits = [&] {
    const std::size_t start = at;
    while (at < text.size() && is_digit(text[at])) ++at;
    return text.substr(start, at - start);
  };
  if (at < text.size() && (text[at] == '+' || text[at] == '-')) {
    if (text[at++] == '-') out += '-';
  }
  std::string_view whole = digits();
  const bool has_whole = !whole.empty();
  while (whole.size() > 1 && whole.front() == '0') whole.remove_prefix(1);
  out += has_whole ? whole : "0";
  if (at < text.size() && text[at] == '.') {
    ++at;
    const std::string_view fraction = digits();
    if (!has_whole && fraction.empty()) return {};
    out += '.';
    out += fraction.empty() ? "0" : fraction;
  } else if (!has_whole) {
    return {};
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    out += 'e';
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) out += text[at++];
    const std::string_view exponent = digits();
    if (exponent.empty()) return {};
    out += exponent;
  }
  if (at != text.size()) return {};
  return out;
}

/// A decimal number as a double. One beyond the range of doubles is no number for this reader but a string.
std::optional<ScalarValue> read_decimal(std::string_view text) {
  std::string number = decimal_as_json(text);
  if (number.empty()) return std::nullopt;
  // The JSON reader would make an integer of digits alone.
  if (number.find_first_of(".e") == std::string::npos) number += ".0";
  const Json value = Json::parse(number, nullptr, false);
  if (!value.is_number()) return std::nullopt;
  return value.get<double>();
}

std::string without_underscores(std::string_view text) {
  std::string out(text);
  out.erase(std::remove(out.begin(), out.end(), '_'), out.end());
  return out;
}

std::optional<ScalarValue> read_number(std::string_view text) {
  const std::string plain = without_underscores(text);
  if (auto value = read_integer(plain)) return value;
  if (auto value = read_decimal(plain)) return value;
  return read_binary_with_inner_sign(plain);
}

/// The value an untagged plain scalar has.
ScalarValue resolve_plain(std::string_view text) {
  if (auto word = resolve_word(text)) return *std::move(word);
  const char first = text.front();
  std::optional<ScalarValue> number;
  if (first == '.') {
    // Underscores between digits are fine here too, but not elsewhere: the reader takes another way for these numbers.
    const bool odd = text.find("__") != std::string_view::npos || text.back() == '_' || text.starts_with("._") ||
                     text.find("_e") != std::string_view::npos || text.find("_E") != std::string_view::npos ||
                     text.find("e_") != std::string_view::npos || text.find("E_") != std::string_view::npos;
    if (!odd) number = read_decimal(without_underscores(text));
  } else if (is_digit(first) || first == '+' || first == '-') {
    number = read_number(text);
  }
  if (number) return *std::move(number);
  return std::string(text);
}

std::string_view kind_of(const ScalarValue& value) {
  static constexpr std::array<std::string_view, 6> kNames = {"null",       "a boolean", "an integer",
                                                             "an integer", "a float",   "a string"};
  return kNames[value.index()];
}

std::optional<std::string> decode_base64(std::string_view text) {
  std::string digits;
  for (const char c : text) {
    if (c != '\n' && c != '\r') digits += c;
  }
  if (digits.size() % 4 != 0) return std::nullopt;
  std::size_t padding = 0;
  while (padding < 2 && padding < digits.size() && digits[digits.size() - 1 - padding] == '=') ++padding;
  std::string out;
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const char c = digits[i];
    std::uint32_t value = 0;
    if (c >= 'A' && c <= 'Z') {
      value = static_cast<std::uint32_t>(c - 'A');
    } else if (c >= 'a' && c <= 'z') {
      value = static_cast<std::uint32_t>(c - 'a') + 26;
    } else if (is_digit(c)) {
      value = static_cast<std::uint32_t>(c - '0') + 52;
    } else if (c == '+' || c == '/') {
      value = c == '+' ? 62 : 63;
    } else if (i + padding < digits.size()) {
      return std::nullopt;
    }
    bits = (bits << 6) | value;
    if (i % 4 == 3) {
      out += static_cast<char>((bits >> 16) & 0xFF);
      out += static_cast<char>((bits >> 8) & 0xFF);
      out += static_cast<char>(bits & 0xFF);
      bits = 0;
    }
  }
  out.resize(out.size() - padding);
  return out;
}

/// Bytes that are no UTF-8 become U+FFFD, one each: JSON has no other way to hold them.
std::string as_utf8(std::string_view bytes) {
  std::string out;
  for (std::size_t i = 0; i < bytes.size();) {
    const std::size_t length = character_at(bytes, i).length;
    out += length == 0 ? "\xEF\xBF\xBD" : bytes.substr(i, length);
    i += std::max<std::size_t>(1, length);
  }
  return out;
}

/// The value under one of the tags that say what kind a scalar must be.
std::optional<ScalarValue> resolve_tagged(std::string_view kind, std::string_view text) {
  if (kind == "str") return std::string(text);
  if (kind == "timestamp") {
    if (is_timestamp(text)) return std::string(text);
    return std::nullopt;
  }
  ScalarValue value = resolve_plain(text);
  if (kind == "null" && std::holds_alternative<std::monostate>(value)) return value;
  if (kind == "bool" && std::holds_alternative<bool>(value)) return value;
  if (kind == "int" && (std::holds_alternative<std::int64_t>(value) || std::holds_alternative<std::uint64_t>(value))) {
    return value;
  }
  if (kind == "float") {
    if (std::holds_alternative<double>(value)) return value;
    if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
  }
  return std::nullopt;
}

}  // namespace

std::optional<ScalarValue> resolve_scalar(const ScalarText& scalar, std::string& problem) {
  if (scalar.tag.empty()) {
    if (scalar.plain) return resolve_plain(scalar.text);
    return std::string(scalar.text);
  }
  if (!scalar.tag.starts_with(kTagPrefix)) return std::string(scalar.text);
  const std::string_view kind = scalar.tag.substr(kTagPrefix.size());
  if (kind == "binary") {
    if (auto bytes = decode_base64(scalar.text)) return as_utf8(*bytes);
    problem = "`!!binary` needs base64, and this is not";
    return std::nullopt;
  }
  if (!is_word_of(kind, {"str", "bool", "int", "float", "null", "timestamp"})) return std::string(scalar.text);
  auto value = resolve_tagged(kind, scalar.text);
  if (!value) {
    const std::string found = scalar.text.empty() ? "an absent value" : in_backticks(scalar.text);
    problem = compose("{} is {}, but the tag `!!{}` says otherwise", found, kind_of(resolve_plain(scalar.text)), kind);
  }
  return value;
}

namespace {

/// Shortest decimal digits that give the same `float` again: keys are written with that precision, not with `double`'s.
std::string float_key(double number) {
  if (std::isnan(number)) return ".nan";
  const auto single = static_cast<float>(number);
  if (std::isinf(single)) return single > 0 ? ".inf" : "-.inf";
  // The longest is that of the smallest float: 46 characters in the plain form.
  char buffer[64];
  const auto written = [&](const char* form, int digits) {
    return std::string(buffer, static_cast<std::size_t>(std::snprintf(buffer, sizeof buffer, form, digits, single)));
  };
  std::string text;
  for (int precision = 0; precision < 9; ++precision) {
    text = written("%.*e", precision);
    if (std::strtof(text.c_str(), nullptr) == single) break;
  }
  const std::size_t e = text.find('e');
  const int exponent = std::atoi(text.c_str() + e + 1);
  if (exponent < -4 || exponent >= 6) return text;
  const std::size_t digits = e - (text.front() == '-' ? 1 : 0) - (text.find('.') < e ? 1 : 0);
  const int decimals = std::max(0, static_cast<int>(digits) - 1 - exponent);
  return written("%.*f", decimals);
}

}  // namespace

std::optional<std::string> key_text(const ScalarValue& value) {
  struct Writer {
    std::optional<std::string> operator()(std::monostate) const { return std::nullopt; }
    std::optional<std::string> operator()(bool truth) const { return truth ? "true" : "false"; }
    std::optional<std::string> operator()(std::int64_t number) const { return std::to_string(number); }
    std::optional<std::string> operator()(std::uint64_t) const { return std::nullopt; }
    std::optional<std::string> operator()(double number) const { return float_key(number); }
    std::optional<std::string> operator()(const std::string& text) const { return text; }
  };
  return std::visit(Writer{}, value);
}

}  // namespace pumice::yaml
