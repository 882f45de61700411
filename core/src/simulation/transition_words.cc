#include <algorithm>

#include "compose.h"
#include "simulation/words.h"

namespace pumice::simulation {

using namespace volcano;

namespace {

/// ` (a default: …)` if the manifest does not give `minAvailable` there; `parent` is `spec` or a task's path.
std::string default_text(const ProcessRecord& record, const std::string& parent, std::string_view from,
                         const Scene& scene) {
  if (scene.simulation == nullptr) return {};
  // The place of a field that is not there is that of its parent.
  const auto place = scene.simulation->place_of(record.job_key, parent + ".minAvailable");
  const auto around = scene.simulation->place_of(record.job_key, parent);
  return place && around && place->range == around->range ? compose(" (a default: {})", from) : "";
}

std::string all_ended_text(const SpecTotals& totals) {
  if (totals.replicas == 1) return "the only pod ended";
  return totals.replicas == 2 ? "both pods ended" : compose("all {} pods ended", totals.replicas);
}

/// The task whose successes fell short, as f_run step 3 finds it (spec 7.5).
std::string short_task_text(const ProcessRecord& record, const JobSpec& spec, const Scene& scene) {
  const JobStatus& status = record.after;
  const std::string ended = all_ended_text(SpecTotals::of(spec));
  for (std::size_t i = 0; i < spec.tasks.size(); ++i) {
    const TaskSpec& task = spec.tasks[i];
    const auto counts = status.task_counts.find(task.name);
    if (!task.min_available || counts == status.task_counts.end()) continue;
    const std::int32_t succeeded = counts->second[PodPhase::Succeeded];
    if (succeeded >= *task.min_available) continue;
    const bool by_partitions = task.partition_policy && task.partition_policy->min_partitions > 0;
    return compose("{}, but task {} has {} of the {} {} its minAvailable asks for{}", ended, task.name, succeeded,
                   *task.min_available, *task.min_available == 1 ? "success" : "successes",
                   default_text(record, compose("spec.tasks[{}]", i),
                                by_partitions ? "from its partitions" : "its replicas", scene));
  }
  return ended + ", but a task has fewer successes than its minAvailable";
}

/// `2 of 3 pods have not ended, 1 is terminating`. Spec 12 no. 36: only counted pods end a job, and pods that are being
/// deleted or are missing are not counted, whatever phase they were in.
std::string not_ended_text(const SpecTotals& totals, const JobStatus& status) {
  const std::int32_t ended = status.succeeded + status.failed;
  const std::int32_t live = status.pending + status.running + status.unknown;
  const std::int32_t uncounted = totals.replicas - ended - live;
  if (uncounted > 0 && live == 0) {
    return compose("{} of {} counted as ended; terminating or missing pods are not counted", ended,
                   count_of(totals.replicas, "pod"));
  }
  if (totals.replicas == 1) return "the only pod has not ended";
  std::string text =
      compose("{} of {} {} not ended", live, count_of(totals.replicas, "pod"), live == 1 ? "has" : "have");
  if (uncounted > 0) {
    text += compose(", {} {} {}", uncounted, is_or_are(uncounted),
                    status.terminating == 0           ? "missing"
                    : status.terminating == uncounted ? "terminating"
                                                      : "terminating or missing");
  }
  return text;
}

/// `1 of 2 pods is terminating, minAvailable is 2`: what Restarting waits for (spec 7.4).
std::string terminating_text(const ProcessRecord& record, const SpecTotals& totals) {
  const JobStatus& status = record.after;
  // Spec 12 no. 29: on the short path the stored number decides, and it may be out of date.
  if (record.sync.short_path && !record.sync.recounted && status.terminating > 0) {
    return compose("the status still says {} terminating: nothing is recounted until the PodGroup is taken in",
                   status.terminating);
  }
  if (record.reason == TransitionReason::PodsGone && status.terminating == 0) return "no pod is terminating";
  if (totals.replicas == 1 && status.terminating == 1)
    return compose("the only pod is terminating, minAvailable is {}", status.min_available);
  return compose("{} of {} {} terminating, minAvailable is {}",
                 status.terminating == 0 ? "none" : std::to_string(status.terminating),
                 count_of(totals.replicas, "pod"), is_or_are(std::max(status.terminating, 1)), status.min_available);
}

std::string waiting_text(const JobStatus& status) {
  if (status.terminating > 0) {
    return compose("{} {} still terminating", count_of(status.terminating, "pod"), is_or_are(status.terminating));
  }
  const std::int32_t live = status.pending + status.running;
  return compose("{} {} still pending or running", count_of(live, "pod"), is_or_are(live));
}

std::string counts_text(const ProcessRecord& record, const Scene& scene) {
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
        return compose("no pod runs yet, {} {} needed", spec.min_available, is_or_are(spec.min_available));
      return compose("{} {} or {} ended, {} {} needed", count_of(present, "pod"), present == 1 ? "runs" : "run",
                     present == 1 ? "has" : "have", spec.min_available, is_or_are(spec.min_available));
    case TransitionReason::RetriesUsedUp:
      return compose("retryCount {} has {} maxRetry {}", status.retry_count,
                     record.quirks.has(Quirk::MaxRetryCountsRuns) ? "reached" : "passed", spec.max_retry);
    case TransitionReason::PodsGone:
    case TransitionReason::TooManyTerminating: return terminating_text(record, totals);
    case TransitionReason::NoReplicas: return "no task has replicas";
    case TransitionReason::MinSuccessReached:
      return compose("{} succeeded, minSuccess is {}", count_of(status.succeeded, "pod"),
                     spec.min_success.value_or(0)) +
             (status.running > 0 ? compose(" ({} still running)", status.running) : "");
    case TransitionReason::TaskMinAvailableMissed: return short_task_text(record, spec, scene);
    case TransitionReason::MinSuccessMissed:
      return compose("{}, {} succeeded, minSuccess is {}", all_ended_text(totals), status.succeeded,
                     spec.min_success.value_or(0));
    case TransitionReason::AllEndedEnoughSucceeded:
    case TransitionReason::AllEndedTooFewSucceeded:
      return compose("{}, {} succeeded, minAvailable is {}{}", all_ended_text(totals), status.succeeded,
                     spec.min_available, default_text(record, "spec", "the sum over the tasks", scene));
    case TransitionReason::TooManyPending:
      return compose("{} {} pending, minAvailable {} of {} leaves room for {}", count_of(status.pending, "pod"),
                     is_or_are(status.pending), spec.min_available, count_of(totals.replicas, "pod"),
                     std::max(0, totals.replicas - spec.min_available));
    case TransitionReason::StillRunning: return not_ended_text(totals, status);
    case TransitionReason::TooFewWithoutFailed: {
      const std::int32_t well = status.running + status.succeeded;
      return compose("{} {} or {} succeeded, {} {} needed", count_of(well, "pod"), well == 1 ? "runs" : "run",
                     well == 1 ? "has" : "have", spec.min_available, is_or_are(spec.min_available));
    }
    case TransitionReason::EventsWaiting:
      return all_ended_text(totals) + ", but an event that a policy answers is still to be decided";
    case TransitionReason::GroupNotTakenIn: return "minAvailable is 0, but its PodGroup is not taken in";
  }
  return {};
}

/// True for what may be wrong by now if pods have not been counted since. What Restarting waits for says so itself.
bool tells_of_live_pods(TransitionReason reason) {
  switch (reason) {
    case TransitionReason::EnoughPods:
    case TransitionReason::NotEnoughPods:
    case TransitionReason::StillRunning:
    case TransitionReason::TooManyPending:
    case TransitionReason::WaitingForTermination:
    case TransitionReason::MinSuccessReached:
    case TransitionReason::MinSuccessMissed:
    case TransitionReason::TaskMinAvailableMissed:
    case TransitionReason::AllEndedEnoughSucceeded:
    case TransitionReason::AllEndedTooFewSucceeded:
    case TransitionReason::TooFewWithoutFailed:
    case TransitionReason::EventsWaiting: return true;
    case TransitionReason::None:
    case TransitionReason::Requested:
    case TransitionReason::RestartCounted:
    case TransitionReason::RetriesUsedUp:
    case TransitionReason::PodsGone:
    case TransitionReason::TooManyTerminating:
    case TransitionReason::NoReplicas:
    case TransitionReason::Drained:
    case TransitionReason::GroupNotTakenIn: return false;
  }
  return false;
}

}  // namespace

std::string transition_text(const ProcessRecord& record, const Scene& scene) {
  std::string text = counts_text(record, scene);
  // Spec 8.1 step 7: without a PodGroup that is taken in nothing is counted, the numbers are those of an earlier sync.
  if (record.sync.short_path && !record.sync.recounted && tells_of_live_pods(record.reason))
    text += " (by the counts as stored: the PodGroup is not taken in, so no pod is looked at)";
  return text;
}

}  // namespace pumice::simulation
