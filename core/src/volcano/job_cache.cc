#include "pumice/volcano/job_cache.h"

#include <algorithm>
#include <charconv>

#include "pumice/check.h"

namespace pumice::volcano {

std::optional<std::string> job_key_of(const Pod& pod) {
  if (!pod.job_name) return std::nullopt;
  return pod.ns + "/" + *pod.job_name;
}

TaskPods::TaskPods(std::string prefix, std::int32_t replicas, bool partitioned)
    : prefix_(std::move(prefix)), partitioned_(partitioned) {
  const std::int32_t slots = std::max(replicas, 0);
  slots_.resize(static_cast<std::size_t>(slots));
  missing_ = IndexSet(slots);
  for (std::int32_t i = 0; i < slots; ++i) missing_.insert(i);
  marked_ = IndexSet(slots);
  live_.fill(IndexSet(slots));
}

std::int32_t TaskPods::slot_of(std::string_view pod_name) const noexcept {
  if (!pod_name.starts_with(prefix_)) return -1;
  const std::string_view digits = pod_name.substr(prefix_.size());
  if (digits.empty() || (digits.size() > 1 && digits.front() == '0') || digits.front() == '-') return -1;
  std::int32_t index = -1;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  if (error != std::errc{} || end != digits.data() + digits.size()) return -1;
  return index < static_cast<std::int32_t>(slots_.size()) ? index : -1;
}

PodPtr TaskPods::find(std::string_view pod_name) const {
  if (const std::int32_t slot = slot_of(pod_name); slot >= 0) return slots_[static_cast<std::size_t>(slot)];
  const auto it = surplus_.find(pod_name);
  return it == surplus_.end() ? nullptr : it->second;
}

/// Adds the pod to (sign +1) or takes it from (sign -1) every count and set it belongs to.
void TaskPods::file(const Pod& pod, std::int32_t slot, int sign) {
  const auto set = [sign](IndexSet& members, std::int32_t index) {
    if (sign > 0)
      members.insert(index);
    else
      members.erase(index);
  };
  if (pod.phase == PodPhase::Succeeded) succeeded_ += sign;
  if (pod.phase == PodPhase::Running || pod.phase == PodPhase::Pending)
    restarts_ += sign * std::int64_t{pod.restarts()};
  if (pod.deletion) terminating_ += sign;
  if (slot < 0) return;
  if (pod.phase == PodPhase::Succeeded || (pod.phase == PodPhase::Running && pod.all_ready())) ready_slots_ += sign;
  if (pod.deletion) {
    terminating_slots_ += sign;
    return;
  }
  counts_[pod.phase] += sign;
  set(live_[static_cast<std::size_t>(pod.phase)], slot);
  if (pod.out_of_sync) set(marked_, slot);
}

void TaskPods::insert(const PodPtr& pod) {
  const std::int32_t slot = slot_of(pod->name);
  if (slot >= 0) {
    PUMICE_CHECK(!slots_[static_cast<std::size_t>(slot)]);
    slots_[static_cast<std::size_t>(slot)] = pod;
    missing_.erase(slot);
  } else {
    surplus_[pod->name] = pod;
  }
  ++size_;
  file(*pod, slot, +1);
  if (partitioned_ && !pod->partition_id.empty()) partitions_[pod->partition_id].insert(pod->name);
}

void TaskPods::replace(const PodPtr& pod) {
  const std::int32_t slot = slot_of(pod->name);
  PodPtr& held = slot >= 0 ? slots_[static_cast<std::size_t>(slot)] : surplus_.find(pod->name)->second;
  PUMICE_CHECK(held);
  file(*held, slot, -1);
  if (partitioned_ && pod->partition_id != held->partition_id) {
    const auto [indexed_under, is_new] = moved_.try_emplace(pod->name, held->partition_id);
    if (!is_new && indexed_under->second == pod->partition_id) moved_.erase(indexed_under);
  }
  held = pod;
  file(*pod, slot, +1);
}

void TaskPods::unindex(const std::string& pod_name, const std::string& id) {
  const auto partition = partitions_.find(id);
  if (partition == partitions_.end()) return;
  partition->second.erase(pod_name);
  if (partition->second.empty()) partitions_.erase(partition);
}

void TaskPods::refile_partitions() {
  for (const auto& [name, id] : moved_) {
    unindex(name, id);
    const PodPtr pod = find(name);
    if (pod && !pod->partition_id.empty()) partitions_[pod->partition_id].insert(name);
  }
  moved_.clear();
}

void TaskPods::erase(std::string_view pod_name) {
  const std::int32_t slot = slot_of(pod_name);
  PodPtr pod;
  if (slot >= 0) {
    pod = std::move(slots_[static_cast<std::size_t>(slot)]);
    slots_[static_cast<std::size_t>(slot)] = nullptr;
    if (!pod) return;
    missing_.insert(slot);
  } else {
    const auto it = surplus_.find(pod_name);
    if (it == surplus_.end()) return;
    pod = std::move(it->second);
    surplus_.erase(it);
  }
  --size_;
  file(*pod, slot, -1);
  // The id may have changed since the pod was indexed (spec 10.2).
  const auto moved = moved_.find(pod->name);
  unindex(pod->name, moved == moved_.end() ? pod->partition_id : moved->second);
  if (moved != moved_.end()) moved_.erase(moved);
}

std::vector<PodPtr> TaskPods::killable(Retain retain) const {
  const auto kept = [retain](PodPhase phase) {
    return retain == Retain::Soft && (phase == PodPhase::Succeeded || phase == PodPhase::Failed);
  };
  std::vector<PodPtr> pods;
  std::int32_t in_slots = 0;
  for (const PodPhase phase : kPodPhases)
    if (!kept(phase)) in_slots += live_[static_cast<std::size_t>(phase)].size();
  if (in_slots > 0) {
    IndexSet chosen(static_cast<std::int32_t>(slots_.size()));
    for (const PodPhase phase : kPodPhases)
      if (!kept(phase))
        live_[static_cast<std::size_t>(phase)].for_each([&](std::int32_t slot) { chosen.insert(slot); });
    pods.reserve(static_cast<std::size_t>(in_slots));
    chosen.for_each([&](std::int32_t slot) { pods.push_back(slots_[static_cast<std::size_t>(slot)]); });
  }
  for (const auto& entry : surplus_)
    if (!entry.second->deletion && !kept(entry.second->phase)) pods.push_back(entry.second);
  return pods;
}

std::vector<PodPtr> TaskPods::partition(const std::string& id) const {
  std::vector<PodPtr> pods;
  const auto it = partitions_.find(id);
  if (it == partitions_.end()) return pods;
  for (const std::string& name : it->second)
    if (PodPtr pod = find(name)) pods.push_back(std::move(pod));
  return pods;
}

const TaskPods* JobInfo::find_task(std::string_view task) const noexcept {
  if (policies) {
    const std::int32_t index = policies->task_index(task);
    if (index >= 0) return &tasks[static_cast<std::size_t>(index)];
  }
  const auto it = unlisted.find(task);
  return it == unlisted.end() ? nullptr : &it->second;
}

bool JobInfo::has_pods() const noexcept {
  return std::any_of(tasks.begin(), tasks.end(), [](const TaskPods& t) { return !t.empty(); }) ||
         std::any_of(unlisted.begin(), unlisted.end(), [](const auto& t) { return !t.second.empty(); }) ||
         !leftovers.empty();
}

PodPtr JobCache::find_pod(const JobInfo& info, std::string_view task, std::string_view pod) {
  if (!task.empty()) {
    const TaskPods* pods = info.find_task(task);
    return pods ? pods->find(pod) : nullptr;
  }
  for (const TaskPods& pods : info.tasks)
    if (PodPtr found = pods.find(pod)) return found;
  return nullptr;
}

bool JobCache::is_leftover(const JobInfo& info, const Pod& pod) const noexcept {
  return !quirks_.has(Quirk::LeftoversCounted) && info.job && pod.owner_uid != info.job->meta.uid;
}

const JobInfo* JobCache::entry(const std::string& key) const {
  const auto it = entries_.find(key);
  return it == entries_.end() ? nullptr : &it->second;
}

const JobInfo* JobCache::get(const std::string& key) const {
  const JobInfo* info = entry(key);
  return info && info->job ? info : nullptr;
}

/// Files all pods anew if the spec changed; a mere status update keeps everything.
void JobCache::set_job(JobInfo& info, const JobPtr& job) {
  const bool same_spec =
      info.policies && (&info.policies->spec() == job->spec.get() || info.policies->spec() == *job->spec);
  const bool same_job = info.job && info.job->meta.uid == job->meta.uid;
  if (!same_spec || !same_job) {
    info.group.reset();
    info.made.reset();
  }
  info.ns = job->meta.ns;
  info.name = job->meta.name;
  info.job = job;
  info.version = job->status.version;
  if (same_spec && (same_job || quirks_.has(Quirk::LeftoversCounted))) {
    for (TaskPods& task : info.tasks) task.refile_partitions();
    return;
  }

  std::vector<PodPtr> pods;
  const auto keep = [&pods](const PodPtr& pod) { pods.push_back(pod); };
  for (const TaskPods& task : info.tasks) task.for_each(keep);
  for (const auto& task : info.unlisted) task.second.for_each(keep);
  for (const auto& leftover : info.leftovers) keep(leftover.second);
  info.leftovers.clear();

  info.policies = std::make_shared<const PolicyTable>(job->spec);
  info.totals = SpecTotals::of(*job->spec);
  info.task_counts.reset();
  info.tasks.clear();
  info.unlisted.clear();
  for (const TaskSpec& task : job->spec->tasks)
    info.tasks.emplace_back(info.name + "-" + task.name + "-", task.replicas, task.partition_policy.has_value());
  for (const PodPtr& pod : pods) {
    if (is_leftover(info, *pod))
      info.leftovers[pod->name] = pod;
    else
      task_for(info, *pod->task_name).insert(pod);
  }
}

/// For changes.
TaskPods& JobCache::task_for(JobInfo& info, const std::string& task) {
  info.task_counts.reset();
  if (info.policies) {
    const std::int32_t index = info.policies->task_index(task);
    if (index >= 0) return info.tasks[static_cast<std::size_t>(index)];
  }
  return info.unlisted.try_emplace(task).first->second;
}

std::vector<PluginObject>& JobCache::plugin_objects_of(const std::string& key) {
  JobInfo& info = entries_.at(key);
  if (!info.made) info.made = plugin_objects(*info.job, quirks_);
  return *info.made;
}

const GroupFields& JobCache::group_fields(const std::string& key) {
  JobInfo& info = entries_.at(key);
  if (!info.group) info.group = GroupFields::of(*info.job->spec, priority_classes_);
  return *info.group;
}

std::shared_ptr<const PodOrigin> JobCache::origin_for(const std::string& key, PodOrigin origin) {
  const auto is_same = [&](const PodOrigin& other) {
    const ObjectMeta& a = origin.job->meta;
    const ObjectMeta& b = other.job->meta;
    return origin.job->spec == other.job->spec && origin.version == other.version &&
           origin.retry_count == other.retry_count && origin.forwarding == other.forwarding && a.uid == b.uid &&
           a.labels == b.labels && a.annotations == b.annotations;
  };
  JobInfo& info = entries_.at(key);
  if (!info.origin || !is_same(*info.origin)) info.origin = std::make_shared<const PodOrigin>(std::move(origin));
  return info.origin;
}

void JobCache::set_priority_class(const std::string& name, std::optional<std::int32_t> value) {
  if (value)
    priority_classes_[name] = *value;
  else
    priority_classes_.erase(name);
  for (auto& entry : entries_) entry.second.group.reset();
}

bool JobCache::add_job(const JobPtr& job) {
  JobInfo& info = entries_[job->key()];
  if (info.job) return false;
  set_job(info, job);
  return true;
}

bool JobCache::update_job(const JobPtr& job) {
  const auto it = entries_.find(job->key());
  if (it == entries_.end()) return false;
  JobInfo& info = it->second;
  if (info.job && job->meta.resource_version < info.job->meta.resource_version) return false;
  set_job(info, job);
  return true;
}

bool JobCache::delete_job(const std::string& key) {
  const auto it = entries_.find(key);
  if (it == entries_.end()) return false;
  it->second.job = nullptr;
  remove_if_dead(key);
  return true;
}

void JobCache::bump_version(const std::string& key) {
  JobInfo& info = entries_.at(key);
  info.version = static_cast<std::int32_t>(static_cast<std::uint32_t>(info.version) + 1U);
}

/// Upstream does this from a queue with back-off (spec 10.5). Nothing observable depends on the delay as long as an
/// entry is compared before it is removed, which spec 10.5 recommends; so it is done at once.
void JobCache::remove_if_dead(const std::string& key) {
  const auto it = entries_.find(key);
  if (it != entries_.end() && !it->second.job && !it->second.has_pods()) entries_.erase(it);
}

bool JobCache::add_pod(const PodPtr& pod) {
  const auto key = job_key_of(*pod);
  if (!key) return false;
  JobInfo& info = entries_[*key];
  if (!pod->task_name || !pod->job_version) return false;
  if (is_leftover(info, *pod)) return info.leftovers.emplace(pod->name, pod).second;
  TaskPods& task = task_for(info, *pod->task_name);
  if (task.find(pod->name)) return false;
  task.insert(pod);
  return true;
}

bool JobCache::update_pod(const PodPtr& pod) {
  const auto key = job_key_of(*pod);
  if (!key) return false;
  JobInfo& info = entries_[*key];
  if (!pod->task_name || !pod->job_version) return false;
  if (const auto leftover = info.leftovers.find(pod->name);
      leftover != info.leftovers.end() && leftover->second->owner_uid == pod->owner_uid) {
    leftover->second = pod;
    return true;
  }
  const TaskPods* known = info.find_task(*pod->task_name);
  if (!known || !known->find(pod->name)) return false;
  task_for(info, *pod->task_name).replace(pod);
  return true;
}

bool JobCache::delete_pod(const Pod& pod) {
  const auto key = job_key_of(pod);
  if (!key) return false;
  const auto it = entries_.find(*key);
  if (it == entries_.end()) {
    if (quirks_.has(Quirk::DeletionMakesEntry)) entries_[*key];
    return true;
  }
  if (!pod.task_name || !pod.job_version) return false;
  if (it->second.leftovers.erase(pod.name) == 0 && it->second.find_task(*pod.task_name)) {
    task_for(it->second, *pod.task_name).erase(pod.name);
    if (const auto task = it->second.unlisted.find(*pod.task_name);
        task != it->second.unlisted.end() && task->second.empty())
      it->second.unlisted.erase(task);
  }
  // An entry that a deletion has made never knew its job, and is not found to be removed (spec 10.5).
  const bool is_stuck = it->second.ns.empty() && quirks_.has(Quirk::DeletionMakesEntry);
  if (!it->second.job && !is_stuck) remove_if_dead(*key);
  return true;
}

bool JobCache::has_pod(const Pod& pod) const {
  const auto key = job_key_of(pod);
  if (!key || !pod.task_name || !pod.job_version) return false;
  const JobInfo* info = entry(*key);
  if (info && info->leftovers.contains(pod.name)) return true;
  const TaskPods* task = info ? info->find_task(*pod.task_name) : nullptr;
  return task && task->find(pod.name);
}

const TaskCounts& JobCache::task_counts(const std::string& key) {
  JobInfo& info = entries_.at(key);
  if (info.task_counts) return *info.task_counts;
  std::map<std::string, PhaseCounts> counts;
  for (std::size_t i = 0; i < info.tasks.size(); ++i) {
    const PhaseCounts& of_task = info.tasks[i].counts();
    if (!(of_task == PhaseCounts{})) counts.emplace(info.job->spec->tasks[i].name, of_task);
  }
  return info.task_counts.emplace(std::move(counts));
}

bool JobCache::task_completed(const std::string& key, std::string_view task) const {
  const JobInfo* info = get(key);
  const std::int32_t index = info ? info->policies->task_index(task) : -1;
  if (index < 0) return false;
  const TaskPods& pods = info->tasks[static_cast<std::size_t>(index)];
  const std::int32_t replicas = info->job->spec->tasks[static_cast<std::size_t>(index)].replicas;
  return !pods.empty() && replicas > 0 && pods.succeeded() >= replicas;
}

bool JobCache::task_failed(const std::string& key, std::string_view task) const {
  const JobInfo* info = get(key);
  const std::int32_t index = info ? info->policies->task_index(task) : -1;
  if (index < 0) return false;
  const TaskPods& pods = info->tasks[static_cast<std::size_t>(index)];
  const TaskSpec& spec = info->job->spec->tasks[static_cast<std::size_t>(index)];
  if (pods.empty() || spec.replicas == 0 || spec.max_retry == -1) return false;
  return pods.restarts() >= (spec.max_retry == 0 ? 3 : spec.max_retry);
}

}  // namespace pumice::volcano
