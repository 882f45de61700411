// Which active pods go first when some must go (spec/k8s-job.md 7.1).
#pragma once

#include <cstdint>
#include <vector>

#include "pumice/kubejob/model.h"

namespace pumice::kubejob {

/// True if `a` is removed before `b`. A total order: pods that upstream leaves in any order are told apart by name,
/// then uid.
[[nodiscard]] bool goes_first(const Pod& a, const Pod& b) noexcept;

/// The pods to remove, the first to go in front. For Indexed jobs these are always the ones without a valid index and
/// all but the best of each index; then the lowest of the rest until there are `at_least`.
[[nodiscard]] std::vector<PodPtr> choose_removals(std::vector<PodPtr> active, const JobSpec& spec,
                                                  std::int64_t at_least);

}  // namespace pumice::kubejob
