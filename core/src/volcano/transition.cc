#include "pumice/volcano/transition.h"

#include <algorithm>
#include <array>

namespace pumice::volcano {
namespace {

// -- The table of spec 7.2, kept as rows of its columns.

struct Row {
  Plan restart_job;
  Plan restart_part;  ///< RestartTask, RestartPod, RestartPartition
  Plan abort;
  Plan complete;
  Plan terminate;
  Plan resume;
  Plan sync;
  Plan other;
};

constexpr Plan sync_with(StatusFunction f) { return {Operation::Sync, Retain::None, f}; }
constexpr Plan kill_all(StatusFunction f) { return {Operation::Kill, Retain::None, f}; }
constexpr Plan kill_soft(StatusFunction f) { return {Operation::Kill, Retain::Soft, f}; }
constexpr Plan kill_target(StatusFunction f) { return {Operation::KillTarget, Retain::None, f}; }

/// Pending and Running differ only in what a sync does.
constexpr Row active_row(StatusFunction sync_function) {
  const Plan sync = sync_with(sync_function);
  return {.restart_job = kill_all(StatusFunction::Restart),
          .restart_part = kill_target(StatusFunction::Restart),
          .abort = kill_soft(StatusFunction::ToAborting),
          .complete = kill_soft(StatusFunction::ToCompleting),
          .terminate = kill_soft(StatusFunction::ToTerminating),
          .resume = sync,
          .sync = sync,
          .other = sync};
}

constexpr Row restarting_row() {
  const Plan again = kill_all(StatusFunction::FromRestarting);
  return {.restart_job = again,
          .restart_part = kill_target(StatusFunction::FromRestarting),
          .abort = again,
          .complete = again,
          .terminate = again,
          .resume = again,
          .sync = sync_with(StatusFunction::FromRestarting),
          .other = again};
}

/// Rows in which every action kills what is left; `resume` may be the exception.
constexpr Row killing_row(StatusFunction function, StatusFunction resume_function) {
  const Plan again = kill_soft(function);
  return {.restart_job = again,
          .restart_part = again,
          .abort = again,
          .complete = again,
          .terminate = again,
          .resume = kill_soft(resume_function),
          .sync = again,
          .other = again};
}

constexpr Row row_of(JobPhase phase) {
  using enum StatusFunction;
  switch (phase) {
    case JobPhase::None:
    case JobPhase::Pending:
    case JobPhase::Other: return active_row(FromPending);
    case JobPhase::Running: return active_row(FromRunning);
    case JobPhase::Restarting: return restarting_row();
    case JobPhase::Aborting: return killing_row(DrainAborted, Restart);
    case JobPhase::Aborted: return killing_row(None, Restart);
    case JobPhase::Completing: return killing_row(DrainCompleted, DrainCompleted);
    case JobPhase::Terminating: return killing_row(DrainTerminated, DrainTerminated);
    case JobPhase::Completed:
    case JobPhase::Terminated:
    case JobPhase::Failed: return killing_row(None, None);
  }
  return active_row(FromPending);
}

constexpr Plan cell_of(const Row& row, Action action) {
  switch (action) {
    case Action::RestartJob: return row.restart_job;
    case Action::RestartTask:
    case Action::RestartPod:
    case Action::RestartPartition: return row.restart_part;
    case Action::AbortJob: return row.abort;
    case Action::CompleteJob: return row.complete;
    case Action::TerminateJob: return row.terminate;
    case Action::ResumeJob: return row.resume;
    case Action::SyncJob: return row.sync;
    case Action::None:
    case Action::EnqueueJob:
    case Action::SyncQueue:
    case Action::OpenQueue:
    case Action::CloseQueue:
    case Action::Other: return row.other;
  }
  return row.other;
}

using Table = std::array<std::array<Plan, kActionCount>, kJobPhaseCount>;

constexpr Table make_table() {
  Table table{};
  for (std::size_t phase = 0; phase < kJobPhaseCount; ++phase) {
    const Row row = row_of(static_cast<JobPhase>(phase));
    for (std::size_t action = 0; action < kActionCount; ++action) {
      table[phase][action] = cell_of(row, static_cast<Action>(action));
    }
  }
  return table;
}

constexpr Table kTable = make_table();

/// The cell as quirks have it that are not as in the table.
Plan plan_with(JobPhase phase, Action action, Quirks quirks) noexcept {
  if (action == Action::RestartPartition && quirks.has(Quirk::NoRestartPartition)) action = Action::Other;
  if ((action == Action::None || action == Action::Other) && !quirks.has(Quirk::UnknownActionActs))
    action = Action::SyncJob;
  if (phase == JobPhase::Restarting && !quirks.has(Quirk::RestartingDeaf)) {
    if (action == Action::ResumeJob) action = Action::SyncJob;
    const bool ends = action == Action::AbortJob || action == Action::TerminateJob || action == Action::CompleteJob;
    if (ends) phase = JobPhase::Running;
  }
  Plan cell = kTable[static_cast<std::size_t>(phase)][static_cast<std::size_t>(action)];
  if (cell.function == StatusFunction::Restart) {
    const bool is_free = (cell.operation == Operation::KillTarget && !quirks.has(Quirk::TargetedUsesRetry)) ||
                         (action == Action::ResumeJob && !quirks.has(Quirk::ResumeUsesRetry));
    if (is_free) cell.function = StatusFunction::ToRestarting;
  }
  return cell;
}

// -- Status functions.

/// 32-bit arithmetic that wraps around, as the modelled system's does.
constexpr std::int32_t wrapping_add(std::int32_t a, std::int32_t b) noexcept {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
}
constexpr std::int32_t wrapping_sub(std::int32_t a, std::int32_t b) noexcept {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) - static_cast<std::uint32_t>(b));
}

TransitionResult stay(TransitionReason reason) noexcept { return {false, reason}; }

TransitionResult move_to(JobStatus& status, JobPhase phase, TransitionReason reason) noexcept {
  status.phase.code = phase;
  status.phase.other.clear();
  return {true, reason};
}

TransitionResult restart(JobStatus& status) noexcept {
  status.retry_count = wrapping_add(status.retry_count, 1);
  return move_to(status, JobPhase::Restarting, TransitionReason::RestartCounted);
}

TransitionResult drain(JobStatus& status, JobPhase next) noexcept {
  if (status.terminating != 0 || status.pending != 0 || status.running != 0) {
    return stay(TransitionReason::WaitingForTermination);
  }
  return move_to(status, next, TransitionReason::Drained);
}

TransitionResult from_restarting(const JobSpec& spec, const SpecTotals& totals, JobStatus& status,
                                 Quirks quirks) noexcept {
  const bool used_up = quirks.has(Quirk::MaxRetryCountsRuns) ? status.retry_count >= spec.max_retry
                                                             : status.retry_count > spec.max_retry;
  if (used_up) return move_to(status, JobPhase::Failed, TransitionReason::RetriesUsedUp);
  if (wrapping_sub(totals.replicas, status.terminating) < status.min_available) {
    return stay(TransitionReason::TooManyTerminating);
  }
  return move_to(status, JobPhase::Pending, TransitionReason::PodsGone);
}

/// A task with its own minAvailable of which some pods were counted, but too few of them as Succeeded.
bool some_task_missed(const JobSpec& spec, const JobStatus& status) noexcept {
  for (const TaskSpec& task : spec.tasks) {
    if (!task.min_available) continue;
    const auto counted = status.task_counts.find(task.name);
    if (counted == status.task_counts.end()) continue;
    if (counted->second[PodPhase::Succeeded] < *task.min_available) return true;
  }
  return false;
}

TransitionResult all_ended(const JobSpec& spec, const SpecTotals& totals, JobStatus& status) noexcept {
  if (spec.min_available >= totals.min_available && some_task_missed(spec, status)) {
    return move_to(status, JobPhase::Failed, TransitionReason::TaskMinAvailableMissed);
  }
  if (spec.min_success) return move_to(status, JobPhase::Failed, TransitionReason::MinSuccessMissed);
  if (status.succeeded >= spec.min_available) {
    return move_to(status, JobPhase::Completed, TransitionReason::AllEndedEnoughSucceeded);
  }
  return move_to(status, JobPhase::Failed, TransitionReason::AllEndedTooFewSucceeded);
}

bool have_all_ended(const SpecTotals& totals, const JobStatus& status) noexcept {
  return totals.replicas != 0 && wrapping_add(status.succeeded, status.failed) == totals.replicas;
}

TransitionResult from_pending(const JobSpec& spec, const SpecTotals& totals, JobStatus& status,
                              Quirks quirks) noexcept {
  const bool counts_failed = quirks.has(Quirk::FailedCountsAsStarted);
  const std::int32_t well = wrapping_add(status.running, status.succeeded);
  const std::int32_t started = counts_failed ? wrapping_add(well, status.failed) : well;
  if (spec.min_available <= started) return move_to(status, JobPhase::Running, TransitionReason::EnoughPods);
  if (counts_failed) return stay(TransitionReason::NotEnoughPods);
  if (have_all_ended(totals, status)) return all_ended(spec, totals, status);
  return stay(TransitionReason::TooFewWithoutFailed);
}

TransitionResult from_running(const JobSpec& spec, const SpecTotals& totals, JobStatus& status,
                              Quirks quirks) noexcept {
  if (totals.replicas == 0) return stay(TransitionReason::NoReplicas);
  if (spec.min_success && status.succeeded >= *spec.min_success) {
    const bool at_once = quirks.has(Quirk::CompletedWhileRunning);
    return move_to(status, at_once ? JobPhase::Completed : JobPhase::Completing, TransitionReason::MinSuccessReached);
  }
  if (have_all_ended(totals, status)) return all_ended(spec, totals, status);
  std::int32_t room = wrapping_sub(totals.replicas, spec.min_available);
  if (!quirks.has(Quirk::ShrunkFallsBack)) room = std::max(room, 0);
  if (status.pending > room) {
    return move_to(status, JobPhase::Pending, TransitionReason::TooManyPending);
  }
  return stay(TransitionReason::StillRunning);
}

}  // namespace

std::string_view to_string(Operation operation) noexcept {
  switch (operation) {
    case Operation::Sync: return "sync";
    case Operation::Kill: return "kill";
    case Operation::KillTarget: return "killTarget";
  }
  return "";
}

std::string_view to_string(StatusFunction function) noexcept {
  switch (function) {
    case StatusFunction::None: return "";
    case StatusFunction::Restart: return "restart";
    case StatusFunction::ToAborting: return "toAborting";
    case StatusFunction::ToCompleting: return "toCompleting";
    case StatusFunction::ToTerminating: return "toTerminating";
    case StatusFunction::DrainAborted: return "drainAborted";
    case StatusFunction::DrainCompleted: return "drainCompleted";
    case StatusFunction::DrainTerminated: return "drainTerminated";
    case StatusFunction::FromPending: return "fromPending";
    case StatusFunction::FromRestarting: return "fromRestarting";
    case StatusFunction::FromRunning: return "fromRunning";
    case StatusFunction::ToRestarting: return "toRestarting";
  }
  return "";
}

std::string_view to_string(TransitionReason reason) noexcept {
  switch (reason) {
    case TransitionReason::None: return "None";
    case TransitionReason::RestartCounted: return "RestartCounted";
    case TransitionReason::Requested: return "Requested";
    case TransitionReason::WaitingForTermination: return "WaitingForTermination";
    case TransitionReason::Drained: return "Drained";
    case TransitionReason::EnoughPods: return "EnoughPods";
    case TransitionReason::NotEnoughPods: return "NotEnoughPods";
    case TransitionReason::RetriesUsedUp: return "RetriesUsedUp";
    case TransitionReason::PodsGone: return "PodsGone";
    case TransitionReason::TooManyTerminating: return "TooManyTerminating";
    case TransitionReason::NoReplicas: return "NoReplicas";
    case TransitionReason::MinSuccessReached: return "MinSuccessReached";
    case TransitionReason::TaskMinAvailableMissed: return "TaskMinAvailableMissed";
    case TransitionReason::MinSuccessMissed: return "MinSuccessMissed";
    case TransitionReason::AllEndedEnoughSucceeded: return "AllEndedEnoughSucceeded";
    case TransitionReason::AllEndedTooFewSucceeded: return "AllEndedTooFewSucceeded";
    case TransitionReason::TooManyPending: return "TooManyPending";
    case TransitionReason::StillRunning: return "StillRunning";
    case TransitionReason::TooFewWithoutFailed: return "TooFewWithoutFailed";
    case TransitionReason::EventsWaiting: return "EventsWaiting";
    case TransitionReason::GroupNotTakenIn: return "GroupNotTakenIn";
  }
  return "";
}

Plan plan(JobPhase phase, Action action, Quirks quirks) noexcept {
  if (quirks != kVolcanoQuirks) return plan_with(phase, action, quirks);
  return kTable[static_cast<std::size_t>(phase)][static_cast<std::size_t>(action)];
}

SpecTotals SpecTotals::of(const JobSpec& spec) noexcept {
  SpecTotals totals;
  for (const TaskSpec& task : spec.tasks) {
    totals.replicas = wrapping_add(totals.replicas, task.replicas);
    totals.min_available = wrapping_add(totals.min_available, task.min_available.value_or(task.replicas));
  }
  return totals;
}

TransitionResult apply_status_function(StatusFunction function, const JobSpec& spec, const SpecTotals& totals,
                                       JobStatus& status, Quirks quirks) noexcept {
  switch (function) {
    case StatusFunction::None: return stay(TransitionReason::None);
    case StatusFunction::Restart: return restart(status);
    case StatusFunction::ToAborting: return move_to(status, JobPhase::Aborting, TransitionReason::Requested);
    case StatusFunction::ToCompleting: return move_to(status, JobPhase::Completing, TransitionReason::Requested);
    case StatusFunction::ToTerminating: return move_to(status, JobPhase::Terminating, TransitionReason::Requested);
    case StatusFunction::DrainAborted: return drain(status, JobPhase::Aborted);
    case StatusFunction::DrainCompleted: return drain(status, JobPhase::Completed);
    case StatusFunction::DrainTerminated: return drain(status, JobPhase::Terminated);
    case StatusFunction::FromPending: return from_pending(spec, totals, status, quirks);
    case StatusFunction::FromRestarting: return from_restarting(spec, totals, status, quirks);
    case StatusFunction::FromRunning: return from_running(spec, totals, status, quirks);
    case StatusFunction::ToRestarting: return move_to(status, JobPhase::Restarting, TransitionReason::Requested);
  }
  return stay(TransitionReason::None);
}

}  // namespace pumice::volcano
