// When a controller looks at a CronJob: callbacks, queue, delays and retries (spec/k8s-cronjob.md 3 and 10,
// spec/volcano-cronjob.md 2).
//
// One object for one key. Keys share nothing but upstream's overall limit of ten retries a second, which is left out.
#pragma once

#include <cstdint>
#include <optional>

#include "pumice/cronjob/sync.h"

namespace pumice::cronjob {

class Controller {
 public:
  /// Begins to run at `start`: what exists counts as added then.
  Controller(Profile profile, Quirks quirks, Time start, const cron::ZoneSource& zones);

  // Callbacks. What they emit is appended to `effects`.

  /// The CronJob was added or deleted, or one of its jobs has changed.
  void observe(Time now);
  void observe_update(Time now, const CronJob& before, const CronJob& after, std::vector<Effect>& effects);

  /// When `work` has something to do next: now, later, or never.
  [[nodiscard]] std::optional<Time> next_deadline() const noexcept;

  /// Takes the look that is due and queues the next one. `input` needs CronJob and jobs; the rest is filled in. If the
  /// output is `waiting`, nothing has happened yet: come again with more answers.
  void work(SyncInput input, Server& server, SyncOutput& output);

  [[nodiscard]] ScheduleMemo& memo() noexcept { return memo_; }

 private:
  void add_after(Time now, Duration delay);
  void look_again_later(const SyncInput& input, const SyncOutput& output);
  [[nodiscard]] Time poll_at_or_after(Time time) const;

  Profile profile_;
  Quirks quirks_;
  Time start_;
  const cron::ZoneSource* zones_;
  ScheduleMemo memo_;
  std::optional<Time> ready_;    ///< in the queue since
  std::optional<Time> delayed_;  ///< to be put into the queue then; an earlier time wins (spec 3)
  std::int64_t failures_ = 0;
};

}  // namespace pumice::cronjob
