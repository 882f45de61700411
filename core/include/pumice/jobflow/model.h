// JobFlows and JobTemplates, as far as their controllers read or write them (spec/volcano-jobflow.md 1 and 2).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pumice/json.h"
#include "pumice/model/job.h"
#include "pumice/model/reader.h"

namespace pumice::jobflow {

inline constexpr std::string_view kApiVersion = "flow.volcano.sh/v1alpha1";
/// Marks of the Jobs made: labels and annotations with the values `<namespace>.<step>` and `<namespace>.<flow>`.
inline constexpr const char* kByTemplate = "volcano.sh/createdByJobTemplate";
inline constexpr const char* kByFlow = "volcano.sh/createdByJobFlow";
/// More characters than this make no label value.
inline constexpr std::size_t kLabelValueMax = 63;

enum class Phase : std::uint8_t { None, Pending, Running, Succeed, Failed, Terminating, Other };
/// `Succeed` …; empty for `None` and `Other`.
[[nodiscard]] std::string_view to_string(Phase phase) noexcept;
[[nodiscard]] Phase phase_from(std::string_view text) noexcept;

/// An entry of `spec.flows`.
struct Step {
  std::string name;                                 ///< of the step and of its JobTemplate
  std::optional<std::vector<std::string>> targets;  ///< of `dependsOn`; absent is not the same as empty
  Json probe;                                       ///< of `dependsOn`; null if absent
  Json patch;                                       ///< `patch.jobSpec`; null if absent

  friend bool operator==(const Step&, const Step&) = default;
};

struct FlowSpec {
  std::vector<Step> steps;
  std::string retain_policy;  ///< `delete`; anything else keeps the jobs

  [[nodiscard]] bool deletes_jobs() const noexcept { return retain_policy == "delete"; }
  friend bool operator==(const FlowSpec&, const FlowSpec&) = default;
};

/// How long a job was in a phase.
struct History {
  std::optional<Time> start;
  std::optional<Time> end;
  std::string state;

  friend bool operator==(const History&, const History&) = default;
};

/// An entry of `status.jobStatusList`.
struct JobEntry {
  std::string name;
  std::string state;
  Time start;
  std::optional<Time> end;
  std::int32_t restarts = 0;
  std::optional<std::vector<History>> histories;  ///< empty and absent differ (4.2)

  friend bool operator==(const JobEntry&, const JobEntry&) = default;
};

/// An entry of `status.conditions`.
struct FlowCondition {
  std::string phase;
  Time creation;
  std::optional<Duration> running_duration;
  TaskCounts task_counts;

  friend bool operator==(const FlowCondition&, const FlowCondition&) = default;
};

struct FlowStatus {
  std::vector<std::string> pending;
  std::vector<std::string> running;
  std::vector<std::string> failed;
  std::vector<std::string> completed;
  std::vector<std::string> terminated;
  std::vector<std::string> unknown;  ///< `unKnowJobs`
  std::vector<JobEntry> jobs;        ///< `jobStatusList`
  std::map<std::string, FlowCondition> conditions;
  std::string phase;  ///< `state.phase`

  friend bool operator==(const FlowStatus&, const FlowStatus&) = default;
};

struct JobFlow {
  ObjectMeta meta;
  std::shared_ptr<const FlowSpec> spec = std::make_shared<const FlowSpec>();
  FlowStatus status;

  [[nodiscard]] std::string key() const { return meta.ns + "/" + meta.name; }
};
using FlowPtr = std::shared_ptr<const JobFlow>;

struct JobTemplate {
  ObjectMeta meta;
  std::shared_ptr<const JobSpec> spec = std::make_shared<const JobSpec>();
  std::vector<std::string> jobs;  ///< `status.jobDependsOnList`

  [[nodiscard]] std::string key() const { return meta.ns + "/" + meta.name; }
};
using TemplatePtr = std::shared_ptr<const JobTemplate>;

using JobPtr = std::shared_ptr<const Job>;

/// `<flow>-<step>`.
[[nodiscard]] std::string job_name(std::string_view flow, std::string_view step);
/// `<namespace>.<name>`, the value of a mark.
[[nodiscard]] std::string mark(std::string_view ns, std::string_view name);
/// The value of a mark of a job; empty if it has none.
[[nodiscard]] std::string_view mark_of(const Job& job, const char* name) noexcept;

/// The Job of a step: marked, owned by the flow, with the template's spec as it is (2).
[[nodiscard]] Job job_of(const JobFlow& flow, const Step& step, const JobTemplate& job_template);
/// The same with `patch.jobSpec` merged over the template's spec, as a fix might do it.
[[nodiscard]] Job patched_job_of(const JobFlow& flow, const Step& step, const JobTemplate& job_template);

// Reading and writing, as model/reader.h.

[[nodiscard]] bool is_job_flow(const ObjectHeader& header) noexcept;
[[nodiscard]] bool is_job_template(const ObjectHeader& header) noexcept;
[[nodiscard]] Result<JobFlow> read_flow(const YamlNode& object, std::string_view file = {},
                                        ReadMode mode = ReadMode::Manifest);
[[nodiscard]] Result<JobTemplate> read_template(const YamlNode& object, std::string_view file = {},
                                                ReadMode mode = ReadMode::Manifest);
[[nodiscard]] Json to_json(const JobFlow& flow);
[[nodiscard]] Json to_json(const JobTemplate& job_template);
[[nodiscard]] Json status_to_json(const FlowStatus& status);

}  // namespace pumice::jobflow
