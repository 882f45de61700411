// What a pod counts for in a quota (spec/volcano-job.md 8.3).
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "pumice/json.h"
#include "pumice/quantity.h"

namespace pumice::volcano {

using Resources = std::map<std::string, Quantity>;

/// Usage of one pod of this template. Quantities that cannot be read count as absent; the API server refuses them.
[[nodiscard]] Resources pod_usage(const Json& pod_spec);

/// Adds `times` of `more`.
void add_resources(Resources& sum, const Resources& more, std::int64_t times = 1);

}  // namespace pumice::volcano
