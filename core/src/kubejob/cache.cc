// What the notifications left: jobs, pods by owner, pods by name.
#include <utility>

#include "pumice/kubejob/controller.h"

namespace pumice::kubejob {

void Controller::cache_job(const JobPtr& job) {
  JobPtr& cached = jobs_[job->key()];
  if (cached && cached->meta.uid != job->meta.uid) {
    const JobPtr before = cached;
    uncache_job(*before);
  }
  jobs_[job->key()] = job;
  groups_[job->meta.uid].set_spec(job->spec);
}

void Controller::uncache_job(const Job& job) {
  const auto cached = jobs_.find(job.key());
  if (cached == jobs_.end() || cached->second->meta.uid != job.meta.uid) return;
  const std::string uid = job.meta.uid;
  jobs_.erase(cached);
  templates_.erase(uid);
  template_specs_.erase(uid);
  const auto group = groups_.find(uid);
  if (group == groups_.end()) return;
  group->second.set_spec(nullptr);
  if (group->second.empty()) groups_.erase(group);
}

void Controller::forget_placement(const Pod& pod) {
  const OwnerReference* owner = pod.controller();
  if (owner == nullptr) {
    const auto loose = loose_.find(pod.meta.ns);
    if (loose != loose_.end()) loose->second.erase(pod.meta.uid);
    return;
  }
  const auto group = groups_.find(owner->uid);
  if (group != groups_.end()) group->second.erase(pod.meta.uid);
}

void Controller::cache_pod(const PodPtr& pod) {
  uncache_pod(*pod);
  pods_[pod->meta.ns].emplace(pod->meta.name, pod);
  if (const OwnerReference* owner = pod->controller())
    groups_[owner->uid].put(pod);
  else
    loose_[pod->meta.ns][pod->meta.uid] = pod;
}

/// Whatever the cache has under the pod's name goes.
void Controller::uncache_pod(const Pod& pod) {
  const auto in_namespace = pods_.find(pod.meta.ns);
  if (in_namespace == pods_.end()) return;
  const auto found = in_namespace->second.find(pod.meta.name);
  if (found == in_namespace->second.end()) return;
  const PodPtr before = found->second;
  in_namespace->second.erase(found);
  forget_placement(*before);
}

PodPtr Controller::cached_pod(const std::string& ns, std::string_view name) const {
  const auto in_namespace = pods_.find(ns);
  if (in_namespace == pods_.end()) return nullptr;
  const auto found = in_namespace->second.find(name);
  return found == in_namespace->second.end() ? nullptr : found->second;
}

const JobPods* Controller::pods_of(const std::string& uid) const {
  const auto found = groups_.find(uid);
  return found == groups_.end() ? nullptr : &found->second;
}

const BackoffRecord* Controller::backoff(const std::string& key) const {
  const auto found = backoff_.find(key);
  return found == backoff_.end() ? nullptr : &found->second;
}

}  // namespace pumice::kubejob
