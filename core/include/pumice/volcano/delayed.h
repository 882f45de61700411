// The registry of delayed actions on the virtual clock (spec/volcano-job.md 6).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "pumice/time.h"
#include "pumice/volcano/profile.h"
#include "pumice/volcano/trace.h"

namespace pumice::volcano {

/// What is waiting: the decision's record together with the request it came from (spec 5 and 6.1).
struct DelayedAction {
  Request request;
  ActionName action;
  Target target;
  Duration delay;
  Time due;
  RuleRef rule;

  friend bool operator==(const DelayedAction&, const DelayedAction&) = default;
};

/// Two levels, job key -> pod name -> entry, plus the timers. A timer whose entry was overwritten runs on unseen
/// (spec 6.2, 12 no. 23), so timers are a list of their own. Value type: time is an argument, nothing runs by itself.
class DelayedActions {
 public:
  explicit DelayedActions(Quirks quirks = kVolcanoQuirks) noexcept : quirks_(quirks) {}

  /// Spec 6.2. Appends what happened to `records`.
  void add(const DelayedAction& action, Time now, std::vector<TimerRecord>& records);
  /// Spec 6.3, before a request is processed.
  void cancel_for(const Request& request, std::vector<TimerRecord>& records);
  /// The entry of the request's pod, if PodPending of that very pod armed it; else nullptr.
  [[nodiscard]] const DelayedAction* pending_of(const Request& request) const;
  /// Stops the timer of that entry.
  void cancel_pending(const Request& request, std::vector<TimerRecord>& records);
  /// Removes the entry of an action that has expired, if it is still there.
  void forget(const DelayedAction& expired);
  /// Spec 6.5, after an action was executed.
  void clean_up(const std::string& job_key, Action action, const Target& target, std::vector<TimerRecord>& records);
  /// The earliest due time of all timers that still run.
  [[nodiscard]] std::optional<Time> next_due() const noexcept;
  /// Takes the earliest timer that is due at `now`; its registry entry, if it is still there, stays (spec 6.4 step 2).
  [[nodiscard]] std::optional<DelayedAction> take_expired(Time now);

  struct Pending {
    DelayedAction action;
    bool unseen = false;  ///< overwritten in the registry, but it will still fire
  };
  /// All running timers by due time.
  [[nodiscard]] std::vector<Pending> pending() const;

 private:
  struct Entry {
    DelayedAction action;
    std::uint64_t timer = 0;
  };
  void stop(const Entry& entry);
  void cancel(const std::string& job_key, const std::string& pod_name, const EventName& event,
              std::vector<TimerRecord>& records);
  [[nodiscard]] bool clears(Action executed, const Target& target, const DelayedAction& stored) const;
  Quirks quirks_;
  std::map<std::string, std::map<std::string, Entry>> entries_;
  std::map<std::pair<Time, std::uint64_t>, DelayedAction> timers_;  ///< (due, id)
  std::uint64_t next_id_ = 1;
};

}  // namespace pumice::volcano
