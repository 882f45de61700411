// Which release this is and what it imitates.
#pragma once

#include <span>
#include <string_view>

namespace pumice {

/// A controller that Pumice imitates, surprises included.
struct ProfileInfo {
  std::string_view name;      ///< as a scenario names it: `volcano`
  std::string_view imitates;  ///< the controller and the revision its behaviour was taken from
};

/// The release of Pumice: `0.1.0`.
[[nodiscard]] std::string_view version() noexcept;
/// Every profile: those of Volcano Jobs, of Kubernetes Jobs, of CronJobs.
[[nodiscard]] std::span<const ProfileInfo> all_profiles() noexcept;
/// The profiles that a simulation of Volcano Jobs knows, the default one first: `volcano::Profile`.
[[nodiscard]] std::span<const ProfileInfo> profiles() noexcept;
/// The profiles of Kubernetes Jobs: `job` and `job-1.27`.
[[nodiscard]] std::span<const ProfileInfo> kube_job_profiles() noexcept;
/// The profiles of CronJobs: `cronjob::Profile` with what each imitates.
[[nodiscard]] std::span<const ProfileInfo> cronjob_profiles() noexcept;

}  // namespace pumice
