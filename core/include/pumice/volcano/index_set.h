// A set of small integers with constant-time updates and fast ordered walks, whatever its size.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace pumice::volcano {

/// Members lie in [0, capacity). A tree of bit words: each level holds one bit for each non-empty word below it, so a
/// walk over the members costs about one step a member, and nothing for the gaps.
class IndexSet {
 public:
  IndexSet() = default;
  explicit IndexSet(std::int32_t capacity);

  [[nodiscard]] std::int32_t capacity() const noexcept { return capacity_; }
  [[nodiscard]] std::int32_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] bool contains(std::int32_t index) const noexcept;
  void insert(std::int32_t index);
  void erase(std::int32_t index);
  /// The smallest member >= `from`, or -1.
  [[nodiscard]] std::int32_t next(std::int32_t from) const noexcept;

  template <class Visit>
  void for_each(Visit visit) const {
    for (std::int32_t i = next(0); i >= 0; i = next(i + 1)) visit(i);
  }

 private:
  using Level = std::vector<std::uint64_t>;
  std::vector<Level> levels_;  ///< levels_[0] holds the members themselves
  std::int32_t capacity_ = 0;
  std::int32_t size_ = 0;
};

}  // namespace pumice::volcano
