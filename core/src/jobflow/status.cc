// The status of a flow, from its jobs.
#include <algorithm>
#include <set>

#include "pumice/jobflow/sync.h"

namespace pumice::jobflow {

using volcano::JobPhase;

std::vector<JobPtr> jobs_marked(const Jobs& jobs, std::string_view ns, const char* mark_name, std::string_view value) {
  std::vector<JobPtr> found;
  const std::string prefix = std::string(ns) + "/";
  for (auto it = jobs.lower_bound(prefix); it != jobs.end() && it->first.starts_with(prefix); ++it)
    if (mark_of(*it->second, mark_name) == value) found.push_back(it->second);
  return found;
}

namespace {

/// Completing and Terminating are in no list.
std::vector<std::string>* list_of(FlowStatus& status, JobPhase phase) {
  switch (phase) {
    case JobPhase::Pending: return &status.pending;
    case JobPhase::Running: return &status.running;
    case JobPhase::Completed: return &status.completed;
    case JobPhase::Failed: return &status.failed;
    case JobPhase::Terminated: return &status.terminated;
    case JobPhase::Completing:
    case JobPhase::Terminating: return nullptr;
    case JobPhase::None:
    case JobPhase::Aborting:
    case JobPhase::Aborted:
    case JobPhase::Restarting:
    case JobPhase::Other: break;
  }
  return &status.unknown;
}

/// A previous entry whose history is present but empty stays empty for ever.
std::vector<History> history_of(const JobEntry* before, const std::string& state, Time now) {
  if (before == nullptr || !before->histories)
    return state.empty() ? std::vector<History>{} : std::vector<History>{{now, std::nullopt, state}};
  std::vector<History> list = *before->histories;
  if (list.empty() || list.back().state == state) return list;
  list.back().end = now;
  list.push_back({now, std::nullopt, state});
  return list;
}

}  // namespace

FlowStatus status_of(const FlowStatus& before, const std::vector<JobPtr>& jobs, Time now) {
  FlowStatus status;
  status.phase = before.phase;
  status.jobs = before.jobs;
  for (const JobPtr& job : jobs) {
    const std::string& name = job->meta.name;
    const std::string state(job->status.phase.text());
    if (std::vector<std::string>* list = list_of(status, job->status.phase.code)) list->push_back(name);
    status.conditions[name] = {state, job->meta.creation, job->status.running_duration, job->status.task_counts};

    const auto old = std::find_if(status.jobs.begin(), status.jobs.end(),
                                  [&name](const JobEntry& entry) { return entry.name == name; });
    JobEntry entry{name, state, job->meta.creation, std::nullopt, job->status.retry_count, std::nullopt};
    if (job->status.running_duration) entry.end = job->meta.creation + *job->status.running_duration;
    entry.histories = history_of(old == status.jobs.end() ? nullptr : &*old, state, now);
    if (old == status.jobs.end())
      status.jobs.push_back(std::move(entry));
    else
      *old = std::move(entry);
  }
  return status;
}

namespace {

Decision failure(PhaseReason reason, const std::string& job) { return {Phase::Failed, reason, job, false, true}; }

/// The job that fails a flow, if there is one.
std::optional<Decision> failed(const FlowStatus& lists, Quirks quirks) {
  if (!lists.failed.empty()) return failure(PhaseReason::JobFailed, lists.failed.front());
  if (!lists.terminated.empty()) return failure(PhaseReason::JobTerminated, lists.terminated.front());
  if (quirks.has(Quirk::AbortedJobWaits)) return std::nullopt;
  for (const std::string& name : lists.unknown) {
    const auto condition = lists.conditions.find(name);
    if (condition != lists.conditions.end() && condition->second.phase == to_string(JobPhase::Aborted))
      return failure(PhaseReason::JobAborted, name);
  }
  return std::nullopt;
}

std::size_t steps_to_complete(const FlowSpec& spec, Quirks quirks) {
  if (quirks.has(Quirk::DuplicateStepsNeverDone)) return spec.steps.size();
  std::set<std::string_view> names;
  for (const Step& step : spec.steps) names.insert(step.name);
  return names.size();
}

Decision of_running(const FlowStatus& lists, const FlowSpec& spec, Quirks quirks) {
  if (lists.completed.size() == steps_to_complete(spec, quirks))
    return {Phase::Succeed, PhaseReason::AllCompleted, {}, true, false};
  if (auto failure = failed(lists, quirks)) return *failure;
  return {Phase::Running, PhaseReason::Unfinished, {}, false, false};
}

Decision of_pending(const FlowStatus& lists, const FlowSpec& spec, Quirks quirks) {
  if ((!lists.running.empty() || !lists.completed.empty()) && lists.failed.empty()) {
    if (!quirks.has(Quirk::SecondEventNeeded)) {
      const Decision at_once = of_running(lists, spec, quirks);
      if (at_once.phase != Phase::Running) return at_once;
    }
    const std::string& job = lists.running.empty() ? lists.completed.front() : lists.running.front();
    return {Phase::Running, PhaseReason::JobRuns, job, false, false};
  }
  if (auto failure = failed(lists, quirks)) return *failure;
  if (!spec.steps.empty()) return {Phase::Pending, PhaseReason::NothingRuns, {}, false, false};
  if (quirks.has(Quirk::EmptyFlowPending)) return {Phase::Pending, PhaseReason::NoSteps, {}, false, false};
  return {Phase::Succeed, PhaseReason::NoSteps, {}, true, false};
}

}  // namespace

Decision decide(Phase phase, const FlowStatus& lists, const FlowSpec& spec, Quirks quirks) {
  switch (phase) {
    case Phase::None:
    case Phase::Pending: return of_pending(lists, spec, quirks);
    case Phase::Running: return of_running(lists, spec, quirks);
    case Phase::Succeed:
    case Phase::Failed:
    case Phase::Terminating:
    case Phase::Other: break;
  }
  return {phase, PhaseReason::None, {}, false, false};
}

}  // namespace pumice::jobflow
