// A short run of what pumice_campaign does at length.
#include <catch2/catch_test_macros.hpp>

#include "support/kubejob_trials.h"
#include "support/prng.h"

namespace pumice::test {
namespace {

TEST_CASE("random lives of a job keep its books", "[kubejob]") {
  const JobCampaign campaign = run_job_campaign(seed_from_environment(), 400);
  for (const std::string& failure : campaign.failures) FAIL_CHECK(failure);
  CHECK(campaign.trials == 400);
  // All that may go wrong has gone wrong, and every end was reached.
  CHECK(campaign.faults > 100);
  CHECK(campaign.restarts > 100);
  CHECK(campaign.completed > 20);
  CHECK(campaign.failed > 20);
  CHECK(campaign.deleted > 0);
}

TEST_CASE("a life is told by its seed", "[kubejob]") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) CHECK(run_job_trial(seed).history == run_job_trial(seed).history);
}

}  // namespace
}  // namespace pumice::test
