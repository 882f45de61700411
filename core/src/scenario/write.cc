// Scenarios as JSON.
#include "scenario/write.h"

#include "overloaded.h"
#include "scenario/words.h"

namespace pumice::scenario {
namespace {

Json text(std::string_view value) { return std::string(value); }

Json json_of(const Number& number) { return number.op == Number::Op::Equal ? Json(number.value) : Json(number.text()); }

Json json_of(const PodWanted& pod) {
  const bool more = pod.exit_code || pod.restarts || pod.version || pod.deleting;
  if (pod.absent) return "absent";
  if (!more && pod.phase) return text(to_string(*pod.phase));
  Json json = Json::object();
  if (pod.phase) json["phase"] = text(to_string(*pod.phase));
  if (pod.exit_code) json["exitCode"] = json_of(*pod.exit_code);
  if (pod.restarts) json["restarts"] = json_of(*pod.restarts);
  if (pod.version) json["version"] = json_of(*pod.version);
  if (pod.deleting) json["deleting"] = *pod.deleting;
  return json;
}

Json json_of(const EmittedWanted& event) {
  Json json = Json::object();
  if (event.reason) json["reason"] = event.reason->text();
  if (event.message) json["message"] = event.message->text();
  if (event.warning) json["type"] = *event.warning ? "Warning" : "Normal";
  return json;
}

/// One stays alone, several become a list.
void join(Json& members, const char* name, Json value) {
  Json& at = members[name];
  if (at.is_null()) {
    at = std::move(value);
  } else if (at.is_array()) {
    at.push_back(std::move(value));
  } else {
    at = Json::array({std::move(at), std::move(value)});
  }
}

void put(Json& members, const Check& check) {
  std::visit(Overloaded{[&](const PhaseWanted& w) {
                          members["phase"] = w.any_of.size() == 1 ? Json(w.any_of.front()) : Json(w.any_of);
                        },
                        [&](const CounterWanted& w) { members[w.counter] = json_of(w.number); },
                        [&](const ConditionsWanted& w) { members["conditions"] = w.phases; },
                        [&](const RunningDurationWanted& w) { members["runningDuration"] = to_string(w.duration); },
                        [&](const PodGroupWanted& w) {
                          members["podGroup"] = w.absent ? text("absent") : text(to_string(w.phase));
                        },
                        [&](const PodWanted& w) { members["pods"][w.pod] = json_of(w); },
                        [&](const TimersWanted& w) { members["timers"] = json_of(w.number); },
                        [&](const WaitingWanted& w) { join(members, "waiting", w.pattern.text()); },
                        [&](const RuleWanted& w) { members["rule"] = w.path.empty() ? text("none") : Json(w.path); },
                        [&](const ActionWanted& w) { members["action"] = w.action; },
                        [&](const EffectWanted& w) {
                          const auto* number = std::get_if<Number>(&w.amount);
                          members["effects"][w.effect] =
                              number != nullptr ? json_of(*number) : Json(std::get<std::vector<std::string>>(w.amount));
                        },
                        [&](const EmittedWanted& w) {
                          Json& list = members["events"];
                          if (list.is_null()) list = Json::array();
                          list.push_back(json_of(w));
                        },
                        [&](const RefusedWanted& w) { members["refused"] = w.pattern.text(); },
                        [&](const ExplanationWanted& w) { join(members, "explanation", w.pattern.text()); }},
             check.wanted);
}

Json json_of(const AdmissionWanted& wanted) {
  const bool more = !wanted.object.empty() || wanted.message || !wanted.warnings.empty() || !wanted.defaults.empty();
  if (wanted.allowed && !more) return *wanted.allowed ? "allowed" : "denied";
  Json json = Json::object();
  if (!wanted.object.empty()) json["object"] = wanted.object;
  if (wanted.allowed && *wanted.allowed) json["allowed"] = true;
  if (wanted.allowed && !*wanted.allowed) json["denied"] = wanted.message ? Json(wanted.message->text()) : Json(true);
  for (const Pattern& warning : wanted.warnings) join(json, "warnings", warning.text());
  if (!wanted.defaults.empty()) json["defaults"] = wanted.defaults;
  return json;
}

Json metadata_of(const Scenario& scenario) {
  Json metadata = Json::object();
  if (!scenario.name.empty()) metadata["name"] = scenario.name;
  if (!scenario.title.empty()) metadata["title"] = scenario.title;
  if (!scenario.annotations.empty()) metadata["annotations"] = scenario.annotations;
  return metadata;
}

Json timings_of(const ClusterTimings& timings) {
  const ClusterTimings usual;
  Json json = Json::object();
  const auto put = [&json](const char* name, Duration is, Duration otherwise) {
    if (is != otherwise) json[name] = to_string(is);
  };
  put("admit", timings.admit, usual.admit);
  put("start", timings.start, usual.start);
  put("remove", timings.remove, usual.remove);
  put("run", timings.run, usual.run);
  return json;
}

}  // namespace

Json to_json(const Expectation& expectation) {
  using When = Expectation::When;
  Json checks = Json::object();
  for (const Check& check : expectation.checks) put(check.job.empty() ? checks : checks["jobs"][check.job], check);
  Json json = Json::object();
  switch (expectation.when) {
    case When::End: json = std::move(checks); break;
    case When::After:
      json = std::move(checks);
      json["after"] = expectation.event;
      break;
    case When::At:
      json = std::move(checks);
      json["at"] = expectation.time_is_absolute ? to_rfc3339(expectation.time) : to_string(expectation.time - Time{});
      break;
    case When::Never:
    case When::Always:
    case When::Eventually:
      json[std::string(to_string(expectation.when))] = std::move(checks);
      if (expectation.since) json["since"] = *expectation.since;
      break;
  }
  if (expectation.admission) json["admission"] = json_of(*expectation.admission);
  return json;
}

Json to_json(const Scenario& scenario) {
  Json json = object_of({{"apiVersion", text(kApiVersion)}, {"kind", "Scenario"}});
  const auto put = [&json](const char* name, Json value) {
    if (!value.empty()) json[name] = std::move(value);
  };
  put("metadata", metadata_of(scenario));
  if (scenario.profiles.size() != 1) {
    json["profile"] = scenario.profiles;
  } else if (scenario.profiles != Scenario{}.profiles) {
    json["profile"] = scenario.profiles.front();
  }
  put("quirksOff", scenario.quirks_off);
  Json clock = Json::object();
  if (scenario.start != Scenario{}.start) clock["start"] = to_rfc3339(scenario.start);
  if (!scenario.zone.empty()) clock["zone"] = scenario.zone;
  put("clock", std::move(clock));
  if (scenario.automation != Automation::Manual) json["automation"] = text(to_string(scenario.automation));
  if (scenario.pace != Pace::Calm) json["pace"] = text(to_string(scenario.pace));
  put("timings", timings_of(scenario.timings));
  Json made = Json::object();
  if (!scenario.made.pumice.empty()) made["pumice"] = scenario.made.pumice;
  if (!scenario.made.tzdata.empty()) made["tzdata"] = scenario.made.tzdata;
  put("made", std::move(made));
  if (!scenario.objects.empty() || scenario.object_files.empty()) json["objects"] = scenario.objects;
  put("objectFiles", scenario.object_files);
  Json events = Json::array();
  for (const ScenarioEvent& event : scenario.events) events.push_back(pumice::to_json(event.event));
  put("events", std::move(events));
  Json expect = Json::array();
  for (const Expectation& expectation : scenario.expect) expect.push_back(to_json(expectation));
  put("expect", std::move(expect));
  return json;
}

bool same_content(const Scenario& a, const Scenario& b) { return to_json(a) == to_json(b); }

}  // namespace pumice::scenario
