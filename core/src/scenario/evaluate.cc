#include "scenario/evaluate.h"

#include <algorithm>

#include "compose.h"
#include "list_text.h"
#include "model/fields.h"
#include "overloaded.h"
#include "pattern.h"
#include "scenario/words.h"

namespace pumice::scenario {
namespace {

/// Names in messages; more are counted.
constexpr std::size_t kNamesMax = 12;
constexpr std::size_t kNamesKeptMax = 10'000;

std::string names_text(const std::vector<std::string>& names) {
  if (names.empty()) return "none";
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kNamesMax); ++i) text += (i > 0 ? ", " : "") + names[i];
  if (names.size() > kNamesMax) text += compose(" and {} more", names.size() - kNamesMax);
  return text;
}

std::string phase_name(std::string_view phase) { return phase.empty() ? "new" : std::string(phase); }

/// True if `name`, as a document calls a job, means the job of that key.
bool is_called(const std::string& job, std::string_view name) {
  return job == name || std::string_view(job).substr(job.find('/') + 1) == name;
}

struct FoundJob {
  std::string key;
  std::string problem;
};

FoundJob find_job(const std::string& name, const World& world) {
  std::vector<std::string> found;
  std::vector<std::string> all;
  for (const std::string& job : world.jobs()) {
    all.push_back(world.name_of(job));
    if (name.empty() || is_called(job, name)) found.push_back(job);
  }
  if (found.size() == 1) return {found.front(), ""};
  if (found.empty()) return {"", compose("there is no job {}; there is {}", in_backticks(name), names_text(all))};
  return {"", compose("there are several jobs, {}: say which with `job`", names_text(all))};
}

/// The jobs a check is about; all of them if it names none.
std::vector<std::string> meant_jobs(const std::string& name, const World& world) {
  std::vector<std::string> found;
  for (const std::string& job : world.jobs())
    if (name.empty() || is_called(job, name)) found.push_back(job);
  return found;
}

std::string pod_state_text(const PodState& pod, const PodWanted& wanted) {
  std::string text = pod.short_name + " " + std::string(to_string(pod.phase));
  if (wanted.exit_code) text += compose(", exitCode {}", pod.exit_code);
  if (wanted.restarts) text += compose(", restarts {}", pod.restarts);
  if (wanted.version) text += compose(", version {}", pod.version);
  if (wanted.deleting) text += pod.deleting ? ", is being deleted" : ", is not being deleted";
  return text;
}

bool is_as_wanted(const PodState& pod, const PodWanted& wanted) {
  if (wanted.absent) return false;
  if (wanted.phase && pod.phase != *wanted.phase) return false;
  if (wanted.exit_code && !wanted.exit_code->holds(pod.exit_code)) return false;
  if (wanted.restarts && !wanted.restarts->holds(pod.restarts)) return false;
  if (wanted.version && !wanted.version->holds(pod.version)) return false;
  return !wanted.deleting || *wanted.deleting == pod.deleting;
}

std::optional<std::string> seen_instead(const PodWanted& wanted, const std::string& job_name, const World& world) {
  std::vector<std::string> others;
  std::vector<std::string> all;
  std::size_t matching = 0;
  for (const std::string& job : meant_jobs(job_name, world)) {
    for (const PodState& pod : world.pods_of(job)) {
      all.push_back(pod.short_name);
      if (!matches_pattern(wanted.pod, pod.short_name) && !matches_pattern(wanted.pod, pod.name)) continue;
      ++matching;
      if (!is_as_wanted(pod, wanted)) others.push_back(pod_state_text(pod, wanted));
    }
  }
  if (wanted.absent) return matching == 0 ? std::nullopt : std::optional(names_text(others));
  if (matching == 0) return "no such pod; there is " + names_text(all);
  return others.empty() ? std::nullopt : std::optional(names_text(others));
}

std::string text_of(const PodWanted& wanted) {
  std::string text = "pod " + wanted.pod;
  if (wanted.absent) return text + " absent";
  if (wanted.phase) text += " " + std::string(to_string(*wanted.phase));
  const auto number = [&text](const char* name, const std::optional<Number>& value) {
    if (value) text += compose(", {} {}", name, value->text());
  };
  number("exitCode", wanted.exit_code);
  number("restarts", wanted.restarts);
  number("version", wanted.version);
  if (wanted.deleting) text += *wanted.deleting ? ", being deleted" : ", not being deleted";
  return text;
}

std::string text_of(const EmittedWanted& wanted) {
  std::string text = "an Event";
  if (wanted.warning) text += *wanted.warning ? " of type Warning" : " of type Normal";
  if (wanted.reason) text += ", reason /" + wanted.reason->text() + "/";
  if (wanted.message) text += ", message /" + wanted.message->text() + "/";
  return text;
}

std::string text_of(const EffectWanted& wanted) {
  if (const auto* number = std::get_if<Number>(&wanted.amount)) return compose("{} {}", wanted.effect, number->text());
  return compose("{} of {}", wanted.effect, names_text(std::get<std::vector<std::string>>(wanted.amount)));
}

bool is_as_wanted(const EmittedSeen& event, const EmittedWanted& wanted) {
  return (!wanted.warning || *wanted.warning == event.warning) &&
         (!wanted.reason || wanted.reason->found_in(event.reason)) &&
         (!wanted.message || wanted.message->found_in(event.message));
}

}  // namespace

std::string text_of(const Check& check) {
  std::string text = std::visit(
      Overloaded{
          [](const PhaseWanted& w) { return "phase " + list_text(w.any_of, "or"); },
          [](const CounterWanted& w) { return w.counter + " " + w.number.text(); },
          [](const ConditionsWanted& w) { return "conditions " + names_text(w.phases); },
          [](const RunningDurationWanted& w) { return "runningDuration " + to_string(w.duration); },
          [](const PodGroupWanted& w) {
            return "PodGroup " + (w.absent ? std::string("absent") : std::string(to_string(w.phase)));
          },
          [](const PodWanted& w) { return text_of(w); },
          [](const TimersWanted& w) { return "delayed actions pending: " + w.number.text(); },
          [](const WaitingWanted& w) { return "waits: /" + w.pattern.text() + "/"; },
          [](const RuleWanted& w) { return w.path.empty() ? std::string("no policy decides") : w.path + " decides"; },
          [](const ActionWanted& w) { return "action " + w.action; }, [](const EffectWanted& w) { return text_of(w); },
          [](const EmittedWanted& w) { return text_of(w); },
          [](const RefusedWanted& w) { return "the event is refused: /" + w.pattern.text() + "/"; },
          [](const ExplanationWanted& w) { return "it is told: /" + w.pattern.text() + "/"; }},
      check.wanted);
  return check.job.empty() ? text : "job " + check.job + ": " + text;
}

std::optional<Mismatch> state_mismatch(const Check& check, const World& world) {
  const auto told = [&check](std::string seen) { return Mismatch{text_of(check), std::move(seen)}; };
  if (const auto* pod = std::get_if<PodWanted>(&check.wanted)) {
    const auto seen = seen_instead(*pod, check.job, world);
    return seen ? std::optional(told(*seen)) : std::nullopt;
  }
  if (const auto* timers = std::get_if<TimersWanted>(&check.wanted)) {
    std::int64_t count = 0;
    for (const std::string& job : meant_jobs(check.job, world)) count += world.timers_of(job);
    return timers->number.holds(count) ? std::nullopt : std::optional(told(std::to_string(count)));
  }
  if (const auto* waiting = std::get_if<WaitingWanted>(&check.wanted)) {
    std::vector<std::string> texts;
    for (const std::string& job : meant_jobs(check.job, world))
      for (std::string& text : world.waiting_of(job)) texts.push_back(std::move(text));
    const bool found = std::any_of(texts.begin(), texts.end(),
                                   [&](const std::string& text) { return waiting->pattern.found_in(text); });
    return found ? std::nullopt : std::optional(told(texts.empty() ? "it waits for nothing" : names_text(texts)));
  }
  const FoundJob job = find_job(check.job, world);
  if (!job.problem.empty()) return told(job.problem);
  const std::optional<JobState> state = world.state_of(job.key);
  if (!state) return told("the job does not exist");
  return std::visit(
      Overloaded{[&](const PhaseWanted& w) -> std::optional<Mismatch> {
                   if (std::find(w.any_of.begin(), w.any_of.end(), state->phase) != w.any_of.end()) return std::nullopt;
                   return told("phase " + phase_name(state->phase));
                 },
                 [&](const CounterWanted& w) -> std::optional<Mismatch> {
                   const auto is = state->counters.find(w.counter);
                   if (is == state->counters.end()) return told("this kind of job has no " + w.counter);
                   if (w.number.holds(is->second)) return std::nullopt;
                   return told(compose("{} {}", w.counter, is->second));
                 },
                 [&](const ConditionsWanted& w) -> std::optional<Mismatch> {
                   if (w.phases == state->conditions) return std::nullopt;
                   return told("conditions " + names_text(state->conditions));
                 },
                 [&](const RunningDurationWanted& w) -> std::optional<Mismatch> {
                   if (state->running_duration == w.duration) return std::nullopt;
                   return told(state->running_duration ? to_string(*state->running_duration) : "no runningDuration");
                 },
                 [&](const PodGroupWanted& w) -> std::optional<Mismatch> {
                   if (w.absent ? !state->pod_group : state->pod_group == w.phase) return std::nullopt;
                   return told(state->pod_group ? "PodGroup " + std::string(to_string(*state->pod_group))
                                                : "there is no PodGroup");
                 },
                 [](const PodWanted&) -> std::optional<Mismatch> { return std::nullopt; },
                 [](const TimersWanted&) -> std::optional<Mismatch> { return std::nullopt; },
                 [](const WaitingWanted&) -> std::optional<Mismatch> { return std::nullopt; },
                 [](const RuleWanted&) -> std::optional<Mismatch> { return std::nullopt; },
                 [](const ActionWanted&) -> std::optional<Mismatch> { return std::nullopt; },
                 [](const EffectWanted&) -> std::optional<Mismatch> { return std::nullopt; },
                 [](const EmittedWanted&) -> std::optional<Mismatch> { return std::nullopt; },
                 [](const RefusedWanted&) -> std::optional<Mismatch> { return std::nullopt; },
                 [](const ExplanationWanted&) -> std::optional<Mismatch> { return std::nullopt; }},
      check.wanted);
}

Scope::Scope(const std::vector<Check>& checks) : checks_(checks), found_(checks.size(), false) {
  for (const Check& check : checks) {
    about_steps_ = about_steps_ || is_about_steps(check.wanted);
    explains_ = explains_ || std::holds_alternative<ExplanationWanted>(check.wanted);
  }
}

bool Scope::is_meant(const Check& check, const std::string& job, const World& world) const {
  (void)world;
  return check.job.empty() || is_called(job, check.job);
}

void Scope::add(const Frame& frame, const World& world) {
  if (is_idle()) return;
  cut_ = cut_ || frame.cut;
  if (!frame.refused.empty() && refused_.empty()) refused_ = frame.refused;
  for (const Decision& decision : frame.decisions) {
    if (!decision.rule.empty()) rules_.emplace(decision.job, decision.rule);
    if (decision.executed || decision.delayed) actions_.emplace(decision.job, decision.action);
  }
  for (const EffectSeen& effect : frame.effects) {
    Effects& effects = effects_[{effect.job, effect.effect}];
    ++effects.count;
    if (effects.names.size() < kNamesKeptMax) effects.names.push_back(effect.name);
  }
  for (const EmittedSeen& event : frame.emitted) {
    if (emitted_.size() < kNamesMax) emitted_.push_back(event.reason + ": " + event.message);
    for (std::size_t i = 0; i < checks_.size(); ++i) {
      const auto* wanted = std::get_if<EmittedWanted>(&checks_[i].wanted);
      if (wanted != nullptr && is_meant(checks_[i], event.job, world) && is_as_wanted(event, *wanted)) found_[i] = true;
    }
  }
  if (!explains_) return;
  last_text_ = plain_text(world.explain(Explain::Fails));
  for (std::size_t i = 0; i < checks_.size(); ++i) {
    const auto* wanted = std::get_if<ExplanationWanted>(&checks_[i].wanted);
    if (wanted != nullptr && !found_[i]) found_[i] = wanted->pattern.found_in(last_text_);
  }
}

std::optional<Mismatch> Scope::mismatch(std::size_t i, const World& world, bool at_end) const {
  const Check& check = checks_[i];
  const auto told = [&check](std::string seen) { return Mismatch{text_of(check), std::move(seen)}; };
  const auto of = [&](const std::set<std::pair<std::string, std::string>>& pairs) {
    std::vector<std::string> names;
    for (const auto& [job, name] : pairs)
      if (is_meant(check, job, world) && std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(name);
    return names;
  };
  const auto has = [](const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (const auto* rule = std::get_if<RuleWanted>(&check.wanted)) {
    const std::vector<std::string> rules = of(rules_);
    if (rule->path.empty() ? rules.empty() : has(rules, rule->path)) return std::nullopt;
    return told(rules.empty() ? "no policy decided" : list_text(rules, "and") + " decided");
  }
  if (const auto* action = std::get_if<ActionWanted>(&check.wanted)) {
    const std::vector<std::string> actions = of(actions_);
    return has(actions, action->action) ? std::nullopt : std::optional(told("actions: " + names_text(actions)));
  }
  if (const auto* effect = std::get_if<EffectWanted>(&check.wanted)) {
    if (cut_) return told("there was so much that not all effects were kept: they cannot be counted");
    Effects sum;
    for (const auto& [key, effects] : effects_) {
      if (key.second != effect->effect || !is_meant(check, key.first, world)) continue;
      sum.count += effects.count;
      sum.names.insert(sum.names.end(), effects.names.begin(), effects.names.end());
    }
    std::sort(sum.names.begin(), sum.names.end());
    const auto* number = std::get_if<Number>(&effect->amount);
    const bool holds =
        number != nullptr ? number->holds(sum.count) : sum.names == std::get<std::vector<std::string>>(effect->amount);
    if (holds) return std::nullopt;
    return told(compose("{} {}", effect->effect, sum.count) + (sum.count > 0 ? ": " + names_text(sum.names) : ""));
  }
  if (std::holds_alternative<EmittedWanted>(check.wanted)) {
    if (found_[i]) return std::nullopt;
    return told(emitted_.empty() ? "no Event" : "Events: " + names_text(emitted_));
  }
  if (const auto* refused = std::get_if<RefusedWanted>(&check.wanted)) {
    if (refused_.empty()) return told("it was not refused");
    return refused->pattern.found_in(refused_) ? std::nullopt : std::optional(told(refused_));
  }
  if (const auto* explanation = std::get_if<ExplanationWanted>(&check.wanted)) {
    if (found_[i]) return std::nullopt;
    std::vector<std::string> texts;
    for (const std::string& job : meant_jobs(check.job, world))
      for (std::string& text : world.waiting_of(job)) {
        if (at_end && explanation->pattern.found_in(text)) return std::nullopt;
        texts.push_back(std::move(text));
      }
    if (last_text_.empty()) return told("no step");
    return told(at_end ? "nothing of the kind in any step; at the end: " + names_text(texts) : "the text below");
  }
  return std::nullopt;
}

}  // namespace pumice::scenario
