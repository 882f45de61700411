#include "pumice/version.h"

#include <array>

#ifndef PUMICE_VERSION
#error "PUMICE_VERSION is set by the build from the project's version"
#endif

namespace pumice {
namespace {

constexpr std::array kProfiles{
    ProfileInfo{"volcano", "Volcano's batch Job controller at ed72c7c815a9"},
    ProfileInfo{"volcano-classic", "Volcano's batch Job controller as it was before it marked pods"},
    ProfileInfo{"job", "Kubernetes' Job controller, about 1.36"},
    ProfileInfo{"job-1.27", "Kubernetes' Job controller at 1.27"},
    ProfileInfo{"cronjob", "Kubernetes' CronJob controller (v2), about 1.36"},
    ProfileInfo{"cronjob-legacy", "Kubernetes' CronJob controller before 1.21, which polls"},
    ProfileInfo{"volcano-cronjob", "Volcano's CronJob controller at ed72c7c815a9"}};

}  // namespace

std::string_view version() noexcept { return PUMICE_VERSION; }

std::span<const ProfileInfo> all_profiles() noexcept { return kProfiles; }
std::span<const ProfileInfo> profiles() noexcept { return all_profiles().first(2); }
std::span<const ProfileInfo> kube_job_profiles() noexcept { return all_profiles().subspan(2, 2); }
std::span<const ProfileInfo> cronjob_profiles() noexcept { return all_profiles().subspan(4); }

}  // namespace pumice
