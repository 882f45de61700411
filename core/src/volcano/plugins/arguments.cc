#include "volcano/plugins/arguments.h"

#include <charconv>
#include <optional>

#include "pumice/check.h"

namespace pumice::volcano {
namespace {

std::optional<bool> read_flag(std::string_view text) {
  for (const std::string_view yes : {"1", "t", "T", "true", "TRUE", "True"})
    if (text == yes) return true;
  for (const std::string_view no : {"0", "f", "F", "false", "FALSE", "False"})
    if (text == no) return false;
  return std::nullopt;
}

/// With the prefixes of Go's literals: `0x`, `0b`, `0o`, and `0` for octal.
std::optional<std::int64_t> read_number(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  int base = 10;
  if (text.size() > 1 && text[0] == '0') {
    const char kind = static_cast<char>(text[1] | 0x20);
    base = kind == 'x' ? 16 : kind == 'b' ? 2 : 8;
    text.remove_prefix(kind == 'x' || kind == 'b' || kind == 'o' ? 2 : 1);
  }
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  if (value > std::uint64_t{INT64_MAX} + (negative ? 1 : 0)) return std::nullopt;
  return static_cast<std::int64_t>(negative ? 0 - value : value);
}

}  // namespace

Arguments::Arguments(std::span<const Option> options, const std::vector<std::string>& items) : options_(options) {
  for (const Option& option : options) values_.emplace_back(option.fallback);
  for (std::size_t at = 0; at < items.size(); ++at) {
    std::string_view item = items[at];
    if (item.size() < 2 || item[0] != '-' || item == "--") return;
    item.remove_prefix(item[1] == '-' ? 2 : 1);
    if (item[0] == '-' || item[0] == '=') return;
    const std::size_t equals = item.find('=');
    const std::string_view name = item.substr(0, equals);
    std::size_t which = 0;
    while (which < options.size() && options[which].name != name) ++which;
    if (which == options.size()) return;
    std::string value;
    if (equals != std::string_view::npos) {
      value = item.substr(equals + 1);
    } else if (options[which].type == Option::Type::Flag) {
      value = "true";
    } else if (at + 1 < items.size()) {
      value = items[++at];
    } else {
      return;
    }
    if (options[which].type == Option::Type::Flag && !read_flag(value)) return;
    if (options[which].type == Option::Type::Number && !read_number(value)) return;
    values_[which] = std::move(value);
  }
}

const std::string& Arguments::text(std::string_view name) const {
  std::size_t which = 0;
  while (which < options_.size() && options_[which].name != name) ++which;
  PUMICE_CHECK(which < options_.size());
  return values_[which];
}

std::int64_t Arguments::number(std::string_view name) const { return read_number(text(name)).value_or(0); }
bool Arguments::flag(std::string_view name) const { return read_flag(text(name)).value_or(false); }

}  // namespace pumice::volcano
