#include "yaml/backticks.h"

#include <cstddef>

#include "digits.h"
#include "utf8.h"

namespace pumice::yaml {

std::string in_backticks(std::string_view text) {
  constexpr std::size_t kShown = 60;
  std::size_t end = text.size();
  if (end > kShown) {
    end = kShown;
    while (end > 0 && is_utf8_tail(text[end])) --end;
  }
  std::string out = "`";
  for (const char c : text.substr(0, end)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      out += "\\n";
    } else if (byte < 0x20 || byte == 0x7F) {
      out += "\\x" + hex(byte, 2);
    } else {
      out += c;
    }
  }
  if (end < text.size()) out += "…";
  out += '`';
  return out;
}

}  // namespace pumice::yaml
