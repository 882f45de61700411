// The pods of one job as the cache shows them, counted as they change: a sync then costs nothing for pods that run on.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "pumice/kubejob/intervals.h"
#include "pumice/kubejob/model.h"

namespace pumice::kubejob {

/// Oldest first, then by name: the order in which a deterministic port looks at pods (spec 17).
struct ByAge {
  [[nodiscard]] bool operator()(const PodPtr& a, const PodPtr& b) const noexcept;
};
using PodSet = std::set<PodPtr, ByAge>;

/// Counts and the few pods that need looking at. Independent of everything in the spec but selector and failure policy.
struct PodSets {
  std::int64_t active = 0;
  std::int64_t ready = 0;        ///< of the active ones
  std::int64_t terminating = 0;  ///< with and without finalizer
  std::int64_t tracked = 0;      ///< with finalizer
  std::int64_t restarts = 0;     ///< that count with restartPolicy OnFailure (spec 6.3)
  Intervals active_indexes;
  std::map<std::int32_t, std::int32_t> active_again;  ///< index → its active pods beyond the first
  std::int64_t active_unindexed = 0;
  PodSet ended;     ///< Succeeded or Failed, with finalizer: not yet accounted for
  PodSet deleting;  ///< the terminating ones
  PodSet fail_job;  ///< failed and met by a rule FailJob, with or without finalizer

  void add(const PodPtr& pod, const JobSpec& spec) { count(pod, spec, 1); }
  void remove(const PodPtr& pod, const JobSpec& spec) { count(pod, spec, -1); }

 private:
  void count(const PodPtr& pod, const JobSpec& spec, int sign);
  void count_active_index(std::int32_t index, int sign);
};

class JobPods {
 public:
  /// Counts anew if selector or failure policy changed. Null: the job is not known (yet), nothing is counted.
  void set_spec(std::shared_ptr<const JobSpec> spec);
  /// A pod with this uid is new or has changed.
  void put(PodPtr pod);
  void erase(std::string_view uid);

  [[nodiscard]] const PodSets& sets() const noexcept { return sets_; }
  [[nodiscard]] const Pod* find(std::string_view uid) const noexcept;
  /// Controlled by the job, but the selector does not match. Rarely any.
  [[nodiscard]] const PodSet& unmatched() const noexcept { return unmatched_; }
  /// All that match, oldest first. Costs as much as there are pods.
  [[nodiscard]] std::vector<PodPtr> matching() const;
  [[nodiscard]] bool empty() const noexcept { return pods_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return pods_.size(); }

 private:
  void count(const PodPtr& pod, bool adds);

  std::shared_ptr<const JobSpec> spec_;
  std::unordered_map<std::string_view, PodPtr> pods_;  ///< by uid; the keys lie in the pods
  PodSets sets_;
  PodSet unmatched_;
};

}  // namespace pumice::kubejob
