#include "pumice/volcano/index_set.h"

#include "pumice/check.h"

namespace pumice::volcano {

namespace {
constexpr std::size_t word_of(std::size_t bit) noexcept { return bit / 64; }
constexpr std::uint64_t mask_of(std::size_t bit) noexcept { return std::uint64_t{1} << (bit % 64); }
}  // namespace

IndexSet::IndexSet(std::int32_t capacity) : capacity_(capacity) {
  PUMICE_CHECK(capacity >= 0);
  for (std::size_t bits = static_cast<std::size_t>(capacity); bits > 0;) {
    const std::size_t words = (bits + 63) / 64;
    levels_.emplace_back(words, 0);
    bits = words > 1 ? words : 0;
  }
}

bool IndexSet::contains(std::int32_t index) const noexcept {
  if (index < 0 || index >= capacity_) return false;
  const auto bit = static_cast<std::size_t>(index);
  return (levels_[0][word_of(bit)] & mask_of(bit)) != 0;
}

void IndexSet::insert(std::int32_t index) {
  PUMICE_CHECK(index >= 0 && index < capacity_);
  if (contains(index)) return;
  ++size_;
  auto bit = static_cast<std::size_t>(index);
  for (Level& level : levels_) {
    std::uint64_t& word = level[word_of(bit)];
    const bool was_empty = word == 0;
    word |= mask_of(bit);
    if (!was_empty) return;
    bit = word_of(bit);
  }
}

void IndexSet::erase(std::int32_t index) {
  if (!contains(index)) return;
  --size_;
  auto bit = static_cast<std::size_t>(index);
  for (Level& level : levels_) {
    std::uint64_t& word = level[word_of(bit)];
    word &= ~mask_of(bit);
    if (word != 0) return;
    bit = word_of(bit);
  }
}

std::int32_t IndexSet::next(std::int32_t from) const noexcept {
  if (size_ == 0 || from >= capacity_) return -1;
  // Upwards until some word has a member at or behind the place, then down to its first leaf.
  auto bit = static_cast<std::size_t>(from < 0 ? 0 : from);
  for (std::size_t depth = 0; depth < levels_.size(); ++depth) {
    const Level& level = levels_[depth];
    if (word_of(bit) >= level.size()) return -1;
    const std::uint64_t rest = level[word_of(bit)] >> (bit % 64);
    if (rest == 0) {
      bit = word_of(bit) + 1;
      continue;
    }
    bit += static_cast<std::size_t>(std::countr_zero(rest));
    while (depth > 0) {
      --depth;
      bit = bit * 64 + static_cast<std::size_t>(std::countr_zero(levels_[depth][bit]));
    }
    return static_cast<std::int32_t>(bit);
  }
  return -1;
}

}  // namespace pumice::volcano
