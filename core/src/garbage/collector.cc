#include "pumice/garbage/collector.h"

#include <array>
#include <utility>

#include "compose.h"

namespace pumice::garbage {

namespace {

constexpr std::array<std::string_view, 6> kOutcomes{"notCached",     "noNeed",  "tooEarly",
                                                    "goneMeanwhile", "deleted", "failed"};

}  // namespace

std::string_view to_string(Outcome outcome) noexcept { return kOutcomes[static_cast<std::size_t>(outcome)]; }

bool is_finished(const Job& job) noexcept { return volcano::is_final(job.status.phase.code); }

bool needs_cleanup(const Job& job) noexcept {
  return job.spec->ttl_seconds_after_finished && is_finished(job) && !job.meta.deletion;
}

std::optional<Time> expiry(const Job& job) noexcept {
  if (!job.status.last_transition) return std::nullopt;
  return whole_seconds(*job.status.last_transition) + seconds(*job.spec->ttl_seconds_after_finished);
}

void Collector::observe(const volcano::Observation& observation) {
  const auto seen = [this](const JobPtr& job) {
    jobs_[job->key()] = job;
    if (needs_cleanup(*job)) queue_.add(job->key());
  };
  if (const auto* added = std::get_if<volcano::JobAdded>(&observation)) seen(added->job);
  if (const auto* updated = std::get_if<volcano::JobUpdated>(&observation)) seen(updated->after);
  if (const auto* deleted = std::get_if<volcano::JobDeleted>(&observation)) jobs_.erase(deleted->job->key());
}

/// True if the job is to be deleted now; else the record says why not, and a job that is too early comes back.
bool Collector::is_due(Time now, const Job& job, Record& record) {
  record.phase = job.status.phase.text();
  if (!needs_cleanup(job)) {
    record.outcome = Outcome::NoNeed;
    return false;
  }
  record.ttl_seconds = *job.spec->ttl_seconds_after_finished;
  record.expires = expiry(job);
  if (!record.expires) {
    record.outcome = Outcome::Failed;
    record.error = compose("unable to find the time when the Job {} finished", job.key());
    return false;
  }
  record.finished = whole_seconds(*job.status.last_transition);
  record.in_future = *record.finished > now;
  if (*record.expires <= now) return true;
  record.outcome = Outcome::TooEarly;
  queue_.add_after(job.key(), *record.expires - now, now);
  return false;
}

/// False: an answer is missing.
bool Collector::look(Time now, const std::string& key, Server& server, Record& record) {
  const auto cached = jobs_.find(key);
  if (cached == jobs_.end()) {
    record.outcome = Outcome::NotCached;
    return true;
  }
  const JobPtr job = cached->second;
  if (!is_due(now, *job, record)) return true;
  // What the cache says is too old to delete by.
  record.read_again = true;
  const Reply* reply = server.answer(ReadJob{job->meta.ns, job->meta.name});
  if (reply == nullptr) return false;
  if (reply->code == ResultCode::NotFound) {
    record.outcome = Outcome::GoneMeanwhile;
    return true;
  }
  if (reply->code != ResultCode::Ok) {
    record.outcome = Outcome::Failed;
    record.error = compose("the job could not be read: {}", volcano::to_string(reply->code));
    return true;
  }
  const JobPtr fresh = reply->job;
  if (!is_due(now, *fresh, record)) return true;
  reply = server.answer(DeleteJob{fresh->meta.ns, fresh->meta.name, fresh->meta.uid});
  if (reply == nullptr) return false;
  record.outcome = Outcome::Deleted;
  if (reply->code != ResultCode::Ok) {
    record.outcome = Outcome::Failed;
    record.error = compose("the job could not be deleted: {}", volcano::to_string(reply->code));
  }
  return true;
}

bool Collector::work(Time now, Server& server, std::vector<Record>& records) {
  if (!running_) running_ = queue_.take();
  if (!running_) return true;
  const std::string key = *running_;
  Record record;
  record.key = key;
  if (!look(now, key, server, record)) return false;
  if (record.outcome == Outcome::Failed)
    record.retry_at = now + queue_.add_rate_limited(key, now);
  else
    queue_.forget(key);
  queue_.done(key);
  running_.reset();
  records.push_back(std::move(record));
  return true;
}

bool is_news(const Record& record) noexcept {
  return record.outcome == Outcome::Deleted || record.outcome == Outcome::Failed || record.outcome == Outcome::TooEarly;
}

std::string clause(const Record& record, Time start, bool with_namespace) {
  const std::string job = "job " + (with_namespace ? record.key : record.key.substr(record.key.find('/') + 1));
  const std::string kept = pumice::to_string(seconds(record.ttl_seconds));
  const auto at = [start](const std::optional<Time>& time) { return "+" + pumice::to_string(*time - start); };
  switch (record.outcome) {
    case Outcome::NotCached: return job + " is gone already, so its TTL does not matter";
    case Outcome::NoNeed:
      return compose("{} is {} and not to be cleaned up", job, record.phase.empty() ? "new" : record.phase);
    case Outcome::TooEarly:
      return compose("{} is {} and kept for {} (ttlSecondsAfterFinished), until {}", job, record.phase, kept,
                     at(record.expires)) +
             (record.in_future ? "; it finished in the future, so this takes longer" : "");
    case Outcome::GoneMeanwhile: return job + " is gone on the API server, so it is not deleted";
    case Outcome::Deleted:
      return compose(
          "{} is {} since {}, and the {} for which it is kept (ttlSecondsAfterFinished) are over: it is "
          "deleted, what it owns first",
          job, record.phase, at(record.finished), kept);
    case Outcome::Failed:
      return compose("{} cannot be cleaned up: {}", job, record.error) +
             (record.retry_at ? "; tried again at " + at(record.retry_at) : "");
  }
  return job;
}

}  // namespace pumice::garbage
