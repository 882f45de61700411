#include "pumice/kubejob/ttl.h"

#include <utility>

#include "pumice/check.h"

namespace pumice::kubejob {

bool needs_cleanup(const Job& job) noexcept {
  return job.spec->ttl_seconds_after_finished && job.status.finished() != nullptr && !job.meta.deletion;
}

std::optional<Time> finish_time(const Job& job) noexcept {
  const Condition* finished = job.status.finished();
  return finished == nullptr ? std::nullopt : finished->last_transition;
}

void TtlController::step(const Input& input, Output& output) {
  PUMICE_CHECK(input.now >= now_);
  now_ = input.now;
  queue_.advance(now_);
  if (const auto* observation = std::get_if<Observation>(&input.event)) {
    observe(*observation);
  } else if (const auto* results = std::get_if<EffectResults>(&input.event)) {
    PUMICE_CHECK(running_ && results->results.size() == 1);
    take_result(results->results.front(), output);
  } else if (std::holds_alternative<Work>(input.event)) {
    work(output);
  }
}

void TtlController::observe(const Observation& observation) {
  const auto seen = [this](const JobPtr& job) {
    jobs_[job->key()] = job;
    if (needs_cleanup(*job)) queue_.add(job->key());
  };
  if (const auto* added = std::get_if<JobAdded>(&observation)) seen(added->job);
  if (const auto* updated = std::get_if<JobUpdated>(&observation)) seen(updated->after);
  if (const auto* deleted = std::get_if<JobDeleted>(&observation)) jobs_.erase(deleted->job->key());
}

bool TtlController::not_yet(const Job& job, TtlRecord& rec) {
  if (!needs_cleanup(job)) {
    rec.outcome = TtlOutcome::NotEligible;
    return true;
  }
  const std::optional<Time> finished = finish_time(job);
  if (!finished) {
    rec.outcome = TtlOutcome::Failed;
    rec.error = "the job is finished but the time at which is not known";
    return true;
  }
  rec.finished_in_future = *finished > now_;
  const Time expires = *finished + seconds(*job.spec->ttl_seconds_after_finished);
  if (expires <= now_) return false;
  rec.outcome = TtlOutcome::TooEarly;
  queue_.add_after(job.key(), expires - now_, now_);
  return true;
}

void TtlController::work(Output& output) {
  PUMICE_CHECK(!running_);
  const std::optional<std::string> key = queue_.take();
  if (!key) return;
  running_ = Running{*key, {}, false};
  TtlRecord rec;
  rec.key = *key;
  const auto cached = jobs_.find(*key);
  if (cached == jobs_.end()) {
    rec.outcome = TtlOutcome::JobNotCached;
    end(std::move(rec), output);
  } else if (not_yet(*cached->second, rec)) {
    end(std::move(rec), output);
  } else {
    // What the cache says is too old to delete by.
    output.effects.push_back({next_effect_++, GetJob{cached->second->meta.ns, cached->second->meta.name}});
  }
}

void TtlController::take_result(const EffectResult& result, Output& output) {
  TtlRecord rec;
  rec.key = running_->key;
  rec.outcome = running_->deleting ? TtlOutcome::Deleted : TtlOutcome::Gone;
  if (result.code == ResultCode::NotFound && !running_->deleting) {
    end(std::move(rec), output);
    return;
  }
  if (result.code != ResultCode::Ok) {
    rec.outcome = TtlOutcome::Failed;
    rec.error = result.error_text();
    end(std::move(rec), output);
    return;
  }
  if (running_->deleting || not_yet(*result.job, rec)) {
    end(std::move(rec), output);
    return;
  }
  running_->deleting = true;
  output.effects.push_back(
      {next_effect_++, DeleteJob{result.job->meta.ns, result.job->meta.name, result.job->meta.uid}});
}

void TtlController::end(TtlRecord rec, Output& output) {
  if (rec.outcome == TtlOutcome::Failed)
    queue_.add_rate_limited(rec.key, now_);
  else
    queue_.forget(rec.key);
  queue_.done(rec.key);
  running_.reset();
  rec.next = queue_.time_of(rec.key);
  if (trace_) output.trace.emplace_back(std::move(rec));
}

}  // namespace pumice::kubejob
