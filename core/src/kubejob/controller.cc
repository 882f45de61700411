// Queues, and the sync from stage to stage (spec/k8s-job.md 3.1, 6).
#include "pumice/kubejob/controller.h"

#include <algorithm>
#include <utility>

#include "pumice/check.h"
#include "pumice/kubejob/names.h"

namespace pumice::kubejob {

Controller::Controller(ControllerConfig config)
    : config_(config), queue_(kRetryBase, kRetryMax), orphans_(kRetryBase, kRetryMax) {}

void Controller::step(const Input& input, Output& output) {
  PUMICE_CHECK(input.now >= now_);
  now_ = input.now;
  queue_.advance(now_);
  orphans_.advance(now_);
  if (const auto* observation = std::get_if<Observation>(&input.event))
    observe(*observation, output);
  else if (const auto* results = std::get_if<EffectResults>(&input.event))
    take_results(*results, output);
  else if (std::holds_alternative<Work>(input.event))
    work(output);
}

bool Controller::has_work() const noexcept {
  return !waiting_for_results() && (queue_.has_due() || orphans_.has_due());
}

std::optional<Time> Controller::next_deadline() const noexcept {
  const std::optional<Time> job = queue_.next_time();
  const std::optional<Time> orphan = orphans_.next_time();
  if (!job || !orphan) return job ? job : orphan;
  return std::min(*job, *orphan);
}

void Controller::work(Output& output) {
  PUMICE_CHECK(!waiting_for_results());
  if (const std::optional<std::string> key = queue_.take()) {
    Sync op;
    op.key = *key;
    op.record.key = *key;
    op.record.at = now_;
    sync_ = std::move(op);
    results_.clear();
    advance(output);
  } else if (const std::optional<std::string> orphan_key = orphans_.take()) {
    start_orphan(*orphan_key, output);
  }
}

/// Asks for an effect whose result is waited for.
void Controller::ask(EffectBody body, Output& output) {
  Effect effect{next_effect_++, std::move(body)};
  asked_.push_back(effect.id);
  if (sync_) {
    ++sync_->record.effects_total;
    if (config_.trace && sync_->record.effects.size() < kTraceNotesMax) sync_->record.effects.push_back(effect);
  }
  output.effects.push_back(std::move(effect));
}

void Controller::emit(Sync& op, bool warning, std::string reason, std::string message, Output& output) {
  Effect effect{0, EmitEvent{op.job->meta.ns, op.job->meta.name, warning, std::move(reason), std::move(message)}};
  ++op.record.effects_total;
  if (config_.trace && op.record.effects.size() < kTraceNotesMax) op.record.effects.push_back(effect);
  output.effects.push_back(std::move(effect));
}

void Controller::record(Record record, Output& output) {
  if (config_.trace) output.trace.push_back(std::move(record));
}

void Controller::fail(Sync& op, std::string error) {
  op.error = std::move(error);
  op.stage = Stage::Done;
}

void Controller::take_results(const EffectResults& results, Output& output) {
  PUMICE_CHECK(!asked_.empty() && results.results.size() == asked_.size());
  const EffectId first = asked_.front();
  results_.assign(asked_.size(), {});
  for (const EffectResult& result : results.results) {
    PUMICE_CHECK(result.id >= first && result.id - first < results_.size());
    results_[static_cast<std::size_t>(result.id - first)] = result;
  }
  asked_.clear();
  if (orphan_)
    finish_orphan(output);
  else
    advance(output);
}

void Controller::advance(Output& output) {
  Sync& op = *sync_;
  do {
    switch (op.stage) {
      case Stage::Start: start(op, output); break;
      case Stage::FreshRead: fresh_read(op, output); break;
      case Stage::Claimed: claimed(op); break;
      case Stage::Evaluate: evaluate(op, output); break;
      case Stage::ActiveDeleted: active_deleted(op, output); break;
      case Stage::RemovalPatched: removal_patched(op, output); break;
      case Stage::RemovalDeleted: removal_deleted(op, output); break;
      case Stage::BatchCreated: batch_created(op, output); break;
      case Stage::Managed: managed(op, output); break;
      case Stage::Track: track(op, output); break;
      case Stage::FirstWritten: first_written(op); break;
      case Stage::RemoveFinalizers: remove_finalizers(op, output); break;
      case Stage::FinalizersRemoved: finalizers_removed(op, output); break;
      case Stage::PartlyWritten:
        if (written(op, "removing uncounted pods from status")) fail(op, "tracking status: " + op.removal_error);
        break;
      case Stage::MaybeFinish: maybe_finish(op, output); break;
      case Stage::LastWritten: last_written(op, output); break;
      case Stage::Done: break;
    }
    if (waiting_for_results()) return;
    results_.clear();
  } while (op.stage != Stage::Done);
  finish(output);
}

/// Q-4, SY-20; spec 15 for the older ways.
void Controller::finish(Output& output) {
  Sync op = *std::move(sync_);
  sync_.reset();
  std::string error = op.error.empty() ? op.manage_error : op.error;
  const bool unfinished = op.job && op.job->status.finished() == nullptr;
  if (has(Quirk::ForcedRetry) && op.error.empty() && unfinished && op.new_failed > 0)
    error = "failed pod(s) detected for job key \"" + op.key + "\"";
  if (error.empty()) {
    queue_.forget(op.key);
  } else {
    op.record.retry_at = now_ + queue_.add_rate_limited(op.key, now_);
    if (!op.conflict || !has(Quirk::ConflictIsNoError)) {
      op.record.error = std::move(error);
      if (op.record.outcome == SyncOutcome::Synced) op.record.outcome = SyncOutcome::Failed;
    }
  }
  queue_.done(op.key);
  op.record.requeue_at = queue_.time_of(op.key);
  if (op.job) op.record.after = op.job->status;
  record(std::move(op.record), output);
}

}  // namespace pumice::kubejob
