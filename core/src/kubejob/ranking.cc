#include "pumice/kubejob/ranking.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "pumice/kubejob/classify.h"
#include "pumice/kubejob/names.h"

namespace pumice::kubejob {
namespace {

int phase_rank(PodPhase phase) noexcept {
  switch (phase) {
    case PodPhase::Pending: return 0;
    case PodPhase::Unknown: return 1;
    case PodPhase::Running: return 2;
    case PodPhase::Succeeded:
    case PodPhase::Failed: return 0;  // never asked: an active pod has not ended
  }
  return 0;
}

struct Restarts {
  std::int32_t main = 0;
  std::int32_t sidecars = 0;
};

Restarts most_restarts(const Pod& pod) noexcept {
  Restarts most;
  for (const ContainerStatus& container : pod.containers) most.main = std::max(most.main, container.restart_count);
  for (const ContainerStatus& container : pod.init_containers) {
    const auto& names = pod.restartable_init;
    if (std::find(names.begin(), names.end(), container.name) != names.end())
      most.sidecars = std::max(most.sidecars, container.restart_count);
  }
  return most;
}

/// Missing before everything, then the later of two.
bool later_or_missing(std::optional<Time> a, std::optional<Time> b) noexcept {
  if (!a || !b) return !a;
  return *a > *b;
}

std::optional<Time> creation_of(const Pod& pod) noexcept {
  return pod.meta.creation == Time{} ? std::nullopt : std::optional(pod.meta.creation);
}

}  // namespace

bool goes_first(const Pod& a, const Pod& b) noexcept {
  if (a.node.empty() != b.node.empty()) return a.node.empty();
  if (phase_rank(a.phase) != phase_rank(b.phase)) return phase_rank(a.phase) < phase_rank(b.phase);
  if (is_ready(a) != is_ready(b)) return !is_ready(a);
  if (is_ready(a)) {
    const auto since_a = a.condition("Ready")->last_transition;
    const auto since_b = b.condition("Ready")->last_transition;
    if (since_a != since_b) return later_or_missing(since_a, since_b);
  }
  const Restarts restarts_a = most_restarts(a);
  const Restarts restarts_b = most_restarts(b);
  if (restarts_a.main != restarts_b.main) return restarts_a.main > restarts_b.main;
  if (restarts_a.sidecars != restarts_b.sidecars) return restarts_a.sidecars > restarts_b.sidecars;
  const auto created_a = creation_of(a);
  const auto created_b = creation_of(b);
  if (created_a != created_b) return later_or_missing(created_a, created_b);
  return std::tie(a.meta.name, a.meta.uid) < std::tie(b.meta.name, b.meta.uid);
}

std::vector<PodPtr> choose_removals(std::vector<PodPtr> active, const JobSpec& spec, std::int64_t at_least) {
  const auto ranked = [](const PodPtr& a, const PodPtr& b) { return goes_first(*a, *b); };
  std::vector<PodPtr> chosen;
  if (spec.is_indexed()) {
    std::vector<PodPtr> left;
    std::vector<std::pair<std::int32_t, PodPtr>> by_index;
    by_index.reserve(active.size());
    for (PodPtr& pod : active) {
      const std::int32_t index = completion_index(*pod);
      by_index.emplace_back(index, std::move(pod));
    }
    std::sort(by_index.begin(), by_index.end(), [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first < b.first : goes_first(*a.second, *b.second);
    });
    for (std::size_t i = 0; i < by_index.size(); ++i) {
      const bool better_follows = i + 1 < by_index.size() && by_index[i + 1].first == by_index[i].first;
      const bool goes = better_follows || !is_valid_index(by_index[i].first, spec);
      (goes ? chosen : left).push_back(std::move(by_index[i].second));
    }
    active = std::move(left);
  }
  const auto have = static_cast<std::int64_t>(chosen.size());
  if (have >= at_least) return chosen;
  std::sort(active.begin(), active.end(), ranked);
  const auto more = std::min(static_cast<std::size_t>(at_least - have), active.size());
  for (std::size_t i = 0; i < more; ++i) chosen.push_back(std::move(active[i]));
  return chosen;
}

}  // namespace pumice::kubejob
