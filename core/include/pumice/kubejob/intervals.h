// Sets of completion indexes, kept as intervals: a job of 100,000 indexes that completes in order is one of them.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pumice::kubejob {

/// INVARIANT: intervals neither overlap nor touch. Adding and removing cost the logarithm of their number.
class Intervals {
 public:
  Intervals() = default;

  /// Reads `0,2-4,7` (spec 10.2): a piece that holds no numbers is skipped, the first piece that begins at or beyond
  /// `completions` ends the reading, an end beyond it is cut off. Pieces that overlap or are out of order, which the
  /// API server lets nobody write, are simply united.
  [[nodiscard]] static Intervals parse(std::string_view text, std::int32_t completions);
  /// Ascending; `5`, `5,6` or `5-7` for one, two or more neighbours.
  [[nodiscard]] std::string text() const;

  void insert(std::int32_t index) { insert(index, index); }
  void insert(std::int32_t first, std::int32_t last);
  void erase(std::int32_t index);

  [[nodiscard]] bool contains(std::int32_t index) const noexcept;
  /// The interval's end if `index` is a member, else `index - 1`.
  [[nodiscard]] std::int32_t last_of_run(std::int32_t index) const noexcept;
  [[nodiscard]] bool empty() const noexcept { return runs_.empty(); }
  [[nodiscard]] std::int64_t total() const noexcept { return total_; }
  /// The greatest member, or -1.
  [[nodiscard]] std::int32_t max() const noexcept { return runs_.empty() ? -1 : runs_.rbegin()->second; }
  /// How many members both have.
  [[nodiscard]] std::int64_t common(const Intervals& other) const noexcept;
  [[nodiscard]] const std::map<std::int32_t, std::int32_t>& runs() const noexcept { return runs_; }

  friend bool operator==(const Intervals&, const Intervals&) = default;

 private:
  std::map<std::int32_t, std::int32_t> runs_;  ///< first → last
  std::int64_t total_ = 0;
};

/// The first `count` indexes below `completions` that none of `taken` holds, ascending (spec 7.3).
[[nodiscard]] std::vector<std::int32_t> first_free(std::span<const Intervals* const> taken, std::int32_t completions,
                                                   std::int64_t count);

}  // namespace pumice::kubejob
