// The controller's own table of jobs and their pods (spec/volcano-job.md 10), with everything a request needs kept
// counted.
//
// Upstream clones a job with all its pods for every request and walks them. Here each pod is filed by what the
// controller does with it, so that a request costs the same for ten pods and for a hundred thousand.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "pumice/model/job.h"
#include "pumice/model/pod.h"
#include "pumice/volcano/decide.h"
#include "pumice/volcano/index_set.h"
#include "pumice/volcano/observation.h"
#include "pumice/volcano/plugins.h"
#include "pumice/volcano/pod_group.h"
#include "pumice/volcano/transition.h"

namespace pumice::volcano {

/// The cached pods of one task (one value of the annotation `volcano.sh/task-spec`).
///
/// A pod whose name is `<job>-<task>-<index>` with an index below `replicas` has a slot; every other one is *surplus*
/// (scaled away, or a foreign name). Name is the only identity (spec 8.4).
class TaskPods {
 public:
  TaskPods() = default;
  /// `prefix` is `<job>-<task>-`; `partitioned` says whether the task has a partition policy.
  TaskPods(std::string prefix, std::int32_t replicas, bool partitioned);

  [[nodiscard]] PodPtr find(std::string_view pod_name) const;
  /// Files a pod that is not yet known under its name.
  void insert(const PodPtr& pod);
  /// Replaces the pod of that name, which must be known. A changed partition id does not move it (spec 10.2), until
  /// `refile_partitions`.
  void replace(const PodPtr& pod);
  /// What upstream does whenever the job is set: pods are indexed under the partition ids that they have now
  /// (spec 10.1). Costs as much as there are pods whose id has changed.
  void refile_partitions();
  void erase(std::string_view pod_name);

  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::int64_t size() const noexcept { return size_; }
  /// Slots without a pod, slots whose pod is marked out-of-sync and not terminating.
  [[nodiscard]] const IndexSet& missing() const noexcept { return missing_; }
  [[nodiscard]] const IndexSet& marked() const noexcept { return marked_; }
  [[nodiscard]] const std::map<std::string, PodPtr, std::less<>>& surplus() const noexcept { return surplus_; }
  /// Pods in slots that are not terminating, by phase (spec 8.4).
  [[nodiscard]] const PhaseCounts& counts() const noexcept { return counts_; }
  [[nodiscard]] std::int32_t terminating_slots() const noexcept { return terminating_slots_; }
  [[nodiscard]] std::int32_t terminating() const noexcept { return terminating_; }  ///< surplus pods included
  /// Slots that count as ready for a task that depends on this one (spec 8.6).
  [[nodiscard]] std::int32_t ready_slots() const noexcept { return ready_slots_; }
  [[nodiscard]] std::int64_t succeeded() const noexcept { return succeeded_; }  ///< all cached pods (spec 10.3)
  [[nodiscard]] std::int64_t restarts() const noexcept {
    return restarts_;
  }  ///< of Running and Pending pods (spec 10.4)

  [[nodiscard]] std::string slot_name(std::int32_t index) const { return prefix_ + std::to_string(index); }
  [[nodiscard]] const PodPtr& slot(std::int32_t index) const { return slots_[static_cast<std::size_t>(index)]; }
  /// All pods: slots by index, then surplus by name.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const PodPtr& pod : slots_)
      if (pod) visit(pod);
    for (const auto& entry : surplus_) visit(entry.second);
  }
  /// Pods that are not terminating and whose phase is not retained, in the same order; skips the others at no cost.
  [[nodiscard]] std::vector<PodPtr> killable(Retain retain) const;
  /// Pods of one partition by name; empty if there is none.
  [[nodiscard]] std::vector<PodPtr> partition(const std::string& id) const;

 private:
  [[nodiscard]] std::int32_t slot_of(std::string_view pod_name) const noexcept;
  void file(const Pod& pod, std::int32_t slot, int sign);
  void unindex(const std::string& pod_name, const std::string& id);

  std::string prefix_;
  bool partitioned_ = false;
  std::vector<PodPtr> slots_;
  std::map<std::string, PodPtr, std::less<>> surplus_;
  std::map<std::string, std::set<std::string>> partitions_;
  std::map<std::string, std::string> moved_;  ///< pods that are indexed under another id than theirs: under which
  IndexSet missing_;
  IndexSet marked_;
  std::array<IndexSet, kPodPhaseCount> live_;  ///< slots not terminating, by phase
  PhaseCounts counts_;
  std::int64_t size_ = 0;
  std::int64_t succeeded_ = 0;
  std::int64_t restarts_ = 0;
  std::int32_t terminating_slots_ = 0;
  std::int32_t terminating_ = 0;
  std::int32_t ready_slots_ = 0;
};

/// One entry: a job and its pods; either may be missing (spec 1.11).
struct JobInfo {
  std::string ns;
  std::string name;
  JobPtr job;  ///< null before the job was seen and after it was deleted
  /// `status.version` as the controller holds it in memory: ahead of the stored one after a kill that failed
  /// (spec 9.3).
  std::int32_t version = 0;
  std::shared_ptr<const PolicyTable> policies;
  SpecTotals totals;
  // Made when they are needed, and kept while spec and uid are the same:
  std::optional<GroupFields> group;                       ///< of the PodGroup that the job should have (spec 8.3)
  std::optional<std::vector<PluginObject>> made;          ///< what the plugins make for it (spec 8.2.1)
  std::shared_ptr<const PodOrigin> origin;                ///< of the pods made last
  std::optional<TaskCounts> task_counts;                  ///< of `tasks`; absent if pods have changed since
  std::vector<TaskPods> tasks;                            ///< one for each task of the spec, in its order
  std::map<std::string, TaskPods, std::less<>> unlisted;  ///< pods of tasks that the spec does not have
  /// Pods of an earlier job of this name, by name, where they do not count (quirk leftovers-counted off).
  std::map<std::string, PodPtr, std::less<>> leftovers;

  [[nodiscard]] const TaskPods* find_task(std::string_view task) const noexcept;
  [[nodiscard]] bool has_pods() const noexcept;
};

/// Operations return false where the specification says "error"; such errors are ignored by the callbacks (spec 3).
class JobCache {
 public:
  explicit JobCache(Quirks quirks = kVolcanoQuirks) noexcept : quirks_(quirks) {}

  /// The entry with a job, or nullptr (not found, or not ready; spec 10.1).
  [[nodiscard]] const JobInfo* get(const std::string& key) const;
  /// The entry, with or without a job.
  [[nodiscard]] const JobInfo* entry(const std::string& key) const;

  /// What plugins make for a job. Precondition: the job is there.
  [[nodiscard]] std::vector<PluginObject>& plugin_objects_of(const std::string& key);
  /// Precondition: the job is there.
  [[nodiscard]] const GroupFields& group_fields(const std::string& key);
  /// What new pods of a job are made of: shared with the pods before them if none of it has changed.
  [[nodiscard]] std::shared_ptr<const PodOrigin> origin_for(const std::string& key, PodOrigin origin);
  /// Priorities count for the PodGroup's least resources. An absent value takes the class away.
  void set_priority_class(const std::string& name, std::optional<std::int32_t> value);

  bool add_job(const JobPtr& job);
  bool update_job(const JobPtr& job);
  bool delete_job(const std::string& key);
  /// The pod of that name and task; of whatever task if that is empty. Null: there is none.
  [[nodiscard]] static PodPtr find_pod(const JobInfo& info, std::string_view task, std::string_view pod);
  /// Spec 9.3: the version grows in memory first.
  void bump_version(const std::string& key);

  bool add_pod(const PodPtr& pod);
  bool update_pod(const PodPtr& pod);
  bool delete_pod(const Pod& pod);
  [[nodiscard]] bool has_pod(const Pod& pod) const;

  /// What `status.taskStatusCount` should say of the cached pods (spec 8.4): tasks without pods have no entry.
  /// Precondition: the job is there. Most requests find no change, so the answer is kept.
  [[nodiscard]] const TaskCounts& task_counts(const std::string& key);
  [[nodiscard]] bool task_completed(const std::string& key, std::string_view task) const;  ///< spec 10.3
  [[nodiscard]] bool task_failed(const std::string& key, std::string_view task) const;     ///< spec 10.4

 private:
  void set_job(JobInfo& info, const JobPtr& job);
  TaskPods& task_for(JobInfo& info, const std::string& task);
  void remove_if_dead(const std::string& key);
  [[nodiscard]] bool is_leftover(const JobInfo& info, const Pod& pod) const noexcept;
  Quirks quirks_;
  std::map<std::string, JobInfo> entries_;
  std::map<std::string, std::int32_t> priority_classes_;
};

/// Key of the job that a pod belongs to, by its annotation; absent without one (spec 10.2).
[[nodiscard]] std::optional<std::string> job_key_of(const Pod& pod);

}  // namespace pumice::volcano
