#include "pumice/scenario/schema.h"

#include "pumice/version.h"
#include "scenario/words.h"
#include "simulation/event_words.h"

namespace pumice::scenario {
namespace {

constexpr const char* kDraft = "https://json-schema.org/draft/2020-12/schema";

Json of_type(const char* type) { return object_of({{"type", type}}); }
Json ref(const char* name) { return object_of({{"$ref", std::string("#/$defs/") + name}}); }
Json words(const Words& known) {
  Json list = Json::array();
  for (const std::string_view word : known) list.push_back(std::string(word));
  return object_of({{"enum", std::move(list)}});
}
Json constant(std::string_view word) { return object_of({{"const", std::string(word)}}); }
Json list_of(Json items) { return object_of({{"type", "array"}, {"items", std::move(items)}}); }
Json any_of(Json a, Json b) { return object_of({{"anyOf", Json::array({std::move(a), std::move(b)})}}); }
Json map_of(Json values) { return object_of({{"type", "object"}, {"additionalProperties", std::move(values)}}); }
/// An object of these members and no others.
Json closed(Json properties, Json required = Json::array()) {
  Json json = object_of({{"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}});
  if (!required.empty()) json["required"] = std::move(required);
  return json;
}

Json text() { return of_type("string"); }
Json flag() { return of_type("boolean"); }

Json described(Json schema, const char* description) {
  schema["description"] = description;
  return schema;
}

Json event_schema() {
  const Json duration = ref("duration");
  const auto with_time = [&duration](Json properties, Json required) {
    properties["at"] = duration;
    return closed(std::move(properties), std::move(required));
  };
  return object_of(
      {{"anyOf",
        Json::array({described(text(), "an event line, as in `pumice simulate --event`"),
                     with_time(object_of({{"pod", text()},
                                          {"phase", words(pod_phase_words())},
                                          {"exitCode", of_type("integer")},
                                          {"container", text()},
                                          {"restarts", of_type("integer")},
                                          {"ready", flag()},
                                          {"deleted", flag()},
                                          {"evicted", flag()},
                                          {"gone", flag()},
                                          {"reason", text()}}),
                               Json::array({"pod"})),
                     with_time(object_of({{"edit", text()}, {"set", of_type("object")}}), Json::array({"edit", "set"})),
                     with_time(object_of({{"delete", text()}, {"foreground", flag()}}), Json::array({"delete"})),
                     with_time(object_of({{"create", text()}}), Json::array({"create"})),
                     with_time(object_of({{"fault", text()},
                                          {"for", duration},
                                          {"effects", of_type("integer")},
                                          {"kind", text()},
                                          {"result", text()},
                                          {"name", text()},
                                          {"times", of_type("integer")},
                                          {"done", flag()},
                                          {"mode", text()},
                                          {"count", of_type("integer")},
                                          {"pods", any_of(text(), of_type("integer"))},
                                          {"namespace", text()}}),
                               Json::array({"fault"})),
                     with_time(object_of({{"podGroup", text()}, {"phase", words(pod_group_phase_words())}}),
                               Json::array({"podGroup", "phase"})),
                     with_time(object_of({{"command", text()}, {"job", text()}}), Json::array({"command"})),
                     with_time(object_of({{"advance", text()}}), Json::array({"advance"})),
                     with_time(object_of({{"until", words(simulation::until_words())}, {"job", text()}}),
                               Json::array({"until"}))})}});
}

/// Members that are checks.
Json check_members() {
  Json members = object_of({{"phase", any_of(words(phase_words()), list_of(words(phase_words())))},
                            {"conditions", list_of(words(phase_words()))},
                            {"runningDuration", ref("duration")},
                            {"pods", map_of(ref("pod"))},
                            {"timers", ref("number")},
                            {"waiting", ref("patterns")},
                            {"rule", described(text(), "a path such as `spec.tasks[0].policies[1]`, or `none`")},
                            {"action", words(action_words())},
                            {"events", list_of(closed(object_of({{"reason", ref("pattern")},
                                                                 {"message", ref("pattern")},
                                                                 {"type", words({"Normal", "Warning"})}})))},
                            {"refused", ref("pattern")},
                            {"explanation", ref("patterns")}});
  Words group = pod_group_phase_words();
  group.push_back("absent");
  members["podGroup"] = words(group);
  for (const std::string_view counter : counter_words()) members[std::string(counter)] = ref("number");
  Json effects = Json::object();
  for (const std::string_view effect : effect_words())
    effects[std::string(effect)] = any_of(ref("number"), list_of(text()));
  members["effects"] = closed(std::move(effects));
  return members;
}

Json definitions() {
  Json number =
      any_of(of_type("integer"), object_of({{"type", "string"}, {"pattern", "^(!=|<=|>=|==|=|<|>)? *-?[0-9]+$"}}));
  Words phase = pod_phase_words();
  phase.push_back("absent");
  Json pod = any_of(words(phase), closed(object_of({{"phase", words(phase)},
                                                    {"exitCode", ref("number")},
                                                    {"restarts", ref("number")},
                                                    {"version", ref("number")},
                                                    {"deleting", flag()}})));
  Json admission = any_of(words({"allowed", "denied"}), closed(object_of({{"object", text()},
                                                                          {"allowed", flag()},
                                                                          {"denied", any_of(flag(), ref("pattern"))},
                                                                          {"warnings", ref("patterns")},
                                                                          {"defaults", of_type("object")}})));
  Json checks = check_members();
  checks["job"] = text();
  checks["jobs"] = map_of(closed(check_members()));
  Json expectation = checks;
  expectation["after"] = of_type("integer");
  expectation["at"] = text();
  expectation["since"] = of_type("integer");
  for (const char* name : {"never", "always", "eventually"}) expectation[name] = closed(checks);
  expectation["admission"] = std::move(admission);
  return object_of({{"duration", described(text(), "a span as `90s`, `1m30s` or `2h`")},
                    {"number", std::move(number)},
                    {"pattern", described(text(), "a regular expression in RE2's syntax")},
                    {"patterns", any_of(ref("pattern"), list_of(ref("pattern")))},
                    {"pod", std::move(pod)},
                    {"expectation", closed(std::move(expectation))}});
}

Json root(const char* title, Json properties, Json required, Json definitions) {
  Json json = closed(std::move(properties), std::move(required));
  json["$schema"] = kDraft;
  json["title"] = title;
  json["$defs"] = std::move(definitions);
  return json;
}

}  // namespace

Json scenario_schema() {
  Words names;
  for (const ProfileInfo& profile : profiles()) names.push_back(profile.name);
  Json defs = definitions();
  defs["event"] = event_schema();
  Json properties = object_of(
      {{"apiVersion", constant(kApiVersion)},
       {"kind", constant("Scenario")},
       {"metadata", closed(object_of({{"name", text()}, {"title", text()}, {"annotations", map_of(text())}}))},
       {"profile", any_of(words(names), list_of(words(names)))},
       {"quirksOff", list_of(text())},
       {"clock", closed(object_of({{"start", text()}, {"zone", text()}}))},
       {"automation", words({"manual", "assist", "auto"})},
       {"pace", words({to_string(Pace::Calm), to_string(Pace::Immediate)})},
       {"timings", closed(object_of({{"admit", ref("duration")},
                                     {"start", ref("duration")},
                                     {"remove", ref("duration")},
                                     {"run", ref("duration")}}))},
       {"made", closed(object_of({{"pumice", text()}, {"tzdata", text()}}))},
       {"objects", described(text(), "manifests, several documents")},
       {"objectFiles", list_of(text())},
       {"events", list_of(ref("event"))},
       {"expect", list_of(ref("expectation"))}});
  Json schema = root("Pumice scenario", std::move(properties), Json::array({"apiVersion", "kind"}), std::move(defs));
  schema["anyOf"] = Json::array(
      {object_of({{"required", Json::array({"objects"})}}), object_of({{"required", Json::array({"objectFiles"})}})});
  return schema;
}

Json suite_schema() {
  Json one = closed(object_of({{"name", text()}, {"scenario", text()}, {"expect", list_of(ref("expectation"))}}),
                    Json::array({"scenario"}));
  Json test = closed(object_of({{"name", text()}, {"cases", list_of(std::move(one))}}), Json::array({"cases"}));
  return root("Pumice suite",
              object_of({{"apiVersion", constant(kApiVersion)},
                         {"kind", constant("Suite")},
                         {"metadata", closed(object_of({{"name", text()}, {"title", text()}}))},
                         {"tests", list_of(std::move(test))}}),
              Json::array({"apiVersion", "kind", "tests"}), definitions());
}

}  // namespace pumice::scenario
