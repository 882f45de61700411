// The mapping form of events.
#include <utility>

#include "pumice/field_reader.h"
#include "pumice/simulation/event.h"
#include "simulation/event_members.h"
#include "simulation/event_reader.h"
#include "simulation/event_words.h"

namespace pumice {
namespace {

using namespace simulation;

PodEvent read_pod(MemberReader& in) {
  in.allow_only(
      {"pod", "phase", "exitCode", "container", "restarts", "ready", "deleted", "evicted", "gone", "reason", "at"});
  PodEvent event;
  event.pod = in.text("pod").value_or("");
  if (const auto word = in.text("phase")) {
    event.phase = pod_phase_word(*word);
    if (!event.phase) {
      in.error("phase", "`" + *word + "` is not a pod phase: " + one_of(pod_phase_words()),
               did_you_mean(*word, pod_phase_words()));
    }
  }
  event.exit_code = in.number("exitCode");
  if (event.exit_code)
    if (std::string problem = exit_code_problem(*event.exit_code); !problem.empty())
      in.error("exitCode", std::move(problem));
  event.container = in.text("container").value_or("");
  event.restarts = in.number("restarts");
  event.ready = in.flag("ready");
  event.deleted = in.flag("deleted").value_or(false);
  event.evicted = in.flag("evicted").value_or(false);
  event.gone = in.flag("gone").value_or(false);
  event.reason = in.text("reason").value_or("");
  if (!in.diagnostics.empty()) return event;
  if (event.pod.empty()) in.error("pod", "must not be empty: give a pod's name, or `*` for all");
  if (std::string problem = contradiction(event); !problem.empty()) in.error("pod", std::move(problem));
  return event;
}

PodGroupEvent read_pod_group(MemberReader& in) {
  in.allow_only({"podGroup", "phase", "at"});
  PodGroupEvent event;
  event.job = in.text("podGroup").value_or("");
  const auto word = in.text("phase");
  if (!word && in.diagnostics.empty()) {
    in.error("podGroup", "the phase is missing: give `phase`, one of " + one_of(pod_group_phase_words()));
  }
  if (!word) return event;
  const auto phase = pod_group_phase_word(*word);
  if (!phase) {
    in.error("phase", "`" + *word + "` is not a phase of a PodGroup: " + one_of(pod_group_phase_words()),
             did_you_mean(*word, pod_group_phase_words()));
  }
  event.phase = phase.value_or(PodGroupPhase::None);
  return event;
}

CommandEvent read_command(MemberReader& in) {
  in.allow_only({"command", "job", "at"});
  CommandEvent event;
  event.action = in.text("command").value_or("");
  event.job = in.text("job").value_or("");
  if (std::string hint = action_hint(event.action); !hint.empty()) {
    in.error("command", unknown_action_text(event.action), std::move(hint));
    in.diagnostics.back().severity = Severity::Warning;
  }
  return event;
}

AdvanceEvent read_advance(MemberReader& in) {
  in.allow_only({"advance", "at"});
  AdvanceEvent event;
  const auto word = in.text("advance");
  if (!word) return event;
  if (*word == "next") {
    event.by = AdvanceEvent::By::Next;
  } else if (*word == "nextTimer") {
    event.by = AdvanceEvent::By::NextTimer;
  } else if (parse_duration(*word) || is_duration_too_long(*word)) {
    event.duration = in.duration("advance").value_or(Duration{});
  } else {
    in.error("advance", "`" + *word + "` is neither a duration nor `next` nor `nextTimer`",
             "write a duration as `90s`, `1m30s` or `2h`");
  }
  return event;
}

UntilEvent read_until(MemberReader& in) {
  in.allow_only({"until", "job", "at"});
  const auto word = in.text("until");
  const auto known = word ? until_word(*word) : std::nullopt;
  if (word && !known) {
    in.error("until", "`" + *word + "` is nothing to wait for: " + one_of(until_words()),
             did_you_mean(*word, until_words()));
  }
  UntilEvent event = known.value_or(UntilEvent{});
  event.job = in.text("job").value_or("");
  return event;
}

constexpr const char* kKinds[] = {"pod",    "podGroup", "command", "advance", "until",
                                  "delete", "create",   "edit",    "queue",   "fault"};

/// The member that says what kind of event this is; nullptr after reporting that there is none, or more than one.
const char* kind_of_event(const Json& object, MemberReader& in) {
  const char* kind = nullptr;
  for (const char* candidate : kKinds) {
    if (!in.has(candidate)) continue;
    if (kind != nullptr) {
      in.error(candidate,
               "an event is about one thing: both `" + std::string(kind) + "` and `" + candidate + "` are given");
      return nullptr;
    }
    kind = candidate;
  }
  if (kind != nullptr) return kind;
  std::string hint;
  for (const auto& [name, value] : object.items()) {
    if (hint.empty()) hint = did_you_mean(name, {std::begin(kKinds), std::end(kKinds)});
  }
  in.error("", "the kind of event is missing: give " + one_of({std::begin(kKinds), std::end(kKinds)}), hint);
  return nullptr;
}

Json members_of(const PodEvent& event) {
  Json object = object_of({{"pod", event.pod}});
  if (event.phase) object["phase"] = to_string(*event.phase);
  if (event.exit_code) object["exitCode"] = *event.exit_code;
  if (!event.container.empty()) object["container"] = event.container;
  if (event.restarts) object["restarts"] = *event.restarts;
  if (event.ready) object["ready"] = *event.ready;
  if (event.deleted) object["deleted"] = true;
  if (event.evicted) object["evicted"] = true;
  if (event.gone) object["gone"] = true;
  if (!event.reason.empty()) object["reason"] = event.reason;
  return object;
}

Json members_of(const PodGroupEvent& event) {
  return object_of({{"podGroup", event.job}, {"phase", to_string(event.phase)}});
}

Json members_of(const CommandEvent& event) {
  Json object = object_of({{"command", event.action}});
  if (!event.job.empty()) object["job"] = event.job;
  return object;
}

Json members_of(const AdvanceEvent& event) {
  switch (event.by) {
    case AdvanceEvent::By::Duration: return object_of({{"advance", to_string(event.duration)}});
    case AdvanceEvent::By::Next: return object_of({{"advance", "next"}});
    case AdvanceEvent::By::NextTimer: return object_of({{"advance", "nextTimer"}});
  }
  return {};
}

Json members_of(const UntilEvent& event) {
  Json object = object_of({{"until", word_of(event)}});
  if (!event.job.empty()) object["job"] = event.job;
  return object;
}

}  // namespace

Result<UserEvent> read_event(const Json& object) {
  static const Json kNothing = Json::object();
  MemberReader in(object.is_object() ? object : kNothing);
  if (!object.is_object()) {
    in.error("", "an event is a mapping such as `{pod: w-0, phase: Running}`, this is " + json_kind(object));
    return Result<UserEvent>::failure(std::move(in.diagnostics));
  }
  UserEvent event;
  const char* kind = kind_of_event(object, in);
  if (kind == nullptr) return Result<UserEvent>::failure(std::move(in.diagnostics));
  const std::string_view word = kind;
  if (word == "pod") event.what = read_pod(in);
  if (word == "podGroup") event.what = read_pod_group(in);
  if (word == "command") event.what = read_command(in);
  if (word == "advance") event.what = read_advance(in);
  if (word == "until") event.what = read_until(in);
  if (word == "delete") event.what = read_delete(in);
  if (word == "create") event.what = read_create(in);
  if (word == "edit") event.what = read_edit(in);
  if (word == "queue") event.what = read_queue(in);
  if (word == "fault") event.what = read_fault(in);
  event.at = in.duration("at");
  if (has_errors(in.diagnostics)) return Result<UserEvent>::failure(std::move(in.diagnostics));
  return Result<UserEvent>::success(std::move(event), std::move(in.diagnostics));
}

Json to_json(const UserEvent& event) {
  Json object = std::visit([](const auto& what) { return members_of(what); }, event.what);
  if (event.at) object["at"] = to_string(*event.at);
  return object;
}

}  // namespace pumice
