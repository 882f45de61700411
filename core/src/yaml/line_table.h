// Byte offsets as lines and columns.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "pumice/diagnostic.h"

namespace pumice::yaml {

/// Lines end with LF, CR LF or CR. Offsets beyond the text count as its end.
class LineTable {
 public:
  explicit LineTable(std::string_view text) : size_(text.size()) {
    starts_.push_back(0);
    for (std::size_t i = 0; i < text.size(); ++i) {
      const bool is_pair = text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n';
      if (text[i] == '\n' || (text[i] == '\r' && !is_pair)) starts_.push_back(i + 1);
    }
  }

  [[nodiscard]] Position at(std::size_t offset) const {
    offset = std::min(offset, size_);
    const auto next = std::upper_bound(starts_.begin(), starts_.end(), offset);
    return {static_cast<std::int32_t>(next - starts_.begin()),
            static_cast<std::int32_t>(offset - *std::prev(next)) + 1};
  }

  /// The byte that `position`, an answer of `at`, stands for.
  [[nodiscard]] std::size_t offset(Position position) const {
    if (!position.known()) return 0;
    return starts_[static_cast<std::size_t>(position.line) - 1] + static_cast<std::size_t>(position.column) - 1;
  }

 private:
  std::size_t size_;
  std::vector<std::size_t> starts_;
};

}  // namespace pumice::yaml
