// A slice of the campaign (tests/campaign): random questions, a fresh seed each run unless PUMICE_SEED names one.
#include <catch2/catch_test_macros.hpp>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "support/cron_trials.h"

namespace pumice::test {
namespace {

TEST_CASE("activations agree with a plain transcription and with a scan", "[cron]") {
  const std::uint64_t seed =
      std::getenv("PUMICE_SEED") != nullptr ? seed_from_environment() : std::uint64_t{std::random_device{}()};
  std::printf("cron trials with PUMICE_SEED=%llu\n", static_cast<unsigned long long>(seed));
  CAPTURE(seed);
  const CronCampaign campaign = run_cron_campaign(seed, 1000);
  CHECK(campaign.trials >= 1000);
  CHECK(campaign.scanned > 100);
  for (const std::string& failure : campaign.failures) FAIL_CHECK(failure);
}

}  // namespace
}  // namespace pumice::test
