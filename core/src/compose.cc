#include "compose.h"

#include <charconv>

namespace pumice {

namespace compose_detail {

Part::Part(std::int64_t number, std::nullptr_t) noexcept
    : text_(digits_, static_cast<std::size_t>(std::to_chars(digits_, digits_ + sizeof digits_, number).ptr - digits_)) {
}

Part::Part(std::uint64_t number, std::nullptr_t) noexcept
    : text_(digits_, static_cast<std::size_t>(std::to_chars(digits_, digits_ + sizeof digits_, number).ptr - digits_)) {
}

std::string fill(std::string_view pattern, const Part* parts) {
  std::string text;
  while (true) {
    const std::size_t hole = pattern.find("{}");
    text += pattern.substr(0, hole);
    if (hole == std::string_view::npos) return text;
    text += (parts++)->text();
    pattern.remove_prefix(hole + 2);
  }
}

}  // namespace compose_detail

std::string count_of(std::int64_t count, std::string_view noun) {
  return compose("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace pumice
