// Random lives of a batch/v1 Job in its cluster: pods that fail, vanish, are evicted or cannot start, edits,
// suspension, deletion, watches that hold or lose notifications, effects that fail, controllers that go and come back.
// One source for the unit tests and for long campaigns.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace pumice::test {

struct WorldTrial {
  std::string failure;  ///< what was broken, with the seed; empty if nothing was
  std::string history;  ///< how it ended: equal seeds give equal histories
  std::int64_t steps = 0;
  std::int64_t faults = 0;
  std::int64_t pods = 0;
  std::string end;  ///< state of the job at the end, `Deleted` if it is gone
};

/// Checked after every step: no more pods are counted than ended, counters of a job that is not elastic never fall, a
/// finished job is not written again. Checked at the end, when nothing goes wrong any more: the job is finished or
/// gone, no pod has a finalizer left, and a copy made half-way ended alike. The quirk gone-pod-forgotten is off.
[[nodiscard]] WorldTrial run_world_trial(std::uint64_t seed);

struct WorldCampaign {
  std::int64_t trials = 0;
  std::int64_t steps = 0;
  std::int64_t faults = 0;
  std::int64_t pods = 0;
  std::int64_t completed = 0;
  std::int64_t failed = 0;
  std::int64_t deleted = 0;
  std::vector<std::string> failures;
};

/// Runs `count` trials. `progress` hears of every thousandth.
[[nodiscard]] WorldCampaign run_world_campaign(std::uint64_t seed, std::int64_t count,
                                               const std::function<void(const WorldCampaign&)>& progress = {});

}  // namespace pumice::test
