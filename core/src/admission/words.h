// Lists of names that people write.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace pumice::admission {

/// Words of a text, between commas and blanks.
[[nodiscard]] inline std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(", \t\r\n"), text.size());
    if (end > 0) words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

}  // namespace pumice::admission
