// The Volcano Job: `apiVersion: batch.volcano.sh/v1alpha1`, `kind: Job` (spec/volcano-job.md 1.1 - 1.5).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pumice/json.h"
#include "pumice/model/meta.h"
#include "pumice/model/pod_phase.h"
#include "pumice/model/shared_map.h"
#include "pumice/volcano/names.h"

namespace pumice {

struct LifecyclePolicy {
  volcano::ActionName action;
  volcano::EventName event;                ///< `None` if absent
  std::vector<volcano::EventName> events;  ///< the effective set is `events` plus `event`
  std::optional<std::int32_t> exit_code;
  std::optional<Duration> timeout;  ///< presence matters, even of `0s` (spec 1.4)

  friend bool operator==(const LifecyclePolicy&, const LifecyclePolicy&) = default;
};

struct DependsOn {
  std::vector<std::string> names;
  std::string iteration;  ///< `any`, `all` or anything else (as `all`)

  friend bool operator==(const DependsOn&, const DependsOn&) = default;
};

struct PartitionPolicy {
  std::int32_t total_partitions = 0;
  std::int32_t partition_size = 0;
  std::int32_t min_partitions = 0;
  Json network_topology;  ///< null if absent

  friend bool operator==(const PartitionPolicy&, const PartitionPolicy&) = default;
};

struct TaskSpec {
  std::string name;
  std::int32_t replicas = 0;
  std::optional<std::int32_t> min_available;
  std::vector<LifecyclePolicy> policies;
  std::string topology_policy;
  std::int32_t max_retry = 0;
  std::optional<DependsOn> depends_on;
  std::optional<PartitionPolicy> partition_policy;
  Json pod_template;  ///< `template`, untouched

  friend bool operator==(const TaskSpec&, const TaskSpec&) = default;
};

struct VolumeSpec {
  std::string mount_path;
  std::string volume_claim_name;
  Json volume_claim;  ///< null if absent

  friend bool operator==(const VolumeSpec&, const VolumeSpec&) = default;
};

struct JobSpec {
  std::string scheduler_name;
  std::int32_t min_available = 0;
  std::vector<VolumeSpec> volumes;
  std::vector<TaskSpec> tasks;
  std::vector<LifecyclePolicy> policies;
  std::map<std::string, std::vector<std::string>> plugins;
  std::optional<Duration> running_estimate;  ///< not used by the controller
  std::string queue;
  std::int32_t max_retry = 0;
  std::optional<std::int32_t> ttl_seconds_after_finished;
  std::string priority_class_name;
  std::optional<std::int32_t> min_success;
  Json network_topology;  ///< null if absent

  friend bool operator==(const JobSpec&, const JobSpec&) = default;
};

/// Pods of one task by phase, as `status.taskStatusCount[task].phase` holds them. Zero counts are not printed.
struct PhaseCounts {
  std::array<std::int32_t, kPodPhaseCount> by_phase{};

  [[nodiscard]] std::int32_t& operator[](PodPhase phase) noexcept { return by_phase[static_cast<std::size_t>(phase)]; }
  [[nodiscard]] std::int32_t operator[](PodPhase phase) const noexcept {
    return by_phase[static_cast<std::size_t>(phase)];
  }
  friend bool operator==(const PhaseCounts&, const PhaseCounts&) = default;
};

using TaskCounts = SharedMap<std::string, PhaseCounts>;

struct JobCondition {
  volcano::PhaseName status;
  std::optional<Time> last_transition;

  friend bool operator==(const JobCondition&, const JobCondition&) = default;
};

struct JobStatus {
  volcano::PhaseName phase;  ///< `state.phase`
  std::optional<Time> last_transition;
  std::string reason;
  std::string message;
  std::int32_t min_available = 0;
  TaskCounts task_counts;  ///< `taskStatusCount`; an entry may hold only zeros
  std::int32_t pending = 0;
  std::int32_t running = 0;
  std::int32_t succeeded = 0;
  std::int32_t failed = 0;
  std::int32_t unknown = 0;
  std::int32_t terminating = 0;
  std::int32_t version = 0;
  std::int32_t retry_count = 0;
  std::optional<Duration> running_duration;
  StringMap controlled_resources;
  std::vector<JobCondition> conditions;

  friend bool operator==(const JobStatus&, const JobStatus&) = default;
};

/// The spec is shared and never changed in place: a new version of a job has a new spec object or the same one.
struct Job {
  ObjectMeta meta;
  std::shared_ptr<const JobSpec> spec = std::make_shared<const JobSpec>();
  JobStatus status;

  [[nodiscard]] std::string key() const { return meta.ns + "/" + meta.name; }
};

}  // namespace pumice
