#include <algorithm>
#include <utility>

#include "compose.h"
#include "overloaded.h"
#include "pumice/jobflow/controller.h"

namespace pumice::jobflow {

using volcano::ChangeKind;

std::string template_key_of(const Job& job) {
  const std::string_view value = mark_of(job, kByTemplate);
  const std::size_t dot = value.find('.');
  if (dot == std::string_view::npos || value.find('.', dot + 1) != std::string_view::npos) return {};
  return std::string(value.substr(0, dot)) + "/" + std::string(value.substr(dot + 1));
}

/// The same, or split at the first dot alone.
std::string TemplateController::key_of(const Job& job) const {
  const std::string_view value = mark_of(job, kByTemplate);
  const std::size_t dot = value.find('.');
  if (config_.quirks.has(Quirk::DottedTemplateIgnored) || dot == std::string_view::npos) return template_key_of(job);
  return std::string(value.substr(0, dot)) + "/" + std::string(value.substr(dot + 1));
}

void TemplateController::enqueue(const std::string& key, ObserveRecord record, std::vector<Record>& records) {
  record.queued = key;
  record.of_template = true;
  record.outcome = queue_.is_due(key) ? ObserveOutcome::Merged : ObserveOutcome::Queued;
  queue_.add(key);
  records.emplace_back(std::move(record));
}

void TemplateController::observe(const Observation& observation, std::vector<Record>& records) {
  const auto job_seen = [&](const Job& job, ChangeKind change) {
    if (mark_of(job, kByTemplate).empty()) return;
    ObserveRecord record{Seen::Job, change, job.key(), ObserveOutcome::DottedMark, true, {}};
    if (const std::string key = key_of(job); !key.empty())
      enqueue(key, std::move(record), records);
    else
      records.emplace_back(std::move(record));
  };
  std::visit(Overloaded{
                 [](const FlowAdded&) {},
                 [](const FlowUpdated&) {},
                 [](const FlowDeleted&) {},
                 [&](const TemplateAdded& o) {
                   templates_[o.made->key()] = o.made;
                   enqueue(o.made->key(), {Seen::Template, ChangeKind::Added, o.made->key()}, records);
                 },
                 [&](const TemplateUpdated& o) { templates_[o.after->key()] = o.after; },
                 [&](const TemplateDeleted& o) { templates_.erase(o.made->key()); },
                 [&](const volcano::JobAdded& o) {
                   jobs_[o.job->key()] = o.job;
                   job_seen(*o.job, ChangeKind::Added);
                 },
                 [&](const volcano::JobUpdated& o) { jobs_[o.after->key()] = o.after; },
                 [&](const volcano::JobDeleted& o) {
                   jobs_.erase(o.job->key());
                   if (!config_.quirks.has(Quirk::OldListKept)) job_seen(*o.job, ChangeKind::Deleted);
                 },
             },
             observation);
}

bool TemplateController::work(Time now, Server& server, std::vector<Record>& records) {
  if (!running_) running_ = queue_.take();
  if (!running_) return true;
  const std::string key = *running_;
  TemplateRecord record;
  record.key = key;
  const auto made = templates_.find(key);
  record.missing = made == templates_.end();
  if (!record.missing) {
    TemplateOutput output;
    sync_template(*made->second, jobs_, config_.quirks, server, output);
    if (output.waiting) return false;
    record.written = output.written;
    record.jobs = std::move(output.jobs);
    record.error = std::move(output.error);
  }
  const std::int64_t failures = queue_.failures(key);
  record.attempt = failures + 1;
  if (record.error.empty()) {
    queue_.forget(key);
  } else if (config_.requeue_max < 0 || failures < config_.requeue_max) {
    record.retry_at = now + queue_.add_rate_limited(key, now);
  } else {
    // Its requests carry neither flow, event nor action, so these stay empty in the texts.
    record.events.push_back(
        {true, "",
         compose(" JobTemplate failed for sync jobTemplate  failed for {}, event is , action is ", record.error)});
    record.gave_up = true;
    queue_.forget(key);
  }
  queue_.done(key);
  running_.reset();
  records.emplace_back(std::move(record));
  return true;
}

}  // namespace pumice::jobflow
