#include "pumice/kubejob/failure_policy.h"

#include <algorithm>
#include <optional>

#include "compose.h"

namespace pumice::kubejob {
namespace {

constexpr std::string_view kActions[] = {"FailJob", "FailIndex", "Ignore", "Count"};

bool operator_holds(const ExitCodeRequirement& requirement, std::int32_t code) noexcept {
  const bool listed = std::find(requirement.values.begin(), requirement.values.end(), code) != requirement.values.end();
  if (requirement.op == "In") return listed;
  return requirement.op == "NotIn" && !listed;
}

const ContainerStatus* failed_container(const std::vector<ContainerStatus>& containers,
                                        const ExitCodeRequirement& requirement) noexcept {
  for (const ContainerStatus& container : containers) {
    if (requirement.container_name && *requirement.container_name != container.name) continue;
    if (!container.terminated || container.exit_code == 0) continue;
    if (operator_holds(requirement, container.exit_code)) return &container;
  }
  return nullptr;
}

std::optional<FailureMatch> match_rule(const FailureRule& rule, const Pod& pod) {
  if (rule.on_exit_codes) {
    const ContainerStatus* container = failed_container(pod.containers, *rule.on_exit_codes);
    if (container == nullptr) container = failed_container(pod.init_containers, *rule.on_exit_codes);
    if (container == nullptr) return std::nullopt;
    FailureMatch match;
    match.reason = FailureReason::ExitCode;
    match.detail = container->name;
    match.exit_code = container->exit_code;
    return match;
  }
  for (const PodCondition& condition : pod.conditions) {
    const bool named = std::any_of(rule.on_pod_conditions.begin(), rule.on_pod_conditions.end(),
                                   [&condition](const PodConditionPattern& pattern) {
                                     return pattern.type == condition.type && pattern.status == condition.status;
                                   });
    if (!named) continue;
    FailureMatch match;
    match.reason = FailureReason::PodCondition;
    match.detail = condition.type;
    return match;
  }
  return std::nullopt;
}

}  // namespace

std::string_view to_string(FailureAction action) noexcept {
  switch (action) {
    case FailureAction::FailJob:
    case FailureAction::FailIndex:
    case FailureAction::Ignore:
    case FailureAction::Count: return kActions[static_cast<std::size_t>(action)];
    case FailureAction::Unknown: return "Unknown";
  }
  return "";
}

FailureAction failure_action_from(std::string_view text) noexcept {
  for (std::size_t i = 0; i < std::size(kActions); ++i)
    if (kActions[i] == text) return static_cast<FailureAction>(i);
  return FailureAction::Unknown;
}

std::string_view to_string(FailureReason reason) noexcept {
  switch (reason) {
    case FailureReason::NoPolicy: return "NoPolicy";
    case FailureReason::NoRuleMatches: return "NoRuleMatches";
    case FailureReason::ExitCode: return "ExitCode";
    case FailureReason::PodCondition: return "PodCondition";
  }
  return "";
}

FailureMatch match_failure_policy(const FailurePolicy& policy, const Pod& pod) {
  for (std::size_t i = 0; i < policy.size(); ++i) {
    const FailureAction action = failure_action_from(policy[i].action);
    if (action == FailureAction::Unknown) continue;
    std::optional<FailureMatch> match = match_rule(policy[i], pod);
    if (!match) continue;
    match->action = action;
    match->rule = static_cast<std::int32_t>(i);
    return *std::move(match);
  }
  FailureMatch none;
  none.reason = FailureReason::NoRuleMatches;
  return none;
}

FailureMatch match_failure(const JobSpec& spec, const Pod& pod) {
  return spec.pod_failure_policy ? match_failure_policy(*spec.pod_failure_policy, pod) : FailureMatch{};
}

std::string fail_job_message(const FailureMatch& match, const Pod& pod) {
  if (match.reason == FailureReason::ExitCode) {
    return compose("Container {} for pod {}/{} failed with exit code {} matching FailJob rule at index {}",
                   match.detail, pod.meta.ns, pod.meta.name, match.exit_code, match.rule);
  }
  return compose("Pod {}/{} has condition {} matching FailJob rule at index {}", pod.meta.ns, pod.meta.name,
                 match.detail, match.rule);
}

}  // namespace pumice::kubejob
