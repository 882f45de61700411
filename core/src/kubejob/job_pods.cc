#include "pumice/kubejob/job_pods.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "pumice/kubejob/classify.h"
#include "pumice/kubejob/failure_policy.h"
#include "pumice/kubejob/names.h"

namespace pumice::kubejob {
namespace {

void place(PodSet& set, const PodPtr& pod, int sign) {
  if (sign > 0)
    set.insert(pod);
  else
    set.erase(pod);
}

}  // namespace

bool ByAge::operator()(const PodPtr& a, const PodPtr& b) const noexcept {
  return std::tie(a->meta.creation, a->meta.name, a->meta.uid) < std::tie(b->meta.creation, b->meta.name, b->meta.uid);
}

void PodSets::count_active_index(std::int32_t index, int sign) {
  if (index == kUnknownIndex) {
    active_unindexed += sign;
  } else if (sign > 0) {
    if (active_indexes.contains(index))
      ++active_again[index];
    else
      active_indexes.insert(index);
  } else if (const auto again = active_again.find(index); again == active_again.end()) {
    active_indexes.erase(index);
  } else if (--again->second == 0) {
    active_again.erase(again);
  }
}

void PodSets::count(const PodPtr& pod, const JobSpec& spec, int sign) {
  restarts += sign * counted_restarts(*pod);
  const bool is_tracked = pod->is_tracked();
  if (is_tracked) tracked += sign;
  if (is_active(*pod)) {
    active += sign;
    if (is_ready(*pod)) ready += sign;
    if (spec.is_indexed()) count_active_index(completion_index(*pod), sign);
  } else if (is_terminating(*pod)) {
    terminating += sign;
    place(deleting, pod, sign);
  } else {
    if (is_tracked) place(ended, pod, sign);
    if (pod->phase == PodPhase::Failed && spec.pod_failure_policy &&
        match_failure_policy(*spec.pod_failure_policy, *pod).action == FailureAction::FailJob)
      place(fail_job, pod, sign);
  }
}

void JobPods::count(const PodPtr& pod, bool adds) {
  if (!spec_) return;
  if (!spec_->selector || !spec_->selector->matches(pod->meta.labels)) {
    place(unmatched_, pod, adds ? 1 : -1);
  } else if (adds) {
    sets_.add(pod, *spec_);
  } else {
    sets_.remove(pod, *spec_);
  }
}

void JobPods::set_spec(std::shared_ptr<const JobSpec> spec) {
  const bool counts_the_same = spec_ && spec && spec_->selector == spec->selector &&
                               spec_->pod_failure_policy == spec->pod_failure_policy &&
                               spec_->completion_mode == spec->completion_mode;
  spec_ = std::move(spec);
  if (counts_the_same) return;
  sets_ = {};
  unmatched_.clear();
  for (const auto& [uid, pod] : pods_) count(pod, true);
}

void JobPods::put(PodPtr pod) {
  erase(pod->meta.uid);
  count(pod, true);
  const std::string_view uid = pod->meta.uid;
  pods_.emplace(uid, std::move(pod));
}

void JobPods::erase(std::string_view uid) {
  const auto found = pods_.find(uid);
  if (found == pods_.end()) return;
  const PodPtr pod = std::move(found->second);
  pods_.erase(found);
  count(pod, false);
}

const Pod* JobPods::find(std::string_view uid) const noexcept {
  const auto found = pods_.find(uid);
  return found == pods_.end() ? nullptr : found->second.get();
}

std::vector<PodPtr> JobPods::matching() const {
  std::vector<PodPtr> all;
  all.reserve(pods_.size());
  for (const auto& [uid, pod] : pods_)
    if (!unmatched_.contains(pod)) all.push_back(pod);
  std::sort(all.begin(), all.end(), ByAge{});
  return all;
}

}  // namespace pumice::kubejob
