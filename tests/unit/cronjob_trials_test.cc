// Random looks of the three controllers against their plain version.
#include <catch2/catch_test_macros.hpp>
#include <cstdio>

#include "support/cronjob_trials.h"

namespace pumice::test {
namespace {

TEST_CASE("random looks at CronJobs", "[cronjob][random]") {
  const std::uint64_t seed = seed_from_environment();
  std::printf("CronJob trials with PUMICE_SEED=%llu\n", static_cast<unsigned long long>(seed));
  const CronJobCampaign campaign = run_cronjob_campaign(seed, 6000);
  for (const std::string& failure : campaign.failures) FAIL_CHECK(failure);
  CHECK(campaign.started > campaign.looks / 10);  // the trials are about something
}

}  // namespace
}  // namespace pumice::test
