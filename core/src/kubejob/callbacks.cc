// Watch notifications → cache and queues (spec/k8s-job.md 3.3, 3.4). CB-25: a pod never causes a sync at once.
#include <algorithm>
#include <utility>

#include "overloaded.h"
#include "pumice/kubejob/classify.h"
#include "pumice/kubejob/controller.h"
#include "pumice/kubejob/names.h"

namespace pumice::kubejob {
namespace {

bool same_controller(const Pod& a, const Pod& b) noexcept {
  const OwnerReference* of_a = a.controller();
  const OwnerReference* of_b = b.controller();
  if (of_a == nullptr || of_b == nullptr) return of_a == of_b;
  return *of_a == *of_b;
}

}  // namespace

const Job* Controller::resolve(const std::string& ns, const OwnerReference* ref) const {
  if (ref == nullptr || ref->kind != kKind) return nullptr;
  const auto found = jobs_.find(ns + "/" + ref->name);
  return found == jobs_.end() || found->second->meta.uid != ref->uid ? nullptr : found->second.get();
}

void Controller::enqueue(const std::string& key, Duration delay, ObserveRecord& rec) {
  queue_.add_after(key, delay, now_);
  rec.outcome = delay.ns <= 0 ? ObserveOutcome::Queued : ObserveOutcome::Batched;
  rec.delay = delay;
  if (std::find(rec.jobs.begin(), rec.jobs.end(), key) == rec.jobs.end()) rec.jobs.push_back(key);
}

void Controller::observe(const Observation& observation, Output& output) {
  ObserveRecord rec;
  const auto about = [&rec](Seen seen, const ObjectMeta& meta) {
    rec.seen = seen;
    rec.ns = meta.ns;
    rec.name = meta.name;
  };
  std::visit(Overloaded{
                 [&](const JobAdded& event) {
                   about(Seen::JobAdded, event.job->meta);
                   cache_job(event.job);
                   job_added(event.job, rec);
                 },
                 [&](const JobUpdated& event) {
                   about(Seen::JobUpdated, event.after->meta);
                   cache_job(event.after);
                   job_updated(event.before, event.after, rec);
                 },
                 [&](const JobDeleted& event) {
                   about(Seen::JobDeleted, event.job->meta);
                   uncache_job(*event.job);
                   job_deleted(event.job, rec);
                 },
                 [&](const PodAdded& event) {
                   about(Seen::PodAdded, event.pod->meta);
                   cache_pod(event.pod);
                   pod_added(event.pod, rec);
                 },
                 [&](const PodUpdated& event) {
                   about(Seen::PodUpdated, event.after->meta);
                   cache_pod(event.after);
                   pod_updated(event.before, event.after, rec);
                 },
                 [&](const PodDeleted& event) {
                   about(Seen::PodDeleted, event.pod->meta);
                   uncache_pod(*event.pod);
                   pod_deleted(event.pod, true, rec);
                 },
             },
             observation);
  record(std::move(rec), output);
}

void Controller::job_added(const JobPtr& job, ObserveRecord& rec) { enqueue(job->key(), {}, rec); }

void Controller::job_updated(const JobPtr& before, const JobPtr& after, ObserveRecord& rec) {
  const std::string key = after->key();
  const bool finished = after->status.finished() != nullptr;
  if (finished) {
    queue_orphans_of(*after);
    rec.outcome = ObserveOutcome::JobFinished;
    if (!has(Quirk::JobUpdateAtOnce)) return;
  }
  const bool at_once = has(Quirk::JobUpdateAtOnce) || before->generation != after->generation;
  enqueue(key, at_once ? Duration{} : kBatchPeriod, rec);
  const auto& deadline = after->spec->active_deadline_seconds;
  if (after->status.start_time && deadline && before->spec->active_deadline_seconds != deadline)
    queue_.add_after(key, *after->status.start_time + active_deadline(*after->spec) - now_, now_);
}

void Controller::job_deleted(const JobPtr& job, ObserveRecord& rec) {
  const std::string key = job->key();
  enqueue(key, {}, rec);
  if (has(Quirk::DeleteListsPods)) {
    if (const JobPods* group = pods_of(job->meta.uid))
      for (const PodPtr& pod : group->matching()) queue_orphan(*pod);
  } else {
    queue_orphans_of(*job);
  }
  finish_written_.erase(job->meta.uid);
  last_written_.erase(key);
  backoff_.erase(key);
}

/// CB-3, CB-14: jobs that might adopt the pod have a look.
void Controller::wake_matching(const Pod& pod, ObserveRecord& rec) {
  rec.outcome = ObserveOutcome::NobodyMatches;
  const std::string prefix = pod.meta.ns + "/";
  for (auto it = jobs_.lower_bound(prefix); it != jobs_.end() && it->first.starts_with(prefix); ++it) {
    const auto& selector = it->second->spec->selector;
    if (selector && selector->matches(pod.meta.labels)) enqueue(it->first, kBatchPeriod, rec);
  }
}

void Controller::pod_added(const PodPtr& pod, ObserveRecord& rec) {
  if (pod->meta.deletion) {  // CB-1
    pod_deleted(pod, false, rec);
    return;
  }
  if (const OwnerReference* owner = pod->controller()) {  // CB-2
    const Job* job = resolve(pod->meta.ns, owner);
    if (job == nullptr) {
      rec.outcome = ObserveOutcome::JobUnknown;
      return;
    }
    expectations_.creation_observed(job->key());
    enqueue(job->key(), kBatchPeriod, rec);
    return;
  }
  queue_orphan(*pod);  // CB-3
  wake_matching(*pod, rec);
}

/// The part of CB-12 and CB-13 that they share; only the pod as it is now matters (CB-24).
void Controller::pod_of_job_changed(const std::string& key, const Pod& pod, bool failed_now, ObserveRecord& rec) {
  if (!pod.is_tracked()) removals_.removal_observed(key, pod.meta.uid);
  Duration delay = kBatchPeriod;
  if (failed_now && has(Quirk::FailedPodDelaysSync))
    delay = retry_delay(queue_.failures(key), kPodBackoffBase, kOldPodBackoffMax);
  enqueue(key, delay, rec);
}

void Controller::pod_updated(const PodPtr& before, const PodPtr& after, ObserveRecord& rec) {
  if (before->meta.resource_version == after->meta.resource_version) {  // CB-10
    rec.outcome = ObserveOutcome::SameResourceVersion;
    return;
  }
  if (after->meta.deletion) {  // CB-11
    if (has(Quirk::DeletionSeenTwice) || !before->meta.deletion) {
      pod_deleted(after, false, rec);
    } else if (const Job* job = resolve(after->meta.ns, after->controller())) {
      pod_of_job_changed(job->key(), *after, false, rec);
    }
    return;
  }
  const bool failed_now = before->phase != PodPhase::Failed && after->phase == PodPhase::Failed;
  const bool moved = !same_controller(*before, *after);
  if (moved) {  // CB-12
    if (const Job* job = resolve(after->meta.ns, before->controller()))
      pod_of_job_changed(job->key(), *after, failed_now, rec);
  }
  if (const OwnerReference* owner = after->controller()) {  // CB-13
    if (const Job* job = resolve(after->meta.ns, owner))
      pod_of_job_changed(job->key(), *after, failed_now, rec);
    else if (rec.jobs.empty())
      rec.outcome = ObserveOutcome::JobUnknown;
    return;
  }
  queue_orphan(*after);  // CB-14
  if (moved || before->meta.labels != after->meta.labels)
    wake_matching(*after, rec);
  else
    rec.outcome = ObserveOutcome::OrphanQueued;
}

/// CB-20 – CB-23. `final`: the object is gone, not just being deleted.
void Controller::pod_deleted(const PodPtr& pod, bool final, ObserveRecord& rec) {
  const OwnerReference* owner = pod->controller();
  if (owner == nullptr) {  // CB-20
    queue_orphan(*pod);
    rec.outcome = ObserveOutcome::OrphanQueued;
    return;
  }
  const Job* job = resolve(pod->meta.ns, owner);
  if (job == nullptr || job->status.finished() != nullptr) {  // CB-21
    queue_orphan(*pod);
    rec.outcome = job == nullptr ? ObserveOutcome::JobUnknown : ObserveOutcome::JobFinished;
    return;
  }
  const std::string key = job->key();  // CB-22
  if (has(Quirk::DeletionSeenTwice) || !final || !pod->meta.deletion) expectations_.deletion_observed(key);
  if (final || !pod->is_tracked()) removals_.removal_observed(key, pod->meta.uid);
  enqueue(key, kBatchPeriod, rec);
}

}  // namespace pumice::kubejob
