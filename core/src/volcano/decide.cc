// Two versions of one rule. `decide` answers from tables that PolicyTable compiles once per job version; `consider`
// reads the policies as spec/volcano-job.md 5 does, one after the other, and says why each was taken or left. The
// property test in tests/unit/decide_test.cc holds both together.
//
// The table rests on this: a list decides by its first matching policy, and a policy matches by event or by exit code.
// So the first match is the smaller of "first that matches this event" and "first with this exit code". PodPending
// needs a timeout to match by event; such a policy simply is not entered for PodPending, and its exit code still
// counts.
#include "pumice/volcano/decide.h"

#include <algorithm>

#include "pumice/check.h"

namespace pumice::volcano {
namespace {

/// Below this many entries a linear scan beats a binary search.
constexpr std::size_t kLinearMax = 8;

bool names_event(const LifecyclePolicy& policy, const EventName& event) noexcept {
  return policy.event == event || std::find(policy.events.begin(), policy.events.end(), event) != policy.events.end();
}

bool names_any_event(const LifecyclePolicy& policy) noexcept {
  const auto is_any = [](const EventName& name) { return name.code == Event::Any; };
  return is_any(policy.event) || std::any_of(policy.events.begin(), policy.events.end(), is_any);
}

/// Steps 1 to 4 of the specification: reasons not to look at policies at all. `NoMatch` if there is none.
DecisionSource gate(std::string_view job_uid, std::int32_t job_version, const Request& request,
                    Quirks quirks) noexcept {
  if (request.action.code != Action::None) {
    if (quirks.has(Quirk::CommandIgnoresUid) || request.job_uid.empty() || request.job_uid == job_uid)
      return DecisionSource::Command;
    return DecisionSource::OtherJobUid;
  }
  if (is_internal(request.event.code)) return DecisionSource::InternalEvent;
  if (!request.job_uid.empty() && request.job_uid != job_uid) return DecisionSource::OtherJobUid;
  if (request.job_version < job_version) return DecisionSource::StaleVersion;
  if (request.job_version > job_version && !quirks.has(Quirk::NewerVersionPasses)) return DecisionSource::StaleVersion;
  return DecisionSource::NoMatch;
}

Decision decision_of(const LifecyclePolicy& policy, DecisionSource source, RuleRef rule) noexcept {
  Decision decision;
  decision.action = policy.action.code;
  decision.action_text = policy.action.other;
  if (policy.timeout) decision.delay = *policy.timeout;
  decision.source = source;
  decision.rule = rule;
  return decision;
}

/// True if the exit code of a request is looked at.
bool compares_exit_code(const Request& request, Quirks quirks) noexcept {
  return request.event.code == Event::PodFailed || quirks.has(Quirk::ExitCodeAnyEvent);
}

/// Step 7 for one policy.
RuleReason judge(const LifecyclePolicy& policy, const Request& request, Quirks quirks) noexcept {
  const bool has_events = policy.event.code != Event::None || !policy.events.empty();
  const bool has_request_event = request.event.code != Event::None;
  const bool exact = has_request_event && names_event(policy, request.event);
  const bool fits = exact || (has_request_event && names_any_event(policy));
  const bool counts = request.event.code != Event::PodPending || policy.timeout.has_value();
  if (fits && counts) return exact ? RuleReason::MatchedEvent : RuleReason::MatchedAnyEvent;
  if (policy.exit_code && *policy.exit_code == request.exit_code)
    return compares_exit_code(request, quirks) ? RuleReason::MatchedExitCode : RuleReason::NotAFailure;
  if (fits) return RuleReason::NeedsTimeout;
  if (!has_events) return policy.exit_code ? RuleReason::ExitCodeDiffers : RuleReason::HasNoCondition;
  if (!has_request_event) return RuleReason::NoEventInRequest;
  return policy.exit_code ? RuleReason::NeitherMatches : RuleReason::EventDiffers;
}

void add_unread(std::vector<Considered>& out, std::int32_t task, std::size_t count, RuleReason reason) {
  for (std::size_t i = 0; i < count; ++i) out.push_back({{task, static_cast<std::int32_t>(i)}, reason});
}

/// Step 7 for a list. True if one of its policies decided.
bool read_list(std::vector<Considered>& out, std::int32_t task, const std::vector<LifecyclePolicy>& policies,
               const Request& request, Quirks quirks) {
  bool matched = false;
  for (std::size_t i = 0; i < policies.size(); ++i) {
    const RuleReason reason = matched ? RuleReason::BehindEarlierMatch : judge(policies[i], request, quirks);
    matched = matched || is_match(reason);
    out.push_back({{task, static_cast<std::int32_t>(i)}, reason});
  }
  return matched;
}

}  // namespace

std::string_view to_string(DecisionSource source) noexcept {
  switch (source) {
    case DecisionSource::Command: return "Command";
    case DecisionSource::InternalEvent: return "InternalEvent";
    case DecisionSource::OtherJobUid: return "OtherJobUid";
    case DecisionSource::StaleVersion: return "StaleVersion";
    case DecisionSource::TaskPolicy: return "TaskPolicy";
    case DecisionSource::JobPolicy: return "JobPolicy";
    case DecisionSource::NoMatch: return "NoMatch";
  }
  return "";
}

std::string_view to_string(RuleReason reason) noexcept {
  switch (reason) {
    case RuleReason::MatchedEvent: return "MatchedEvent";
    case RuleReason::MatchedAnyEvent: return "MatchedAnyEvent";
    case RuleReason::MatchedExitCode: return "MatchedExitCode";
    case RuleReason::EventDiffers: return "EventDiffers";
    case RuleReason::ExitCodeDiffers: return "ExitCodeDiffers";
    case RuleReason::NeitherMatches: return "NeitherMatches";
    case RuleReason::NeedsTimeout: return "NeedsTimeout";
    case RuleReason::NoEventInRequest: return "NoEventInRequest";
    case RuleReason::HasNoCondition: return "HasNoCondition";
    case RuleReason::NotAFailure: return "NotAFailure";
    case RuleReason::BehindEarlierMatch: return "BehindEarlierMatch";
    case RuleReason::HiddenByTask: return "HiddenByTask";
    case RuleReason::NotConsulted: return "NotConsulted";
  }
  return "";
}

std::string RuleRef::path() const {
  if (!exists()) return {};
  const std::string policy = "policies[" + std::to_string(index) + "]";
  return task < 0 ? "spec." + policy : "spec.tasks[" + std::to_string(task) + "]." + policy;
}

PolicyTable::PolicyTable(std::shared_ptr<const JobSpec> spec) : spec_(std::move(spec)) {
  PUMICE_CHECK(spec_ != nullptr);
  job_list_ = compile(spec_->policies);
  task_lists_.reserve(spec_->tasks.size());
  names_.reserve(spec_->tasks.size());
  for (const TaskSpec& task : spec_->tasks) {
    names_.emplace_back(task.name, static_cast<std::int32_t>(task_lists_.size()));
    task_lists_.push_back(compile(task.policies));
  }
  std::sort(names_.begin(), names_.end());  // equal names: the first task comes first, and stays
  const auto same_name = [](const auto& a, const auto& b) { return a.first == b.first; };
  names_.erase(std::unique(names_.begin(), names_.end(), same_name), names_.end());
}

PolicyTable::List PolicyTable::compile(const std::vector<LifecyclePolicy>& policies) {
  List list;
  list.first_by_event.fill(kNone);
  for (std::size_t i = 0; i < policies.size(); ++i) {
    const LifecyclePolicy& policy = policies[i];
    const auto index = static_cast<std::int32_t>(i);
    const auto enter = [&](Event event) {
      if (event == Event::PodPending && !policy.timeout) return;
      std::int32_t& first = list.first_by_event[static_cast<std::size_t>(event)];
      if (first == kNone) first = index;
    };
    const auto enter_name = [&](const EventName& name) {
      if (name.code == Event::None) return;  // an empty request event never matches an empty policy event
      if (name.code == Event::Other) {
        list.has_other_events = true;
      } else if (name.code == Event::Any) {
        for (std::size_t event = static_cast<std::size_t>(Event::Any); event < kEventCount; ++event) {
          enter(static_cast<Event>(event));
        }
      } else {
        enter(name.code);
      }
    };
    enter_name(policy.event);
    for (const EventName& name : policy.events) enter_name(name);
    if (policy.exit_code) list.exit_codes.emplace_back(*policy.exit_code, index);
  }
  std::sort(list.exit_codes.begin(), list.exit_codes.end());
  const auto same_code = [](const auto& a, const auto& b) { return a.first == b.first; };
  list.exit_codes.erase(std::unique(list.exit_codes.begin(), list.exit_codes.end(), same_code), list.exit_codes.end());
  return list;
}

std::int32_t PolicyTable::first_match(const List& list, const std::vector<LifecyclePolicy>& policies,
                                      const Request& request, Quirks quirks) noexcept {
  std::int32_t by_event = list.first_by_event[static_cast<std::size_t>(request.event.code)];
  if (request.event.code == Event::Other && list.has_other_events) {
    // The table has the wildcards; a policy in front of the first of them may name this very event.
    const std::size_t end = by_event == kNone ? policies.size() : static_cast<std::size_t>(by_event);
    for (std::size_t i = 0; i < end; ++i) {
      if (!names_event(policies[i], request.event)) continue;
      by_event = static_cast<std::int32_t>(i);
      break;
    }
  }

  const auto& codes = list.exit_codes;
  if (!compares_exit_code(request, quirks)) return by_event;
  auto code = codes.begin();
  if (codes.size() <= kLinearMax) {
    while (code != codes.end() && code->first != request.exit_code) ++code;
  } else {
    code = std::lower_bound(codes.begin(), codes.end(), request.exit_code,
                            [](const auto& entry, std::int32_t wanted) { return entry.first < wanted; });
    if (code != codes.end() && code->first != request.exit_code) code = codes.end();
  }
  if (code == codes.end()) return by_event;
  return by_event == kNone ? code->second : std::min(by_event, code->second);
}

std::int32_t PolicyTable::task_index(std::string_view name) const noexcept {
  if (names_.size() <= kLinearMax) {
    for (const auto& [task, index] : names_) {
      if (task == name) return index;
    }
    return kNone;
  }
  const auto found = std::lower_bound(names_.begin(), names_.end(), name,
                                      [](const auto& entry, std::string_view wanted) { return entry.first < wanted; });
  return found != names_.end() && found->first == name ? found->second : kNone;
}

Decision decide(const PolicyTable& table, std::string_view job_uid, std::int32_t job_version, const Request& request,
                Quirks quirks) noexcept {
  Decision decision;
  decision.source = gate(job_uid, job_version, request, quirks);
  if (decision.source == DecisionSource::Command) {
    decision.action = request.action.code;
    decision.action_text = request.action.other;
    return decision;
  }
  if (decision.source != DecisionSource::NoMatch) return decision;

  const JobSpec& spec = *table.spec_;
  const std::int32_t task = request.task_name.empty() ? PolicyTable::kNone : table.task_index(request.task_name);
  if (task != PolicyTable::kNone) {
    const auto at = static_cast<std::size_t>(task);
    const auto& policies = spec.tasks[at].policies;
    const std::int32_t index = PolicyTable::first_match(table.task_lists_[at], policies, request, quirks);
    if (index != PolicyTable::kNone) {
      return decision_of(policies[static_cast<std::size_t>(index)], DecisionSource::TaskPolicy, {task, index});
    }
  }
  const std::int32_t index = PolicyTable::first_match(table.job_list_, spec.policies, request, quirks);
  if (index != PolicyTable::kNone) {
    return decision_of(spec.policies[static_cast<std::size_t>(index)], DecisionSource::JobPolicy, {-1, index});
  }
  return decision;
}

std::vector<Considered> consider(const PolicyTable& table, std::string_view job_uid, std::int32_t job_version,
                                 const Request& request, Quirks quirks) {
  const JobSpec& spec = table.spec();
  const auto same_name = [&](const TaskSpec& task) { return task.name == request.task_name; };
  const auto found =
      request.task_name.empty() ? spec.tasks.end() : std::find_if(spec.tasks.begin(), spec.tasks.end(), same_name);
  const bool has_task = found != spec.tasks.end();
  const auto task = has_task ? static_cast<std::int32_t>(found - spec.tasks.begin()) : -1;

  std::vector<Considered> out;
  out.reserve((has_task ? found->policies.size() : 0) + spec.policies.size());
  if (gate(job_uid, job_version, request, quirks) != DecisionSource::NoMatch) {
    if (has_task) add_unread(out, task, found->policies.size(), RuleReason::NotConsulted);
    add_unread(out, -1, spec.policies.size(), RuleReason::NotConsulted);
    return out;
  }
  if (has_task && read_list(out, task, found->policies, request, quirks)) {
    add_unread(out, -1, spec.policies.size(), RuleReason::HiddenByTask);
  } else {
    read_list(out, -1, spec.policies, request, quirks);
  }
  return out;
}

}  // namespace pumice::volcano
