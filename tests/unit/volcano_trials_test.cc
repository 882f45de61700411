// A short run of what pumice_campaign does at length, with another seed each time.
#include <catch2/catch_test_macros.hpp>

#include <cstdio>
#include <cstdlib>
#include <random>

#include "support/prng.h"
#include "support/volcano_trials.h"

namespace pumice::test {
namespace {

/// `PUMICE_SEED` if it is set, else a fresh one.
std::uint64_t fresh_seed() {
  return std::getenv("PUMICE_SEED") != nullptr ? seed_from_environment() : std::random_device{}();
}

TEST_CASE("random lives of jobs on a cluster with faults", "[faults]") {
  const std::uint64_t seed = fresh_seed();
  std::printf("random lives of jobs: seed %llu\n", static_cast<unsigned long long>(seed));
  const VolcanoCampaign campaign = run_volcano_campaign(seed, 0, 60);
  for (const std::string& failure : campaign.failures) FAIL_CHECK(failure);
  CHECK(campaign.trials == 60);
  CHECK(campaign.sum.steps > 600);
  CHECK(campaign.sum.faults > 60);
  CHECK(campaign.sum.restarts > 10);
  CHECK(campaign.sum.quiet > 10);
}

TEST_CASE("a life is told by its seed", "[faults]") {
  for (std::uint64_t seed = 1; seed <= 8; ++seed)
    CHECK(run_volcano_trial(seed).history == run_volcano_trial(seed).history);
}

}  // namespace
}  // namespace pumice::test
