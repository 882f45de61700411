#include "pumice/version.h"

#include <array>

#ifndef PUMICE_VERSION
#error "PUMICE_VERSION is set by the build from the project's version"
#endif

namespace pumice {

std::string_view version() noexcept { return PUMICE_VERSION; }

std::span<const Profile> profiles() noexcept {
  static constexpr std::array kProfiles{Profile{"volcano", "Volcano's batch Job controller at ed72c7c815a9"}};
  return kProfiles;
}

std::span<const Profile> cronjob_profiles() noexcept {
  static constexpr std::array kProfiles{
      Profile{"cronjob", "Kubernetes' CronJob controller (v2), about 1.36"},
      Profile{"cronjob-legacy", "Kubernetes' CronJob controller before 1.21, which polls"},
      Profile{"volcano-cronjob", "Volcano's CronJob controller at ed72c7c815a9"}};
  return kProfiles;
}

}  // namespace pumice
