// The state machine: phase x action -> operation, and what the operation's status function does (spec/volcano-job.md
// 7).
#pragma once

#include <cstdint>
#include <string_view>

#include "pumice/model/job.h"
#include "pumice/volcano/profile.h"

namespace pumice::volcano {

enum class Operation : std::uint8_t { Sync, Kill, KillTarget };
[[nodiscard]] std::string_view to_string(Operation operation) noexcept;  ///< `sync`, `kill`, `killTarget`

/// Pods that a whole-job kill leaves alone (spec 9.6).
enum class Retain : std::uint8_t { None, Soft };  ///< Soft: Succeeded and Failed

/// Status functions of spec 7.3. `None`: the phase stays as it is.
enum class StatusFunction : std::uint8_t {
  None,
  Restart,
  ToAborting,
  ToCompleting,
  ToTerminating,
  DrainAborted,
  DrainCompleted,
  DrainTerminated,
  FromPending,
  FromRestarting,
  FromRunning,
  ToRestarting,  ///< as Restart, but no retry is counted (only where a quirk is off)
};
/// A stable name for traces: `restart`, `toAborting`, `drainAborted`, `fromPending` … ; empty for `None`.
[[nodiscard]] std::string_view to_string(StatusFunction function) noexcept;

struct Plan {
  Operation operation = Operation::Sync;
  Retain retain = Retain::None;  ///< meaningful for `Kill` only
  StatusFunction function = StatusFunction::None;

  friend bool operator==(const Plan&, const Plan&) = default;
};

/// Spec 7.2, the whole table. Total: unrecognised phases behave as Pending, unrecognised actions as the phase's last
/// column.
[[nodiscard]] Plan plan(JobPhase phase, Action action, Quirks quirks = kVolcanoQuirks) noexcept;

/// Sums over the tasks that the status functions need; computed once per job version. 32-bit wrap-around as upstream.
struct SpecTotals {
  std::int32_t replicas = 0;       ///< sum of replicas
  std::int32_t min_available = 0;  ///< sum of minAvailable, or replicas where unset

  static SpecTotals of(const JobSpec& spec) noexcept;
};

/// Why a status function moved, or did not (for the explanation only).
enum class TransitionReason : std::uint8_t {
  None,
  RestartCounted,         ///< retryCount grew
  Requested,              ///< the action leads there by itself
  WaitingForTermination,  ///< pods are still terminating (or pending, running)
  Drained,                ///< nothing is left to wait for
  EnoughPods,             ///< minAvailable <= running + succeeded + failed
  NotEnoughPods,
  RetriesUsedUp,  ///< retryCount >= maxRetry
  PodsGone,       ///< replicas - terminating >= status.minAvailable
  TooManyTerminating,
  NoReplicas,
  MinSuccessReached,
  TaskMinAvailableMissed,  ///< all pods ended, a task has fewer successes than its minAvailable
  MinSuccessMissed,
  AllEndedEnoughSucceeded,
  AllEndedTooFewSucceeded,
  TooManyPending,  ///< pending > replicas - minAvailable
  StillRunning,
  // Only where a quirk is off:
  TooFewWithoutFailed,  ///< minAvailable > running + succeeded
  EventsWaiting,        ///< all pods ended, but an event that a policy answers is still to be decided
  GroupNotTakenIn,      ///< no pod is needed, but the PodGroup is not taken in
};
[[nodiscard]] std::string_view to_string(TransitionReason reason) noexcept;

struct TransitionResult {
  bool changed = false;  ///< what the status function reports
  TransitionReason reason = TransitionReason::None;
};

/// Applies a status function to a status whose counts are already filled in (spec 7.3 - 7.5). Changes `phase` and
/// `retry_count` only; never allocates.
TransitionResult apply_status_function(StatusFunction function, const JobSpec& spec, const SpecTotals& totals,
                                       JobStatus& status, Quirks quirks = kVolcanoQuirks) noexcept;

}  // namespace pumice::volcano
