// Random lives of one batch/v1 Job with everything that can go wrong between controller and API server: refused and
// half-carried-out writes, late and lost notifications, a controller that starts anew at any point. One source for the
// unit tests and for long campaigns.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace pumice::test {

struct JobTrial {
  std::string failure;  ///< what was broken, with the seed; empty if nothing was
  std::string history;  ///< how it ended: equal seeds give equal histories
  std::int64_t syncs = 0;
  std::int64_t faults = 0;
  std::int64_t restarts = 0;
  bool completed = false;
  bool failed = false;
  bool deleted = false;  ///< the job was deleted before it ended
};

/// Checked after every write: counters rise by exactly the pods that leave the uncounted lists, no pod leaves them
/// twice or with its finalizer on, no finalizer goes before its pod is registered, the end is written once and last.
/// The quirk that breaks this, gone-pod-forgotten, is off. Checked at the end: the job has ended, and no pod has a
/// finalizer left.
[[nodiscard]] JobTrial run_job_trial(std::uint64_t seed);

struct JobCampaign {
  std::int64_t trials = 0;
  std::int64_t syncs = 0;
  std::int64_t faults = 0;
  std::int64_t restarts = 0;
  std::int64_t completed = 0;
  std::int64_t failed = 0;
  std::int64_t deleted = 0;
  std::vector<std::string> failures;
};

/// Runs `count` trials. `progress` hears of every thousandth.
[[nodiscard]] JobCampaign run_job_campaign(std::uint64_t seed, std::int64_t count,
                                           const std::function<void(const JobCampaign&)>& progress = {});

}  // namespace pumice::test
