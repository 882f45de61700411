#include "compose.h"
#include "list_text.h"
#include "simulation/words.h"

namespace pumice::simulation {

using namespace volcano;

namespace {

/// The events a policy names, each once, `event` last as the controller has it.
std::vector<std::string> events_of(const LifecyclePolicy& policy) {
  std::vector<std::string> names;
  for (const EventName& event : policy.events) names.emplace_back(event.text());
  if (policy.event.code != Event::None) names.emplace_back(policy.event.text());
  std::vector<std::string> once;
  for (const std::string& name : names) {
    bool is_new = true;
    for (const std::string& earlier : once) is_new = is_new && earlier != name;
    if (is_new) once.push_back(name);
  }
  return once;
}

std::string event_of(const Request& request) {
  const std::string_view event = request.event.text();
  return event.empty() ? std::string("a change of the PodGroup") : std::string(event);
}

std::string not_asked_text(const ProcessRecord& record, const Scene& scene) {
  if (record.expired) return "not asked: the delayed action was decided when it was armed";
  switch (record.source) {
    case DecisionSource::Command: return "not asked: the request carries its own action";
    case DecisionSource::InternalEvent: {
      const ObserveRecord* notice = notice_of(record.request, scene);
      if (notice != nullptr && (notice->muted == Event::PodFailed || notice->muted == Event::PodEvicted)) {
        return "not asked: the controller is removing this pod itself (marked), so its failure or disappearance raises "
               "no event";
      }
      return compose("not asked: {} is internal", event_of(record.request));
    }
    case DecisionSource::OtherJobUid: return "not asked: the request belongs to an earlier job of this name";
    case DecisionSource::StaleVersion:
      return compose("not asked: the request is of version {}, the job is at {}", record.request.job_version,
                     record.before.version);
    case DecisionSource::TaskPolicy:
    case DecisionSource::JobPolicy:
    case DecisionSource::NoMatch: return "not asked";
  }
  return "not asked";
}

/// The name of the container whose exit code counts (spec 3.4), if the pod has others beside it.
std::string first_of_several(const JobSpec* spec, std::string_view task_name) {
  static const Json::json_pointer kFirst("/spec/containers/0/name");
  static const Json::json_pointer kSecond("/spec/containers/1");
  if (spec == nullptr) return {};
  for (const TaskSpec& task : spec->tasks) {
    if (task.name != task_name) continue;
    const Json& pod = task.pod_template;
    const bool is_named = pod.contains(kFirst) && pod[kFirst].is_string();
    return is_named && pod.contains(kSecond) ? pod[kFirst].get<std::string>() : std::string();
  }
  return {};
}

std::string exit_code_text(const ProcessRecord& record, std::int32_t wanted) {
  const Request& request = record.request;
  if (request.event.code != Event::PodFailed)
    return compose("wants exit code {}, which only PodFailed carries", wanted);
  const std::string is = request.exit_code == 0 ? "0 or unknown" : std::to_string(request.exit_code);
  const bool only_first = record.quirks.has(Quirk::FirstContainerExitCode);
  const std::string first = only_first ? first_of_several(record.spec.get(), request.task_name) : std::string();
  if (first.empty()) return compose("wants exit code {}, the pod's is {}", wanted, is);
  return compose("wants exit code {}; only the first container (`{}`) counts; its exit code is {}", wanted, first, is);
}

}  // namespace

std::string condition_text(const LifecyclePolicy& policy) {
  std::vector<std::string> parts = events_of(policy);
  if (policy.exit_code) parts.push_back(compose("exitCode {}", *policy.exit_code));
  return parts.empty() ? "no condition" : list_text(parts, "or");
}

std::string policy_text(const LifecyclePolicy& policy) {
  const std::string_view action = policy.action.text();
  std::string text = compose("{} → {}", condition_text(policy), action.empty() ? "no action" : action);
  if (policy.timeout) text += " after " + to_string(*policy.timeout);
  return text;
}

const LifecyclePolicy* policy_at(const JobSpec* spec, RuleRef rule) noexcept {
  if (spec == nullptr || !rule.exists()) return nullptr;
  if (rule.task >= 0 && static_cast<std::size_t>(rule.task) >= spec->tasks.size()) return nullptr;
  const auto& list = rule.task < 0 ? spec->policies : spec->tasks[static_cast<std::size_t>(rule.task)].policies;
  return static_cast<std::size_t>(rule.index) < list.size() ? &list[static_cast<std::size_t>(rule.index)] : nullptr;
}

std::string rule_name(const JobSpec* spec, RuleRef rule) {
  if (spec == nullptr || rule.task < 0 || static_cast<std::size_t>(rule.task) >= spec->tasks.size()) return rule.path();
  return compose("policies[{}] of task {}", rule.index, spec->tasks[static_cast<std::size_t>(rule.task)].name);
}

std::string reason_text(const ProcessRecord& record, const Considered& considered, const Scene& scene) {
  const LifecyclePolicy* policy = policy_at(record.spec.get(), considered.rule);
  static const LifecyclePolicy kNothing;
  const LifecyclePolicy& rule = policy != nullptr ? *policy : kNothing;
  const Request& request = record.request;
  const std::string event = event_of(request);
  switch (considered.reason) {
    case RuleReason::MatchedEvent: return compose("matches: it names {}", event);
    case RuleReason::MatchedAnyEvent: return compose("matches: `*` covers {}", event);
    case RuleReason::MatchedExitCode: return compose("matches: the exit code is {}", request.exit_code);
    case RuleReason::EventDiffers: return compose("names {}, the event is {}", list_text(events_of(rule), "or"), event);
    case RuleReason::ExitCodeDiffers: return exit_code_text(record, rule.exit_code.value_or(0));
    case RuleReason::NeitherMatches:
      return compose("names {}, the event is {}; {}", list_text(events_of(rule), "or"), event,
                     exit_code_text(record, rule.exit_code.value_or(0)));
    case RuleReason::NeedsTimeout: {
      bool names_it = rule.event.code == Event::PodPending;
      for (const EventName& name : rule.events) names_it = names_it || name.code == Event::PodPending;
      return names_it ? "names PodPending but has no timeout, so it never fires for it"
                      : "`*` does not cover PodPending without a timeout";
    }
    case RuleReason::NoEventInRequest:
      return compose("names {}, a change of the PodGroup's phase carries no event", list_text(events_of(rule), "or"));
    case RuleReason::HasNoCondition: return "has neither an event nor an exit code, so it never matches";
    case RuleReason::NotAFailure: return "its exit code counts for PodFailed alone";
    case RuleReason::BehindEarlierMatch: return "not reached: an earlier policy of the list matched";
    case RuleReason::HiddenByTask: return "not reached: a policy of the task matched and hides the job's list";
    case RuleReason::NotConsulted: return not_asked_text(record, scene);
  }
  return {};
}

}  // namespace pumice::simulation
