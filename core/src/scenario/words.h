// The vocabularies of scenario documents, in one place: reader, writer and evaluation take them from here.
#pragma once

#include <string>
#include <string_view>

#include "model/fields.h"
#include "pumice/scenario/scenario.h"

namespace pumice::scenario {

inline constexpr std::string_view kInvalidScenario = "InvalidScenario";

/// Phases a job can be expected in.
[[nodiscard]] const Words& phase_words();
/// Actions that can be expected.
[[nodiscard]] const Words& action_words();
/// `CreatePod`, `DeletePod` …
[[nodiscard]] const Words& effect_words();
/// `retryCount`, `version`, `pending` …
[[nodiscard]] const Words& counter_words();
[[nodiscard]] const Words& pod_phase_words();
[[nodiscard]] const Words& pod_group_phase_words();

/// `calm`, `immediate`.
[[nodiscard]] std::string_view to_string(Pace pace) noexcept;
/// `end`, `after`, `at`, `never`, `always`, `eventually`.
[[nodiscard]] std::string_view to_string(Expectation::When when) noexcept;

/// The word of a check as a member of an expectation: `phase`, `retryCount`, `pods` …
[[nodiscard]] std::string_view member_of(const Wanted& wanted) noexcept;

/// True for what is about steps and not about the state after them.
[[nodiscard]] bool is_about_steps(const Wanted& wanted) noexcept;

}  // namespace pumice::scenario
