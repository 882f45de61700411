// Random schedules in random zones at random instants, hard ones preferred: the core's answers against those of the
// oracle. One source for the unit tests and for long campaigns.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "support/prng.h"

namespace pumice::test {

/// One question. `schedule` has five fields.
struct CronTrial {
  std::string schedule;
  std::string zone;
  std::int64_t after = 0;

  [[nodiscard]] std::string text() const;
};

[[nodiscard]] CronTrial random_cron_trial(Prng& prng);

struct CronCampaign {
  std::int64_t trials = 0;
  std::int64_t scanned = 0;  ///< of those, also compared with the scan of every minute
  std::vector<std::string> failures;
};

/// Runs `count` trials, a few activations in a row each. `progress` hears of every thousandth.
[[nodiscard]] CronCampaign run_cron_campaign(std::uint64_t seed, std::int64_t count,
                                             const std::function<void(const CronCampaign&)>& progress = {});

}  // namespace pumice::test
