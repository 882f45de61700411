// killJob and killTarget, stage by stage (spec/volcano-job.md 9): pods are marked, then deleted, then the status
// follows.
#include <limits>

#include "pumice/volcano/controller.h"
#include "status.h"

namespace pumice::volcano {

namespace {

/// Spec 9.2, the rows for targets: all cached pods in the target, terminating or not.
std::vector<PodPtr> pods_of_target(const JobInfo& info, const Target& target) {
  std::vector<PodPtr> pods;
  const TaskPods* task = info.find_task(target.task_name);
  if (!task) return pods;
  switch (target.scope) {
    case Scope::Task: task->for_each([&](const PodPtr& pod) { pods.push_back(pod); }); break;
    case Scope::Pod:
      if (PodPtr pod = task->find(target.pod_name)) pods.push_back(std::move(pod));
      break;
    case Scope::Partition: pods = task->partition(target.partition); break;
    case Scope::Job: break;
  }
  return pods;
}

/// Pods beside a target, by task, as a sync would count them.
void count_others(const JobInfo& info, const std::vector<PodPtr>& selected, JobStatus& status) {
  std::vector<PhaseCounts> others;
  for (const TaskPods& task : info.tasks) others.push_back(task.counts());
  for (const PodPtr& pod : selected) {
    const std::int32_t task = pod->task_name ? info.policies->task_index(*pod->task_name) : -1;
    if (task < 0 || pod->deletion || info.tasks[static_cast<std::size_t>(task)].surplus().contains(pod->name)) continue;
    --others[static_cast<std::size_t>(task)][pod->phase];
  }
  for (std::size_t i = 0; i < others.size(); ++i) add_counts(status, info.job->spec->tasks[i].name, others[i]);
}

}  // namespace

void Controller::kill_start(Running& op, Output& output) {
  if (op.job->meta.deletion) {
    op.record.outcome = ProcessOutcome::JobDeleting;
    op.stage = Stage::Done;
    return;
  }
  const JobInfo& info = *cache_.get(op.key);
  const std::int32_t retry_count = op.status.retry_count;
  clear_counts(op.status);
  op.pods.clear();
  if (op.plan.operation == Operation::KillTarget) {
    op.pods = pods_of_target(info, op.record.target);
    if (op.record.target.scope == Scope::Partition && op.pods.empty()) {
      op.record.outcome = ProcessOutcome::EmptyPartition;
      op.stage = Stage::Done;
      return;
    }
    if (op.pods.empty() && op.record.target.scope != Scope::Job && !has(Quirk::EmptyTargetRestarts)) {
      op.record.empty_target = true;
      op.record.plan = op.plan = plan(op.job->status.phase.code, Action::SyncJob, config_.quirks);
      op.status = op.job->status;
      op.status.version = info.version;
      op.stage = Stage::SyncStart;
      return;
    }
    if (!has(Quirk::KillClearsCounts)) count_others(info, op.pods, op.status);
  } else {
    // On the last retry ended pods stay for inspection, whatever was asked (spec 9.2).
    const std::int64_t last = std::int64_t{op.job->spec->max_retry} - (has(Quirk::MaxRetryCountsRuns) ? 1 : 0);
    const bool last_retry = std::int64_t{retry_count} >= last;
    op.record.last_retry = last_retry;
    const Retain retain = last_retry ? Retain::Soft : op.plan.retain;
    const auto select = [&](const TaskPods& task) {
      op.status.terminating += task.terminating();
      if (retain == Retain::Soft)
        op.record.kept += task.counts()[PodPhase::Succeeded] + task.counts()[PodPhase::Failed];
      const std::vector<PodPtr> pods = task.killable(retain);
      op.pods.insert(op.pods.end(), pods.begin(), pods.end());
    };
    for (const TaskPods& task : info.tasks) select(task);
    for (const auto& task : info.unlisted) select(task.second);
    if (!has(Quirk::KillClearsCounts)) count_others(info, op.pods, op.status);
    if (has(Quirk::FailedKillBumps)) {
      cache_.bump_version(op.key);
      op.status.version = cache_.get(op.key)->version;
    } else {
      op.status.version = static_cast<std::int32_t>(static_cast<std::uint32_t>(info.version) + 1U);
    }
  }
  if (!has(Quirk::NoMarks))
    for (const PodPtr& pod : op.pods) ask(op, MarkPod{pod->ns, pod->name}, output);
  batch(op, Stage::KillMarked);
}

/// Spec 9.1 steps 3 and 4: a pod that could not be marked must not be deleted.
void Controller::kill_marked(Running& op, Output& output) {
  const std::vector<EffectResult> marked = std::move(op.results);
  op.results.clear();
  op.doomed.clear();
  std::int64_t failed = 0;
  const bool marks = !has(Quirk::NoMarks);
  for (std::size_t i = 0; i < op.pods.size(); ++i) {
    if (marks && marked[i].code != ResultCode::Ok && marked[i].code != ResultCode::NotFound) {
      ++failed;
    } else if (op.pods[i]->deletion) {
      ++op.status.terminating;
    } else {
      op.doomed.push_back(op.pods[i]);
      ask(op, DeletePod{op.pods[i]->ns, op.pods[i]->name}, output);
    }
  }
  if (failed > 0) op.error = failed_text(failed, "marked");
  batch(op, Stage::KillDeleted);
}

/// Spec 9.1 steps 4 to 9.
void Controller::kill_deleted(Running& op, Output& output) {
  std::int64_t failed = 0;
  for (std::size_t i = 0; i < op.results.size(); ++i) {
    if (op.results[i].code == ResultCode::Ok || op.results[i].code == ResultCode::NotFound) {
      ++op.status.terminating;
      ++op.record.killed;
    } else {
      ++failed;
      resync(op.doomed[i]);
    }
  }
  op.results.clear();
  if (failed > 0 || !op.error.empty()) {
    std::string text = op.error;
    if (failed > 0) text += (text.empty() ? "" : ", ") + failed_text(failed, "deleted");
    emit_event(op.record, true, "FailedDelete", text, output);
    fail(op, std::move(text));
    return;
  }
  const JobInfo* info = cache_.get(op.key);
  const TransitionResult moved =
      apply_status_function(op.plan.function, *op.job->spec, info->totals, op.status, config_.quirks);
  op.record.reason = moved.reason;
  if (moved.changed) {
    op.status.last_transition = now_;
    append_condition(op.status, now_);
  }
  // Written whether or not a transition is known (spec 9.1 step 7): to Go that time lies before all others.
  op.status.running_duration = op.status.last_transition ? *op.status.last_transition - op.job->meta.creation
                                                         : Duration{std::numeric_limits<std::int64_t>::min()};
  if (op.plan.operation == Operation::Kill || has(Quirk::TargetedDropsPlugins)) {
    plan_hooks(op, Hook::JobDelete);
  } else {
    op.plan_of_hooks = {};
    op.next_hook = 0;
  }
  kill_hooked(op, output);
}

/// Plugins take back what they made, also for one pod that is restarted (spec 9.1 step 8).
void Controller::kill_hooked(Running& op, Output& output) {
  switch (next_hook(op, output)) {
    case HookState::Asked: batch(op, Stage::KillHooked); return;
    case HookState::Failed: op.stage = Stage::Done; return;
    case HookState::Done: break;
  }
  ask(op, UpdateJobStatus{op.job->meta.ns, op.job->meta.name, op.status, op.job->meta.resource_version}, output);
  batch(op, Stage::KillStatusWritten);
}

void Controller::kill_status_written(Running& op, Output& output) {
  const EffectResult written = op.results.front();
  op.results.clear();
  if (written.code == ResultCode::NotFound) {
    op.stage = Stage::Done;
    return;
  }
  if (written.code != ResultCode::Ok) {
    fail(op, "the status could not be written: " + std::string(to_string(written.code)));
    return;
  }
  if (!cache_stored(op, written.job)) return;
  if (op.plan.operation == Operation::Kill || has(Quirk::TargetedDropsGroup)) {
    if (const PodGroup* group = find_pod_group(*op.job)) ask(op, DeletePodGroup{group->ns, group->name}, output);
  }
  batch(op, Stage::KillGroupDeleted);
}

void Controller::kill_group_deleted(Running& op) {
  if (!op.results.empty() && op.results.front().code != ResultCode::Ok &&
      op.results.front().code != ResultCode::NotFound) {
    fail(op, "the PodGroup could not be deleted: " + std::string(to_string(op.results.front().code)));
    return;
  }
  op.stage = Stage::Done;
}

}  // namespace pumice::volcano
