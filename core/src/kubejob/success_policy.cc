#include "pumice/kubejob/success_policy.h"

namespace pumice::kubejob {

std::optional<std::int32_t> match_success_policy(const SuccessPolicy& policy, std::int32_t completions,
                                                 const Intervals& succeeded) {
  if (succeeded.empty()) return std::nullopt;
  for (std::size_t i = 0; i < policy.size(); ++i) {
    const SuccessRule& rule = policy[i];
    std::int64_t have = succeeded.total();
    bool met = false;
    if (rule.succeeded_indexes) {
      const Intervals listed = Intervals::parse(*rule.succeeded_indexes, completions);
      if (listed.empty()) continue;
      have = listed.common(succeeded);
      met = have == listed.total();
    }
    if (met || (rule.succeeded_count && have >= *rule.succeeded_count)) return static_cast<std::int32_t>(i);
  }
  return std::nullopt;
}

}  // namespace pumice::kubejob
