// Ended pods into the status, finalizers off, and the end of the job (spec/k8s-job.md 6 SY-18, SY-19, 10).
#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "pumice/kubejob/classify.h"
#include "pumice/kubejob/controller.h"
#include "pumice/kubejob/failure_policy.h"
#include "pumice/kubejob/names.h"

namespace pumice::kubejob {

void Controller::track(Sync& op, Output& output) {
  JobStatus& status = op.status;
  const auto active = static_cast<std::int32_t>(op.active);  // SY-18
  const auto ready = static_cast<std::int32_t>(op.ready);
  std::optional<std::int32_t> terminating;
  if (!has(Quirk::NoTerminatingCount)) terminating = static_cast<std::int32_t>(op.terminating);
  if (status.active != active || status.ready != ready || status.terminating != terminating) op.needs_update = true;
  status.active = active;
  status.ready = ready;
  status.terminating = terminating;
  op.flush = op.needs_update;

  if (clean_uncounted(op)) op.flush = true;
  register_pods(op);
  prepare_final(op);
  if (op.flush)
    write_status(op, Stage::FirstWritten, output);
  else
    op.stage = Stage::RemoveFinalizers;
}

/// Step 1: who is no longer tracked moves from the lists into the counters.
bool Controller::clean_uncounted(Sync& op) {
  const auto move_into = [&op](std::vector<std::string>& uids, std::int32_t& counter) {
    const std::size_t gone = std::erase_if(uids, [&](const std::string& uid) { return !op.tracked.contains(uid); });
    counter = static_cast<std::int32_t>(counter + static_cast<std::int64_t>(gone));
    return gone > 0;
  };
  UncountedPods& uncounted = *op.status.uncounted;
  const bool succeeded = move_into(uncounted.succeeded, op.status.succeeded);
  const bool failed = move_into(uncounted.failed, op.status.failed);
  return succeeded || failed;
}

/// Step 2, and the table behind it.
void Controller::register_pods(Sync& op) {
  const Job& job = *op.job;
  const JobSpec& spec = *job.spec;
  UncountedPods& uncounted = *op.status.uncounted;
  if (spec.is_indexed()) {
    std::sort(op.candidates.begin(), op.candidates.end(), [](const PodPtr& a, const PodPtr& b) {
      const std::int32_t of_a = completion_index(*a);
      const std::int32_t of_b = completion_index(*b);
      return of_a != of_b ? of_a < of_b : ByAge{}(a, b);
    });
  }
  const std::unordered_set<std::string> known_succeeded(uncounted.succeeded.begin(), uncounted.succeeded.end());
  const std::unordered_set<std::string> known_failed(uncounted.failed.begin(), uncounted.failed.end());
  const bool ends = op.condition.has_value();
  const bool fails = ends && op.condition->type != "SuccessCriteriaMet";
  std::vector<std::int32_t> new_indexes;
  for (const PodPtr& pod : op.candidates) {
    const std::string& uid = pod->meta.uid;
    const std::int32_t index = completion_index(*pod);
    const bool succeeded = pod->phase == PodPhase::Succeeded;
    const bool failed = is_considered_failed(*pod, spec, config_.quirks);
    const auto kept = op.kept.find(index);
    const bool is_kept = kept != op.kept.end() && kept->second->meta.uid == uid;
    if (!job.meta.deletion && !ends && !succeeded && (!failed || is_kept)) continue;
    op.removing.push_back(pod);
    if (succeeded && !known_failed.contains(uid)) {
      if (spec.is_indexed()) {
        const bool is_known = has(Quirk::IndexComparedWithMerged) &&
                              std::find(new_indexes.begin(), new_indexes.end(), index) != new_indexes.end();
        if (is_valid_index(index, spec) && !op.previous_succeeded.contains(index) && !is_known) {
          new_indexes.push_back(index);
          op.flush = true;
        }
      } else if (!known_succeeded.contains(uid)) {
        uncounted.succeeded.push_back(uid);
        op.flush = true;
      }
    } else if (failed || fails) {
      if (!known_failed.contains(uid) && counts_index(op, *pod) && match_failure(spec, *pod).counts()) {
        uncounted.failed.push_back(uid);
        op.flush = true;
      }
    }
    if (new_indexes.size() + uncounted.succeeded.size() + uncounted.failed.size() >= std::size_t{kUncountedMax}) {
      op.full = op.record.uncounted_full = true;
      break;
    }
  }
  if (spec.is_indexed()) register_indexes(op, new_indexes);
}

/// Spec 10.2.
void Controller::register_indexes(Sync& op, const std::vector<std::int32_t>& new_indexes) {
  JobStatus& status = op.status;
  Intervals completed = op.previous_succeeded;
  Intervals added;
  for (const std::int32_t index : new_indexes) {
    completed.insert(index);
    if (config_.trace) added.insert(index);
  }
  std::string text = completed.text();
  if (text != status.completed_indexes) op.flush = true;
  status.completed_indexes = std::move(text);
  status.succeeded = static_cast<std::int32_t>(completed.total());
  op.record.new_succeeded_indexes = added.text();
  std::optional<std::string> failed_text;
  if (op.failed_indexes) failed_text = op.failed_indexes->text();
  if (failed_text != status.failed_indexes) {
    op.flush = true;
    op.record.new_failed_indexes = failed_text.value_or("");
    status.failed_indexes = std::move(failed_text);
  }
}

/// Spec 10.3: the interim condition into the status, the final one in its place.
void Controller::prepare_final(Sync& op) {
  if (!op.condition) return;
  const bool failure = op.condition->type == "FailureTarget";
  if (!failure && op.condition->type != "SuccessCriteriaMet") return;
  if (failure || op.status.find_true("SuccessCriteriaMet") == nullptr) {
    op.status.conditions.push_back(*op.condition);
    op.flush = true;
  }
  op.condition->type = failure ? "Failed" : "Complete";
  op.condition->last_probe = op.condition->last_transition = now_;
}

void Controller::write_status(Sync& op, Stage next, Output& output) {
  op.stage = next;
  const ObjectMeta& meta = op.job->meta;
  ask(UpdateJobStatus{meta.ns, meta.name, meta.uid, meta.resource_version, op.status}, output);
}

/// Takes over what the server stored; false, and the sync ends, if it stored nothing.
bool Controller::written(Sync& op, std::string_view what) {
  const EffectResult& result = results_.front();
  if (result.code != ResultCode::Ok) {
    op.conflict = result.code == ResultCode::Conflict;
    fail(op, "tracking status: " + std::string(what) + ": " + result.error_text());
    return false;
  }
  op.job = result.job;
  op.status = result.job->status;
  if (!op.status.uncounted) op.status.uncounted.emplace();
  last_written_[op.key] = {result.job->meta.uid, result.job->meta.resource_version};
  op.flush = false;
  return true;
}

void Controller::first_written(Sync& op) {
  if (!written(op, "adding uncounted pods to status")) return;
  backoff_[op.key] = op.backoff;
  op.stage = Stage::RemoveFinalizers;
}

/// Spec 10.4 step 2.
void Controller::remove_finalizers(Sync& op, Output& output) {
  op.stage = Stage::FinalizersRemoved;
  for (const PodPtr& pod : op.removing) removals_.expect_removal(op.key, pod->meta.uid);
  for (const PodPtr& pod : op.removing) ask(RemoveFinalizer{pod->meta.ns, pod->meta.name, pod->meta.uid}, output);
}

/// Steps 3 and 4.
void Controller::finalizers_removed(Sync& op, Output& output) {
  for (std::size_t i = 0; i < results_.size(); ++i) {
    const std::string& uid = op.removing[i]->meta.uid;
    const EffectResult& result = results_[i];
    const bool is_gone = result.code == ResultCode::NotFound;
    if (result.code != ResultCode::Ok && (!is_gone || has(Quirk::GonePodForgotten)))
      removals_.removal_observed(op.key, uid);
    if (result.code == ResultCode::Ok || is_gone) {
      op.tracked.erase(uid);
      ++op.record.finalizers_removed;
    } else if (op.removal_error.empty()) {
      op.removal_error = result.error_text();
    }
  }
  if (clean_uncounted(op)) op.flush = true;
  if (op.removal_error.empty())
    op.stage = Stage::MaybeFinish;
  else if (op.flush)
    write_status(op, Stage::PartlyWritten, output);
  else
    fail(op, "tracking status: " + op.removal_error);
}

/// Steps 5 and 6.
void Controller::maybe_finish(Sync& op, Output& output) {
  op.stage = Stage::Done;
  const bool is_final = op.condition && !op.full && op.status.uncounted->empty();
  const bool waits = op.terminating > 0 && !has(Quirk::DirectTerminal);
  op.record.waits_for_terminating = is_final && waits;
  if (is_final && !waits) {
    Condition final = *op.condition;
    final.last_probe = final.last_transition = now_;
    if (final.type == "Complete") op.status.completion_time = op.condition->last_transition;
    auto& conditions = op.status.conditions;
    const auto found = std::find_if(conditions.begin(), conditions.end(),
                                    [&final](const Condition& c) { return c.type == final.type; });
    if (found == conditions.end())
      conditions.push_back(std::move(final));
    else if (found->status != final.status || found->reason != final.reason || found->message != final.message)
      *found = std::move(final);
    op.finishing = op.flush = true;
  }
  if (op.flush) write_status(op, Stage::LastWritten, output);
}

/// Spec 10.4, the events.
void Controller::last_written(Sync& op, Output& output) {
  if (!written(op, "removing uncounted pods from status")) return;
  op.stage = Stage::Done;
  if (!op.finishing) return;
  const Job& job = *op.job;
  if (op.condition->type == "Complete") {
    if (job.spec->completions && job.status.succeeded > *job.spec->completions)
      emit(op, true, "TooManySucceededPods", "Too many succeeded pods running after completion count reached", output);
    emit(op, false, "Completed", "Job completed", output);
  } else {
    emit(op, true, op.condition->reason, op.condition->message, output);
  }
  finish_written_.insert(job.meta.uid);
}

}  // namespace pumice::kubejob
