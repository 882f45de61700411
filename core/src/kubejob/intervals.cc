#include "pumice/kubejob/intervals.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>

namespace pumice::kubejob {
namespace {

/// As Go's `strconv.Atoi`: a sign and decimal digits, nothing else.
std::optional<std::int64_t> whole_number(std::string_view text) noexcept {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string_view take_until(std::string_view& text, char separator) noexcept {
  const std::string_view part = text.substr(0, text.find(separator));
  text.remove_prefix(std::min(text.size(), part.size() + 1));
  return part;
}

}  // namespace

Intervals Intervals::parse(std::string_view text, std::int32_t completions) {
  Intervals out;
  while (!text.empty()) {
    std::string_view piece = take_until(text, ',');
    const bool is_range = piece.find('-') != std::string_view::npos;
    const std::optional<std::int64_t> first = whole_number(take_until(piece, '-'));
    if (!first || *first < 0) continue;
    if (*first >= completions) break;
    std::int64_t last = *first;
    if (is_range) {
      const std::optional<std::int64_t> end = whole_number(take_until(piece, '-'));
      if (!end || *end < *first) continue;
      last = std::min<std::int64_t>(*end, completions - 1);
    }
    out.insert(static_cast<std::int32_t>(*first), static_cast<std::int32_t>(last));
  }
  return out;
}

std::string Intervals::text() const {
  std::string out;
  for (const auto& [first, last] : runs_) {
    if (!out.empty()) out += ',';
    out += std::to_string(first);
    if (last == first) continue;
    out += last == first + 1 ? ',' : '-';
    out += std::to_string(last);
  }
  return out;
}

void Intervals::insert(std::int32_t first, std::int32_t last) {
  // The first run that touches the new one, or lies behind it.
  auto run = runs_.upper_bound(first);
  if (run != runs_.begin() && std::prev(run)->second >= first - 1) --run;
  while (run != runs_.end() && std::int64_t{run->first} <= std::int64_t{last} + 1) {
    first = std::min(first, run->first);
    last = std::max(last, run->second);
    total_ -= std::int64_t{run->second} - run->first + 1;
    run = runs_.erase(run);
  }
  runs_.emplace_hint(run, first, last);
  total_ += std::int64_t{last} - first + 1;
}

void Intervals::erase(std::int32_t index) {
  auto run = runs_.upper_bound(index);
  if (run == runs_.begin()) return;
  --run;
  const std::int32_t first = run->first;
  const std::int32_t last = run->second;
  if (last < index) return;
  --total_;
  if (first == index) {
    run = runs_.erase(run);
  } else {
    run->second = index - 1;
    ++run;
  }
  if (last > index) runs_.emplace_hint(run, index + 1, last);
}

std::int32_t Intervals::last_of_run(std::int32_t index) const noexcept {
  auto run = runs_.upper_bound(index);
  if (run == runs_.begin() || (--run)->second < index) return index - 1;
  return run->second;
}

bool Intervals::contains(std::int32_t index) const noexcept { return last_of_run(index) >= index; }

std::int64_t Intervals::common(const Intervals& other) const noexcept {
  std::int64_t count = 0;
  auto a = runs_.begin();
  auto b = other.runs_.begin();
  while (a != runs_.end() && b != other.runs_.end()) {
    const std::int64_t first = std::max(a->first, b->first);
    const std::int64_t last = std::min(a->second, b->second);
    if (first <= last) count += last - first + 1;
    if (a->second < b->second)
      ++a;
    else
      ++b;
  }
  return count;
}

std::vector<std::int32_t> first_free(std::span<const Intervals* const> taken, std::int32_t completions,
                                     std::int64_t count) {
  std::vector<std::int32_t> free;
  std::int32_t index = 0;
  while (index < completions && static_cast<std::int64_t>(free.size()) < count) {
    std::int32_t behind = index;
    for (const Intervals* set : taken) behind = std::max(behind, set->last_of_run(index) + 1);
    if (behind == index) {
      free.push_back(index);
      behind = index + 1;
    }
    index = behind;
  }
  return free;
}

}  // namespace pumice::kubejob
