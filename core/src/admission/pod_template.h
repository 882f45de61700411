// A pod template as Kubernetes checks it (spec/volcano-admission.md 3.3): the rules that users meet, in the original's
// order and words. Defaults count as given, although the template itself stays as it is.
//
// Not looked at: the insides of volumes other than emptyDir, hostPath, secret, configMap, downwardAPI, nfs, csi,
// persistentVolumeClaim, projected and ephemeral; rules for Windows; seccomp and AppArmor annotations.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "admission/findings.h"
#include "admission/path.h"
#include "admission/view.h"

namespace pumice::admission {

/// What newer clusters allow to users of their own kinds, and not inside Volcano's webhook.
struct PodOptions {
  bool pod_level_resources = true;
  bool relaxed_env_names = false;
  bool relaxed_dns_search = false;
  bool zero_sleep = false;
};

/// `pod_template` has `metadata` and `spec`.
void check_pod_template(Findings& out, View pod_template, const Path& path, const PodOptions& options);

/// The text of a quantity that may be written as a string or as a number.
[[nodiscard]] std::string quantity_text(View quantity);

// Parts, in pod_containers.cc, pod_volumes.cc and pod_resources.cc.

/// What containers need to know of their pod.
struct PodContext {
  View spec;
  PodOptions options;
  std::set<std::string_view> claims;  ///< names of `spec.resourceClaims`
  /// Those of `spec.volumes` that are in order, by name. Others count as missing.
  std::map<std::string_view, View> volumes{};
  std::int64_t grace_period = 0;
  bool never_restarts = false;
};

/// A path inside a volume: relative, and not leading out of it.
void check_sub_path(Findings& out, RuleRef rule, std::string_view text, const Path& path);
void check_volumes(Findings& out, PodContext& pod, const Path& path);
void check_containers(Findings& out, const PodContext& pod, const Path& path);
void check_init_containers(Findings& out, const PodContext& pod, const Path& path);
void check_ephemeral_containers(Findings& out, const PodContext& pod, const Path& path);

/// Whose resources are checked: the names that are allowed differ.
enum class ResourcesOf : std::uint8_t { Container, Pod };
void check_resources(Findings& out, View resources, ResourcesOf whose, const PodContext& pod, const Path& path);
void check_pod_resources(Findings& out, const PodContext& pod, const Path& path);

}  // namespace pumice::admission
