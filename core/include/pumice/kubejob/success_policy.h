// successPolicy: when enough indexes have succeeded (spec/k8s-job.md 9).
#pragma once

#include <cstdint>
#include <optional>

#include "pumice/kubejob/intervals.h"
#include "pumice/kubejob/model.h"

namespace pumice::kubejob {

/// Number of the first rule that is met; absent if none is, or if no index has succeeded.
[[nodiscard]] std::optional<std::int32_t> match_success_policy(const SuccessPolicy& policy, std::int32_t completions,
                                                               const Intervals& succeeded);

}  // namespace pumice::kubejob
