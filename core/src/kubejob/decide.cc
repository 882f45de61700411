// What a sync finds, and whether the job is to end (spec/k8s-job.md 6 SY-11 – SY-17, 6.1, 10.6).
#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "compose.h"
#include "pumice/kubejob/classify.h"
#include "pumice/kubejob/controller.h"
#include "pumice/kubejob/failure_policy.h"
#include "pumice/kubejob/names.h"
#include "pumice/kubejob/success_policy.h"

namespace pumice::kubejob {
namespace {

bool selects(const Job& job, const Pod& pod) {
  return job.spec->selector && job.spec->selector->matches(pod.meta.labels);
}

constexpr std::string_view kBackoffMessage = "Job has reached the specified backoff limit";
constexpr std::string_view kDeadlineMessage = "Job was active longer than specified deadline";
constexpr std::string_view kTooManyMessage = "Job has exceeded the specified maximal number of failed indexes";

}  // namespace

bool Controller::per_index(const Sync& op) const {
  return op.job->spec->is_indexed() && has_per_index_limit(*op.job->spec, config_.quirks);
}

/// False for a pod of an Indexed job whose index is none of the job's: it is never counted.
bool Controller::counts_index(const Sync& op, const Pod& pod) const {
  const JobSpec& spec = *op.job->spec;
  if (!spec.is_indexed()) return true;
  const std::int32_t index = completion_index(pod);
  if (index == kUnknownIndex && pod.phase != PodPhase::Succeeded && has(Quirk::UnknownIndexCounts)) return true;
  return is_valid_index(index, spec);
}

std::vector<PodPtr> Controller::all_pods(const Sync& op) const {
  const JobPods* group = pods_of(op.job->meta.uid);
  std::vector<PodPtr> pods = group == nullptr ? std::vector<PodPtr>() : group->matching();
  if (op.adopted.empty()) return pods;
  pods.insert(pods.end(), op.adopted.begin(), op.adopted.end());
  std::sort(pods.begin(), pods.end(), ByAge{});
  return pods;
}

std::vector<PodPtr> Controller::active_pods(const Sync& op) const {
  std::vector<PodPtr> pods = all_pods(op);
  std::erase_if(pods, [](const PodPtr& pod) { return !is_active(*pod); });
  return pods;
}

void Controller::evaluate(Sync& op, Output& output) {
  const Job& job = *op.job;
  static const PodSets kNone;
  const JobPods* group = pods_of(job.meta.uid);
  const PodSets* sets = group == nullptr ? &kNone : &group->sets();
  PodSets with_adopted;
  if (!op.adopted.empty()) {
    with_adopted = *sets;
    for (const PodPtr& pod : op.adopted) with_adopted.add(pod, *job.spec);
    sets = &with_adopted;
  }
  op.active = sets->active;  // SY-11
  op.ready = sets->ready;
  op.terminating = sets->terminating;
  find_candidates(op, *sets);
  find_new_pods(op, *sets);
  if (!op.status.start_time && !job.spec->is_suspended()) op.status.start_time = now_;  // SY-14
  find_condition(op, *sets);
  note_budget(op, *sets);

  op.record.active = op.active;
  op.record.ready = op.ready;
  op.record.terminating = op.terminating;
  op.record.succeeded = op.succeeded;
  op.record.failed = op.failed;
  op.record.condition = op.condition;
  if (op.condition || job.meta.deletion) complete_candidates(op);

  op.stage = Stage::Managed;
  if (op.condition) {
    op.record.manage = ManageStep::ConditionMet;
    op.stage = Stage::ActiveDeleted;
    delete_active(op, op.active > 0 ? active_pods(op) : std::vector<PodPtr>(), output);
  } else if (!op.satisfied) {
    op.record.manage = ManageStep::ExpectationsUnmet;
  } else if (job.meta.deletion) {
    op.record.manage = ManageStep::JobDeleting;
  } else {
    op.managed = true;
    manage(op, *sets, output);
  }
}

/// Pods that may have to be accounted for: tracked, their removal not under way, ended or being deleted.
void Controller::find_candidates(Sync& op, const PodSets& sets) {
  const auto& expected = removals_.of(op.key);
  for (const PodSet* set : {&sets.ended, &sets.deleting})
    for (const PodPtr& pod : *set)
      if (pod->is_tracked() && !expected.contains(pod->meta.uid)) op.candidates.push_back(pod);
  std::sort(op.candidates.begin(), op.candidates.end(), ByAge{});
  for (const PodPtr& pod : op.candidates) op.tracked.insert(pod->meta.uid);

  const JobPods* group = pods_of(op.job->meta.uid);
  for (const auto* list : {&op.status.uncounted->succeeded, &op.status.uncounted->failed}) {
    for (const std::string& uid : *list) {
      const Pod* pod = group == nullptr ? nullptr : group->find(uid);
      // One that the selector left is not looked at any more: its release takes the finalizer off.
      if (pod != nullptr && pod->is_tracked() && !expected.contains(uid) && selects(*op.job, *pod))
        op.tracked.insert(uid);
    }
  }
  for (const PodPtr& pod : op.adopted)
    if (!expected.contains(pod->meta.uid)) op.tracked.insert(pod->meta.uid);
}

/// When the job ends, or goes, every tracked pod is one.
void Controller::complete_candidates(Sync& op) {
  op.candidates = all_pods(op);
  const auto& expected = removals_.of(op.key);
  std::erase_if(op.candidates,
                [&](const PodPtr& pod) { return !pod->is_tracked() || expected.contains(pod->meta.uid); });
  for (const PodPtr& pod : op.candidates) op.tracked.insert(pod->meta.uid);
}

/// SY-12, SY-13, SY-15.
void Controller::find_new_pods(Sync& op, const PodSets& sets) {
  const JobSpec& spec = *op.job->spec;
  const UncountedPods& uncounted = *op.status.uncounted;
  const std::unordered_set<std::string_view> known_succeeded(uncounted.succeeded.begin(), uncounted.succeeded.end());
  const std::unordered_set<std::string_view> known_failed(uncounted.failed.begin(), uncounted.failed.end());
  std::vector<Time> succeeded;
  std::vector<Time> failed;
  std::int64_t counted = 0;
  for (const PodPtr& pod : op.candidates) {
    if (!counts_index(op, *pod)) continue;
    if (pod->phase == PodPhase::Succeeded) {
      if (!known_succeeded.contains(pod->meta.uid)) succeeded.push_back(finish_time(*pod, config_.quirks));
    } else if (is_considered_failed(*pod, spec, config_.quirks) && !known_failed.contains(pod->meta.uid)) {
      failed.push_back(finish_time(*pod, config_.quirks));
      FailureMatch match = match_failure(spec, *pod);
      if (match.counts()) ++counted;
      if (config_.trace && op.record.failures.size() < kTraceNotesMax)
        op.record.failures.push_back({pod->meta.name, completion_index(*pod), std::move(match)});
    }
  }
  op.new_failed = static_cast<std::int64_t>(failed.size());
  op.succeeded = op.status.succeeded + static_cast<std::int64_t>(succeeded.size() + uncounted.succeeded.size());
  op.failed = op.status.failed + counted + static_cast<std::int64_t>(uncounted.failed.size());
  const BackoffRecord* record = backoff(op.key);
  op.backoff = next_record(record == nullptr ? BackoffRecord{} : *record, succeeded, failed);
  op.record.new_succeeded = static_cast<std::int64_t>(succeeded.size());
  op.record.new_failed = op.new_failed;
  if (spec.is_indexed()) find_indexes(op, sets);
}

/// The pods' indexes merged into those of the status; whether a removal is under way makes no difference here.
void Controller::find_indexes(Sync& op, const PodSets& sets) {
  const JobSpec& spec = *op.job->spec;
  const std::int32_t completions = spec.completions.value_or(0);
  op.previous_succeeded = Intervals::parse(op.status.completed_indexes, completions);
  op.succeeded_indexes = op.previous_succeeded;
  for (const PodPtr& pod : sets.ended) {
    const std::int32_t index = completion_index(*pod);
    if (pod->phase == PodPhase::Succeeded && is_valid_index(index, spec)) op.succeeded_indexes.insert(index);
  }
  if (!per_index(op)) return;
  op.failed_indexes = Intervals::parse(op.status.failed_indexes.value_or(""), completions);
  for (const PodSet* set : {&sets.ended, &sets.deleting}) {
    for (const PodPtr& pod : *set) {
      const std::int32_t index = completion_index(*pod);
      if (!pod->is_tracked() || !is_valid_index(index, spec) || !is_considered_failed(*pod, spec, config_.quirks))
        continue;
      const FailureMatch match = match_failure(spec, *pod);
      if (match.action == FailureAction::FailIndex ||
          (match.counts() && failure_count(*pod) >= *spec.backoff_limit_per_index))
        op.failed_indexes->insert(index);
    }
  }
  find_kept(op, sets);
}

/// Spec 10.6, "Delayed deletion".
void Controller::find_kept(Sync& op, const PodSets& sets) {
  const JobSpec& spec = *op.job->spec;
  for (const PodPtr& pod : op.candidates) {
    const std::int32_t index = completion_index(*pod);
    if (!is_valid_index(index, spec) || !is_considered_failed(*pod, spec, config_.quirks)) continue;
    if (op.succeeded_indexes.contains(index) || op.failed_indexes->contains(index) ||
        sets.active_indexes.contains(index))
      continue;
    PodPtr& kept = op.kept[index];
    if (!kept || (total_failure_count(*kept) <= total_failure_count(*pod) &&
                  finish_time(*pod, config_.quirks) >= finish_time(*kept, config_.quirks)))
      kept = pod;
  }
}

/// `check` is the line of spec 6.1. The older version ends a job at once, but for the failure policy.
void Controller::set_condition(Sync& op, std::int32_t check, std::string reason, std::string message) const {
  constexpr std::int32_t kFirstSuccess = 8;
  Condition condition;
  const bool direct = has(Quirk::DirectTerminal) && check > 3;
  if (check < kFirstSuccess)
    condition.type = direct ? "Failed" : "FailureTarget";
  else
    condition.type = direct ? "Complete" : "SuccessCriteriaMet";
  condition.status = "True";
  condition.last_probe = condition.last_transition = now_;
  if (!(check == 9 && has(Quirk::NoCompleteReason))) {
    condition.reason = std::move(reason);
    condition.message = std::move(message);
  }
  op.condition = std::move(condition);
  op.record.condition_check = check;
}

/// Spec 6.1, lines 1 – 8: the first match wins.
void Controller::find_condition(Sync& op, const PodSets& sets) {
  const JobSpec& spec = *op.job->spec;
  const std::int64_t limit = spec.backoff_limit.value_or(0);
  const auto restarts_exceeded = [&] {
    if (!template_of(*op.job).restarts_on_failure) return false;
    return limit == 0 ? sets.restarts > 0 : sets.restarts >= limit;
  };
  const bool may_expire = spec.active_deadline_seconds && op.status.start_time && !spec.is_suspended();
  const Duration deadline = active_deadline(spec);
  const Duration elapsed = may_expire ? now_ - *op.status.start_time : Duration{};

  if (const Condition* met = op.status.find_true("SuccessCriteriaMet")) {
    op.condition = *met;
    op.record.condition_check = 1;
  } else if (const Condition* target = op.status.find_true("FailureTarget")) {
    set_condition(op, 2, target->reason, target->message);
    op.condition->type = "Failed";
  } else if (!sets.fail_job.empty()) {
    const Pod& pod = **sets.fail_job.begin();
    set_condition(op, 3, "PodFailurePolicy", fail_job_message(match_failure(spec, pod), pod));
  } else if (op.failed > limit || restarts_exceeded()) {
    set_condition(op, 4, "BackoffLimitExceeded", std::string(kBackoffMessage));
  } else if (may_expire && elapsed >= deadline) {
    set_condition(op, 5, "DeadlineExceeded", std::string(kDeadlineMessage));
  } else if (may_expire) {
    queue_.add_after(op.key, Time{deadline.ns} - Time{elapsed.ns}, now_);  // saturates
  }
  if (!spec.is_indexed()) return;
  op.succeeded = op.succeeded_indexes.total();
  if (!op.condition) find_index_condition(op);
}

/// Lines 6 – 8.
void Controller::find_index_condition(Sync& op) {
  const JobSpec& spec = *op.job->spec;
  const std::int32_t completions = spec.completions.value_or(0);
  if (op.failed_indexes) {
    const std::int64_t failed = op.failed_indexes->total();
    if (spec.max_failed_indexes && failed > *spec.max_failed_indexes) {
      set_condition(op, 6, "MaxFailedIndexesExceeded", std::string(kTooManyMessage));
      return;
    }
    if (failed > 0 && failed + op.succeeded_indexes.total() >= completions) {
      set_condition(op, 7, "FailedIndexes", "Job has failed indexes");
      return;
    }
  }
  if (!spec.success_policy || has(Quirk::NoSuccessPolicy)) return;
  if (const auto rule = match_success_policy(*spec.success_policy, completions, op.succeeded_indexes))
    set_condition(op, 8, "SuccessPolicy", compose("Matched rules at index {}", *rule));
}

void Controller::note_budget(Sync& op, const PodSets& sets) {
  Budget& budget = op.record.budget;
  budget.failures = op.failed;
  budget.limit = op.job->spec->backoff_limit.value_or(0);
  budget.counts_restarts = template_of(*op.job).restarts_on_failure;
  budget.restarts = sets.restarts;
  budget.retries_left = std::max<std::int64_t>(budget.limit - budget.failures, 0);
  if (budget.counts_restarts)
    budget.retries_left = std::max<std::int64_t>(std::min(budget.retries_left, budget.limit - 1 - sets.restarts), 0);
}

/// Spec 6.2 a: finalizers stay on, no limit of 500, no expectations.
void Controller::delete_active(Sync& op, const std::vector<PodPtr>& pods, Output& output) {
  op.doomed = pods;
  for (const PodPtr& pod : pods) ask(DeletePod{pod->meta.ns, pod->meta.name, pod->meta.uid}, output);
}

void Controller::active_deleted(Sync& op, Output& output) {
  std::int64_t deleted = 0;
  std::int64_t deleted_ready = 0;
  for (std::size_t i = 0; i < results_.size(); ++i) {
    const bool succeeded = deletion_succeeded(op, op.doomed[i], results_[i], output);
    if (succeeded)
      ++deleted;
    else if (op.manage_error.empty())
      op.manage_error = results_[i].error_text();
    if (is_ready(*op.doomed[i]) && (succeeded || has(Quirk::ReadyUnderreported))) ++deleted_ready;
  }
  if (deleted != op.active || !op.satisfied) {
    op.condition.reset();
    op.record.condition_withheld = true;
  }
  op.active -= deleted;
  op.terminating += deleted;
  op.ready -= deleted_ready;
  op.record.removed = deleted;
  op.stage = Stage::Track;
}

}  // namespace pumice::kubejob
