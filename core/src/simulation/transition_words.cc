#include <algorithm>

#include <fmt/format.h>

#include "simulation/words.h"

namespace pumice::simulation {

using namespace volcano;

namespace {

/// The task whose successes fell short, as f_run step 3 finds it (spec 7.5).
std::string short_task_text(const JobSpec& spec, const JobStatus& status) {
  for (const TaskSpec& task : spec.tasks) {
    const auto counts = status.task_counts.find(task.name);
    if (!task.min_available || counts == status.task_counts.end()) continue;
    const std::int32_t succeeded = counts->second[PodPhase::Succeeded];
    if (succeeded < *task.min_available) {
      return fmt::format("all pods ended, but task {} has {} of the {} successes that its minAvailable asks for",
                         task.name, succeeded, *task.min_available);
    }
  }
  return "all pods ended, but a task has fewer successes than its minAvailable";
}

std::string all_ended_text(const SpecTotals& totals) {
  return totals.replicas == 1 ? "the only pod ended" : fmt::format("all {} pods ended", totals.replicas);
}

std::string waiting_text(const JobStatus& status) {
  if (status.terminating > 0) {
    return fmt::format("{} {} still terminating", count_of(status.terminating, "pod"), is_or_are(status.terminating));
  }
  const std::int32_t live = status.pending + status.running;
  return fmt::format("{} {} still pending or running", count_of(live, "pod"), is_or_are(live));
}

}  // namespace

std::string transition_text(const ProcessRecord& record) {
  static const JobSpec kNothing;
  const JobSpec& spec = record.spec ? *record.spec : kNothing;
  const SpecTotals totals = SpecTotals::of(spec);
  const JobStatus& status = record.after;
  const std::int32_t present = status.running + status.succeeded + status.failed;
  switch (record.reason) {
    case TransitionReason::None:
    case TransitionReason::RestartCounted:
    case TransitionReason::Requested: return {};
    case TransitionReason::WaitingForTermination: return waiting_text(status);
    case TransitionReason::Drained: return "no pod is terminating any more";
    case TransitionReason::EnoughPods:
    case TransitionReason::NotEnoughPods:
      if (spec.min_available <= 0) return "minAvailable is 0, so no pod is needed";
      if (present == 0)
        return fmt::format("no pod runs yet, {} {} needed", spec.min_available, is_or_are(spec.min_available));
      return fmt::format("{} {} or {} ended, {} {} needed", count_of(present, "pod"), present == 1 ? "runs" : "run",
                         present == 1 ? "has" : "have", spec.min_available, is_or_are(spec.min_available));
    case TransitionReason::RetriesUsedUp:
      return fmt::format("retryCount {} has reached maxRetry {}", status.retry_count, spec.max_retry);
    case TransitionReason::PodsGone:
    case TransitionReason::TooManyTerminating:
      // Spec 12 no. 29: on the short path the stored number decides, and it may be out of date.
      if (record.sync.short_path && record.reason == TransitionReason::TooManyTerminating) {
        return fmt::format(
            "its status still says that {} {} terminating; it is counted anew when the PodGroup is taken in",
            count_of(status.terminating, "pod"), is_or_are(status.terminating));
      }
      return fmt::format("{} of {} pods {} not terminating, minAvailable is {}", totals.replicas - status.terminating,
                         totals.replicas, is_or_are(totals.replicas - status.terminating), status.min_available);
    case TransitionReason::NoReplicas: return "no task has replicas";
    case TransitionReason::MinSuccessReached:
      return fmt::format("{} succeeded, minSuccess is {}", count_of(status.succeeded, "pod"),
                         spec.min_success.value_or(0)) +
             (status.running > 0 ? fmt::format(" ({} still running)", status.running) : "");
    case TransitionReason::TaskMinAvailableMissed: return short_task_text(spec, status);
    case TransitionReason::MinSuccessMissed:
      return fmt::format("{}, {} succeeded, minSuccess is {}", all_ended_text(totals), status.succeeded,
                         spec.min_success.value_or(0));
    case TransitionReason::AllEndedEnoughSucceeded:
    case TransitionReason::AllEndedTooFewSucceeded:
      return fmt::format("{}, {} succeeded, minAvailable is {}", all_ended_text(totals), status.succeeded,
                         spec.min_available);
    case TransitionReason::TooManyPending:
      return fmt::format("{} {} pending, minAvailable {} of {} leaves room for {}", count_of(status.pending, "pod"),
                         is_or_are(status.pending), spec.min_available, count_of(totals.replicas, "pod"),
                         std::max(0, totals.replicas - spec.min_available));
    case TransitionReason::StillRunning: {
      const std::int32_t open = totals.replicas - status.succeeded - status.failed;
      return fmt::format("{} of {} {} not ended", open, count_of(totals.replicas, "pod"), open == 1 ? "has" : "have");
    }
  }
  return {};
}

}  // namespace pumice::simulation
