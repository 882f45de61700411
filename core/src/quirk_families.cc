// Every controller's table in one list.
#include "pumice/cronjob/cronjob.h"
#include "pumice/kubejob/profile.h"
#include "pumice/quirk.h"
#include "pumice/volcano/profile.h"

namespace pumice {

std::span<const QuirkFamily> quirk_families() noexcept {
  static const std::array<QuirkFamily, 3> kFamilies{
      QuirkFamily{"Volcano Job", profiles(), 0, volcano::quirk_table()},
      QuirkFamily{"Kubernetes Job", kube_job_profiles(), 2, kubejob::quirk_table()},
      QuirkFamily{"CronJob", cronjob_profiles(), 4, cronjob::quirk_table()}};
  return kFamilies;
}

}  // namespace pumice
