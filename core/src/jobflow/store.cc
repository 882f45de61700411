#include "pumice/jobflow/store.h"

#include <algorithm>

#include "compose.h"
#include "overloaded.h"

namespace pumice::jobflow {

std::string label_error(const Job& job) {
  for (const auto& [name, value] : job.meta.labels) {
    if (value.size() <= kLabelValueMax) continue;
    return compose(
        "Job.batch.volcano.sh \"{}\" is invalid: metadata.labels: Invalid value: \"{}\": must be no more than {} bytes",
        job.meta.name, value, kLabelValueMax);
  }
  return {};
}

/// Looks like a UUID, counts up, and differs from those of Jobs and pods.
std::string Store::next_uid() {
  const std::string digits = std::to_string(next_uid_++);
  return "00000000-0000-4000-9000-" + std::string(12 - std::min<std::size_t>(digits.size(), 12), '0') + digits;
}

void Store::create(JobFlow flow, Time now) {
  if (flows_.contains(flow.key())) return;
  flow.meta.uid = next_uid();
  flow.meta.resource_version = ++resource_version_;
  flow.meta.creation = now;
  auto stored = std::make_shared<const JobFlow>(std::move(flow));
  flows_[stored->key()] = stored;
  notifications_.emplace_back(FlowAdded{std::move(stored)});
}

void Store::create(JobTemplate made, Time now) {
  if (templates_.contains(made.key())) return;
  made.meta.uid = next_uid();
  made.meta.resource_version = ++resource_version_;
  made.meta.creation = now;
  auto stored = std::make_shared<const JobTemplate>(std::move(made));
  templates_[stored->key()] = stored;
  notifications_.emplace_back(TemplateAdded{std::move(stored)});
}

void Store::publish(const FlowPtr& before, JobFlow after) {
  after.meta.resource_version = ++resource_version_;
  auto stored = std::make_shared<const JobFlow>(std::move(after));
  notifications_.emplace_back(FlowUpdated{before, stored});
  flows_[stored->key()] = std::move(stored);
}

void Store::edit(const std::string& key, FlowSpec spec) {
  const auto it = flows_.find(key);
  if (it == flows_.end()) return;
  JobFlow flow = *it->second;
  flow.spec = std::make_shared<const FlowSpec>(std::move(spec));
  publish(FlowPtr(it->second), std::move(flow));
}

void Store::remove_flow(const std::string& key) {
  const auto it = flows_.find(key);
  if (it == flows_.end()) return;
  notifications_.emplace_back(FlowDeleted{it->second});
  flows_.erase(it);
}

void Store::remove_template(const std::string& key) {
  const auto it = templates_.find(key);
  if (it == templates_.end()) return;
  notifications_.emplace_back(TemplateDeleted{it->second});
  templates_.erase(it);
}

std::optional<Observation> Store::take_notification() {
  if (notifications_.empty()) return std::nullopt;
  Observation next = std::move(notifications_.front());
  notifications_.pop_front();
  return next;
}

Reply Store::create_job(const CreateJob& effect, JobServer& jobs) {
  const Job& job = *effect.job;
  if (std::string error = label_error(job); !error.empty()) return {ResultCode::Other, std::move(error)};
  if (!is_dns_subdomain(job.meta.name) || job.meta.name.size() > 253)
    return {ResultCode::Other, compose("Job.batch.volcano.sh \"{}\" is invalid: metadata.name: Invalid value: \"{}\"",
                                       job.meta.name, job.meta.name)};
  return {jobs.create_job(job)};
}

Reply Store::write(const WriteFlowStatus& effect) {
  const auto it = flows_.find(effect.ns + "/" + effect.name);
  if (it == flows_.end()) return {ResultCode::NotFound};
  if (it->second->meta.resource_version != effect.resource_version) return {ResultCode::Conflict};
  JobFlow flow = *it->second;
  flow.status = effect.status;
  // Empty lists are left out of what is sent, so they come back as absent.
  for (JobEntry& entry : flow.status.jobs)
    if (entry.histories && entry.histories->empty()) entry.histories.reset();
  // A write that changes nothing leaves the resourceVersion as it is, and nobody is told.
  if (flow.status == it->second->status) return {};
  publish(FlowPtr(it->second), std::move(flow));
  return {};
}

Reply Store::write(const WriteTemplateStatus& effect) {
  const auto it = templates_.find(effect.ns + "/" + effect.name);
  if (it == templates_.end()) return {ResultCode::NotFound};
  if (it->second->meta.resource_version != effect.resource_version) return {ResultCode::Conflict};
  if (it->second->jobs == effect.jobs) return {};
  JobTemplate made = *it->second;
  made.jobs = effect.jobs;
  made.meta.resource_version = ++resource_version_;
  it->second = std::make_shared<const JobTemplate>(std::move(made));
  notifications_.emplace_back(TemplateUpdated{it->second});
  return {};
}

Reply Store::execute(const Effect& effect, JobServer& jobs) {
  return std::visit(Overloaded{
                        [&](const CreateJob& e) { return create_job(e, jobs); },
                        [&](const DeleteJob& e) { return Reply{jobs.delete_job(e.ns + "/" + e.name)}; },
                        [&](const WriteFlowStatus& e) { return write(e); },
                        [&](const WriteTemplateStatus& e) { return write(e); },
                        [](const EmitEvent&) { return Reply{}; },
                    },
                    effect);
}

}  // namespace pumice::jobflow
