// The rest of an object's life: jobs are edited and deleted and leave things behind, nodes are lost, namespaces and
// queues have limits.
#include <algorithm>
#include <tuple>
#include <utility>

#include "cluster/collect.h"
#include "pumice/check.h"

namespace pumice {

using namespace volcano;

using Kind = ClusterAction::Kind;

// -- Jobs.

void Cluster::edit_job(const std::string& key, Job edited) {
  JobPtr& stored = jobs_.at(key);
  Job job = *stored;
  job.spec = std::move(edited.spec);
  job.meta.labels = std::move(edited.meta.labels);
  job.meta.annotations = std::move(edited.meta.annotations);
  job.meta.resource_version = ++resource_version_;
  const JobPtr before = std::exchange(stored, std::make_shared<const Job>(std::move(job)));
  rebuild_members(key);
  touch(key);
  publish(JobUpdated{before, stored});
}

void Cluster::delete_job(const std::string& key, Time now, Propagation propagation) {
  const auto it = jobs_.find(key);
  if (it == jobs_.end()) return;
  const JobPtr job = it->second;
  touch(key);
  if (propagation == Propagation::Foreground) {
    if (job->meta.deletion) return;
    Job marked = *job;
    marked.meta.deletion = now;
    marked.meta.resource_version = ++resource_version_;
    it->second = std::make_shared<const Job>(std::move(marked));
    publish(JobUpdated{job, it->second});
    foreground_.insert(key);
    collect_job(key, job->meta.uid, now);
    finish_deletion(key);
    return;
  }
  const std::vector<const StoredPod*> left = pods_of(key);
  for (const StoredPod* pod : left) count(*pod, -1);
  drop_job(key);
  for (const StoredPod* pod : left) count(*pod, +1);
  collect_later(key, job->meta.uid, now);
}

void Cluster::finish_deletion(const std::string& job_key) {
  if (!foreground_.contains(job_key)) return;
  const JobPtr job = jobs_.at(job_key);
  for (const StoredPod* pod : pods_of(job_key))
    if (pod->pod->owner_uid == job->meta.uid) return;
  drop_job(job_key);
  touch(job_key);
}

void Cluster::drop_job(const std::string& job_key) {
  JobPtr job = std::move(jobs_.extract(job_key).mapped());
  foreground_.erase(job_key);
  publish(JobDeleted{job});
  gone_jobs_[job_key] = std::move(job);
}

/// Everything stands as before, but with room for the pods that the spec asks for now.
void Cluster::rebuild_members(const std::string& job_key) {
  const std::vector<const StoredPod*> pods = pods_of(job_key);
  for (const StoredPod* pod : pods) count(*pod, -1);
  std::vector<TaskMembers>& members = members_[job_key];
  members.clear();
  for (const TaskSpec& task : jobs_.at(job_key)->spec->tasks) {
    const std::int32_t replicas = std::max(task.replicas, 0);
    members.push_back({job_key + "-" + task.name + "-", IndexSet(replicas), IndexSet(replicas), 0});
  }
  for (const StoredPod* pod : pods) {
    reserve_index(*pod->pod, job_key);
    count(*pod, +1);
  }
}

/// A controller that has not heard of a smaller number of replicas goes on making pods beyond it.
void Cluster::reserve_index(const Pod& pod, const std::string& job_key) {
  TaskMembers& task = members_.at(job_key)[static_cast<std::size_t>(pod.task_index)];
  for (IndexSet* set : {&task.existing, &task.waiting}) {
    if (pod.index < set->capacity()) continue;
    IndexSet larger(pod.index + 1);
    set->for_each([&larger](std::int32_t index) { larger.insert(index); });
    *set = std::move(larger);
  }
}

// -- Garbage collection, by owner references.

void Cluster::collect_later(const std::string& job_key, const std::string& uid, Time now) {
  if (!config_.collector) {
    collect_job(job_key, uid, now);
    return;
  }
  const std::size_t slash = job_key.find('/');
  ClusterAction action;
  action.kind = Kind::CollectJob;
  action.ns = job_key.substr(0, slash);
  action.job = job_key.substr(slash + 1);
  action.owner_uid = uid;
  ++collecting_;
  schedule(now + config_.timings.collect, std::move(action));
}

void Cluster::collect_job(const std::string& job_key, const std::string& uid, Time now) {
  for (const StoredPod* pod : pods_of(job_key))
    if (pod->pod->owner_uid == uid) delete_pod(pod->pod->ns + "/" + pod->pod->name, now);
  const std::string ns = job_key.substr(0, job_key.find('/'));
  for (const std::string& key : {job_key + "-" + uid, job_key}) {
    const auto group = groups_.find(key);
    if (group != groups_.end() && group->second.owners.front().uid == uid) drop_pod_group(key);
  }
  std::vector<ObjectName> owned;
  for (const auto& [id, body] : objects_) {
    if (id.ns != ns) continue;
    const Json& owners = member_of(member_of(*body, "metadata"), "ownerReferences");
    if (!owners.is_array() || owners.empty()) continue;
    if (member_of(owners.front(), "uid") == uid) owned.push_back(id);
  }
  for (ObjectName& id : owned) {
    objects_.erase(id);
    publish(ObjectGone{std::move(id)});
  }
}

void Cluster::drop_pod_group(const std::string& key) {
  const auto it = groups_.find(key);
  const std::string job_key = it->second.ns + "/" + it->second.owners.front().name;
  const std::string queue = it->second.queue;
  publish(PodGroupDeleted{std::move(it->second)});
  groups_.erase(it);
  touch(job_key);
  touch_queue(queue);
}

// -- Pods and nodes.

void Cluster::hold_up_pod(const std::string& key, const std::string& reason) {
  StoredPod& stored = pods_.at(key);
  count(stored, -1);
  stored.held_up = reason;
  count(stored, +1);
  touch(stored.job_key);
  replace_pod(key, Pod(*stored.pod));
}

void Cluster::set_pod_lost(const std::string& key, bool lost, Time now) {
  StoredPod& stored = pods_.at(key);
  if (stored.lost == lost) return;
  stored.lost = lost;
  lost_ += lost ? 1 : -1;
  stored.evict.reset();
  stored.finish.reset();
  const Pod& pod = *stored.pod;
  if (pod.deletion) deleting_ += lost ? -1 : 1;
  if (lost && config_.kubelet && !pod.deletion) {
    stored.evict = now + config_.timings.tolerate;
    collect(evicting_, Kind::EvictPods, *stored.evict, pod);
  }
  if (!lost && config_.kubelet && pod.deletion) collect(removing_, Kind::RemovePods, now + config_.timings.remove, pod);
  if (!lost && config_.finish && pod.phase == PodPhase::Running && !pod.deletion) {
    stored.finish = now + config_.timings.run;
    collect(finishing_, Kind::FinishPods, *stored.finish, pod);
  }
  touch(stored.job_key);
  replace_pod(key, Pod(pod));
}

std::int64_t Cluster::pods_alive(const std::string& ns) const {
  const auto alive = pods_alive_.find(ns);
  return alive == pods_alive_.end() ? 0 : alive->second;
}

void Cluster::set_quota(const std::string& ns, std::optional<std::int32_t> pods) {
  if (pods)
    quotas_[ns] = *pods;
  else
    quotas_.erase(ns);
}

/// What the API server says to one pod too many.
std::string Cluster::quota_problem(const Pod& pod) const {
  const auto quota = quotas_.find(pod.ns);
  if (quota == quotas_.end() || pods_alive(pod.ns) < quota->second) return {};
  return "pods \"" + pod.name +
         "\" is forbidden: exceeded quota: pods, requested: pods=1, used: pods=" + std::to_string(pods_alive(pod.ns)) +
         ", limited: pods=" + std::to_string(quota->second);
}

// -- Queues.

void Cluster::create_queue(const std::string& name, bool extends) {
  if (queues_.contains(name)) return;
  ClusterQueue queue;
  queue.extends = extends;
  set_queue(name, std::move(queue));
}

void Cluster::set_queue(const std::string& name, ClusterQueue queue) {
  publish(QueueAdded{name, queue.extends});
  queues_.insert_or_assign(name, std::move(queue));
  for (const auto& [key, group] : groups_)
    if (group.queue == name && !group.owners.empty()) touch(group.ns + "/" + group.owners.front().name);
}

void Cluster::delete_queue(const std::string& name) {
  if (queues_.erase(name) == 0) return;
  publish(QueueDeleted{name});
  for (const auto& [key, group] : groups_)
    if (group.queue == name && !group.owners.empty()) touch(group.ns + "/" + group.owners.front().name);
}

void Cluster::create_priority_class(const std::string& name, std::int32_t value) {
  priority_classes_[name] = value;
  publish(PriorityClassSeen{name, value});
}

std::int32_t Cluster::priority_of(const PodGroup& group) const {
  const auto known = priority_classes_.find(group.priority_class_name);
  return known == priority_classes_.end() ? 0 : known->second;
}

void Cluster::touch_queue(const std::string& queue) {
  const auto limits = queues_.find(queue);
  if (limits == queues_.end() || limits->second.capability.empty()) return;
  for (const auto& [key, group] : groups_)
    if (group.queue == queue && !group.owners.empty()) touch(group.ns + "/" + group.owners.front().name);
}

namespace {

using Resources = std::map<std::string, Quantity>;

/// Of a group's least resources those that the queue limits.
Resources requested(const PodGroup& group, const Resources& limits) {
  Resources sums;
  for (const auto& [resource, limit] : limits) {
    const Json& text = member_of(*group.min_resources, resource.c_str());
    std::optional<Quantity> wanted;
    if (text.is_string()) wanted = parse_quantity(text.get_ref<const std::string&>());
    sums[resource] = wanted.value_or(Quantity());
  }
  return sums;
}

void add_to(Resources& sums, const Resources& more) {
  for (const auto& [resource, quantity] : more) sums[resource].add(quantity);
}

/// The first resource of which there is not enough for `more` on top of `used`.
std::string short_of(const Resources& limits, const Resources& used, const Resources& more) {
  for (const auto& [resource, limit] : limits) {
    Quantity sum = used.at(resource);
    sum.add(more.at(resource));
    if (compare(sum, limit) > 0) return resource;
  }
  return {};
}

}  // namespace

/// What upstream's capacity plugin asks when a group wants in: its queue is open, and the least resources of all groups
/// that are in, and of this one, stay within `spec.capability`. Groups that wait are asked by their priority, then in
/// the order in which their jobs were made; one that does not fit lets others pass. Derived from the scheduler's
/// source, which is no part of the specification: guarantees, reclaiming and queues within queues are left out.
QueueState Cluster::queue_state(const PodGroup& group) const {
  QueueState state;
  const auto found = queues_.find(group.queue);
  if (found == queues_.end()) {
    state.known = false;
    return state;
  }
  const ClusterQueue& queue = found->second;
  state.open = queue.state == "Open";
  if (queue.capability.empty()) return state;
  Resources used;
  for (const auto& [resource, limit] : queue.capability) used[resource] = Quantity();
  std::vector<const PodGroup*> waiting;
  for (const auto& [key, other] : groups_) {
    if (other.queue != group.queue) continue;
    if (!other.ready())
      waiting.push_back(&other);
    else if (other.phase != PodGroupPhase::Completed)
      add_to(used, requested(other, queue.capability));
  }
  const auto rank = [this](const PodGroup* g) {
    return std::tuple(-std::int64_t{priority_of(*g)}, g->owners.empty() ? std::string() : g->owners.front().uid,
                      g->name);
  };
  std::sort(waiting.begin(), waiting.end(), [&](const PodGroup* a, const PodGroup* b) { return rank(a) < rank(b); });
  for (const PodGroup* other : waiting) {
    const Resources more = requested(*other, queue.capability);
    const std::string lacking = short_of(queue.capability, used, more);
    if (other->ns == group.ns && other->name == group.name) {
      state.resource = lacking;
      if (lacking.empty()) return state;
      state.capability = queue.capability.at(lacking);
      state.used = used.at(lacking);
      state.requested = more.at(lacking);
      return state;
    }
    if (lacking.empty()) add_to(used, more);
  }
  return state;
}

// -- Lists.

std::vector<Observation> Cluster::list() const {
  std::vector<Observation> all;
  for (const auto& [name, queue] : queues_) all.emplace_back(QueueAdded{name, queue.extends});
  for (const auto& [name, value] : priority_classes_) all.emplace_back(PriorityClassSeen{name, value});
  for (const auto& [id, body] : objects_) all.emplace_back(ObjectSeen{{id, body}});
  for (const auto& [key, job] : jobs_) all.emplace_back(JobAdded{job});
  for (const auto& [job_key, tasks] : members_)
    for (const StoredPod* pod : pods_of(job_key)) all.emplace_back(PodAdded{pod->pod});
  for (const auto& [key, group] : groups_) all.emplace_back(PodGroupAdded{group});
  for (const auto& [key, command] : commands_) all.emplace_back(CommandAdded{command});
  return all;
}

}  // namespace pumice
