// Pods in the form of the API (spec/volcano-job.md 8.5).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "pumice/json.h"
#include "pumice/model/job.h"
#include "pumice/model/pod.h"

namespace pumice::volcano {

/// A pod as the API shows it: what it was created as, or read as, with its status and marks as they are now.
///
/// What the controller creates is the task's template with the controller's labels and annotations, the job's volumes
/// and the additions of the plugins, which come in the order of their names. Upstream gives volumes random names; here
/// they are derived from uid and claim, so the same pod is always the same text.
[[nodiscard]] Json pod_object(const Pod& pod);

/// Sets the annotation by which the controller knows what it replaces; whatever stood there is written over (spec 1.9).
void mark_out_of_sync(Pod& pod);

/// Twelve characters of 0-9a-z that stand in for upstream's random ones (spec appendix A): the same for the same seed.
[[nodiscard]] std::string derived_suffix(std::string_view seed);

/// `index / partitionSize`, 0 for a size that is not positive (spec 8.5).
[[nodiscard]] constexpr std::int32_t partition_of(std::int32_t index, std::int32_t size) noexcept {
  return size > 0 ? index / size : 0;
}

/// The owner reference of everything that is made for a job (spec 1.10).
[[nodiscard]] Json owner_json(const Job& job);

}  // namespace pumice::volcano
