// The job plugins (spec/volcano-plugins.md): what they make for a job, and what they add to its pods.
//
// Plugins of one job run in the order of their names; upstream's order is that of a hash map.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pumice/json.h"
#include "pumice/model/job.h"
#include "pumice/model/object.h"
#include "pumice/volcano/effect.h"
#include "pumice/volcano/profile.h"

namespace pumice::volcano {

/// An object that a plugin makes for a job.
struct PluginObject {
  std::string_view plugin;
  ApiObject object;
  /// What of it decides whether an object that exists is overwritten: `/data`, `/data/config`. Empty: it never is.
  std::string_view compared;
  SharedJson agrees = {};  ///< the one that existed when it was last found to be as wanted
};

/// In the order in which OnJobAdd makes them. Costs as much as there are pods: to be kept while the spec is the same.
[[nodiscard]] std::vector<PluginObject> plugin_objects(const Job& job, Quirks quirks = kVolcanoQuirks);

/// Keys for the ssh plugin.
struct SshKeys {
  std::string private_key;
  std::string public_key;
};
/// Makes new keys for a job. The core knows no randomness and no cryptography, so without one of these the keys are
/// placeholders: texts that name themselves so, derived from uid and version of the job. No ssh program accepts them.
using SshKeyGenerator = SshKeys (*)(const Job& job);
[[nodiscard]] SshKeys placeholder_keys(const Job& job);

enum class Hook : std::uint8_t { JobAdd, JobUpdate, JobDelete };

/// Effects to be carried out one after the other until one fails; then, if there is an `error`, it is the hook's.
struct HookPlan {
  std::vector<EffectBody> effects;
  std::string error;
};
/// `controlled` is `status.controlledResources`, where each plugin notes that its objects are there. It is changed as
/// if all went well; when something goes wrong the status is not written. What exists is compared once with what is
/// wanted, not each time.
[[nodiscard]] HookPlan plan_hook(Hook hook, const Job& job, std::vector<PluginObject>& wanted,
                                 const ObjectMap& existing, SshKeyGenerator generate, StringMap& controlled,
                                 Quirks quirks = kVolcanoQuirks);
/// What upstream says when such an effect fails.
[[nodiscard]] std::string hook_error(const Job& job, const EffectBody& effect, ResultCode code);

/// OnPodCreate of all plugins. Returns what went wrong, empty if nothing.
std::string add_to_pod(const Job& job, std::int32_t task, std::int32_t index, Json& pod, Quirks quirks);
/// The same question for all pods of a job at once, without building one.
[[nodiscard]] std::string pod_problem(const JobSpec& spec, const std::string& job_name);

}  // namespace pumice::volcano
