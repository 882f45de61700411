// Which times of a schedule do clock changes skip, repeat or lose? The activations themselves are compared with all
// local times that match on paper, so that every surprise of the search shows, whatever its cause.
#include <algorithm>
#include <map>

#include "civil.h"
#include "compose.h"
#include "cron/search.h"
#include "cron/words.h"
#include "list_text.h"

namespace pumice::cron {
namespace {

constexpr std::int64_t kMinute = 60;
constexpr std::int64_t kTwoYears = 731 * kDaySeconds;
constexpr std::int64_t kAround = 2 * kDaySeconds;  ///< how far from a change a busy schedule is looked at
constexpr std::size_t kActivationsMax = 20'000;
constexpr std::size_t kWarningsMax = 40;

struct Change {
  std::int64_t at;
  std::int64_t before;  ///< offsets
  std::int64_t after;

  [[nodiscard]] bool skips(std::int64_t local) const noexcept { return local >= at + before && local < at + after; }
};

enum class Kind : std::uint8_t { Skipped, Doubled, Lost, WrongDay };

/// Times of one day that share a fate: by day and kind, the seconds of the day.
using Findings = std::map<std::pair<std::int64_t, Kind>, std::vector<std::int64_t>>;

std::string times_text(const std::vector<std::int64_t>& seconds) {
  if (seconds.size() > 4) {
    return compose("{} to {} ({} times)", clock_text(seconds.front()), clock_text(seconds.back()), seconds.size());
  }
  std::vector<std::string> words;
  for (const std::int64_t second : seconds) words.push_back(clock_text(second));
  return list_text(words, "and");
}

std::string clocks_text(const Change& change) {
  const auto clock = [&](std::int64_t offset) { return clock_text(wall_of(change.at + offset).second); };
  const bool forward = change.after > change.before;
  return compose("clocks go {} from {} to {}", forward ? "forward" : "back", clock(change.before), clock(change.after));
}

class Comparison {
 public:
  Comparison(const Schedule& schedule, std::int64_t after) : schedule_(schedule), after_(after) {
    const std::int64_t end = after + kTwoYears;
    for (ZonePeriod here = schedule.zone().period_at(after); here.end < end;) {
      const ZonePeriod next = schedule.zone().period_at(here.end);
      if (next.offset != here.offset) changes_.push_back({here.end, here.offset, next.offset});
      here = next;
    }
  }

  /// To be asked once.
  Findings findings();
  [[nodiscard]] const Change& nearest(std::int64_t day) const;

 private:
  /// Counts the activations in `begin` < t ≤ `end`. False if there are too many.
  bool count(std::int64_t begin, std::int64_t end);
  void compare(std::int64_t first_day, std::int64_t last_day);
  [[nodiscard]] std::int64_t local(std::int64_t at) { return at + memory_.look_up(schedule_.zone(), at).offset; }
  [[nodiscard]] Kind missed(std::int64_t local) const {
    return std::ranges::any_of(changes_, [&](const Change& change) { return change.skips(local); }) ? Kind::Skipped
                                                                                                    : Kind::Lost;
  }
  void note(std::int64_t local, Kind kind);

  const Schedule& schedule_;
  std::int64_t after_;
  std::vector<Change> changes_;
  PeriodMemory memory_;
  std::map<std::int64_t, int> activations_;  ///< local time → how often
  Findings findings_;
};

bool Comparison::count(std::int64_t begin, std::int64_t end) {
  activations_.clear();
  std::size_t total = 0;
  PeriodMemory memory;
  for (auto at = schedule_.next(Time{begin * kSecond.ns}, memory); at; at = schedule_.next(*at, memory)) {
    const std::int64_t second = at->ns / kSecond.ns;
    if (second > end) break;
    if (++total > kActivationsMax) return false;
    ++activations_[local(second)];
  }
  return true;
}

void Comparison::note(std::int64_t local, Kind kind) {
  const Wall wall = wall_of(local);
  findings_[{wall.day, kind}].push_back(wall.second);
}

void Comparison::compare(std::int64_t first_day, std::int64_t last_day) {
  const Fields& fields = schedule_.fields();
  const std::int64_t now = local(after_);
  for (std::int64_t day = first_day; day <= last_day; ++day) {
    const Wall date = wall_of(day * kDaySeconds);
    if (!fields.month.has(date.month) || !fields.day_matches(date.day_of_month, date.weekday())) continue;
    for (std::int64_t second = 0; second < kDaySeconds; second += kMinute) {
      if (!fields.hour.has(second / 3600)) {
        second += 3600 - kMinute;
        continue;
      }
      const std::int64_t time = day * kDaySeconds + second;
      if (!fields.minute.has(second / kMinute % 60) || time <= now) continue;
      const auto found = activations_.find(time);
      if (found == activations_.end()) note(time, missed(time));
      if (found != activations_.end() && found->second > 1) note(time, Kind::Doubled);
    }
  }
  for (const auto& [time, times] : activations_) {
    const Wall wall = wall_of(time);
    if (wall.day < first_day || wall.day > last_day) continue;
    if (!fields.month.has(wall.month) || !fields.day_matches(wall.day_of_month, wall.weekday())) {
      note(time, Kind::WrongDay);
    }
  }
}

Findings Comparison::findings() {
  if (changes_.empty()) return {};
  const std::int64_t end = after_ + kTwoYears;
  if (count(after_, end)) {
    compare(wall_of(local(after_)).day, wall_of(local(end)).day - 1);
  } else {
    for (const Change& change : changes_) {
      if (!count(std::max(after_, change.at - kAround), change.at + kAround)) continue;
      const std::int64_t day = wall_of(change.at + change.before).day;
      compare(day - 1, day + 1);
    }
  }
  return std::move(findings_);
}

const Change& Comparison::nearest(std::int64_t day) const {
  return *std::ranges::min_element(changes_, {}, [&](const Change& change) {
    const std::int64_t distance = wall_of(change.at + change.before).day - day;
    return distance < 0 ? -distance : distance;
  });
}

Diagnostic to_warning(std::int64_t day, Kind kind, const std::vector<std::int64_t>& seconds, const Change& change) {
  const std::string date = date_text(day);
  const std::string times = times_text(seconds);
  const bool one = seconds.size() == 1;
  const std::string hint = "choose a time that every day has once, or a zone without clock changes such as UTC";
  const std::string change_date = date_text(wall_of(change.at + change.before).day);
  switch (kind) {
    case Kind::Skipped:
      return warning("SkippedByClockChange",
                     compose("skipped on {}: {} do{} not exist, {}", date, times, one ? "es" : "", clocks_text(change)),
                     hint);
    case Kind::Doubled:
      return warning(
          "DoubledByClockChange",
          compose("fires twice on {}: {} come{} twice, {}", date, times, one ? "s" : "", clocks_text(change)), hint);
    case Kind::Lost:
      return warning("LostToClockChange",
                     compose("lost on {}: {} exist{}, but the controller's search steps over it because {} on {}", date,
                             times, one ? "s" : "", clocks_text(change), change_date),
                     hint);
    case Kind::WrongDay: break;
  }
  return warning("WrongDayAfterClockChange",
                 compose("fires on {} at {}, a day that does not match: the controller's search is led astray because "
                         "{} on {}",
                         date, times, clocks_text(change), change_date),
                 hint);
}

}  // namespace

void warn_of_clock_changes(const Schedule& schedule, Time after, Diagnostics& out) {
  // A schedule of every hour just goes on through a change.
  if (schedule.is_every() || is_full(schedule.fields().hour, all_fields()[1])) return;
  Comparison comparison(schedule, after.ns / kSecond.ns);
  for (const auto& [of, seconds] : comparison.findings()) {
    if (out.size() >= kWarningsMax) return;
    out.push_back(to_warning(of.first, of.second, seconds, comparison.nearest(of.first)));
  }
}

}  // namespace pumice::cron
