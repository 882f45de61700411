// podFailurePolicy: which rule a failed pod meets, and what follows (spec/k8s-job.md 8).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "pumice/kubejob/model.h"

namespace pumice::kubejob {

enum class FailureAction : std::uint8_t { FailJob, FailIndex, Ignore, Count, Unknown };
[[nodiscard]] std::string_view to_string(FailureAction action) noexcept;
[[nodiscard]] FailureAction failure_action_from(std::string_view text) noexcept;

/// Why a failure counts or not.
enum class FailureReason : std::uint8_t {
  NoPolicy,       ///< there is no podFailurePolicy: counted
  NoRuleMatches,  ///< counted
  ExitCode,       ///< rule `rule` names the exit code
  PodCondition,   ///< rule `rule` names the condition
};
[[nodiscard]] std::string_view to_string(FailureReason reason) noexcept;

struct FailureMatch {
  FailureReason reason = FailureReason::NoPolicy;
  FailureAction action = FailureAction::Count;
  std::int32_t rule = -1;
  std::string detail;          ///< container or type of condition that matched
  std::int32_t exit_code = 0;  ///< ExitCode

  /// Counts towards backoffLimit or the limit of its index.
  [[nodiscard]] bool counts() const noexcept { return action != FailureAction::Ignore; }
};

/// The first rule that matches and has a known action; `NoRuleMatches` if there is none. Precondition: the pod failed.
[[nodiscard]] FailureMatch match_failure_policy(const FailurePolicy& policy, const Pod& pod);
/// The same for a job that may have no policy.
[[nodiscard]] FailureMatch match_failure(const JobSpec& spec, const Pod& pod);
/// The message of condition FailureTarget for a match of FailJob.
[[nodiscard]] std::string fail_job_message(const FailureMatch& match, const Pod& pod);

}  // namespace pumice::kubejob
