#include <utility>

#include "compose.h"
#include "overloaded.h"
#include "pumice/jobflow/controller.h"

namespace pumice::jobflow {

using volcano::ChangeKind;

std::string flow_name_of(const Job& job) {
  bool is_controlled = false;
  for (const OwnerReference& owner : job.meta.owners) {
    if (!owner.controller) continue;
    is_controlled = owner.kind == "JobFlow" && owner.api_version == kApiVersion;
    break;
  }
  if (!is_controlled) return {};
  for (const OwnerReference& owner : job.meta.owners)
    if (owner.kind == "JobFlow" && owner.api_version.find("volcano") != std::string::npos) return owner.name;
  return {};
}

void FlowController::enqueue(const std::string& key, ObserveRecord record, std::vector<Record>& records) {
  record.queued = key;
  record.outcome = queue_.is_due(key) ? ObserveOutcome::Merged : ObserveOutcome::Queued;
  queue_.add(key);
  records.emplace_back(std::move(record));
}

void FlowController::observe(const Observation& observation, std::vector<Record>& records) {
  std::visit(Overloaded{
                 [&](const FlowAdded& o) {
                   flows_[o.flow->key()] = o.flow;
                   enqueue(o.flow->key(), {Seen::Flow, ChangeKind::Added, o.flow->key()}, records);
                 },
                 [&](const FlowUpdated& o) {
                   flows_[o.after->key()] = o.after;
                   observe_flow_update(*o.before, *o.after, records);
                 },
                 [&](const FlowDeleted& o) {
                   flows_.erase(o.flow->key());
                   records.emplace_back(ObserveRecord{
                       Seen::Flow, ChangeKind::Deleted, o.flow->key(), ObserveOutcome::NoCallback, false, {}});
                 },
                 [&](const TemplateAdded& o) {
                   templates_[o.made->key()] = o.made;
                   if (config_.quirks.has(Quirk::MissingTemplateForgotten)) return;
                   for (const auto& [key, flow] : flows_) {
                     if (flow->meta.ns != o.made->meta.ns) continue;
                     for (const Step& step : flow->spec->steps) {
                       if (step.name != o.made->meta.name) continue;
                       enqueue(key, {Seen::Template, ChangeKind::Added, o.made->key()}, records);
                       break;
                     }
                   }
                 },
                 [&](const TemplateUpdated& o) { templates_[o.after->key()] = o.after; },
                 [&](const TemplateDeleted& o) { templates_.erase(o.made->key()); },
                 [&](const volcano::JobAdded& o) {
                   jobs_[o.job->key()] = o.job;
                   observe_job(*o.job, ChangeKind::Added, true, records);
                 },
                 [&](const volcano::JobUpdated& o) {
                   jobs_[o.after->key()] = o.after;
                   const bool is_new = o.before->meta.resource_version != o.after->meta.resource_version;
                   observe_job(*o.after, ChangeKind::Updated, is_new, records);
                 },
                 [&](const volcano::JobDeleted& o) {
                   jobs_.erase(o.job->key());
                   observe_job(*o.job, ChangeKind::Deleted, true, records);
                 },
             },
             observation);
}

/// Only a flow that has succeeded and deletes its jobs is queued; every other edit is ignored.
void FlowController::observe_flow_update(const JobFlow& before, const JobFlow& after, std::vector<Record>& records) {
  ObserveRecord record{Seen::Flow, ChangeKind::Updated, after.key(), ObserveOutcome::NothingChanged, false, {}};
  if (before.meta.resource_version == after.meta.resource_version) {
    records.emplace_back(std::move(record));
    return;
  }
  const bool is_done = phase_from(after.status.phase) == Phase::Succeed && after.spec->deletes_jobs();
  const bool is_edit = !config_.quirks.has(Quirk::SpecEditIgnored) && *before.spec != *after.spec;
  if (is_done || is_edit) {
    enqueue(after.key(), std::move(record), records);
    return;
  }
  record.outcome = ObserveOutcome::NotSucceeded;
  records.emplace_back(std::move(record));
}

void FlowController::observe_job(const Job& job, ChangeKind change, bool is_new, std::vector<Record>& records) {
  const std::string flow = flow_name_of(job);
  if (flow.empty()) return;
  ObserveRecord record{Seen::Job, change, job.key(), ObserveOutcome::NoCallback, false, {}};
  const bool noticed_deletion = change == ChangeKind::Deleted && !config_.quirks.has(Quirk::DeletedJobUnnoticed);
  if (!is_new) record.outcome = ObserveOutcome::NothingChanged;
  if (is_new && (change == ChangeKind::Updated || noticed_deletion))
    enqueue(job.meta.ns + "/" + flow, std::move(record), records);
  else
    records.emplace_back(std::move(record));
}

bool FlowController::work(Time now, Server& server, std::vector<Record>& records) {
  if (!running_) running_ = queue_.take();
  if (!running_) return true;
  FlowRecord record;
  record.key = *running_;
  const auto flow = flows_.find(*running_);
  if (flow == flows_.end()) {
    record.verdict = Verdict::NoFlow;
    end(std::move(record), now, records);
    return true;
  }
  const JobFlow& looked_at = *flow->second;
  FlowOutput output;
  sync_flow({now, config_.quirks, &looked_at, &jobs_, &templates_}, server, output);
  if (output.waiting) return false;
  record.verdict = output.verdict;
  record.before = looked_at.status.phase;
  record.after = output.after && output.error.empty() ? output.after->phase : record.before;
  record.status_changed = output.error.empty() && output.after && !(*output.after == looked_at.status);
  // Counted where the phase is decided, so also if it cannot be written.
  if (output.decision.counts_success) ++counters_[looked_at.meta.ns].succeeded;
  if (output.decision.counts_failure) ++counters_[looked_at.meta.ns].failed;
  record.decision = std::move(output.decision);
  record.steps = std::move(output.steps);
  record.deleted = std::move(output.deleted);
  for (const Effect& effect : output.effects)
    if (const auto* event = std::get_if<EmitEvent>(&effect)) record.events.push_back(*event);
  record.error = std::move(output.error);
  end(std::move(record), now, records);
  return true;
}

void FlowController::end(FlowRecord record, Time now, std::vector<Record>& records) {
  const std::string key = record.key;
  const std::int64_t failures = queue_.failures(key);
  record.attempt = failures + 1;
  if (record.error.empty()) {
    queue_.forget(key);
  } else if (config_.requeue_max < 0 || failures < config_.requeue_max) {
    record.retry_at = now + queue_.add_rate_limited(key, now);
  } else {
    const std::string name = key.substr(key.find('/') + 1);
    const bool is_unknown = phase_from(record.before) == Phase::Other;
    const std::string error =
        is_unknown
            ? record.error
            : compose("sync jobflow {} failed for {}, event is OutOfSync, action is SyncJobFlow", name, record.error);
    record.events.push_back({true, "SyncJobFlow", compose("SyncJobFlow JobFlow failed for {}", error)});
    record.gave_up = true;
    queue_.forget(key);
  }
  queue_.done(key);
  running_.reset();
  records.emplace_back(std::move(record));
}

}  // namespace pumice::jobflow
