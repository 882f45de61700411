#include "pumice/cronjob/cluster.h"

#include <algorithm>

namespace pumice::cronjob {
namespace {

std::string_view name_in(const Effect& effect) {
  if (const auto* read = std::get_if<ReadJob>(&effect)) return read->name;
  if (const auto* create = std::get_if<CreateJob>(&effect)) return create->name;
  if (const auto* del = std::get_if<DeleteJob>(&effect)) return del->name;
  return {};
}

std::vector<ChildJobPtr>::const_iterator find_in(const std::vector<ChildJobPtr>& jobs, const std::string& ns,
                                                 const std::string& name) {
  return std::find_if(jobs.begin(), jobs.end(),
                      [&](const ChildJobPtr& job) { return job->name == name && job->ns == ns; });
}

}  // namespace

bool is_child(const ChildJob& job, const CronJob& cronjob, Profile profile) {
  if (!job.controller || job.controller->uid != cronjob.meta->uid) return false;
  if (profile == Profile::V2) return true;
  if (job.controller->kind != "CronJob") return false;
  return profile == Profile::Legacy || (job.ns == cronjob.meta->ns && job.controller->name == cronjob.meta->name);
}

Cluster::Cluster(Profile profile, Quirks quirks, CronJobPtr cronjob, const std::vector<ChildJobPtr>& jobs)
    : profile_(profile),
      quirks_(quirks),
      cronjob_(std::move(cronjob)),
      owner_(std::make_shared<const OwnerReference>(owner_of(*cronjob_, profile))) {
  version_ = cronjob_->resource_version;
  for (const ChildJobPtr& job : jobs) {
    version_ = std::max(version_, job->resource_version);
    (is_child(*job, *cronjob_, profile) ? jobs_ : others_).push_back(job);
  }
}

const RequestFailure* Cluster::failing(const Effect& effect) {
  for (RequestFailure& failure : failures) {
    if (failure.times <= 0 || failure.effect != effect_name(effect)) continue;
    if (!failure.name.empty() && failure.name != name_in(effect)) continue;
    --failure.times;
    return &failure;
  }
  return nullptr;
}

ChildJobPtr Cluster::find(const std::string& ns, const std::string& name) const {
  for (const auto* list : {&jobs_, &others_}) {
    if (const auto found = find_in(*list, ns, name); found != list->end()) return *found;
  }
  return nullptr;
}

void Cluster::put(ChildJobPtr job) {
  jobs_changed = true;
  for (auto* list : {&jobs_, &others_}) {
    const auto found = find_in(*list, job->ns, job->name);
    if (found == list->end()) continue;
    (*list)[static_cast<std::size_t>(found - list->begin())] = std::move(job);
    return;
  }
  auto& list = is_child(*job, *cronjob_, profile_) ? jobs_ : others_;
  list.push_back(std::move(job));
}

bool Cluster::remove(const std::string& ns, const std::string& name) {
  for (auto* list : {&jobs_, &others_}) {
    const auto found = find_in(*list, ns, name);
    if (found == list->end()) continue;
    list->erase(found);
    jobs_changed = true;
    return true;
  }
  return false;
}

void Cluster::create(const CreateJob& create) {
  const std::string& ns = cronjob_->meta->ns;
  if (find(ns, create.name)) {
    reply_.code = ReplyCode::AlreadyExists;
    return;
  }
  auto job = std::make_shared<ChildJob>();
  job->ns = ns;
  job->name = create.name;
  job->resource_version = ++version_;
  job->uid = "job-" + std::to_string(job->resource_version);
  job->controller = owner_;
  job->creation = job->start = now;
  reply_.job = job;
  jobs_.push_back(std::move(job));
  jobs_changed = true;
}

void Cluster::write(const WriteStatus& write) {
  if (write.resource_version != cronjob_->resource_version) {
    reply_.code = ReplyCode::Conflict;
    return;
  }
  if (write.status == cronjob_->status) return;  // nothing is stored, nobody hears of it
  auto cronjob = std::make_shared<CronJob>(*cronjob_);
  cronjob->status = write.status;
  cronjob->resource_version = ++version_;
  cronjob_ = std::move(cronjob);
  reply_.cronjob = cronjob_;
  cronjob_changed = true;
}

const Reply* Cluster::answer(const Effect& effect) {
  reply_ = {};
  if (!failures.empty()) {
    if (const RequestFailure* failure = failing(effect)) {
      reply_.code = failure->code;
      reply_.message = failure->message;
      return &reply_;
    }
  }
  if (std::holds_alternative<ReadCronJob>(effect)) {
    reply_.cronjob = cronjob_;
  } else if (const auto* read = std::get_if<ReadJob>(&effect)) {
    reply_.job = find(read->ns, read->name);
    if (!reply_.job) reply_.code = ReplyCode::NotFound;
  } else if (const auto* creation = std::get_if<CreateJob>(&effect)) {
    create(*creation);
  } else if (const auto* deletion = std::get_if<DeleteJob>(&effect)) {
    if (!remove(deletion->ns, deletion->name)) reply_.code = ReplyCode::NotFound;
  } else if (const auto* status = std::get_if<WriteStatus>(&effect)) {
    write(*status);
  }
  return &reply_;
}

}  // namespace pumice::cronjob
