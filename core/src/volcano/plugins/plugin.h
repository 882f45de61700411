// One plugin: what it adds to pods and which objects it makes. A table of these is all that the rest knows.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pumice/volcano/plugins.h"
#include "volcano/plugins/arguments.h"

namespace pumice::volcano {

/// The pod that a plugin is asked about.
struct PodPlace {
  const Job& job;
  const TaskSpec& task;
  std::int32_t index;
  Json& pod;   ///< whole
  Json& spec;  ///< its spec
  Quirks quirks;
};

struct Plugin {
  std::string_view name;
  std::span<const Option> options;
  /// OnPodCreate; returns what went wrong. Absent: nothing is added.
  std::string (*add_to_pod)(const PodPlace& place, const Arguments& arguments);
  /// Appends what OnJobAdd makes. Absent: nothing is made.
  void (*make_objects)(const Job& job, const Arguments& arguments, Quirks quirks, std::vector<PluginObject>& objects);
  bool marks = true;           ///< notes itself in `controlledResources`
  bool updates_first = false;  ///< OnJobUpdate brings the first object up to date
};
[[nodiscard]] const Plugin* find_plugin(std::string_view name) noexcept;

// The host names that the plugins hand out.

/// The task of that name, or nullptr.
[[nodiscard]] const TaskSpec* find_task(const JobSpec& spec, std::string_view name) noexcept;
/// `<hostname>.<subdomain>` of a pod, where the template's own names come first.
[[nodiscard]] std::string host_of(const Job& job, const TaskSpec& task, std::int32_t index);
[[nodiscard]] std::string host_name_of(const Job& job, const TaskSpec& task, std::int32_t index);
/// Number of distinct hosts: all replicas of a template with a host name of its own share one.
[[nodiscard]] std::int32_t host_count(const TaskSpec& task) noexcept;
/// The hosts of a task, with `separator` between them.
[[nodiscard]] std::string joined_hosts(const Job& job, const TaskSpec& task, char separator);

/// An object of the job's, with an owner reference; `members` are added to it.
[[nodiscard]] ApiObject owned_object(const Job& job, ObjectType type, std::string_view api_version,
                                     const std::string& name, std::initializer_list<JsonMember> members);
/// The labels by which services and network policies find the pods of a job.
[[nodiscard]] Json job_labels(const Job& job);

extern const Plugin kEnvPlugin;
extern const Plugin kHcclrankPlugin;
extern const Plugin kMpiPlugin;
extern const Plugin kPytorchPlugin;
extern const Plugin kRayPlugin;
extern const Plugin kSshPlugin;
extern const Plugin kSvcPlugin;
extern const Plugin kTensorflowPlugin;

}  // namespace pumice::volcano
