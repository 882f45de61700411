// The API server of the simulated cluster: objects, writes and the notifications they cause.
#include "pumice/cluster/cluster.h"

#include <algorithm>

#include "cluster/collect.h"
#include "pumice/check.h"
#include "pumice/volcano/job_cache.h"
#include "pumice/volcano/pod_object.h"

namespace pumice {

using namespace volcano;

std::string_view to_string(ClusterAction::Kind kind) noexcept {
  switch (kind) {
    case ClusterAction::Kind::AdmitPodGroup: return "admitPodGroup";
    case ClusterAction::Kind::StartPods: return "startPods";
    case ClusterAction::Kind::RemovePods: return "removePods";
    case ClusterAction::Kind::FinishPods: return "finishPods";
    case ClusterAction::Kind::EvictPods: return "evictPods";
    case ClusterAction::Kind::CollectJob: return "collectJob";
  }
  return "";
}

Cluster::Cluster(ClusterConfig config) : config_(config) {}

/// Looks like a UUID and counts up, so that runs are reproducible.
std::string Cluster::next_uid() {
  std::string digits = std::to_string(next_uid_++);
  return "00000000-0000-4000-8000-" + std::string(12 - std::min<std::size_t>(digits.size(), 12), '0') + digits;
}

void Cluster::create_object(ApiObject object) {
  if (!objects_.emplace(object.id, object.body).second) return;
  publish(ObjectSeen{std::move(object)});
}

void Cluster::create_job(Job job, Time now) {
  job.meta.uid = next_uid();
  job.meta.resource_version = ++resource_version_;
  job.meta.creation = now;
  const auto stored = std::make_shared<const Job>(std::move(job));
  gone_jobs_.erase(stored->key());
  jobs_[stored->key()] = stored;
  rebuild_members(stored->key());
  publish(JobAdded{stored});
}

void Cluster::submit_job(Job job, Time now) {
  create_queue(job.spec->queue);
  for (const VolumeSpec& volume : job.spec->volumes)
    if (!volume.volume_claim_name.empty())
      create_object({{ObjectType::PersistentVolumeClaim, job.meta.ns, volume.volume_claim_name}, {}});
  create_job(std::move(job), now);
}

JobPtr Cluster::last_job(const std::string& key) const {
  if (const auto job = jobs_.find(key); job != jobs_.end()) return job->second;
  const auto gone = gone_jobs_.find(key);
  return gone == gone_jobs_.end() ? nullptr : gone->second;
}

void Cluster::create_command(const std::string& job_key, ActionName action) {
  const Job& job = *jobs_.at(job_key);
  Command command{job.meta.ns, job.meta.name + "-command-" + std::to_string(next_command_++), std::move(action),
                  OwnerReference{"batch.volcano.sh/v1alpha1", "Job", job.meta.name, job.meta.uid, true}};
  commands_[command.ns + "/" + command.name] = command;
  publish(CommandAdded{std::move(command)});
}

bool Cluster::is_own(const StoredPod& stored) const {
  const auto job = jobs_.find(stored.job_key);
  return job != jobs_.end() && job->second->meta.uid == stored.pod->owner_uid;
}

/// Pods that a job of the same name has left behind are there, but no gang counts them.
void Cluster::count(const StoredPod& stored, int sign) {
  TaskMembers& task = members_.at(stored.job_key)[static_cast<std::size_t>(stored.task)];
  const Pod& pod = *stored.pod;
  const auto set = [&](IndexSet& members) {
    if (sign > 0)
      members.insert(stored.index);
    else
      members.erase(stored.index);
  };
  set(task.existing);
  const bool ended = pod.phase == PodPhase::Succeeded || pod.phase == PodPhase::Failed;
  if (!ended) pods_alive_[pod.ns] += sign;
  if (pod.deletion || !is_own(stored)) return;
  if (pod.phase == PodPhase::Pending && stored.held_up.empty()) set(task.waiting);
  if (pod.phase != PodPhase::Failed) task.alive += sign;
}

void Cluster::replace_pod(const std::string& key, Pod pod) {
  StoredPod& stored = pods_.at(key);
  pod.resource_version = ++resource_version_;
  PodPtr before = stored.pod;
  count(stored, -1);
  stored.pod = std::make_shared<const Pod>(std::move(pod));
  count(stored, +1);
  publish(PodUpdated{std::move(before), stored.pod});
}

std::vector<std::string> Cluster::containers_of(const std::string& key) const {
  std::vector<std::string> names;
  const StoredPod& stored = pods_.at(key);
  // The spec that the pod was made of: the job may have another by now, or be gone.
  const Json& pod = stored.pod->origin->job->spec->tasks[static_cast<std::size_t>(stored.task)].pod_template;
  const Json& containers = member_of(member_of(pod, "spec"), "containers");
  if (!containers.is_array()) return names;
  for (const Json& container : containers) {
    const Json& name = member_of(container, "name");
    names.push_back(name.is_string() ? name.get<std::string>() : std::string());
  }
  return names;
}

/// Container statuses appear when the pod first runs, in the order of the template.
void Cluster::fill_containers(Pod& pod) const {
  if (!pod.containers.empty()) return;
  for (std::string& name : containers_of(pod.ns + "/" + pod.name))
    pod.containers.push_back({std::move(name), false, 0, {}});
  if (pod.containers.empty()) pod.containers.emplace_back();
}

ContainerStatus& Cluster::container_of(Pod& pod, const std::string& name) const {
  fill_containers(pod);
  const auto it = std::find_if(pod.containers.begin(), pod.containers.end(),
                               [&](const ContainerStatus& c) { return c.name == name; });
  return it == pod.containers.end() ? pod.containers.front() : *it;
}

/// A pod that ends takes all its containers along: those that are not named end with 0.
void Cluster::set_pod_phase(const std::string& key, PodPhase phase, std::optional<std::int32_t> exit_code,
                            const std::string& container, Time now) {
  Pod pod = *pods_.at(key).pod;
  fill_containers(pod);
  const bool ended = phase == PodPhase::Succeeded || phase == PodPhase::Failed;
  for (ContainerStatus& status : pod.containers) {
    status.ready = phase == PodPhase::Running;
    if (ended && !status.exit_code) status.exit_code = 0;
    if (!ended) status.exit_code.reset();
  }
  if (ended) container_of(pod, container).exit_code = exit_code.value_or(phase == PodPhase::Failed ? 1 : 0);
  pod.phase = phase;
  StoredPod& stored = pods_.at(key);
  stored.finish.reset();
  if (!stored.held_up.empty()) {
    count(stored, -1);
    stored.held_up.clear();
    count(stored, +1);
  }
  if (phase == PodPhase::Running && config_.finish) {
    stored.finish = now + config_.timings.run;
    collect(finishing_, ClusterAction::Kind::FinishPods, *stored.finish, pod);
  }
  replace_pod(key, std::move(pod));
  touched_.insert(stored.job_key);
}

void Cluster::set_pod_restarts(const std::string& key, std::int32_t restarts, const std::string& container) {
  Pod pod = *pods_.at(key).pod;
  container_of(pod, container).restart_count = restarts;
  replace_pod(key, std::move(pod));
}

void Cluster::set_pod_ready(const std::string& key, bool ready, const std::string& container) {
  Pod pod = *pods_.at(key).pod;
  fill_containers(pod);
  for (ContainerStatus& status : pod.containers)
    if (container.empty() || status.name == container) status.ready = ready;
  replace_pod(key, std::move(pod));
}

void Cluster::delete_pod(const std::string& key, Time now) {
  Pod pod = *pods_.at(key).pod;
  if (pod.deletion) return;
  pod.deletion = now;
  if (!pods_.at(key).lost) ++deleting_;
  touched_.insert(pods_.at(key).job_key);
  if (config_.kubelet && !pods_.at(key).lost)
    collect(removing_, ClusterAction::Kind::RemovePods, now + config_.timings.remove, pod);
  replace_pod(key, std::move(pod));
}

void Cluster::remove_pod(const std::string& key) {
  const auto it = pods_.find(key);
  PUMICE_CHECK(it != pods_.end());
  count(it->second, -1);
  if (it->second.pod->deletion && !it->second.lost) --deleting_;
  if (it->second.lost) --lost_;
  touched_.insert(it->second.job_key);
  publish(PodDeleted{it->second.pod});
  const std::string job_key = it->second.job_key;
  pods_.erase(it);
  finish_deletion(job_key);
}

void Cluster::set_pod_group_phase(const std::string& key, PodGroupPhase phase) {
  PodGroup& group = groups_.at(key);
  const PodGroup before = group;
  group.phase = phase;
  group.resource_version = ++resource_version_;
  publish(PodGroupUpdated{before, group});
  if (!group.owners.empty()) touched_.insert(group.ns + "/" + group.owners.front().name);
}

void Cluster::set_pod_group_conditions(const std::string& key, std::vector<PodGroupCondition> conditions) {
  PodGroup& group = groups_.at(key);
  const PodGroup before = group;
  group.conditions = std::move(conditions);
  group.resource_version = ++resource_version_;
  publish(PodGroupUpdated{before, group});
}

std::optional<Observation> Cluster::take_notification() {
  if (notifications_.empty()) return std::nullopt;
  Observation next = std::move(notifications_.front());
  notifications_.pop_front();
  return next;
}

EffectResult Cluster::create_pod(const CreatePod& effect, Time now) {
  const std::string key = effect.pod->ns + "/" + effect.pod->name;
  if (pods_.contains(key)) return {0, ResultCode::AlreadyExists, nullptr, nullptr};
  if (std::string problem = quota_problem(*effect.pod); !problem.empty())
    return {0, ResultCode::Forbidden, nullptr, nullptr, std::move(problem)};
  Pod pod = *effect.pod;
  pod.uid = next_uid();
  pod.resource_version = ++resource_version_;
  StoredPod stored{nullptr, pod.task_index, pod.index, *job_key_of(pod)};
  reserve_index(pod, stored.job_key);
  stored.pod = std::make_shared<const Pod>(std::move(pod));
  count(stored, +1);
  touched_.insert(stored.job_key);
  if (!is_own(stored)) collect_later(stored.job_key, stored.pod->owner_uid, now);
  publish(PodAdded{stored.pod});
  return {0, ResultCode::Ok, pods_.emplace(key, std::move(stored)).first->second.pod, nullptr};
}

std::optional<EffectResult> Cluster::execute(const Effect& effect, Time now) {
  struct Visitor {
    Cluster& cluster;
    Time time;

    EffectResult operator()(const CreatePod& e) const { return cluster.create_pod(e, time); }
    EffectResult operator()(const MarkPod& e) const {
      const auto it = cluster.pods_.find(e.ns + "/" + e.name);
      if (it == cluster.pods_.end()) return {0, ResultCode::NotFound, nullptr, nullptr};
      Pod pod = *it->second.pod;
      mark_out_of_sync(pod);
      cluster.replace_pod(it->first, std::move(pod));
      return {};
    }
    EffectResult operator()(const DeletePod& e) const {
      const std::string key = e.ns + "/" + e.name;
      if (!cluster.pods_.contains(key)) return {0, ResultCode::NotFound, nullptr, nullptr};
      cluster.delete_pod(key, time);
      return {};
    }
    EffectResult operator()(const ReadPod& e) const {
      const auto it = cluster.pods_.find(e.ns + "/" + e.name);
      if (it == cluster.pods_.end()) return {0, ResultCode::NotFound, nullptr, nullptr};
      return {0, ResultCode::Ok, it->second.pod, nullptr};
    }
    EffectResult operator()(const CreateObject& e) const {
      if (cluster.objects_.contains(e.object.id)) return {0, ResultCode::AlreadyExists, nullptr, nullptr};
      cluster.create_object(e.object);
      return {};
    }
    EffectResult operator()(const UpdateObject& e) const {
      const auto it = cluster.objects_.find(e.object.id);
      if (it == cluster.objects_.end()) return {0, ResultCode::NotFound, nullptr, nullptr};
      it->second = e.object.body;
      cluster.publish(ObjectSeen{e.object});
      return {};
    }
    EffectResult operator()(const DeleteObject& e) const {
      if (cluster.objects_.erase(e.id) == 0) return {0, ResultCode::NotFound, nullptr, nullptr};
      cluster.publish(ObjectGone{e.id});
      return {};
    }
    EffectResult operator()(const CreatePodGroup& e) const {
      const std::string key = e.group.ns + "/" + e.group.name;
      if (cluster.groups_.contains(key)) return {0, ResultCode::AlreadyExists, nullptr, nullptr};
      PodGroup group = e.group;
      group.resource_version = ++cluster.resource_version_;
      // The scheduler's first look at a group; without a scheduler the user plays its part from here on.
      group.phase = PodGroupPhase::Pending;
      const std::string job_key = group.ns + "/" + group.owners.front().name;
      cluster.touched_.insert(job_key);
      const auto job = cluster.jobs_.find(job_key);
      if (job == cluster.jobs_.end() || job->second->meta.uid != group.owners.front().uid)
        cluster.collect_later(job_key, group.owners.front().uid, time);
      cluster.publish(PodGroupAdded{group});
      cluster.groups_.emplace(key, std::move(group));
      return {};
    }
    EffectResult operator()(const UpdatePodGroup& e) const {
      const auto it = cluster.groups_.find(e.group.ns + "/" + e.group.name);
      if (it == cluster.groups_.end()) return {0, ResultCode::NotFound, nullptr, nullptr};
      // Written from what the lister held: someone else may have been faster.
      if (e.group.resource_version != it->second.resource_version) return {0, ResultCode::Conflict, nullptr, nullptr};
      const PodGroup before = it->second;
      it->second = e.group;
      it->second.phase = before.phase;  // the controller never writes the status
      it->second.conditions = before.conditions;
      it->second.resource_version = ++cluster.resource_version_;
      cluster.touched_.insert(before.ns + "/" + before.owners.front().name);
      cluster.publish(PodGroupUpdated{before, it->second});
      return {};
    }
    EffectResult operator()(const DeletePodGroup& e) const {
      const auto it = cluster.groups_.find(e.ns + "/" + e.name);
      if (it == cluster.groups_.end()) return {0, ResultCode::NotFound, nullptr, nullptr};
      cluster.drop_pod_group(it->first);
      return {};
    }
    EffectResult store(JobPtr& stored, Job job) const {
      job.meta.resource_version = ++cluster.resource_version_;
      JobPtr before = std::move(stored);
      stored = std::make_shared<const Job>(std::move(job));
      cluster.publish(JobUpdated{std::move(before), stored});
      return {0, ResultCode::Ok, nullptr, stored};
    }
    EffectResult operator()(const UpdateJob& e) const {
      const auto it = cluster.jobs_.find(e.job->key());
      if (it == cluster.jobs_.end()) return {0, ResultCode::NotFound, nullptr, nullptr};
      if (e.job->meta.uid != it->second->meta.uid || e.job->meta.resource_version != it->second->meta.resource_version)
        return {0, ResultCode::Conflict, nullptr, nullptr};
      Job job = *it->second;
      job.spec = e.job->spec;
      job.meta.labels = e.job->meta.labels;
      job.meta.annotations = e.job->meta.annotations;
      return store(it->second, std::move(job));
    }
    EffectResult operator()(const UpdateJobStatus& e) const {
      const auto it = cluster.jobs_.find(e.ns + "/" + e.name);
      if (it == cluster.jobs_.end()) return {0, ResultCode::NotFound, nullptr, nullptr};
      if (e.resource_version != 0 && e.resource_version != it->second->meta.resource_version)
        return {0, ResultCode::Conflict, nullptr, nullptr};
      Job job = *it->second;
      job.status = e.status;
      return store(it->second, std::move(job));
    }
    EffectResult operator()(const DeleteCommand& e) const {
      return {0, cluster.commands_.erase(e.ns + "/" + e.name) > 0 ? ResultCode::Ok : ResultCode::NotFound, nullptr,
              nullptr};
    }
    EffectResult operator()(const EmitEvent&) const { return {}; }
  };
  EffectResult result = std::visit(Visitor{*this, now}, effect.body);
  if (effect.id == 0) return std::nullopt;
  result.id = effect.id;
  return result;
}

std::vector<const StoredPod*> Cluster::pods_of(const std::string& job_key) const {
  std::vector<const StoredPod*> list;
  const auto members = members_.find(job_key);
  if (members == members_.end()) return list;
  for (const TaskMembers& task : members->second)
    task.existing.for_each([&](std::int32_t index) { list.push_back(&pods_.at(task.key(index))); });
  return list;
}

const PodGroup* Cluster::pod_group_of(const std::string& job_key) const {
  const auto job = jobs_.find(job_key);
  if (job == jobs_.end()) return nullptr;
  const auto it = groups_.find(job_key + "-" + job->second->meta.uid);
  return it == groups_.end() ? nullptr : &it->second;
}

}  // namespace pumice
