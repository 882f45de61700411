// Which run is due, and when to look again (spec/k8s-cronjob.md 6 and 10 step 5, spec/volcano-cronjob.md 5).
#pragma once

#include <cstdint>
#include <optional>

#include "pumice/cron/schedule.h"
#include "pumice/cronjob/cronjob.h"

namespace pumice::cronjob {

/// Asks a schedule for its next time, and remembers the last answers: the controllers ask the same again and again.
class Clockwork {
 public:
  explicit Clockwork(cron::Schedule schedule) : schedule_(std::move(schedule)) {}

  /// `Schedule::next`; absent: none within the search's horizon.
  [[nodiscard]] std::optional<Time> next(Time after);
  /// The last time up to `now` that the chain next(from), next(next(from)) … meets; absent if it meets none. Gives the
  /// same answer as walking it, in bounded time: where clocks keep their offset the chain meets every time that the
  /// fields allow, so most of it can be left out.
  [[nodiscard]] std::optional<Time> last_until(Time from, Time now);

  [[nodiscard]] const cron::Schedule& schedule() const noexcept { return schedule_; }

 private:
  struct Answer {
    Time after{};
    std::optional<Time> next{};
    bool known = false;
  };
  [[nodiscard]] std::optional<Time> shortcut(Time at, Time now);

  cron::Schedule schedule_;
  cron::PeriodMemory memory_;
  Answer answers_[2];
  bool older_ = false;
};

enum class Missed : std::uint8_t { None, Few, Many };

struct Due {
  Time earliest;            ///< where the look at missed runs begins
  std::optional<Time> run;  ///< the run that is due
  Missed missed = Missed::None;
  std::int64_t count = 0;  ///< how many runs seem to have been missed; Legacy stops counting at 101
  /// No run can be told: two runs less than a second apart, or no other one in sight (spec 6.1 item 6); in Legacy more
  /// than 100 were missed.
  bool failed = false;
  bool by_deadline = false;  ///< the starting deadline decided where the look begins

  friend bool operator==(const Due&, const Due&) = default;
};

/// What the questions below are about.
struct DueQuestion {
  Time creation;
  std::optional<Time> last_schedule;
  std::optional<std::int64_t> starting_deadline_seconds;
  Time now;
  Quirks quirks;

  [[nodiscard]] static DueQuestion of(const CronJob& cronjob, const Status& status, Time now, Quirks quirks);
};

/// `now` minus or plus a deadline in seconds, overflowing as upstream does.
[[nodiscard]] Time deadline_before(Time now, std::int64_t seconds, Quirks quirks);
[[nodiscard]] Time deadline_behind(Time run, std::int64_t seconds, Quirks quirks);

/// Spec 6.1; with the deadline it answers what is to be started (6.2), without it when to look again (6.3).
[[nodiscard]] Due most_recent(Clockwork& clockwork, const DueQuestion& question, bool use_deadline);
/// The latest unmet run, of at most 100 (spec 10 step 5).
[[nodiscard]] Due unmet(Clockwork& clockwork, const DueQuestion& question);

/// How long until the next look (spec 6.3), 100 ms included. May be negative; hugely so if there is no next run.
[[nodiscard]] Duration delay(Clockwork& clockwork, const DueQuestion& question);

}  // namespace pumice::cronjob
