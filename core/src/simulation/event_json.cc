// The mapping form of events.
#include <limits>
#include <utility>

#include "pumice/field_reader.h"
#include "pumice/simulation/event.h"
#include "simulation/event_words.h"
#include "yaml/characters.h"

namespace pumice {
namespace {

using namespace simulation;

/// Names of objects have at most 253 characters; there is room for those that are wrong.
constexpr std::size_t kWordBytesMax = 512;

std::string kind_of(const Json& value) {
  switch (value.type()) {
    case Json::value_t::null: return "null";
    case Json::value_t::boolean: return "a boolean";
    case Json::value_t::string: return "a string";
    case Json::value_t::array: return "a list";
    case Json::value_t::object: return "a mapping";
    case Json::value_t::number_integer:
    case Json::value_t::number_unsigned:
    case Json::value_t::number_float: return "a number";
    case Json::value_t::binary:
    case Json::value_t::discarded: return "something else";
  }
  return "something else";
}

/// Takes members out of a mapping and collects all that is wrong with them.
class MemberReader {
 public:
  explicit MemberReader(const Json& object) : object_(object) {}

  Diagnostics diagnostics;

  void error(std::string member, std::string message, std::string hint = {}) {
    diagnostics.push_back({.severity = Severity::Error,
                           .code = std::string(kInvalidEvent),
                           .field = std::move(member),
                           .message = std::move(message),
                           .hint = std::move(hint)});
  }

  [[nodiscard]] bool has(const char* member) const { return find(member) != nullptr; }

  std::optional<std::string> text(const char* member) {
    const Json* value = find(member);
    if (value == nullptr) return std::nullopt;
    if (!value->is_string()) {
      error(member, "must be a string, is " + kind_of(*value));
      return std::nullopt;
    }
    const auto& word = value->get_ref<const std::string&>();
    if (word.size() > kWordBytesMax) {
      error(member, "is longer than " + std::to_string(kWordBytesMax) + " bytes");
      return std::nullopt;
    }
    if (const auto problem = yaml::find_bad_character(word)) {
      error(member, problem->message);
      return std::nullopt;
    }
    return word;
  }

  std::optional<bool> flag(const char* member) {
    const Json* value = find(member);
    if (value == nullptr) return std::nullopt;
    if (value->is_boolean()) return value->get<bool>();
    error(member, "must be `true` or `false`, is " + kind_of(*value));
    return std::nullopt;
  }

  std::optional<std::int32_t> number(const char* member) {
    const Json* value = find(member);
    if (value == nullptr) return std::nullopt;
    // A number too large for 64 bits arrives as a floating-point one, so this covers all of them.
    if (value->is_number_integer()) {
      const bool huge = value->is_number_unsigned() && value->get<std::uint64_t>() > std::uint64_t{1} << 62U;
      const std::int64_t whole = huge ? std::numeric_limits<std::int64_t>::max() : value->get<std::int64_t>();
      if (whole >= std::numeric_limits<std::int32_t>::min() && whole <= std::numeric_limits<std::int32_t>::max()) {
        return static_cast<std::int32_t>(whole);
      }
      error(member, "does not fit into 32 bits");
      return std::nullopt;
    }
    error(member, value->is_number() ? "must be a whole number" : "must be a number, is " + kind_of(*value));
    return std::nullopt;
  }

  std::optional<Duration> duration(const char* member) {
    const auto word = text(member);
    if (!word) return std::nullopt;
    const auto value = parse_duration(*word);
    if (!value) {
      error(member, "`" + *word + "` " + std::string(duration_problem(*word)), "write it as `90s`, `1m30s` or `2h`");
    } else if (value->ns < 0) {
      error(member, "must not be negative: time does not run backwards");
      return std::nullopt;
    }
    return value;
  }

  /// Every member must be one of `known`: in our own documents an unknown field is an error.
  void allow_only(const std::vector<std::string_view>& known) {
    for (const auto& [name, value] : object_.items()) {
      bool is_known = false;
      for (const std::string_view word : known) is_known = is_known || word == name;
      if (!is_known) error(name, "unknown member `" + name + "`", did_you_mean(name, known));
    }
  }

 private:
  /// Null counts as absent.
  [[nodiscard]] const Json* find(const char* member) const {
    const auto at = object_.find(member);
    return at == object_.end() || at->is_null() ? nullptr : &*at;
  }

  const Json& object_;
};

PodEvent read_pod(MemberReader& in) {
  in.allow_only({"pod", "phase", "exitCode", "container", "restarts", "ready", "deleted", "evicted", "gone", "at"});
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

constexpr const char* kKinds[] = {"pod", "podGroup", "command", "advance", "until"};

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
  for (const char* later : {"edit", "fault"}) {
    if (!in.has(later)) continue;
    in.error(later, "events of the kind `" + std::string(later) + "` are not simulated");
    return nullptr;
  }
  std::string hint;
  for (const auto& [name, value] : object.items()) {
    if (hint.empty()) hint = did_you_mean(name, {std::begin(kKinds), std::end(kKinds)});
  }
  in.error("", "the kind of event is missing: give `pod`, `podGroup`, `command`, `advance` or `until`", hint);
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
    in.error("", "an event is a mapping such as `{pod: w-0, phase: Running}`, this is " + kind_of(object));
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
