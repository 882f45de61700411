// Random lives of Volcano Jobs on the simulated cluster, with everything that can go wrong: effects that fail,
// notifications that come late, twice or never, crashes of the controller, lost nodes, quotas, edits, deletions. One
// source for the unit tests and for long campaigns.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace pumice::test {

struct VolcanoTrial {
  std::string failure;  ///< what was broken, with the trial's seed and what was played; empty if nothing was
  std::string history;  ///< how it went: equal seeds give equal histories
  std::int64_t steps = 0;
  std::int64_t refused = 0;
  std::int64_t faults = 0;    ///< effects that failed, notifications that were held, lost or doubled
  std::int64_t restarts = 0;  ///< of the controller
  std::int64_t deleted = 0;   ///< jobs
  std::int64_t ended = 0;     ///< jobs that are Completed, Failed, Terminated or Aborted when all is over
  std::int64_t quiet = 0;     ///< 1 if it came to rest, so that the cache was compared
};

/// Checked after every step:
///   - no task has a pod beyond its replicas. Excluded, as the real controller does it too: jobs whose replicas were
///     lowered, until the controller has had a chance to delete what is too much, which is the end of the trial;
///   - version and retryCount of a job (by uid) never fall;
///   - the controller deletes and marks no pod but those of the job that it works on;
///   - a job that is Completed, Failed or Terminated stays so, and one that is Aborted stays so without a command.
/// In the end all faults are mended. If things then come to rest, checked is that
///   - the controller's cache is what a new controller makes of a list, but for a version that is ahead in memory
///     (spec 9.3) and for jobs that the controller does not have because they are gone;
///   - a copy taken in the middle, given the same events, ends with the same bytes.
[[nodiscard]] VolcanoTrial run_volcano_trial(std::uint64_t seed);
/// What is played: the manifest and the events, to be tried with `pumice simulate`.
[[nodiscard]] std::string volcano_trial_text(std::uint64_t seed);

struct VolcanoCampaign {
  std::int64_t trials = 0;
  VolcanoTrial sum;  ///< the counts of all
  std::vector<std::string> failures;
};

/// Runs trials `from` … `from + count - 1` of a seed. `progress` hears of each.
[[nodiscard]] VolcanoCampaign run_volcano_campaign(std::uint64_t seed, std::int64_t from, std::int64_t count,
                                                   const std::function<void(const VolcanoCampaign&)>& progress = {});

}  // namespace pumice::test
