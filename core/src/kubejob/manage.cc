// How many pods there should be: remove, wait or create (spec/k8s-job.md 6.2 b, 7).
#include <algorithm>
#include <array>
#include <utility>

#include "pumice/kubejob/classify.h"
#include "pumice/kubejob/controller.h"
#include "pumice/kubejob/names.h"
#include "pumice/kubejob/ranking.h"

namespace pumice::kubejob {
namespace {

/// Spec 6.4: false if nothing changed.
bool ensure_condition(std::vector<Condition>& conditions, std::string_view type, bool status, std::string_view reason,
                      std::string_view message, Time now) {
  const std::string_view text = status ? "True" : "False";
  const auto found =
      std::find_if(conditions.begin(), conditions.end(), [type](const Condition& c) { return c.type == type; });
  if (found == conditions.end() && !status) return false;
  if (found != conditions.end() && found->status == text && found->reason == reason && found->message == message)
    return false;
  Condition condition{std::string(type), std::string(text), now, now, std::string(reason), std::string(message)};
  if (found == conditions.end())
    conditions.push_back(std::move(condition));
  else
    *found = std::move(condition);
  return true;
}

}  // namespace

const PodTemplate& Controller::template_of(const Job& job) {
  std::shared_ptr<const JobSpec>& made_of = template_specs_[job.meta.uid];
  PodTemplate& pod_template = templates_[job.meta.uid];
  if (made_of != job.spec) {
    pod_template = PodTemplate::of(*job.spec, config_.quirks);
    made_of = job.spec;
  }
  return pod_template;
}

std::int64_t Controller::wanted_active(const Sync& op) const {
  const JobSpec& spec = *op.job->spec;
  const std::int64_t parallelism = spec.parallelism.value_or(1);
  if (!spec.completions) return op.succeeded > 0 ? op.active : parallelism;
  return std::max<std::int64_t>(std::min(*spec.completions - op.succeeded, parallelism), 0);
}

void Controller::manage(Sync& op, const PodSets& sets, Output& output) {
  const JobSpec& spec = *op.job->spec;
  if (spec.is_suspended()) {  // 1
    op.record.manage = ManageStep::Suspended;
    std::vector<PodPtr> pods = op.active > 0 ? active_pods(op) : std::vector<PodPtr>();
    remove_pods(op, choose_removals(std::move(pods), spec, op.active), output);
    return;
  }
  const std::int64_t wanted = op.record.wanted = wanted_active(op);  // 2
  const std::int64_t at_least = std::max<std::int64_t>(op.active - wanted, 0);
  const bool has_useless = spec.is_indexed() && (sets.active_unindexed > 0 || !sets.active_again.empty() ||
                                                 sets.active_indexes.max() >= spec.completions.value_or(0));
  if (at_least > 0 || has_useless) {  // 3
    std::vector<PodPtr> chosen = choose_removals(active_pods(op), spec, at_least);
    if (chosen.size() > static_cast<std::size_t>(kPodsPerSyncMax)) chosen.resize(kPodsPerSyncMax);
    if (!chosen.empty()) {
      op.record.manage = ManageStep::Removed;
      remove_pods(op, std::move(chosen), output);
      return;
    }
  }
  const bool waits = only_replaces_failed(spec, config_.quirks) && !has(Quirk::NoReplacementPolicy);
  const std::int64_t pending = op.record.pending = waits ? op.terminating : 0;  // 4
  const std::int64_t diff = wanted - pending - op.active;
  if (diff <= 0) {
    op.record.manage = wanted > op.active ? ManageStep::WaitsForTerminating : ManageStep::Enough;
    return;
  }
  if (!has_per_index_limit(spec, config_.quirks)) {  // 5
    const Duration cap = has(Quirk::ShortBackoffCap) ? kOldPodBackoffMax : kPodBackoffMax;
    const Duration remaining = remaining_backoff(op.backoff.failures, op.backoff.last_failure, now_, cap);
    if (remaining.ns > 0) {
      back_off(op, remaining);
      return;
    }
  }
  create_pods(op, sets, std::min<std::int64_t>(diff, kPodsPerSyncMax), output);  // 6
}

void Controller::back_off(Sync& op, Duration remaining) {
  op.record.manage = ManageStep::BackingOff;
  op.record.budget.next_retry = now_ + remaining;
  queue_.add_after(op.key, std::max(remaining, kBatchPeriod), now_);
  if (has(Quirk::BackoffShowsNoActive)) op.active = 0;
}

/// Spec 7.2: the finalizer first, so that the pod is not counted, then the pod.
void Controller::remove_pods(Sync& op, std::vector<PodPtr> pods, Output& output) {
  op.doomed = std::move(pods);
  expectations_.expect_deletions(op.key, static_cast<std::int64_t>(op.doomed.size()), now_);
  op.stage = Stage::RemovalPatched;
  for (const PodPtr& pod : op.doomed)
    if (pod->is_tracked()) ask(RemoveFinalizer{pod->meta.ns, pod->meta.name, pod->meta.uid}, output);
}

void Controller::removal_patched(Sync& op, Output& output) {
  std::vector<PodPtr> next;
  std::size_t answer = 0;
  for (PodPtr& pod : op.doomed) {
    if (pod->is_tracked()) {
      const EffectResult& result = results_[answer++];
      if (result.code != ResultCode::Ok) {
        expectations_.deletion_observed(op.key);
        if (result.code == ResultCode::NotFound)
          ++op.record.removed;
        else if (op.manage_error.empty())
          op.manage_error = result.error_text();
        op.taken_off.push_back(std::move(pod));
        continue;
      }
    }
    next.push_back(std::move(pod));
  }
  op.doomed = std::move(next);
  op.stage = Stage::RemovalDeleted;
  for (const PodPtr& pod : op.doomed) ask(DeletePod{pod->meta.ns, pod->meta.name, pod->meta.uid}, output);
}

void Controller::removal_deleted(Sync& op, Output& output) {
  for (std::size_t i = 0; i < results_.size(); ++i) {
    const PodPtr& pod = op.doomed[i];
    const bool succeeded = deletion_succeeded(op, pod, results_[i], output);
    if (results_[i].code != ResultCode::Ok) expectations_.deletion_observed(op.key);
    if (succeeded)
      ++op.record.removed;
    else if (op.manage_error.empty())
      op.manage_error = results_[i].error_text();
    if (is_ready(*pod) && (succeeded || has(Quirk::ReadyUnderreported))) ++op.removed_ready;
    op.taken_off.push_back(pod);
  }
  op.active -= op.record.removed;
  op.terminating += op.record.removed;
  op.ready -= op.removed_ready;
  op.stage = Stage::Managed;
}

bool Controller::deletion_succeeded(Sync& op, const PodPtr& pod, const EffectResult& result, Output& output) {
  if (result.code == ResultCode::Ok) {
    emit(op, false, "SuccessfulDelete", "Deleted pod: " + pod->meta.name, output);
    return true;
  }
  if (result.code == ResultCode::NotFound) return true;
  emit(op, true, "FailedDelete", "Error deleting: " + result.error_text(), output);
  return false;
}

/// Step 7; false if all indexes wait for their back-off.
bool Controller::choose_indexes(Sync& op, const PodSets& sets, std::int64_t& diff) {
  const JobSpec& spec = *op.job->spec;
  Intervals terminating;
  if (only_replaces_failed(spec, config_.quirks) && !has(Quirk::NoReplacementPolicy)) {
    for (const PodPtr& pod : sets.deleting)
      if (const std::int32_t index = completion_index(*pod); index != kUnknownIndex) terminating.insert(index);
  }
  static const Intervals kNone;
  const std::array<const Intervals*, 4> taken{&op.succeeded_indexes, &sets.active_indexes,
                                              op.failed_indexes ? &*op.failed_indexes : &kNone, &terminating};
  op.indexes = first_free(taken, spec.completions.value_or(0), diff);
  if (per_index(op)) {
    std::optional<Duration> least;
    std::vector<std::int32_t> now;
    for (const std::int32_t index : op.indexes) {
      const auto kept = op.kept.find(index);
      const Duration remaining =
          kept == op.kept.end() ? Duration{}
                                : remaining_backoff(total_failure_count(*kept->second) + 1,
                                                    finish_time(*kept->second, config_.quirks), now_, kPodBackoffMax);
      if (remaining.ns <= 0)
        now.push_back(index);
      else if (!least || remaining < *least)
        least = remaining;
    }
    op.indexes = std::move(now);
    if (op.indexes.empty() && least) {
      back_off(op, *least);
      return false;
    }
    if (least) op.record.budget.next_retry = now_ + *least;
  }
  diff = static_cast<std::int64_t>(op.indexes.size());
  return true;
}

/// Steps 7 and 8.
void Controller::create_pods(Sync& op, const PodSets& sets, std::int64_t diff, Output& output) {
  const Job& job = *op.job;
  if (has(Quirk::ExpectBeforeChoosing)) expectations_.expect_creations(op.key, diff, now_);
  if (job.spec->is_indexed() && !choose_indexes(op, sets, diff)) return;
  if (!has(Quirk::ExpectBeforeChoosing)) expectations_.expect_creations(op.key, diff, now_);
  op.record.manage = diff > 0 ? ManageStep::Created : ManageStep::NothingPending;
  op.active += diff;
  const bool has_labels =
      !template_of(job).labels.empty() || (job.spec->is_indexed() && !has(Quirk::IndexFromAnnotation));
  if (diff > 0 && !has_labels) {
    // Every attempt would be refused before it leaves; the first ends the slow start.
    expectations_.creation_observed(op.key, diff);
    op.active -= diff;
    op.manage_error = "unable to create pods, no labels";
    return;
  }
  op.to_create = diff;
  op.batch = std::min<std::int64_t>(diff, 1);
  if (diff > 0) next_batch(op, output);
}

/// Spec 7.5.
void Controller::next_batch(Sync& op, Output& output) {
  const Job& job = *op.job;
  const PodTemplate& pod_template = template_of(job);
  op.stage = Stage::BatchCreated;
  for (std::int64_t i = 0; i < op.batch; ++i) {
    std::int32_t index = kUnknownIndex;
    const Pod* failed = nullptr;
    if (job.spec->is_indexed()) {
      index = op.indexes[op.next_index++];
      const auto kept = op.kept.find(index);
      if (kept != op.kept.end()) failed = kept->second.get();
    }
    ask(CreatePod{new_pod(job, pod_template, index, failed, config_.quirks)}, output);
  }
}

void Controller::batch_created(Sync& op, Output& output) {
  bool has_new_error = false;
  const std::size_t first = op.next_index - (op.job->spec->is_indexed() ? results_.size() : 0);
  for (std::size_t i = 0; i < results_.size(); ++i) {
    const EffectResult& result = results_[i];
    if (result.code == ResultCode::Ok) {
      ++op.record.created;
      if (config_.trace && op.job->spec->is_indexed()) op.record.indexes.push_back(op.indexes[first + i]);
      emit(op, false, "SuccessfulCreate", "Created pod: " + (result.pod ? result.pod->meta.name : std::string()),
           output);
      continue;
    }
    const bool torn_down = result.code == ResultCode::NamespaceTerminating;
    if (torn_down && has(Quirk::NamespaceKeepsExpectation)) continue;
    expectations_.creation_observed(op.key);
    --op.active;
    if (torn_down) continue;
    has_new_error = true;
    if (op.manage_error.empty()) op.manage_error = result.error_text();
    emit(op, true, "FailedCreate", "Error creating: " + result.error_text(), output);
  }
  const std::int64_t left = op.to_create - op.batch;
  if (has_new_error && left > 0) {
    op.active -= left;
    expectations_.creation_observed(op.key, left);
    op.to_create = 0;
  } else {
    op.to_create = left;
  }
  op.batch = std::min(2 * op.batch, op.to_create);
  if (op.to_create > 0)
    next_batch(op, output);
  else
    op.stage = Stage::Managed;
}

/// Spec 6.2 b, after the manage step or without it.
void Controller::managed(Sync& op, Output& output) {
  const JobSpec& spec = *op.job->spec;
  op.stage = Stage::Track;
  const bool enough = spec.completions ? op.succeeded >= *spec.completions : op.succeeded > 0;
  if (enough && op.active == 0) {
    set_condition(op, 9, "CompletionsReached", "Reached expected number of succeeded pods");
    op.record.condition = op.condition;
    // Pods removed by this very sync are still tracked in what it looked at.
    const auto& expected = removals_.of(op.key);
    for (const PodPtr& pod : op.taken_off) {
      if (!pod->is_tracked() || expected.contains(pod->meta.uid)) continue;
      op.candidates.push_back(pod);
      op.tracked.insert(pod->meta.uid);
    }
    std::sort(op.candidates.begin(), op.candidates.end(), ByAge{});
    return;
  }
  if (!op.managed) return;
  const bool suspended = spec.is_suspended();
  const bool changed =
      suspended ? ensure_condition(op.status.conditions, "Suspended", true, "JobSuspended", "Job suspended", now_)
                : ensure_condition(op.status.conditions, "Suspended", false, "JobResumed", "Job resumed", now_);
  if (!changed) return;
  op.needs_update = true;
  if (suspended) {
    emit(op, false, "Suspended", "Job suspended", output);
    if (has(Quirk::ClearStartOnSuspend)) op.status.start_time.reset();
  } else {
    emit(op, false, "Resumed", "Job resumed", output);
    op.status.start_time = now_;
  }
}

}  // namespace pumice::kubejob
