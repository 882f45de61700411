// Lists in sentences.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pumice {

/// `a`, `a and b`, `a, b and c`; `last` is the word before the last, `and` here.
[[nodiscard]] inline std::string list_text(const std::vector<std::string>& words, std::string_view last) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " " + std::string(last) + " " : ", ";
    text += words[i];
  }
  return text;
}

}  // namespace pumice
