#include "yaml/timestamp.h"

#include <chrono>
#include <cstddef>
#include <optional>

namespace pumice::yaml {
namespace {

/// Takes parts off the front of a text.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  [[nodiscard]] bool done() const noexcept { return text_.empty(); }

  bool take(char wanted) noexcept {
    if (text_.empty() || text_.front() != wanted) return false;
    text_.remove_prefix(1);
    return true;
  }

  /// A number of `least` to `most` digits.
  std::optional<int> number(std::size_t least, std::size_t most) noexcept {
    std::size_t count = 0;
    int value = 0;
    while (count < most && count < text_.size() && text_[count] >= '0' && text_[count] <= '9') {
      value = value * 10 + (text_[count++] - '0');
    }
    if (count < least) return std::nullopt;
    text_.remove_prefix(count);
    return value;
  }

  /// Digits behind the point; false if there is a point and no digit follows.
  bool fraction() noexcept {
    if (text_.size() < 2 || (text_.front() != '.' && text_.front() != ',')) return true;
    std::size_t count = 1;
    while (count < text_.size() && text_[count] >= '0' && text_[count] <= '9') ++count;
    if (count == 1) return false;
    text_.remove_prefix(count);
    return true;
  }

 private:
  std::string_view text_;
};

bool take_date(Cursor& at) noexcept {
  const auto year = at.number(4, 4);
  if (!year || !at.take('-')) return false;
  const auto month = at.number(1, 2);
  if (!month || !at.take('-')) return false;
  const auto day = at.number(1, 2);
  if (!day) return false;
  return std::chrono::year_month_day{std::chrono::year{*year}, std::chrono::month{static_cast<unsigned>(*month)},
                                     std::chrono::day{static_cast<unsigned>(*day)}}
      .ok();
}

bool take_time(Cursor& at) noexcept {
  const auto hour = at.number(1, 2);
  if (!hour || *hour > 23 || !at.take(':')) return false;
  const auto minute = at.number(1, 2);
  if (!minute || *minute > 59 || !at.take(':')) return false;
  const auto second = at.number(1, 2);
  return second && *second <= 59 && at.fraction();
}

bool take_zone(Cursor& at) noexcept {
  if (at.take('Z')) return true;
  if (!at.take('+') && !at.take('-')) return false;
  const auto hours = at.number(2, 2);
  if (!hours || *hours > 24 || !at.take(':')) return false;
  const auto minutes = at.number(2, 2);
  return minutes && *minutes <= 60;
}

}  // namespace

bool is_timestamp(std::string_view text) noexcept {
  Cursor at(text);
  if (!take_date(at)) return false;
  if (at.done()) return true;
  if (at.take('T') || at.take('t')) return take_time(at) && take_zone(at) && at.done();
  // Any run of blanks may stand before the time in this form.
  if (!at.take(' ')) return false;
  while (at.take(' ')) {
  }
  return take_time(at) && at.done();
}

}  // namespace pumice::yaml
