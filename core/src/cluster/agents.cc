// What scheduler and kubelets of the simulated cluster do by themselves, on the virtual clock.
#include "pumice/check.h"
#include "pumice/cluster/cluster.h"

namespace pumice {

using Kind = ClusterAction::Kind;

/// The scheduler binds a gang only as a whole: `minMember` pods must exist, and of each task its `minTaskMember`,
/// unless minMember is smaller than the sum of these (then upstream's scheduler does not look at the tasks). This is
/// the scheduler's rule, not the controller's; the specification here follows covers only the latter.
GangState Cluster::gang(const PodGroup& group) const {
  GangState state;
  state.needed = group.min_member;
  const std::string job_key = group.owners.empty() ? "" : group.ns + "/" + group.owners.front().name;
  const auto members = members_.find(job_key);
  const auto job = jobs_.find(job_key);
  if (members == members_.end() || job == jobs_.end()) return state;
  for (const TaskMembers& task : members->second) {
    state.existing += task.alive;
    state.waiting += task.waiting.size();
  }

  std::int64_t sum = 0;
  for (const auto& task : group.min_task_member) sum += task.second;
  if (std::int64_t{group.min_member} >= sum) {
    const auto& tasks = job->second->spec->tasks;
    for (std::size_t i = 0; i < tasks.size() && state.short_task.empty(); ++i) {
      const auto needed = group.min_task_member.find(tasks[i].name);
      if (needed == group.min_task_member.end() || members->second[i].alive >= needed->second) continue;
      state.short_task = tasks[i].name;
      state.short_needed = needed->second;
      state.short_existing = members->second[i].alive;
    }
  }
  // Once a gang runs, further pods of it are placed one by one.
  state.complete =
      group.phase == PodGroupPhase::Running || (state.existing >= state.needed && state.short_task.empty());
  return state;
}

void Cluster::schedule(Time due, ClusterAction action) {
  scheduled_.emplace(std::pair{due, next_action_++}, std::move(action));
}

void Cluster::settle(Time now) {
  for (const std::string& job_key : touched_) {
    const PodGroup* group = pod_group_of(job_key);
    if (!group || !config_.scheduler) continue;
    const std::string key = group->ns + "/" + group->name;
    if (!group->ready()) {
      if (admitting_.insert(key).second)
        schedule(now + config_.timings.admit, {Kind::AdmitPodGroup, group->ns, group->name, {}, {}});
      continue;
    }
    const GangState state = gang(*group);
    if (state.complete && state.waiting > 0 && starting_.insert(key).second)
      schedule(now + config_.timings.start, {Kind::StartPods, group->ns, group->name, {}, {}});
  }
  touched_.clear();
  schedule_all(removing_);
  schedule_all(finishing_);
}

void Cluster::schedule_all(std::map<std::pair<Time, std::string>, ClusterAction>& collected) {
  for (auto& [due, action] : collected) schedule(due.first, std::move(action));
  collected.clear();
}

std::string Cluster::still_there(const ClusterAction& action, std::size_t i) const {
  std::string key = action.ns + "/" + action.pods[i];
  const auto it = pods_.find(key);
  return it != pods_.end() && it->second.pod->uid == action.uids[i] ? key : std::string();
}

std::optional<Time> Cluster::next_due() const noexcept {
  if (scheduled_.empty()) return std::nullopt;
  return scheduled_.begin()->first.first;
}

std::vector<Cluster::Upcoming> Cluster::upcoming() const {
  std::vector<Upcoming> list;
  for (const auto& [key, action] : scheduled_) list.push_back({key.first, action});
  return list;
}

ClusterAction Cluster::act(Time now) {
  PUMICE_CHECK(!scheduled_.empty() && scheduled_.begin()->first.first <= now);
  ClusterAction action = std::move(scheduled_.extract(scheduled_.begin()).mapped());
  const std::string group_key = action.ns + "/" + action.pod_group;
  const auto group = groups_.find(group_key);
  switch (action.kind) {
    case Kind::AdmitPodGroup:
      admitting_.erase(group_key);
      if (group != groups_.end() && !group->second.ready()) set_pod_group_phase(group_key, PodGroupPhase::Inqueue);
      break;
    case Kind::StartPods: {
      starting_.erase(group_key);
      if (group == groups_.end() || !gang(group->second).complete) break;
      if (group->second.phase == PodGroupPhase::Inqueue) set_pod_group_phase(group_key, PodGroupPhase::Running);
      for (const TaskMembers& task : members_.at(action.ns + "/" + group->second.owners.front().name)) {
        const volcano::IndexSet waiting = task.waiting;  // a pod that starts leaves the set
        waiting.for_each([&](std::int32_t index) {
          action.pods.push_back(pods_.at(task.key(index)).pod->name);
          set_pod_phase(task.key(index), PodPhase::Running, std::nullopt, "", now);
        });
      }
      break;
    }
    case Kind::RemovePods: {
      std::vector<std::string> gone;
      for (std::size_t i = 0; i < action.pods.size(); ++i) {
        const std::string key = still_there(action, i);
        if (key.empty()) continue;
        gone.push_back(action.pods[i]);
        remove_pod(key);
      }
      action.pods = std::move(gone);
      break;
    }
    case Kind::FinishPods: {
      std::vector<std::string> done;
      for (std::size_t i = 0; i < action.pods.size(); ++i) {
        const std::string key = still_there(action, i);
        if (key.empty() || pods_.at(key).pod->deletion || pods_.at(key).pod->phase != PodPhase::Running) continue;
        done.push_back(action.pods[i]);
        set_pod_phase(key, PodPhase::Succeeded, 0, "", now);
      }
      action.pods = std::move(done);
      break;
    }
  }
  action.uids.clear();
  return action;
}

}  // namespace pumice
