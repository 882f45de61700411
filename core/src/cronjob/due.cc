#include "pumice/cronjob/due.h"

#include <limits>

#include "civil.h"

namespace pumice::cronjob {
namespace {

constexpr std::int64_t kMissedMax = 100;
constexpr Duration kPadding{100 * kMillisecond.ns};
constexpr std::int64_t kHour = 3600;

/// Seconds as nanoseconds, in 64 bits as Go computes them.
Duration product(std::int64_t count, Quirks quirks) {
  std::int64_t ns = 0;
  if (!__builtin_mul_overflow(count, kSecond.ns, &ns)) return {ns};
  if (quirks.has(Quirk::DeadlineOverflow)) {
    return {static_cast<std::int64_t>(static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(kSecond.ns))};
  }
  return {count > 0 ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int64_t>::min()};
}

Duration negated(Duration duration) { return {static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(duration.ns))}; }

/// Spec 6.1 items 1 and 2, and the same in 10 step 5.
void find_earliest(const DueQuestion& question, bool use_deadline, Due& due) {
  due.earliest = question.last_schedule.value_or(question.creation);
  if (!use_deadline || !question.starting_deadline_seconds) return;
  const Time bound = deadline_before(question.now, *question.starting_deadline_seconds, question.quirks);
  if (bound <= due.earliest) return;
  due.earliest = bound;
  due.by_deadline = true;
}

/// All missed runs counted one by one, for those who want the truth.
void count_exactly(Clockwork& clockwork, Time now, Time first, Due& due) {
  std::optional<Time> at = first;
  while (at && *at <= now && due.count <= kMissedMax) {
    ++due.count;
    due.run = at;
    at = clockwork.next(*at);
  }
  if (due.count > kMissedMax) due.run = clockwork.last_until(*due.run, now).value_or(*due.run);
  if (due.count > 1) due.missed = due.count > kMissedMax ? Missed::Many : Missed::Few;
}

/// Without EveryBelowDeadline the deadline does not move the grid of `@every`: it only says which runs are too late.
Due most_recent_of_grid(Clockwork& clockwork, const DueQuestion& question) {
  Due due = most_recent(clockwork, question, false);
  const Time bound = deadline_before(question.now, *question.starting_deadline_seconds, question.quirks);
  if (due.run && *due.run <= bound) {
    due.run.reset();
    due.by_deadline = true;
  }
  return due;
}

}  // namespace

std::optional<Time> Clockwork::next(Time after) {
  for (const Answer& answer : answers_) {
    if (answer.known && answer.after == after) return answer.next;
  }
  Answer& answer = answers_[older_ ? 1 : 0];
  older_ = !older_;
  answer = {after, schedule_.next(after, memory_), true};
  return answer.next;
}

/// A later member of the chain that has `at`. Behind a change of clocks, and in the month that holds it, the search may
/// be astray; from there on the chain meets every time that the fields allow.
std::optional<Time> Clockwork::shortcut(Time at, Time now) {
  const std::int64_t second = floor_div(now.ns, kSecond.ns);
  const std::int64_t reached = floor_div(at.ns, kSecond.ns);
  constexpr std::int64_t kMonth = 32 * kDaySeconds;
  if (reached - kMonth < schedule_.zone().period_at(second).begin) return std::nullopt;
  for (const std::int64_t back : {kHour, kDaySeconds, kMonth}) {
    if (second - back <= reached) return std::nullopt;
    const auto next = schedule_.next({(second - back) * kSecond.ns}, memory_);
    if (next && *next <= now) return next;
  }
  return std::nullopt;
}

std::optional<Time> Clockwork::last_until(Time from, Time now) {
  if (schedule_.is_every()) {
    const std::int64_t start = floor_div(from.ns, kSecond.ns);
    const std::int64_t steps = (floor_div(now.ns, kSecond.ns) - start) / schedule_.every_seconds();
    if (now < from || steps < 1) return std::nullopt;
    return Time{(start + steps * schedule_.every_seconds()) * kSecond.ns};
  }
  constexpr unsigned kRound = 1024;
  constexpr unsigned kPatience = 16;
  std::optional<Time> last;
  std::optional<Time> at = schedule_.next(from, memory_);
  for (unsigned steps = 0; at && *at <= now; ++steps) {
    last = at;
    if (steps % kRound == kPatience) {
      if (const auto later = shortcut(*at, now)) last = at = later;
    }
    at = schedule_.next(*at, memory_);
  }
  return last;
}

DueQuestion DueQuestion::of(const CronJob& cronjob, const Status& status, Time now, Quirks quirks) {
  return {.creation = cronjob.meta->creation,
          .last_schedule = status.last_schedule,
          .starting_deadline_seconds = cronjob.spec->starting_deadline_seconds,
          .now = now,
          .quirks = quirks};
}

Time deadline_before(Time now, std::int64_t seconds, Quirks quirks) { return now + negated(product(seconds, quirks)); }
Time deadline_behind(Time run, std::int64_t seconds, Quirks quirks) { return run + product(seconds, quirks); }

Due most_recent(Clockwork& clockwork, const DueQuestion& question, bool use_deadline) {
  if (use_deadline && question.starting_deadline_seconds && clockwork.schedule().is_every() &&
      !question.quirks.has(Quirk::EveryBelowDeadline)) {
    return most_recent_of_grid(clockwork, question);
  }
  const Time now = question.now;
  Due due;
  find_earliest(question, use_deadline, due);
  const std::optional<Time> first = clockwork.next(due.earliest);
  // No time at all comes behind the end of time for `@every`, and is year 1 for fields.
  if (first ? now < *first : clockwork.schedule().is_every()) return due;
  const std::optional<Time> second = first ? clockwork.next(*first) : std::nullopt;
  if (first && (second ? now < *second : clockwork.schedule().is_every())) {
    due.run = first;
    due.count = 1;
    return due;
  }
  if (!first || !second) {
    if (first && !question.quirks.has(Quirk::LastRunLost)) {
      due.run = first;
      due.count = 1;
    } else {
      due.failed = true;
    }
    return due;
  }
  if (!question.quirks.has(Quirk::MissedEstimate)) {
    count_exactly(clockwork, now, *first, due);
    return due;
  }
  // Both are whole seconds; the schedule's times are at least a second apart.
  const std::int64_t gap = (*second - *first).ns / kSecond.ns;
  due.count = (now - *first).ns / kSecond.ns / gap + 1;
  due.missed = due.count > kMissedMax ? Missed::Many : Missed::Few;
  due.run = clockwork.last_until(*first + seconds((due.count - 2) * gap), now);
  return due;
}

Due unmet(Clockwork& clockwork, const DueQuestion& question) {
  if (question.starting_deadline_seconds && clockwork.schedule().is_every() &&
      !question.quirks.has(Quirk::EveryBelowDeadline)) {
    Due due = most_recent_of_grid(clockwork, question);
    if (due.missed == Missed::Many && question.quirks.has(Quirk::HundredMissed)) {
      due.run.reset();
      due.failed = true;
    }
    return due;
  }
  Due due;
  find_earliest(question, true, due);
  if (due.earliest > question.now) return due;
  for (std::optional<Time> at = clockwork.next(due.earliest);; at = clockwork.next(*at)) {
    // A search without result gives year 1, which counts as missed again and again.
    const bool never = !at && !clockwork.schedule().is_every();
    if (!never && (!at || *at > question.now)) break;
    if (!never) due.run = at;
    if (!never && ++due.count <= kMissedMax) continue;
    due.count = kMissedMax + 1;
    if (question.quirks.has(Quirk::HundredMissed)) {
      due.run.reset();
      due.failed = true;
    } else if (due.run) {
      due.run = clockwork.last_until(*due.run, question.now).value_or(*due.run);
    } else {
      due.failed = true;
    }
    break;
  }
  if (due.count > 1) due.missed = due.count > kMissedMax ? Missed::Many : Missed::Few;
  return due;
}

Duration delay(Clockwork& clockwork, const DueQuestion& question) {
  const Due due = most_recent(clockwork, question, false);
  Time base = question.now;
  if (!due.failed && due.run) base = *due.run;
  if (!due.failed && !due.run && due.missed == Missed::None) base = due.earliest;
  const std::optional<Time> next = clockwork.next(base);
  if (next) return *next + kPadding - question.now;
  const bool is_late = clockwork.schedule().is_every();
  return {is_late ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int64_t>::min()};
}

}  // namespace pumice::cronjob
