// What a scenario expects.
#include <algorithm>

#include "compose.h"
#include "pumice/volcano/names.h"
#include "scenario/read.h"
#include "scenario/words.h"

namespace pumice::scenario {
namespace {

/// A reader for a member, whatever its type.
FieldReader member_reader(FieldReader& reader, std::string_view member) {
  return {*reader.node().find(member), reader.context(), field_path(reader.path(), member)};
}

std::optional<Number> read_number(FieldReader& reader, std::string_view member) {
  const auto text = reader.text(member);
  if (!text) return std::nullopt;
  const auto number = number_from(*text);
  if (!number) wrong(reader, member, in_backticks(*text) + " is no number", "write `2`, or a text such as `\">= 2\"`");
  return number;
}

std::optional<Pattern> pattern_of(FieldReader& value) {
  const auto text = value.as_string();
  if (!text) return std::nullopt;
  std::string problem;
  auto pattern = Pattern::compile(*text, problem);
  if (!pattern)
    wrong(value, "", in_backticks(*text) + " is no regular expression: " + problem,
          "put `\\` in front of characters that shall stand for themselves");
  return pattern;
}

class CheckReader {
 public:
  explicit CheckReader(std::vector<Check>& out) : out_(out) {}

  /// The members of `in` that are checks; `job` is the one they are about.
  void read(FieldReader& in, std::string job, bool is_nested) {
    if (!is_nested) {
      if (const auto name = in.string("job")) job = *name;
      for (FieldReader& one : in.members("jobs")) {
        if (one.key().empty()) wrong(one, "", "a name must not be empty");
        if (one.key() == job) wrong(one, "", "`job` names it too: say all of a job in one place");
        read(one, one.key(), true);
        refuse_unknown(one);
      }
    }
    job_ = std::move(job);
    phase(in);
    for (const std::string_view counter : counter_words())
      if (const auto number = read_number(in, counter)) add(in, counter, CounterWanted{std::string(counter), *number});
    conditions(in);
    if (const auto duration = read_duration(in, "runningDuration"))
      add(in, "runningDuration", RunningDurationWanted{*duration});
    pod_group(in);
    for (FieldReader& pod : in.members("pods")) read_pod(pod);
    if (const auto number = read_number(in, "timers")) add(in, "timers", TimersWanted{*number});
    for (auto& [pattern, place] : read_patterns(in, "waiting"))
      put(WaitingWanted{std::move(pattern)}, std::move(place));
    rule(in);
    if (const auto word = read_word(in, "action", "action", action_words())) add(in, "action", ActionWanted{*word});
    for (FieldReader& effect : in.members("effects")) read_effect(effect);
    emitted(in);
    if (auto pattern = read_pattern(in, "refused")) add(in, "refused", RefusedWanted{std::move(*pattern)});
    for (auto& [pattern, place] : read_patterns(in, "explanation"))
      put(ExplanationWanted{std::move(pattern)}, std::move(place));
  }

 private:
  void put(Wanted wanted, Place place) { out_.push_back({job_, std::move(wanted), std::move(place)}); }
  void add(FieldReader& in, std::string_view member, Wanted wanted) {
    put(std::move(wanted), place_of(member_reader(in, member)));
  }

  void phase(FieldReader& in) {
    if (!in.has("phase")) return;
    FieldReader value = member_reader(in, "phase");
    PhaseWanted wanted;
    if (value.node().is_list()) {
      for (FieldReader& item : in.list("phase"))
        if (const auto word = item.as_string(); word && is_word_of(item, *word, "phase of a job", phase_words()))
          wanted.any_of.push_back(*word);
      if (value.node().children.empty()) wrong(value, "", "the list is empty");
    } else if (const auto word = value.as_string(); word && is_word_of(value, *word, "phase of a job", phase_words())) {
      wanted.any_of.push_back(*word);
    }
    if (!wanted.any_of.empty()) add(in, "phase", std::move(wanted));
  }

  void conditions(FieldReader& in) {
    if (!in.has("conditions")) return;
    ConditionsWanted wanted;
    for (FieldReader& item : in.list("conditions"))
      if (const auto word = item.as_string(); word && is_word_of(item, *word, "phase of a job", phase_words()))
        wanted.phases.push_back(*word);
    add(in, "conditions", std::move(wanted));
  }

  void pod_group(FieldReader& in) {
    const auto word = in.string("podGroup");
    if (!word) return;
    FieldReader value = member_reader(in, "podGroup");
    Words known = pod_group_phase_words();
    known.push_back("absent");
    if (!is_word_of(value, *word, "phase of a PodGroup", known)) return;
    add(in, "podGroup", PodGroupWanted{*word == "absent", pod_group_phase_from(*word)});
  }

  void pod_word(FieldReader& value, const std::string& word, PodWanted& wanted) {
    Words known = pod_phase_words();
    known.push_back("absent");
    if (!is_word_of(value, word, "phase of a pod", known)) return;
    wanted.absent = word == "absent";
    if (!wanted.absent) wanted.phase = pod_phase_from(word);
  }

  void read_pod(FieldReader& value) {
    PodWanted wanted;
    wanted.pod = value.key();
    if (value.node().is_map()) {
      if (const auto word = value.string("phase")) {
        FieldReader phase = member_reader(value, "phase");
        pod_word(phase, *word, wanted);
      }
      wanted.exit_code = read_number(value, "exitCode");
      wanted.restarts = read_number(value, "restarts");
      wanted.version = read_number(value, "version");
      wanted.deleting = value.boolean("deleting");
      refuse_unknown(value);
      const bool more = wanted.exit_code || wanted.restarts || wanted.version || wanted.deleting;
      if (wanted.absent && more) wrong(value, "", "a pod that is absent has nothing else");
      if (!wanted.absent && !wanted.phase && !more) wrong(value, "", "nothing is expected of this pod");
    } else if (const auto word = value.as_string()) {
      pod_word(value, *word, wanted);
    } else if (value.node().is_null()) {
      wrong(value, "", "nothing is expected of this pod", "write a phase, or `absent`");
    }
    put(std::move(wanted), place_of(value));
  }

  void rule(FieldReader& in) {
    const auto path = in.string("rule");
    if (!path) return;
    if (*path != "none" && (!path->starts_with("spec.") || path->find("policies[") == std::string::npos)) {
      wrong(in, "rule", in_backticks(*path) + " is no policy",
            "write `spec.policies[0]`, `spec.tasks[1].policies[0]` or `none`");
      return;
    }
    add(in, "rule", RuleWanted{*path == "none" ? std::string() : *path});
  }

  void read_effect(FieldReader& value) {
    EffectWanted wanted;
    wanted.effect = value.key();
    if (!is_word_of(value, wanted.effect, "effect", effect_words())) return;
    if (value.node().is_list()) {
      std::vector<std::string> names;
      for (const YamlNode& item : value.node().children) {
        FieldReader name(item, value.context(), field_path(value.path(), static_cast<std::int64_t>(names.size())));
        names.push_back(name.as_string().value_or(""));
        if (names.back().empty()) wrong(name, "", "a name must not be empty");
      }
      std::sort(names.begin(), names.end());
      wanted.amount = std::move(names);
    } else if (const auto text = value.as_text()) {
      const auto number = number_from(*text);
      if (!number)
        wrong(value, "", in_backticks(*text) + " is neither a number nor a list of names", "write `2` or `[w-0, w-1]`");
      wanted.amount = number.value_or(Number{});
    } else if (value.node().is_null()) {
      wrong(value, "", "neither a number nor names are given", "write `2` or `[w-0, w-1]`");
    }
    put(std::move(wanted), place_of(value));
  }

  void emitted(FieldReader& in) {
    for (FieldReader& item : in.list("events")) {
      EmittedWanted wanted;
      wanted.reason = read_pattern(item, "reason");
      wanted.message = read_pattern(item, "message");
      if (const auto type = read_word(item, "type", "type of an Event", {"Normal", "Warning"}))
        wanted.warning = *type == "Warning";
      refuse_unknown(item);
      if (item.node().is_map() && !wanted.reason && !wanted.message && !wanted.warning)
        wrong(item, "", "nothing is expected of this Event", "give `reason`, `message` or `type`");
      put(std::move(wanted), place_of(item));
    }
  }

  std::vector<Check>& out_;
  std::string job_;
};

AdmissionWanted read_admission(FieldReader& in) {
  AdmissionWanted wanted;
  const YamlNode& node = *in.node().find("admission");
  if (node.kind == YamlNode::Kind::String) {
    if (const auto word = read_word(in, "admission", "answer of a cluster", {"allowed", "denied"}))
      wanted.allowed = *word == "allowed";
    return wanted;
  }
  auto admission = in.object("admission");
  if (!admission) return wanted;
  wanted.object = admission->string("object").value_or("");
  if (const auto allowed = admission->boolean("allowed")) wanted.allowed = allowed;
  if (admission->has("denied")) {
    if (wanted.allowed) wrong(*admission, "denied", "`allowed` says the same, or the opposite");
    wanted.allowed = false;
    FieldReader denied = member_reader(*admission, "denied");
    if (denied.node().kind == YamlNode::Kind::Bool) {
      wanted.allowed = !*denied.as_boolean();
    } else {
      wanted.message = pattern_of(denied);
    }
  }
  for (auto& [pattern, place] : read_patterns(*admission, "warnings")) wanted.warnings.push_back(std::move(pattern));
  if (auto defaults = admission->object("defaults"))
    for (const YamlNode& field : defaults->node().children) wanted.defaults.emplace(field.key, to_json(field));
  refuse_unknown(*admission);
  if (!wanted.allowed && wanted.warnings.empty() && wanted.defaults.empty())
    wrong(in, "admission", "nothing is expected of admission", "give `allowed`, `denied`, `warnings` or `defaults`");
  return wanted;
}

class ExpectationReader {
 public:
  ExpectationReader(FieldReader& in, std::optional<std::int64_t> events, std::optional<Time> start)
      : in_(in), events_(events), start_(start) {}

  Expectation run() {
    using When = Expectation::When;
    out_.place = place_of(in_);
    std::string given;
    for (const When when : {When::After, When::At, When::Never, When::Always, When::Eventually}) {
      const std::string_view member = to_string(when);
      if (!in_.has(member)) continue;
      if (!given.empty()) {
        wrong(in_, member, compose("one expectation has one time: both `{}` and `{}` are given", given, member));
        continue;
      }
      given = member;
      out_.when = when;
    }
    if (out_.when == When::After) after();
    if (out_.when == When::At) at();
    since();
    CheckReader checks(out_.checks);
    const bool is_trace = out_.when == When::Never || out_.when == When::Always || out_.when == When::Eventually;
    if (is_trace) {
      if (auto inner = in_.object(given)) {
        checks.read(*inner, "", false);
        refuse_unknown(*inner);
        if (out_.checks.empty() && !has_errors(in_.context().diagnostics)) wrong(*inner, "", "nothing is expected");
      }
    } else {
      checks.read(in_, "", false);
      if (in_.has("admission")) out_.admission = read_admission(in_);
      if (in_.node().is_map() && out_.checks.empty() && !out_.admission && !has_errors(in_.context().diagnostics))
        wrong(in_, "", "nothing is expected", "give `phase`, `retryCount`, `rule` …");
    }
    if (out_.admission && (out_.when != When::End || !out_.checks.empty()))
      wrong(in_, "admission", "stands alone: the objects are looked at before anything happens");
    for (const Check& check : out_.checks)
      if (out_.when != When::After && std::holds_alternative<RefusedWanted>(check.wanted))
        wrong(in_, "", "`refused` is about one event: say which with `after`");
    refuse_unknown(in_);
    return std::move(out_);
  }

 private:
  void check_event(std::string_view member, std::int64_t event) {
    if (event < 0) wrong(in_, member, "must not be negative: events count from 1, the creation of the objects is 0");
    if (events_ && event > *events_)
      wrong(in_, member,
            compose("there is no event {}, there {}", event, *events_ == 1 ? "is 1" : compose("are {}", *events_)));
  }
  void after() {
    const auto event = in_.int64("after");
    if (!event) return;
    out_.event = *event;
    check_event("after", *event);
  }
  void since() {
    const auto event = in_.int64("since");
    if (!event) return;
    using When = Expectation::When;
    if (out_.when != When::Never && out_.when != When::Always && out_.when != When::Eventually)
      wrong(in_, "since", "goes with `never`, `always` and `eventually`");
    out_.since = *event;
    check_event("since", *event);
  }
  void at() {
    const auto text = in_.string("at");
    if (!text) return;
    if (const auto span = parse_duration(*text)) {
      if (span->ns < 0) wrong(in_, "at", "must not be negative: time does not run backwards");
      out_.time = Time{} + *span;
      return;
    }
    const auto time = parse_rfc3339(*text);
    if (!time) {
      wrong(in_, "at", in_backticks(*text) + " is neither a span since the start nor a time",
            "write it as `90s` or `2026-03-02T09:01:30Z`");
      return;
    }
    out_.time = *time;
    out_.time_is_absolute = true;
    if (start_ && *time < *start_) wrong(in_, "at", "lies before the start of the clock, " + to_rfc3339(*start_));
  }

  FieldReader& in_;
  std::optional<std::int64_t> events_;
  std::optional<Time> start_;
  Expectation out_;
};

}  // namespace

std::optional<Pattern> read_pattern(FieldReader& reader, std::string_view member) {
  if (!reader.has(member)) return std::nullopt;
  FieldReader value = member_reader(reader, member);
  return pattern_of(value);
}

std::vector<std::pair<Pattern, Place>> read_patterns(FieldReader& reader, std::string_view member) {
  std::vector<std::pair<Pattern, Place>> patterns;
  if (!reader.has(member)) return patterns;
  FieldReader value = member_reader(reader, member);
  const auto take = [&patterns](FieldReader& one) {
    if (auto pattern = pattern_of(one)) patterns.emplace_back(std::move(*pattern), place_of(one));
  };
  if (!value.node().is_list()) {
    take(value);
    return patterns;
  }
  if (value.node().children.empty()) wrong(value, "", "the list is empty");
  for (FieldReader& item : reader.list(member)) take(item);
  return patterns;
}

std::vector<Expectation> read_expectations(FieldReader& reader, std::optional<std::int64_t> events,
                                           std::optional<Time> start) {
  std::vector<Expectation> list;
  std::int64_t checks = 0;
  for (FieldReader& item : read_list(reader, "expect", kExpectationsMax)) {
    list.push_back(ExpectationReader(item, events, start).run());
    checks += static_cast<std::int64_t>(list.back().checks.size());
  }
  if (checks > kChecksMax)
    reader.report_at("expect", Severity::Error, "LimitExceeded",
                     compose("{} things are expected, more than the {} allowed", checks, kChecksMax));
  return list;
}

}  // namespace pumice::scenario
