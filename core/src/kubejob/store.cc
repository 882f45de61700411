#include "pumice/kubejob/store.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "overloaded.h"
#include "pumice/check.h"
#include "pumice/kubejob/classify.h"
#include "pumice/kubejob/defaults.h"
#include "pumice/kubejob/names.h"

namespace pumice::kubejob {
namespace {

/// The API keeps times in whole seconds.
void cut(std::optional<Time>& time) {
  if (time) time = whole_seconds(*time);
}

/// Five letters of the alphabet that the API server takes for generated names. Numbers that follow each other share
/// none of their names: counting is enough, nobody has to guess.
std::string name_suffix(std::uint64_t number) {
  constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";
  std::string text(5, kLetters[0]);
  for (std::size_t i = text.size(); i-- > 0; number /= kLetters.size()) text[i] = kLetters[number % kLetters.size()];
  return text;
}

EffectResult failed(ResultCode code) {
  EffectResult result;
  result.code = code;
  return result;
}

/// `terminationGracePeriodSeconds`; more than 285 years are that.
std::int64_t grace_of(const Pod& pod) {
  constexpr std::int64_t kDefault = 30;
  constexpr std::int64_t kMost = 9'000'000'000;
  if (!pod.spec) return kDefault;
  const Json& grace = member_of(*pod.spec, "terminationGracePeriodSeconds");
  return grace.is_number_integer() ? std::clamp<std::int64_t>(grace.get<std::int64_t>(), 0, kMost) : kDefault;
}

void remove_tracking(Pod& pod) { std::erase(pod.finalizers, kTrackingFinalizer); }

}  // namespace

void Store::put_job(Job job) {
  if (job.meta.uid.empty()) job.meta.uid = "job-" + std::to_string(next_uid_++);
  job.meta.resource_version = ++resource_version_;
  const std::string key = job.key();
  auto stored = std::make_shared<const Job>(std::move(job));
  jobs_[key] = stored;
  notifications_.emplace_back(JobAdded{std::move(stored)});
}

void Store::put_pod(Pod pod) {
  if (pod.meta.uid.empty()) pod.meta.uid = "pod-" + std::to_string(next_uid_++);
  pod.meta.resource_version = ++resource_version_;
  const std::string key = pod.key();
  auto stored = std::make_shared<const Pod>(std::move(pod));
  pods_[key] = stored;
  notifications_.emplace_back(PodAdded{std::move(stored)});
}

void Store::update_job(Job job) {
  const auto found = jobs_.find(job.key());
  if (found == jobs_.end()) return;
  job.meta.resource_version = ++resource_version_;
  auto after = std::make_shared<const Job>(std::move(job));
  notifications_.emplace_back(JobUpdated{found->second, after});
  found->second = std::move(after);
}

void Store::update_pod(Pod pod) {
  if (const PodPtr before = find_pod(pod.meta.ns, pod.meta.name)) replace(before, std::move(pod));
}

/// An object that is being deleted goes with its last finalizer, once its grace is over.
void Store::replace(const PodPtr& before, Pod after) {
  after.meta.resource_version = ++resource_version_;
  const std::string key = before->key();
  if (after.meta.deletion && after.finalizers.empty() && after.deletion_grace_seconds.value_or(0) == 0) {
    pods_.erase(key);
    notifications_.emplace_back(PodDeleted{std::make_shared<const Pod>(std::move(after))});
    return;
  }
  auto stored = std::make_shared<const Pod>(std::move(after));
  pods_[key] = stored;
  notifications_.emplace_back(PodUpdated{before, std::move(stored)});
}

/// Pods without node and pods that have ended get no grace: no kubelet has to stop them.
void Store::delete_pod(const std::string& key, Time now) {
  const auto found = pods_.find(key);
  if (found == pods_.end() || found->second->meta.deletion) return;
  Pod pod = *found->second;
  const std::int64_t grace = pod.node.empty() || is_ended(pod.phase) ? 0 : grace_of(pod);
  pod.deletion_grace_seconds = grace;
  pod.meta.deletion = whole_seconds(now) + seconds(grace);  // the instant at which the grace ends
  replace(PodPtr(found->second), std::move(pod));
}

void Store::confirm_deleted(const std::string& key) {
  const auto found = pods_.find(key);
  if (found == pods_.end() || !found->second->meta.deletion) return;
  Pod pod = *found->second;
  pod.deletion_grace_seconds = 0;
  replace(PodPtr(found->second), std::move(pod));
}

void Store::remove_pod(const std::string& key, Time now) {
  const auto found = pods_.find(key);
  if (found == pods_.end()) return;
  Pod pod = *found->second;
  pod.finalizers.clear();
  pod.deletion_grace_seconds = 0;
  if (!pod.meta.deletion) pod.meta.deletion = whole_seconds(now);
  replace(PodPtr(found->second), std::move(pod));
}

void Store::remove_job(const std::string& key) {
  const auto found = jobs_.find(key);
  if (found == jobs_.end()) return;
  notifications_.emplace_back(JobDeleted{found->second});
  jobs_.erase(found);
}

PodPtr Store::find_pod(const std::string& ns, const std::string& name) const {
  const auto found = pods_.find(ns + "/" + name);
  return found == pods_.end() ? nullptr : found->second;
}

EffectResult Store::create_pod(const Pod& wanted, Time now) {
  Pod pod = wanted;
  pod.meta.uid = "pod-" + std::to_string(next_uid_++);
  pod.meta.name = pod.generate_name.substr(0, kGeneratedNameBaseMax) + name_suffix(next_uid_);
  pod.meta.creation = whole_seconds(now);
  pod.phase = PodPhase::Pending;
  if (pods_.contains(pod.key())) return failed(ResultCode::AlreadyExists);
  put_pod(std::move(pod));
  EffectResult result;
  result.pod = std::get<PodAdded>(notifications_.back()).pod;
  return result;
}

EffectResult Store::update_status(const UpdateJobStatus& effect) {
  const auto found = jobs_.find(effect.ns + "/" + effect.name);
  if (found == jobs_.end()) return failed(ResultCode::NotFound);
  const Job& stored = *found->second;
  if (stored.meta.uid != effect.uid || stored.meta.resource_version != effect.resource_version)
    return failed(ResultCode::Conflict);
  Job job = prepare_status_update(stored, effect.status);
  cut(job.status.start_time);
  cut(job.status.completion_time);
  for (Condition& condition : job.status.conditions) {
    cut(condition.last_probe);
    cut(condition.last_transition);
  }
  update_job(std::move(job));
  EffectResult result;
  result.job = found->second;
  return result;
}

EffectResult Store::run(const EffectBody& body, Time now) {
  const auto patch = [this](const auto& effect, auto change) {
    const PodPtr before = find_pod(effect.ns, effect.name);
    if (!before) return failed(ResultCode::NotFound);
    if (before->meta.uid != effect.uid) return failed(ResultCode::Conflict);
    Pod pod = *before;
    change(pod);
    if (!(pod == *before)) replace(before, std::move(pod));
    return EffectResult{};
  };
  return std::visit(Overloaded{
                        [&](const CreatePod& effect) { return create_pod(*effect.pod, now); },
                        [&](const DeletePod& effect) {
                          if (!find_pod(effect.ns, effect.name)) return failed(ResultCode::NotFound);
                          delete_pod(effect.ns + "/" + effect.name, now);
                          return EffectResult{};
                        },
                        [&](const RemoveFinalizer& effect) { return patch(effect, remove_tracking); },
                        [&](const AdoptPod& effect) {
                          return patch(effect, [&effect](Pod& pod) {
                            if (controller_of(pod.meta) == nullptr) pod.meta.owners.push_back(effect.owner);
                            if (!pod.is_tracked()) pod.finalizers.emplace_back(kTrackingFinalizer);
                          });
                        },
                        [&](const ReleasePod& effect) {
                          return patch(effect, [&effect](Pod& pod) {
                            std::erase_if(pod.meta.owners,
                                          [&](const OwnerReference& owner) { return owner.uid == effect.owner_uid; });
                            remove_tracking(pod);
                          });
                        },
                        [&](const GetJob& effect) {
                          const auto found = jobs_.find(effect.ns + "/" + effect.name);
                          if (found == jobs_.end()) return failed(ResultCode::NotFound);
                          EffectResult result;
                          result.job = found->second;
                          return result;
                        },
                        [&](const UpdateJobStatus& effect) { return update_status(effect); },
                        [&](const DeleteJob& effect) {
                          const auto found = jobs_.find(effect.ns + "/" + effect.name);
                          if (found == jobs_.end()) return failed(ResultCode::NotFound);
                          if (found->second->meta.uid != effect.uid) return failed(ResultCode::Conflict);
                          if (found->second->meta.deletion) return EffectResult{};
                          // In the foreground: the object stays until its pods are gone.
                          Job job = *found->second;
                          job.meta.deletion = whole_seconds(now);
                          job.finalizers.emplace_back("foregroundDeletion");
                          update_job(std::move(job));
                          return EffectResult{};
                        },
                        [](const EmitEvent&) { return EffectResult{}; },
                    },
                    body);
}

std::optional<EffectResult> Store::execute(const Effect& effect, Time now) {
  EffectResult result = run(effect.body, now);
  if (effect.id == 0) return std::nullopt;
  result.id = effect.id;
  return result;
}

std::optional<Observation> Store::take_notification() {
  if (notifications_.empty()) return std::nullopt;
  Observation next = std::move(notifications_.front());
  notifications_.pop_front();
  return next;
}

}  // namespace pumice::kubejob
