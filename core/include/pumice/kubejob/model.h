// The batch/v1 Job and its pods, as far as the controller reads and writes them (spec/k8s-job.md 2, 4, 7.4).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pumice/json.h"
#include "pumice/model/meta.h"
#include "pumice/model/pod_phase.h"
#include "pumice/time.h"

namespace pumice::kubejob {

struct SelectorRequirement {
  std::string key;
  std::string op;  ///< `In`, `NotIn`, `Exists`, `DoesNotExist`; any other makes the selector unusable
  std::vector<std::string> values;

  friend bool operator==(const SelectorRequirement&, const SelectorRequirement&) = default;
};

struct LabelSelector {
  StringMap match_labels;
  std::vector<SelectorRequirement> match_expressions;

  [[nodiscard]] bool is_usable() const noexcept;
  [[nodiscard]] bool matches(const StringMap& labels) const;
  /// `app=a,tier in (b,c),!debug`: equal selectors have equal texts.
  [[nodiscard]] std::string text() const;
  friend bool operator==(const LabelSelector&, const LabelSelector&) = default;
};

struct ExitCodeRequirement {
  std::optional<std::string> container_name;
  std::string op;
  std::vector<std::int32_t> values;

  friend bool operator==(const ExitCodeRequirement&, const ExitCodeRequirement&) = default;
};

struct PodConditionPattern {
  std::string type;
  std::string status;

  friend bool operator==(const PodConditionPattern&, const PodConditionPattern&) = default;
};

struct FailureRule {
  std::string action;
  std::optional<ExitCodeRequirement> on_exit_codes;
  std::vector<PodConditionPattern> on_pod_conditions;

  friend bool operator==(const FailureRule&, const FailureRule&) = default;
};
using FailurePolicy = std::vector<FailureRule>;

struct SuccessRule {
  std::optional<std::string> succeeded_indexes;
  std::optional<std::int32_t> succeeded_count;

  friend bool operator==(const SuccessRule&, const SuccessRule&) = default;
};
using SuccessPolicy = std::vector<SuccessRule>;

/// Members hold what is written. `set_defaults` (defaults.h) fills in what the API server would.
struct JobSpec {
  std::optional<std::int32_t> parallelism;
  std::optional<std::int32_t> completions;
  std::optional<std::int64_t> active_deadline_seconds;
  std::optional<FailurePolicy> pod_failure_policy;
  std::optional<SuccessPolicy> success_policy;
  std::optional<std::int32_t> backoff_limit;
  std::optional<std::int32_t> backoff_limit_per_index;
  std::optional<std::int32_t> max_failed_indexes;
  std::optional<LabelSelector> selector;
  std::optional<bool> manual_selector;
  Json pod_template;  ///< `template`, untouched; null if absent
  std::optional<std::int32_t> ttl_seconds_after_finished;
  std::string completion_mode;  ///< empty counts as `NonIndexed`
  std::optional<bool> suspend;
  std::string pod_replacement_policy;
  std::optional<std::string> managed_by;

  [[nodiscard]] bool is_indexed() const noexcept { return completion_mode == "Indexed"; }
  [[nodiscard]] bool is_suspended() const noexcept { return suspend.value_or(false); }
  friend bool operator==(const JobSpec&, const JobSpec&) = default;
};

struct Condition {
  std::string type;
  std::string status;  ///< `True`, `False`, `Unknown`
  std::optional<Time> last_probe;
  std::optional<Time> last_transition;
  std::string reason;
  std::string message;

  [[nodiscard]] bool is_true() const noexcept { return status == "True"; }
  friend bool operator==(const Condition&, const Condition&) = default;
};

/// Ended pods that are registered, but not yet in the counters. By uid.
struct UncountedPods {
  std::vector<std::string> succeeded;
  std::vector<std::string> failed;

  [[nodiscard]] bool empty() const noexcept { return succeeded.empty() && failed.empty(); }
  friend bool operator==(const UncountedPods&, const UncountedPods&) = default;
};

struct JobStatus {
  std::vector<Condition> conditions;
  std::optional<Time> start_time;
  std::optional<Time> completion_time;
  std::int32_t active = 0;
  std::optional<std::int32_t> ready;
  std::optional<std::int32_t> terminating;
  std::int32_t succeeded = 0;
  std::int32_t failed = 0;
  std::string completed_indexes;
  std::optional<std::string> failed_indexes;
  std::optional<UncountedPods> uncounted;

  /// The first True condition of this type, or nullptr: a False one counts nowhere (spec 6.1).
  [[nodiscard]] const Condition* find_true(std::string_view type) const noexcept;
  /// The first True `Complete` or `Failed`, or nullptr.
  [[nodiscard]] const Condition* finished() const noexcept;
  friend bool operator==(const JobStatus&, const JobStatus&) = default;
};

/// The spec is shared and never changed in place.
struct Job {
  ObjectMeta meta;
  std::int64_t generation = 0;
  std::vector<std::string> finalizers;
  std::shared_ptr<const JobSpec> spec = std::make_shared<const JobSpec>();
  JobStatus status;

  [[nodiscard]] std::string key() const { return meta.ns + "/" + meta.name; }
};
using JobPtr = std::shared_ptr<const Job>;

struct ContainerStatus {
  std::string name;
  std::int32_t restart_count = 0;
  bool terminated = false;
  std::int32_t exit_code = 0;    ///< while terminated
  std::optional<Time> finished;  ///< while terminated

  friend bool operator==(const ContainerStatus&, const ContainerStatus&) = default;
};

struct PodCondition {
  std::string type;
  std::string status;
  std::optional<Time> last_transition;

  friend bool operator==(const PodCondition&, const PodCondition&) = default;
};

/// `spec` is shared by all pods that are made from one version of a template; what tells them apart has members.
struct Pod {
  ObjectMeta meta;
  std::string generate_name;
  std::vector<std::string> finalizers;
  std::optional<std::int64_t> deletion_grace_seconds;
  std::string node;      ///< `spec.nodeName`
  std::string hostname;  ///< `spec.hostname`
  std::shared_ptr<const Json> spec;
  PodPhase phase = PodPhase::Pending;
  std::vector<PodCondition> conditions;
  std::vector<ContainerStatus> containers;
  std::vector<ContainerStatus> init_containers;
  std::vector<std::string> restartable_init;  ///< names of init containers with `restartPolicy: Always` (sidecars)

  [[nodiscard]] std::string key() const { return meta.ns + "/" + meta.name; }
  [[nodiscard]] const OwnerReference* controller() const noexcept;
  [[nodiscard]] const PodCondition* condition(std::string_view type) const noexcept;
  [[nodiscard]] bool is_tracked() const noexcept;  ///< carries the tracking finalizer
  friend bool operator==(const Pod&, const Pod&) = default;
};
using PodPtr = std::shared_ptr<const Pod>;

[[nodiscard]] const OwnerReference* controller_of(const ObjectMeta& meta) noexcept;

}  // namespace pumice::kubejob
