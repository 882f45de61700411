// What the two forms of an event share: the words of its vocabulary and the checks on a finished event.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pumice/simulation/event.h"

namespace pumice::simulation {

inline constexpr std::string_view kInvalidEvent = "InvalidEvent";

/// The five phases a pod can be put into.
[[nodiscard]] std::optional<PodPhase> pod_phase_word(std::string_view word) noexcept;
[[nodiscard]] std::optional<PodGroupPhase> pod_group_phase_word(std::string_view word) noexcept;
/// What time can be let pass for: a phase of a job, `change` or `settled`.
[[nodiscard]] std::optional<UntilEvent> until_word(std::string_view word);
[[nodiscard]] std::string_view word_of(const UntilEvent& event) noexcept;

[[nodiscard]] const std::vector<std::string_view>& pod_phase_words();
[[nodiscard]] const std::vector<std::string_view>& pod_group_phase_words();
[[nodiscard]] const std::vector<std::string_view>& until_words();

/// `a, b or c` with each word in backticks.
[[nodiscard]] std::string one_of(const std::vector<std::string_view>& words);
/// "did you mean `Failed`?", or empty if no word is near.
[[nodiscard]] std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& words);

/// "did you mean `RestartJob`?" for a word that is no action but near one; empty for actions and for words of their
/// own: that these do nothing is something one may want to see.
[[nodiscard]] std::string action_hint(std::string_view word);
/// What is said with such a hint.
[[nodiscard]] std::string unknown_action_text(std::string_view word);

/// Why a container cannot end with this exit code; empty if it can.
[[nodiscard]] std::string exit_code_problem(std::int32_t code);

/// What is wrong with a pod event as a whole; empty if nothing.
[[nodiscard]] std::string contradiction(const PodEvent& event);

}  // namespace pumice::simulation
