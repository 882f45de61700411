// What scheduler, kubelets and the garbage collector of the simulated cluster do by themselves, on the virtual clock.
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

Cluster::ScheduleKey Cluster::schedule(Time due, ClusterAction action) {
  const ScheduleKey key{due, next_action_++};
  scheduled_.emplace(key, std::move(action));
  return key;
}

void Cluster::want(std::map<std::string, ScheduleKey>& scheduled, const std::string& job_key, bool wanted, Time due,
                   Kind kind) {
  const auto it = scheduled.find(job_key);
  if (wanted == (it != scheduled.end())) return;
  if (wanted) {
    const PodGroup& group = *pod_group_of(job_key);
    scheduled.emplace(job_key, schedule(due, {kind, group.ns, group.name, {}, {}, {}, {}}));
  } else {
    scheduled_.erase(it->second);
    scheduled.erase(it);
  }
}

void Cluster::settle(Time now) {
  // Where a queue is short of something, one group's gain is another's loss.
  std::set<std::string> queues;
  for (const std::string& job_key : touched_) {
    const PodGroup* group = pod_group_of(job_key);
    const auto queue = group ? queues_.find(group->queue) : queues_.end();
    if (queue != queues_.end() && !queue->second.capability.empty()) queues.insert(queue->first);
  }
  for (const std::string& queue : queues) touch_queue(queue);
  for (const std::string& job_key : touched_) {
    if (!config_.scheduler) break;
    const PodGroup* group = pod_group_of(job_key);
    const bool waits = group && !group->ready() && queue_state(*group).admits();
    want(admitting_, job_key, waits, now + config_.timings.admit, Kind::AdmitPodGroup);
    bool starts = false;
    if (group && group->ready()) {
      const GangState state = gang(*group);
      starts = state.complete && state.waiting > 0;
    }
    want(starting_, job_key, starts, now + config_.timings.start, Kind::StartPods);
  }
  touched_.clear();
  schedule_all(removing_);
  schedule_all(finishing_);
  schedule_all(evicting_);
  drop_stale();
}

/// Only what is next is looked at, and from its end: so each pod of each action is looked at once.
void Cluster::drop_stale() {
  while (!scheduled_.empty()) {
    const auto next = scheduled_.begin();
    ClusterAction& action = next->second;
    if (action.uids.empty()) return;
    while (!action.pods.empty() && still_there(next->first.first, action, action.pods.size() - 1).empty()) {
      action.pods.pop_back();
      action.uids.pop_back();
    }
    if (!action.pods.empty()) return;
    scheduled_.erase(next);
  }
}

bool Cluster::is_busy() const noexcept {
  return !admitting_.empty() || !starting_.empty() || (config_.kubelet && deleting_ > 0) || collecting_ > 0;
}

void Cluster::schedule_all(std::map<std::pair<Time, std::string>, ClusterAction>& collected) {
  for (auto& [due, action] : collected) schedule(due.first, std::move(action));
  collected.clear();
}

std::string Cluster::still_there(Time due, const ClusterAction& action, std::size_t i) const {
  std::string key = action.ns + "/" + action.pods[i];
  const auto it = pods_.find(key);
  if (it == pods_.end() || it->second.pod->uid != action.uids[i]) return {};
  // Nobody sees to a pod on a lost node, but the one who evicts it; and it may have come back and be lost again.
  if (it->second.lost != (action.kind == Kind::EvictPods)) return {};
  if (action.kind == Kind::EvictPods && (it->second.evict != due || it->second.pod->deletion)) return {};
  // A pod that has stopped running in between, or is stopped, ends at another time or not at all.
  if (action.kind == Kind::FinishPods && (it->second.finish != due || it->second.pod->deletion)) return {};
  return key;
}

std::optional<Time> Cluster::next_due() const noexcept {
  if (scheduled_.empty()) return std::nullopt;
  return scheduled_.begin()->first.first;
}

std::vector<Cluster::Upcoming> Cluster::upcoming() const {
  std::vector<Upcoming> list;
  for (const auto& [key, action] : scheduled_) {
    ClusterAction left = action;
    left.pods.clear();
    left.uids.clear();
    for (std::size_t i = 0; i < action.pods.size(); ++i) {
      if (still_there(key.first, action, i).empty()) continue;
      left.pods.push_back(action.pods[i]);
      left.uids.push_back(action.uids[i]);
    }
    if (action.pods.empty() || !left.pods.empty()) list.push_back({key.first, std::move(left)});
  }
  return list;
}

ClusterAction Cluster::act(Time now) {
  PUMICE_CHECK(!scheduled_.empty() && scheduled_.begin()->first.first <= now);
  const Time due = scheduled_.begin()->first.first;
  ClusterAction action = std::move(scheduled_.extract(scheduled_.begin()).mapped());
  const std::string group_key = action.ns + "/" + action.pod_group;
  const auto group = groups_.find(group_key);
  const bool of_group = action.kind == Kind::AdmitPodGroup || action.kind == Kind::StartPods;
  PUMICE_CHECK(!of_group || group != groups_.end());
  const std::string job_key = of_group ? action.ns + "/" + group->second.owners.front().name : std::string();
  switch (action.kind) {
    case Kind::AdmitPodGroup:
      admitting_.erase(job_key);
      if (!group->second.ready()) set_pod_group_phase(group_key, PodGroupPhase::Inqueue);
      break;
    case Kind::StartPods: {
      starting_.erase(job_key);
      if (!gang(group->second).complete) break;
      if (group->second.phase == PodGroupPhase::Inqueue) set_pod_group_phase(group_key, PodGroupPhase::Running);
      for (const TaskMembers& task : members_.at(job_key)) {
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
        const std::string key = still_there(due, action, i);
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
        const std::string key = still_there(due, action, i);
        if (key.empty()) continue;
        done.push_back(action.pods[i]);
        set_pod_phase(key, PodPhase::Succeeded, 0, "", now);
      }
      action.pods = std::move(done);
      break;
    }
    case Kind::EvictPods: {
      std::vector<std::string> evicted;
      for (std::size_t i = 0; i < action.pods.size(); ++i) {
        const std::string key = still_there(due, action, i);
        if (key.empty()) continue;
        evicted.push_back(action.pods[i]);
        delete_pod(key, now);
      }
      action.pods = std::move(evicted);
      break;
    }
    case Kind::CollectJob:
      --collecting_;
      collect_job(action.ns + "/" + action.job, action.owner_uid, now);
      break;
  }
  action.uids.clear();
  return action;
}

}  // namespace pumice
