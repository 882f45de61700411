// Random lives of a batch/v1 Job in its cluster.
#include <catch2/catch_test_macros.hpp>

#include "support/kubeworld_trials.h"

namespace pumice::test {
namespace {

TEST_CASE("nothing is counted twice, and everything comes to an end", "[kubeworld]") {
  const WorldCampaign campaign = run_world_campaign(20'260'302, 150);
  for (const std::string& failure : campaign.failures) FAIL_CHECK(failure);
  CHECK(campaign.trials == 150);
  // What the trials are made of.
  CHECK(campaign.completed > 10);
  CHECK(campaign.failed > 10);
  CHECK(campaign.deleted > 5);
  CHECK(campaign.faults > 100);
}

TEST_CASE("equal seeds give equal lives of a cluster", "[kubeworld]") {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const WorldTrial one = run_world_trial(seed);
    const WorldTrial two = run_world_trial(seed);
    CHECK(one.failure == "");
    CHECK(one.history == two.history);
  }
}

}  // namespace
}  // namespace pumice::test
