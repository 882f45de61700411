#include "scenario/words.h"

#include <algorithm>
#include <charconv>

#include "overloaded.h"
#include "pumice/kubejob/failure_policy.h"
#include "pumice/kubeworld/world.h"
#include "pumice/version.h"
#include "pumice/volcano/effect.h"
#include "pumice/volcano/profile.h"
#include "simulation/event_words.h"

namespace pumice::scenario {

const Words& phase_words() {
  static const Words kWords = [] {
    Words words = vocabulary<volcano::JobPhase>();
    for (const std::string_view state : kubeworld::job_states())
      if (std::find(words.begin(), words.end(), state) == words.end()) words.push_back(state);
    return words;
  }();
  return kWords;
}

const Words& action_words() {
  static const Words kWords = [] {
    Words words = vocabulary<volcano::Action>();
    for (const auto action : {kubejob::FailureAction::FailJob, kubejob::FailureAction::FailIndex,
                              kubejob::FailureAction::Ignore, kubejob::FailureAction::Count})
      words.push_back(kubejob::to_string(action));
    return words;
  }();
  return kWords;
}

const Words& effect_words() {
  using namespace volcano;
  static const Words kWords{
      effect_name(CreatePod{}),
      effect_name(MarkPod{}),
      effect_name(DeletePod{}),
      effect_name(ReadPod{}),
      effect_name(CreatePodGroup{}),
      effect_name(UpdatePodGroup{}),
      effect_name(DeletePodGroup{}),
      effect_name(CreateObject{}),
      effect_name(UpdateObject{}),
      effect_name(DeleteObject{}),
      effect_name(UpdateJob{}),
      effect_name(UpdateJobStatus{}),
      effect_name(DeleteCommand{}),
      // of batch/v1 Jobs
      "RemoveFinalizer",
      "AdoptPod",
      "ReleasePod",
      "GetJob",
      "DeleteJob",
  };
  return kWords;
}

const Words& counter_words() {
  static const Words kWords{"retryCount", "version",     "minAvailable", "pending", "running", "succeeded",
                            "failed",     "terminating", "unknown",      "active",  "ready"};
  return kWords;
}

const Words& pod_phase_words() { return simulation::pod_phase_words(); }
const Words& pod_group_phase_words() { return simulation::pod_group_phase_words(); }

std::string_view to_string(Pace pace) noexcept {
  switch (pace) {
    case Pace::Calm: return "calm";
    case Pace::Immediate: return "immediate";
  }
  return "";
}

std::string_view to_string(Expectation::When when) noexcept {
  switch (when) {
    case Expectation::When::End: return "end";
    case Expectation::When::After: return "after";
    case Expectation::When::At: return "at";
    case Expectation::When::Never: return "never";
    case Expectation::When::Always: return "always";
    case Expectation::When::Eventually: return "eventually";
  }
  return "";
}

std::string_view member_of(const Wanted& wanted) noexcept {
  return std::visit(Overloaded{[](const PhaseWanted&) -> std::string_view { return "phase"; },
                               [](const CounterWanted& c) -> std::string_view { return c.counter; },
                               [](const ConditionsWanted&) -> std::string_view { return "conditions"; },
                               [](const RunningDurationWanted&) -> std::string_view { return "runningDuration"; },
                               [](const PodGroupWanted&) -> std::string_view { return "podGroup"; },
                               [](const PodWanted&) -> std::string_view { return "pods"; },
                               [](const TimersWanted&) -> std::string_view { return "timers"; },
                               [](const WaitingWanted&) -> std::string_view { return "waiting"; },
                               [](const RuleWanted&) -> std::string_view { return "rule"; },
                               [](const ActionWanted&) -> std::string_view { return "action"; },
                               [](const EffectWanted&) -> std::string_view { return "effects"; },
                               [](const EmittedWanted&) -> std::string_view { return "events"; },
                               [](const RefusedWanted&) -> std::string_view { return "refused"; },
                               [](const ExplanationWanted&) -> std::string_view { return "explanation"; }},
                    wanted);
}

bool is_about_steps(const Wanted& wanted) noexcept {
  return std::visit(
      Overloaded{[](const PhaseWanted&) { return false; }, [](const CounterWanted&) { return false; },
                 [](const ConditionsWanted&) { return false; }, [](const RunningDurationWanted&) { return false; },
                 [](const PodGroupWanted&) { return false; }, [](const PodWanted&) { return false; },
                 [](const TimersWanted&) { return false; }, [](const WaitingWanted&) { return false; },
                 [](const RuleWanted&) { return true; }, [](const ActionWanted&) { return true; },
                 [](const EffectWanted&) { return true; }, [](const EmittedWanted&) { return true; },
                 [](const RefusedWanted&) { return true; }, [](const ExplanationWanted&) { return true; }},
      wanted);
}

bool Number::holds(std::int64_t is) const noexcept {
  switch (op) {
    case Op::Equal: return is == value;
    case Op::NotEqual: return is != value;
    case Op::Less: return is < value;
    case Op::LessEqual: return is <= value;
    case Op::Greater: return is > value;
    case Op::GreaterEqual: return is >= value;
  }
  return false;
}

std::string Number::text() const {
  std::string sign;
  switch (op) {
    case Op::Equal: break;
    case Op::NotEqual: sign = "!= "; break;
    case Op::Less: sign = "< "; break;
    case Op::LessEqual: sign = "<= "; break;
    case Op::Greater: sign = "> "; break;
    case Op::GreaterEqual: sign = ">= "; break;
  }
  return sign + std::to_string(value);
}

std::optional<Number> number_from(std::string_view text) {
  Number number;
  const auto take = [&text](std::string_view sign) {
    if (!text.starts_with(sign)) return false;
    text.remove_prefix(sign.size());
    return true;
  };
  using Op = Number::Op;
  constexpr std::pair<std::string_view, Op> kSigns[]{
      {"!=", Op::NotEqual}, {"<=", Op::LessEqual}, {">=", Op::GreaterEqual}, {"==", Op::Equal},
      {"=", Op::Equal},     {"<", Op::Less},       {">", Op::Greater}};
  for (const auto& [sign, op] : kSigns) {
    if (!take(sign)) continue;
    number.op = op;
    break;
  }
  while (take(" ")) {
  }
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number.value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::vector<std::string_view> known_quirks(std::string_view profile) {
  const auto names = volcano::quirk_names();
  if (!volcano::profile_from(profile)) return {};
  return {names.begin(), names.end()};
}

SimulationOptions options_of(const Scenario& scenario) {
  SimulationOptions options;
  options.start = scenario.start;
  options.automation = scenario.automation;
  options.timings = scenario.timings;
  volcano::Quirks& quirks = options.controller.quirks;
  for (const std::string& name : scenario.profiles)
    if (const auto profile = volcano::profile_from(name)) quirks = volcano::Quirks::of(*profile);
  for (const std::string& name : scenario.quirks_off)
    if (const auto quirk = volcano::quirk_from(name)) quirks.set(*quirk, false);
  return options;
}

}  // namespace pumice::scenario
