// Random CronJobs with jobs, and looks at them: the core's answers against those of the plain version.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "support/cronjob_oracle.h"
#include "support/prng.h"

namespace pumice::test {

[[nodiscard]] PlainInput random_look(Prng& prng);

struct CronJobCampaign {
  std::int64_t looks = 0;
  std::int64_t started = 0;  ///< of those, such that create a job
  std::vector<std::string> failures;
};

/// Takes `count` looks. `progress` hears of every thousandth.
[[nodiscard]] CronJobCampaign run_cronjob_campaign(std::uint64_t seed, std::int64_t count,
                                                   const std::function<void(const CronJobCampaign&)>& progress = {});

}  // namespace pumice::test
