#include "simulation/event_words.h"

#include <algorithm>
#include <array>

#include "pumice/field_reader.h"
#include "pumice/kubeworld/world.h"
#include "pumice/volcano/tables.h"

namespace pumice::simulation {
namespace {

constexpr std::string_view kSettled = "settled";
constexpr std::string_view kChange = "change";

constexpr std::array kPodGroupPhases{PodGroupPhase::Pending, PodGroupPhase::Inqueue, PodGroupPhase::Running,
                                     PodGroupPhase::Unknown, PodGroupPhase::Completed};

constexpr std::array kJobPhases{
    volcano::JobPhase::Pending,   volcano::JobPhase::Running,     volcano::JobPhase::Restarting,
    volcano::JobPhase::Aborting,  volcano::JobPhase::Aborted,     volcano::JobPhase::Completing,
    volcano::JobPhase::Completed, volcano::JobPhase::Terminating, volcano::JobPhase::Terminated,
    volcano::JobPhase::Failed,
};

template <class Words>
std::vector<std::string_view> texts_of(const Words& words) {
  std::vector<std::string_view> texts;
  for (const auto word : words) texts.push_back(to_string(word));
  return texts;
}

}  // namespace

std::optional<PodPhase> pod_phase_word(std::string_view word) noexcept {
  for (const PodPhase phase : kPodPhases) {
    if (to_string(phase) == word) return phase;
  }
  return std::nullopt;
}

std::optional<PodGroupPhase> pod_group_phase_word(std::string_view word) noexcept {
  for (const PodGroupPhase phase : kPodGroupPhases) {
    if (to_string(phase) == word) return phase;
  }
  return std::nullopt;
}

std::optional<UntilEvent> until_word(std::string_view word) {
  using By = UntilEvent::By;
  if (word == kSettled) return UntilEvent{By::Settled, volcano::JobPhase::None, {}};
  if (word == kChange) return UntilEvent{By::Change, volcano::JobPhase::None, {}};
  for (const volcano::JobPhase phase : kJobPhases) {
    if (to_string(phase) == word) return UntilEvent{By::Phase, phase, {}};
  }
  for (const std::string_view state : kubeworld::job_states()) {
    if (state == word) return UntilEvent{.by = By::State, .state = std::string(word)};
  }
  return std::nullopt;
}

std::string_view word_of(const UntilEvent& event) noexcept {
  switch (event.by) {
    case UntilEvent::By::State: return event.state;
    case UntilEvent::By::Phase: return to_string(event.phase);
    case UntilEvent::By::Change: return kChange;
    case UntilEvent::By::Settled: return kSettled;
  }
  return kSettled;
}

const std::vector<std::string_view>& pod_phase_words() {
  static const std::vector<std::string_view> words = texts_of(kPodPhases);
  return words;
}

const std::vector<std::string_view>& pod_group_phase_words() {
  static const std::vector<std::string_view> words = texts_of(kPodGroupPhases);
  return words;
}

const std::vector<std::string_view>& until_words() {
  static const std::vector<std::string_view> words = [] {
    std::vector<std::string_view> all = texts_of(kJobPhases);
    for (const std::string_view state : kubeworld::job_states())
      if (std::find(all.begin(), all.end(), state) == all.end()) all.push_back(state);
    all.push_back(kChange);
    all.push_back(kSettled);
    return all;
  }();
  return words;
}

std::string one_of(const std::vector<std::string_view>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += "`" + std::string(words[i]) + "`";
  }
  return text;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& words) {
  const std::string_view near = nearest_name(word, words);
  return near.empty() ? std::string() : "did you mean `" + std::string(near) + "`?";
}

std::string action_hint(std::string_view word) {
  static const std::vector<std::string_view> kActions = [] {
    std::vector<std::string_view> words;
    for (const volcano::ActionInfo& info : volcano::action_table()) words.push_back(to_string(info.action));
    return words;
  }();
  if (word.empty() || std::find(kActions.begin(), kActions.end(), word) != kActions.end()) return {};
  return did_you_mean(word, kActions);
}

std::string unknown_action_text(std::string_view word) {
  return "`" + std::string(word) + "` is no known action, so the controller takes the phase's default";
}

std::string exit_code_problem(std::int32_t code) {
  if (code >= 0 && code <= 255) return {};
  return "an exit code is 0 to 255, " + std::to_string(code) + " is none";
}

}  // namespace pumice::simulation

namespace pumice {

bool waits_for_calm(const UserEvent& event) noexcept {
  if (event.at) return false;
  if (const auto* fault = std::get_if<FaultEvent>(&event.what)) {
    const auto* controller = std::get_if<ControllerFault>(&fault->what);
    return std::holds_alternative<NodeFault>(fault->what) || (controller != nullptr && !controller->effects);
  }
  return !std::holds_alternative<AdvanceEvent>(event.what) && !std::holds_alternative<UntilEvent>(event.what);
}

}  // namespace pumice

namespace pumice::simulation {

std::string contradiction(const PodEvent& event) {
  const int changes = int{event.phase.has_value()} + int{event.restarts.has_value()} + int{event.ready.has_value()} +
                      int{event.deleted} + int{event.evicted} + int{event.gone} + int{!event.reason.empty()} +
                      int{event.exit_code && !event.phase};
  if (changes == 0) {
    return "nothing is said about the pod: give `phase`, `exitCode`, `restarts`, `ready`, `deleted`, `evicted`, `gone` "
           "or `reason`";
  }
  if (changes > 1) {
    return "an event changes one thing about a pod: make `phase`, `restarts`, `ready`, `deleted`, `evicted`, `gone` "
           "and `reason` events of their own";
  }
  const bool has_ended = event.phase == PodPhase::Failed || event.phase == PodPhase::Succeeded;
  if (event.exit_code && event.phase && !has_ended)
    return "an exit code belongs to a pod that is `Failed` or `Succeeded`";
  if (event.exit_code.value_or(0) != 0 && event.phase == PodPhase::Succeeded) {
    return "a pod that `Succeeded` has exit code 0";
  }
  if (!event.container.empty() && !event.exit_code && !event.restarts && !event.ready) {
    return "a container is named, but nothing is said about it: give its exit code, `restarts` or `ready`";
  }
  if (event.restarts && *event.restarts < 0) return "`restarts` must not be negative";
  return {};
}

}  // namespace pumice::simulation
