#include "pumice/cronjob/controller.h"

#include <algorithm>

namespace pumice::cronjob {
namespace {

constexpr Duration kPollPeriod{10 * kSecond.ns};
constexpr Duration kRetryFirst{5 * kMillisecond.ns};
constexpr Duration kRetryMax{1000 * kSecond.ns};

/// 5 ms · 2^n, at most 1000 s (spec 1).
Duration pause_after(std::int64_t failures) {
  constexpr std::int64_t kDoublingsMax = 18;
  return {std::min(kRetryFirst.ns << std::min(failures, kDoublingsMax), kRetryMax.ns)};
}

/// True if an equal look later would do nothing either, until something changes or the next run is due.
bool is_quiet(const SyncInput& input, const SyncOutput& output) {
  const bool idle = output.verdict == Verdict::NotDue || output.verdict == Verdict::Suspended ||
                    output.verdict == Verdict::Forbidden || output.verdict == Verdict::Deleting;
  return idle && std::all_of(output.effects.begin(), output.effects.end(), [&](const Effect& effect) {
           const auto* write = std::get_if<WriteStatus>(&effect);
           return write != nullptr && write->status == input.cronjob->status;
         });
}

}  // namespace

Controller::Controller(Profile profile, Quirks quirks, Time start, const cron::ZoneSource& zones)
    : profile_(profile), quirks_(quirks), start_(start), zones_(&zones), ready_(start) {}

/// Legacy looks at everything at the start and every ten seconds from there.
Time Controller::poll_at_or_after(Time time) const {
  if (time <= start_) return start_;
  const std::int64_t periods = ((time - start_).ns - 1) / kPollPeriod.ns + 1;
  return start_ + Duration{periods * kPollPeriod.ns};
}

void Controller::observe(Time now) {
  if (profile_ != Profile::Legacy) {
    if (!ready_) ready_ = now;
    return;
  }
  const Time poll = poll_at_or_after(now + kNanosecond);
  if (!ready_ || poll < *ready_) ready_ = poll;
}

void Controller::observe_update(Time now, const CronJob& before, const CronJob& after, std::vector<Effect>& effects) {
  const bool same_times = before.spec == after.spec || (before.spec->schedule == after.spec->schedule &&
                                                        before.spec->time_zone == after.spec->time_zone);
  if (profile_ == Profile::Legacy || same_times) return observe(now);
  ScheduleMemo memo;
  memo.read(after.spec, profile_, *zones_);
  if (memo.clockwork() == nullptr) {
    effects.emplace_back(EmitEvent{{EventCode::UnParseableCronJobSchedule, after.spec->schedule}});
    return;
  }
  if (!quirks_.has(Quirk::OldTimer)) delayed_.reset();
  add_after(now, delay(*memo.clockwork(), DueQuestion::of(after, after.status, now, quirks_)));
}

void Controller::add_after(Time now, Duration delay) {
  if (delay.ns <= 0) return observe(now);
  const Time then = now + delay;
  if (!delayed_ || then < *delayed_) delayed_ = then;
}

std::optional<Time> Controller::next_deadline() const noexcept {
  if (!ready_ || !delayed_) return ready_ ? ready_ : delayed_;
  return std::min(*ready_, *delayed_);
}

void Controller::work(SyncInput input, Server& server, SyncOutput& output) {
  input.profile = profile_;
  input.quirks = quirks_;
  input.zones = zones_;
  input.memo = &memo_;
  sync(input, server, output);
  if (output.waiting) return;
  ready_.reset();
  if (delayed_ && *delayed_ <= input.now) delayed_.reset();
  if (profile_ == Profile::Legacy) return look_again_later(input, output);
  if (output.failed()) return add_after(input.now, pause_after(failures_++));
  if (output.requeue_after) {
    failures_ = 0;
    add_after(input.now, *output.requeue_after);
  } else if (profile_ == Profile::V2) {
    failures_ = 0;
  }
}

/// The next poll of Legacy. Polls that would do nothing are left out: those of a year are three million.
void Controller::look_again_later(const SyncInput& input, const SyncOutput& output) {
  const bool quiet = is_quiet(input, output);
  if (quiet && (output.verdict == Verdict::Suspended || output.verdict == Verdict::Deleting)) return;
  Time wanted = input.now + kNanosecond;
  Clockwork* clockwork = memo_.clockwork();
  if (quiet && clockwork != nullptr && !clockwork->schedule().is_every()) {
    const std::optional<Time> next = clockwork->next(input.now);
    if (!next) return;
    wanted = std::max(wanted, *next);
  }
  ready_ = poll_at_or_after(wanted);
}

}  // namespace pumice::cronjob
