#include "status.h"

#include <algorithm>

namespace pumice::volcano {

void clear_counts(JobStatus& status) {
  status.task_counts.clear();
  status.pending = status.running = status.succeeded = status.failed = status.unknown = status.terminating = 0;
}

void add_counts(JobStatus& status, const std::string& task, const PhaseCounts& counts) {
  if (counts == PhaseCounts{}) return;
  PhaseCounts& sum = status.task_counts[task];
  for (const PodPhase phase : kPodPhases) sum[phase] += counts[phase];
  add_sums(status, counts);
}

void uncount(JobStatus& status, const std::string& task, PodPhase phase) {
  PhaseCounts one;
  one[phase] = -1;
  add_sums(status, one);
  auto& tasks = status.task_counts.edit();
  const auto found = tasks.find(task);
  if (found == tasks.end()) return;
  --found->second[phase];
  if (found->second == PhaseCounts{}) tasks.erase(found);
}

void add_sums(JobStatus& status, const PhaseCounts& counts) {
  status.pending += counts[PodPhase::Pending];
  status.running += counts[PodPhase::Running];
  status.succeeded += counts[PodPhase::Succeeded];
  status.failed += counts[PodPhase::Failed];
  status.unknown += counts[PodPhase::Unknown];
}

std::string failed_text(std::int64_t pods, std::string_view what) {
  return std::to_string(pods) + (pods == 1 ? " pod" : " pods") + " could not be " + std::string(what);
}

void append_condition(JobStatus& status, Time now) {
  std::erase_if(status.conditions, [&](const JobCondition& c) { return c.status == status.phase; });
  status.conditions.push_back({status.phase, now});
}

}  // namespace pumice::volcano
