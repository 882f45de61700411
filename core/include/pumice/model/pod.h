// Pod, PodGroup and Command as far as the Volcano controller reads them (spec/volcano-job.md 1.6, 1.7, 1.9).
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pumice/model/meta.h"
#include "pumice/model/pod_phase.h"
#include "pumice/model/shared_json.h"
#include "pumice/model/shared_map.h"
#include "pumice/volcano/names.h"
#include "pumice/volcano/profile.h"

namespace pumice {

struct Job;

struct ContainerStatus {
  std::string name;
  bool ready = false;
  std::int32_t restart_count = 0;
  std::optional<std::int32_t> exit_code;  ///< present while the container is terminated

  friend bool operator==(const ContainerStatus&, const ContainerStatus&) = default;
};

/// What a pod of the controller's is made of; all pods of one sync share it. The whole object is written down when
/// someone asks (volcano/pod_object.h), so that a hundred thousand pods do not hold a hundred thousand templates.
struct PodOrigin {
  std::shared_ptr<const Job> job;  ///< as it was then
  std::int32_t version = 0;        ///< `status.version` and `status.retryCount` as the controller held them
  std::int32_t retry_count = 0;
  bool forwarding = false;                           ///< the queue has extend clusters (spec 8.1)
  volcano::Quirks quirks = volcano::kVolcanoQuirks;  ///< of the controller that made it
};

/// A pod of a Volcano Job. The members `job_name`, `task_name`, `job_version` and `partition_id` are its annotations
/// and label; an absent optional is a missing annotation.
struct Pod {
  std::string ns;
  std::string name;
  std::string uid;
  std::uint64_t resource_version = 0;
  std::string owner_uid;  ///< uid of the controlling Job
  bool owned_by_job = false;
  std::optional<std::string> job_name;
  std::optional<std::string> task_name;
  std::optional<std::string> job_version;  ///< as written: it may fail to parse
  bool out_of_sync = false;                ///< marked as being replaced by the controller
  std::string partition_id;
  std::optional<Time> deletion;
  PodPhase phase = PodPhase::Pending;
  std::vector<ContainerStatus> containers;
  std::int32_t init_restarts = 0;  ///< sum over the init containers
  // Where the rest of the object comes from: the controller's template, or what was read.
  std::shared_ptr<const PodOrigin> origin;
  std::int32_t task_index = 0;  ///< within the job's tasks; with `origin` only
  std::int32_t index = 0;       ///< within its task; with `origin` only
  SharedJson object;

  /// `containerStatuses[0].state.terminated.exitCode`, 0 if there is none (spec 3.4).
  [[nodiscard]] std::int32_t exit_code() const noexcept {
    return containers.empty() ? 0 : containers.front().exit_code.value_or(0);
  }
  /// Container restarts, init containers included (spec 10.4).
  [[nodiscard]] std::int32_t restarts() const noexcept;
  /// Restarts of one container, of the first if `container` is empty; 0 if it has not run.
  [[nodiscard]] std::int32_t restarts_of(std::string_view container) const noexcept;
  [[nodiscard]] bool all_ready() const noexcept;
  friend bool operator==(const Pod&, const Pod&) = default;
};

/// Pods are immutable once published: store, watch events and caches share one object.
using PodPtr = std::shared_ptr<const Pod>;

enum class PodGroupPhase : std::uint8_t { None, Pending, Inqueue, Running, Unknown, Completed, Other };
[[nodiscard]] std::string_view to_string(PodGroupPhase phase) noexcept;
[[nodiscard]] PodGroupPhase pod_group_phase_from(std::string_view text) noexcept;

struct PodGroupCondition {
  std::string type;  ///< `Scheduled`, `Unschedulable`
  bool is_true = false;
  std::optional<Time> last_transition;
  std::string reason;
  std::string message;

  friend bool operator==(const PodGroupCondition&, const PodGroupCondition&) = default;
};

struct PodGroup {
  std::string ns;
  std::string name;
  std::uint64_t resource_version = 0;
  std::vector<OwnerReference> owners;
  StringMap labels;
  StringMap annotations;
  std::int32_t min_member = 0;
  SharedMap<std::string, std::int32_t> min_task_member;
  std::string queue;
  std::string priority_class_name;
  SharedJson min_resources;     ///< resource name -> quantity
  SharedJson network_topology;  ///< as `spec.networkTopology`
  SharedJson sub_groups;        ///< as `spec.subGroupPolicy`, a list
  PodGroupPhase phase = PodGroupPhase::None;
  std::vector<PodGroupCondition> conditions;

  /// Pods are created only once the scheduler has taken the group in (spec 8.1 step 6).
  [[nodiscard]] bool ready() const noexcept { return phase != PodGroupPhase::None && phase != PodGroupPhase::Pending; }
  friend bool operator==(const PodGroup&, const PodGroup&) = default;
};

struct Command {
  std::string ns;
  std::string name;
  volcano::ActionName action;
  std::optional<OwnerReference> target;

  friend bool operator==(const Command&, const Command&) = default;
};

}  // namespace pumice
