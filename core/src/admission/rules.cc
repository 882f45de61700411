#include "pumice/admission/rule.h"

#include <algorithm>
#include <iterator>

#include "admission/rule_table.h"

namespace pumice::admission {

std::string_view to_string(RuleSource source) noexcept {
  switch (source) {
    case RuleSource::Schema: return "schema";
    case RuleSource::Webhook: return "webhook";
    case RuleSource::Api: return "api";
    case RuleSource::Lint: return "lint";
  }
  return "";
}

std::span<const Rule> rules() noexcept { return kRules; }

const Rule* find_rule(std::string_view id) noexcept {
  const auto* const found =
      std::lower_bound(std::begin(kRules), std::end(kRules), id,
                       [](const Rule& rule, std::string_view wanted) { return rule.id < wanted; });
  return found != std::end(kRules) && found->id == id ? found : nullptr;
}

}  // namespace pumice::admission
