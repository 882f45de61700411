// The first steps of a sync, and whose pods are whose (spec/k8s-job.md 5, SY-1 – SY-10).
#include <algorithm>
#include <utility>

#include "compose.h"
#include "pumice/kubejob/controller.h"
#include "pumice/kubejob/names.h"

namespace pumice::kubejob {

void Controller::start(Sync& op, Output& output) {
  const auto ends = [&op](SyncOutcome outcome) {
    op.record.outcome = outcome;
    op.stage = Stage::Done;
  };
  const std::size_t slash = op.key.find('/');
  if (slash == std::string::npos || slash == 0 || slash + 1 == op.key.size()) {  // SY-1
    ends(SyncOutcome::BadKey);
    op.error = compose("invalid job key \"{}\": either namespace or name is missing", op.key);
    return;
  }
  const auto cached = jobs_.find(op.key);
  if (cached == jobs_.end()) {  // SY-3
    expectations_.erase(op.key);
    removals_.erase(op.key);
    backoff_.erase(op.key);
    ends(SyncOutcome::JobNotCached);
    return;
  }
  op.job = cached->second;
  const Job& job = *op.job;
  op.status = job.status;
  if (config_.trace) op.record.before = job.status;
  if (has(Quirk::ConsistencyCheck)) {  // SY-2
    const auto last = last_written_.find(op.key);
    if (last != last_written_.end() && last->second.uid == job.meta.uid &&
        job.meta.resource_version < last->second.resource_version) {
      ends(SyncOutcome::StaleCache);
      op.error = "the cache does not show the last write to the job yet";
      return;
    }
  }
  const auto& manager = job.spec->managed_by;
  if (!has(Quirk::NoManagedBy) && manager && *manager != kBuiltInController) {  // SY-4
    ends(SyncOutcome::ManagedByOther);
    return;
  }
  if (job.status.finished() != nullptr) {  // SY-5
    backoff_.erase(op.key);
    finish_written_.erase(job.meta.uid);
    ends(SyncOutcome::Finished);
    return;
  }
  if (has(Quirk::FinishedMarker) && finish_written_.contains(job.meta.uid)) {  // SY-6
    ends(SyncOutcome::FinishWritten);
    return;
  }
  const std::string& mode = job.spec->completion_mode;
  if (!mode.empty() && mode != "NonIndexed" && mode != "Indexed") {  // SY-7
    emit(op, true, "UnknownCompletionMode", "Skipped Job sync because completion mode is unknown", output);
    ends(SyncOutcome::UnknownMode);
    return;
  }
  if (!op.status.uncounted) op.status.uncounted.emplace();  // SY-8
  op.satisfied = expectations_.satisfied(op.key, now_);     // SY-9
  op.record.expectations_satisfied = op.satisfied;

  if (job.spec->selector && !job.spec->selector->is_usable()) {  // SY-10
    fail(op, "couldn't convert Job selector: an operator or its values cannot be used");
    return;
  }
  op.stage = Stage::Evaluate;
  if (job.meta.deletion) return;
  if (const JobPods* group = pods_of(job.meta.uid))
    op.to_release.assign(group->unmatched().begin(), group->unmatched().end());
  if (const auto loose = loose_.find(job.meta.ns); loose != loose_.end() && job.spec->selector) {
    for (const auto& [uid, pod] : loose->second)
      if (!pod->meta.deletion && job.spec->selector->matches(pod->meta.labels)) op.to_adopt.push_back(pod);
    std::sort(op.to_adopt.begin(), op.to_adopt.end(), ByAge{});
  }
  if (!op.to_adopt.empty()) {
    op.stage = Stage::FreshRead;
    ask(GetJob{job.meta.ns, job.meta.name}, output);
  } else if (!op.to_release.empty()) {
    ask_claims(op, output);
  }
}

/// Step 3: one fresh read for all adoptions of a sync.
void Controller::fresh_read(Sync& op, Output& output) {
  const EffectResult& result = results_.front();
  const Job& job = *op.job;
  if (result.code != ResultCode::Ok) {
    op.error = result.error_text();
  } else if (result.job->meta.uid != job.meta.uid) {
    op.error = compose("original Job {}/{} is gone: got uid {}, wanted {}", job.meta.ns, job.meta.name,
                       result.job->meta.uid, job.meta.uid);
  } else if (result.job->meta.deletion) {
    op.error = compose("{}/{} has just been deleted at {}", job.meta.ns, job.meta.name,
                       to_rfc3339(*result.job->meta.deletion));
  }
  if (!op.error.empty()) {
    op.error = "can't adopt pods: " + op.error;
    op.to_adopt.clear();
  }
  ask_claims(op, output);
}

void Controller::ask_claims(Sync& op, Output& output) {
  op.stage = Stage::Claimed;
  const Job& job = *op.job;
  const OwnerReference owner{std::string(kApiVersion), std::string(kKind), job.meta.name, job.meta.uid, true};
  for (const PodPtr& pod : op.to_adopt) ask(AdoptPod{pod->meta.ns, pod->meta.name, pod->meta.uid, owner}, output);
  for (const PodPtr& pod : op.to_release)
    ask(ReleasePod{pod->meta.ns, pod->meta.name, pod->meta.uid, job.meta.uid}, output);
}

/// Steps 4 and 5: an adopted pod counts as tracked at once, though the cache does not show it.
void Controller::claimed(Sync& op) {
  const Job& job = *op.job;
  for (std::size_t i = 0; i < results_.size(); ++i) {
    const ResultCode code = results_[i].code;
    if (code == ResultCode::NotFound) continue;
    if (code != ResultCode::Ok) {
      if (op.error.empty()) op.error = results_[i].error_text();
    } else if (i < op.to_adopt.size()) {
      auto pod = std::make_shared<Pod>(*op.to_adopt[i]);
      pod->meta.owners.push_back({std::string(kApiVersion), std::string(kKind), job.meta.name, job.meta.uid, true});
      if (!pod->is_tracked()) pod->finalizers.emplace_back(kTrackingFinalizer);
      op.adopted.push_back(std::move(pod));
    } else {
      ++op.record.released;
    }
  }
  op.record.adopted = static_cast<std::int64_t>(op.adopted.size());
  op.stage = op.error.empty() ? Stage::Evaluate : Stage::Done;
}

}  // namespace pumice::kubejob
