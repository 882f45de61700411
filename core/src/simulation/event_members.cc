#include "simulation/event_members.h"

#include <algorithm>
#include <array>
#include <utility>

#include "compose.h"
#include "overloaded.h"
#include "pumice/field_reader.h"
#include "simulation/event_words.h"
#include "yaml/characters.h"

namespace pumice::simulation {

using volcano::ResultCode;

namespace {

constexpr std::size_t kEditsMax = 20;
constexpr std::size_t kPathBytesMax = 200;
/// As much as the line form can hold, whatever has to be quoted in it.
constexpr std::size_t kEditBytesMax = 1000;

constexpr std::array kResults{ResultCode::Conflict,  ResultCode::NotFound, ResultCode::AlreadyExists,
                              ResultCode::Forbidden, ResultCode::Timeout,  ResultCode::Other};

const std::vector<std::string_view>& result_words() {
  static const std::vector<std::string_view> words = [] {
    std::vector<std::string_view> all;
    for (const ResultCode code : kResults) all.push_back(result_word(code));
    return all;
  }();
  return words;
}

using Mode = WatchFault::Mode;
constexpr std::array<std::pair<std::string_view, Mode>, 5> kModes{{{"hold", Mode::Hold},
                                                                   {"release", Mode::Release},
                                                                   {"double", Mode::Double},
                                                                   {"drop", Mode::Drop},
                                                                   {"relist", Mode::Relist}}};

std::string_view word_of(Mode mode) noexcept {
  for (const auto& [word, known] : kModes)
    if (known == mode) return word;
  return "";
}

const std::vector<std::string_view>& mode_words() {
  static const std::vector<std::string_view> words{"hold", "release", "double", "drop", "relist"};
  return words;
}

const std::vector<std::string_view>& watch_words() {
  static const std::vector<std::string_view> words = [] {
    std::vector<std::string_view> all;
    for (const WatchKind kind : kWatchKinds) all.push_back(to_string(kind));
    all.emplace_back("all");
    return all;
  }();
  return words;
}

bool is_among(std::string_view word, const std::vector<std::string_view>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// A word out of a closed set; an error if it is another, or if it is missing and `required`.
std::string choice(MemberReader& in, const char* member, const std::vector<std::string_view>& words, bool required) {
  const bool is_given = in.has(member);
  const auto word = in.text(member);
  if (!is_given && required) in.error(member, compose("is missing: {}", one_of(words)));
  if (!word) return {};
  if (!is_among(*word, words)) {
    in.error(member, compose("`{}` is none of {}", *word, one_of(words)), did_you_mean(*word, words));
    return {};
  }
  return *word;
}

std::optional<std::int32_t> counted(MemberReader& in, const char* member, std::int32_t least) {
  const auto number = in.number(member);
  if (!number || *number >= least) return number;
  in.error(member, compose("must be at least {}, is {}", least, *number));
  return std::nullopt;
}

std::optional<Duration> span(MemberReader& in) {
  const auto duration = in.duration("for");
  if (duration && duration->ns == 0) {
    in.error("for", "must be longer than nothing");
    return std::nullopt;
  }
  return duration;
}

ControllerFault read_controller(MemberReader& in, ControllerFault::What what) {
  ControllerFault fault;
  fault.what = what;
  if (what == ControllerFault::What::Up) {
    in.allow_only({"fault", "at"});
    return fault;
  }
  in.allow_only({"fault", "for", "effects", "at"});
  fault.duration = span(in);
  fault.effects = counted(in, "effects", 1);
  return fault;
}

EffectFault read_effect(MemberReader& in, bool is_preset) {
  EffectFault fault;
  if (is_preset) {
    in.allow_only({"fault", "times", "at"});
  } else {
    in.allow_only({"fault", "kind", "name", "result", "times", "done", "at"});
    fault.kind = choice(in, "kind", effect_kinds(), false);
    fault.name = in.text("name").value_or("");
    const std::string word = choice(in, "result", result_words(), true);
    for (const ResultCode code : kResults)
      if (result_word(code) == word) fault.result = code;
    fault.done = in.flag("done").value_or(false);
    if (fault.done && !word.empty() && fault.result != ResultCode::Timeout)
      in.error("done", "only an effect whose answer is a `timeout` may have been carried out");
  }
  fault.times = counted(in, "times", 1).value_or(1);
  return fault;
}

WatchFault read_watch(MemberReader& in) {
  in.allow_only({"fault", "kind", "mode", "for", "count", "at"});
  WatchFault fault;
  const std::string kind = choice(in, "kind", watch_words(), false);
  for (const WatchKind known : kWatchKinds)
    if (to_string(known) == kind) fault.kind = known;
  const std::string mode = choice(in, "mode", mode_words(), true);
  for (const auto& [word, known] : kModes)
    if (word == mode) fault.mode = known;
  fault.duration = span(in);
  fault.count = counted(in, "count", 1);
  if (mode.empty()) return fault;
  const bool lasts = fault.mode == Mode::Hold || fault.mode == Mode::Double || fault.mode == Mode::Drop;
  if (fault.duration && !lasts) in.error("for", compose("`{}` happens at once", mode));
  if (fault.count && fault.mode != Mode::Release)
    in.error("count", compose("`{}` has no count, only `release` has", mode));
  return fault;
}

NodeFault read_node(MemberReader& in, bool back) {
  in.allow_only({"fault", "pods", "at"});
  NodeFault fault{in.text("pods").value_or(""), back};
  if (fault.pods.empty() && in.diagnostics.empty())
    in.error("pods", "which pods are on the node is missing: give a pod's name, or `*` for all");
  return fault;
}

QuotaFault read_quota(MemberReader& in, bool lifted) {
  QuotaFault fault;
  if (lifted) {
    in.allow_only({"fault", "namespace", "at"});
  } else {
    in.allow_only({"fault", "pods", "namespace", "at"});
    if (!in.has("pods")) in.error("pods", "how many pods the quota allows is missing");
    fault.pods = counted(in, "pods", 0);
  }
  fault.ns = in.text("namespace").value_or("");
  return fault;
}

bool is_path_character(char c) { return yaml::is_word(c) || c == '.' || c == '/' || c == '[' || c == ']'; }

std::string path_problem(const std::string& path) {
  if (path.empty()) return "the field's name is missing";
  if (path.size() > kPathBytesMax) return compose("the field's name is longer than {} bytes", kPathBytesMax);
  if (!std::all_of(path.begin(), path.end(), is_path_character))
    return "a field is named as in `spec.tasks[0].replicas`: letters, digits and `.`, `-`, `_`, `/`, `[`, `]`";
  return {};
}

std::string value_problem(const Json& value) {
  if (value.is_string()) return word_problem(value.get_ref<const std::string&>());
  if (value.is_structured()) return compose("must be one value, is {}; name the fields within it", json_kind(value));
  return {};
}

/// A value in the line form: what would be read as something else is written as JSON.
std::string text_of(const Json& value) {
  if (!value.is_string()) return to_text(value);
  const auto& text = value.get_ref<const std::string&>();
  return Json::accept(text) ? to_text(value) : text;
}

Json value_of(const std::string& text) {
  Json value = Json::parse(text, nullptr, false);
  return value.is_discarded() ? Json(text) : value;
}

}  // namespace

std::string_view result_word(ResultCode code) noexcept {
  switch (code) {
    case ResultCode::Ok: return "ok";
    case ResultCode::NotFound: return "notFound";
    case ResultCode::AlreadyExists: return "alreadyExists";
    case ResultCode::Conflict: return "conflict";
    case ResultCode::Forbidden: return "forbidden";
    case ResultCode::Timeout: return "timeout";
    case ResultCode::Other: return "error";
  }
  return "";
}

const std::vector<std::string_view>& fault_words() {
  static const std::vector<std::string_view> words{
      "controllerDown", "controllerUp", "controllerRestart", "effect", "storeError", "watch", "nodeLost",
      "nodeBack",       "quota",        "quotaLifted",       "mended"};
  return words;
}

const std::vector<std::string_view>& queue_states() {
  static const std::vector<std::string_view> words{"Open", "Closed", "Closing", "Unknown"};
  return words;
}

DeleteEvent read_delete(MemberReader& in) {
  in.allow_only({"delete", "foreground", "at"});
  return {in.text("delete").value_or(""), in.flag("foreground").value_or(false)};
}

CreateEvent read_create(MemberReader& in) {
  in.allow_only({"create", "at"});
  return {in.text("create").value_or("")};
}

EditEvent read_edit(MemberReader& in) {
  in.allow_only({"edit", "set", "at"});
  EditEvent event;
  event.job = in.text("edit").value_or("");
  const Json* set = in.find("set");
  if (set == nullptr || (set->is_object() && set->empty())) {
    in.error("set", "what is changed is missing", "for example `{edit: train, set: {spec.minAvailable: 2}}`");
    return event;
  }
  if (!set->is_object()) {
    in.error("set", "must be a mapping of fields to values, is " + json_kind(*set));
    return event;
  }
  if (set->size() > kEditsMax) in.error("set", compose("more than {} fields in one event", kEditsMax));
  std::size_t bytes = event.job.size();
  for (const auto& [path, value] : set->items()) {
    std::string problem = path_problem(path);
    if (problem.empty()) problem = value_problem(value);
    if (!problem.empty()) in.error(path.size() > kPathBytesMax ? "set" : "set." + path, std::move(problem));
    bytes += path.size() + to_text(value).size() + 2;
    event.set.emplace_back(path, value);
  }
  if (bytes > kEditBytesMax && in.diagnostics.empty())
    in.error("set", compose("is longer than {} bytes; make several events of it", kEditBytesMax));
  return event;
}

QueueEvent read_queue(MemberReader& in) {
  in.allow_only({"queue", "state", "deleted", "at"});
  QueueEvent event;
  event.queue = in.text("queue").value_or("");
  event.state = choice(in, "state", queue_states(), false);
  event.deleted = in.flag("deleted").value_or(false);
  if (!in.diagnostics.empty()) return event;
  if (event.queue.empty()) in.error("queue", "the queue's name is missing");
  if (event.state.empty() == !event.deleted)
    in.error("queue", event.deleted ? "a queue that is deleted has no state"
                                    : "what becomes of the queue is missing: give `state` or `deleted`");
  return event;
}

FaultEvent read_fault(MemberReader& in) {
  const std::string word = choice(in, "fault", fault_words(), true);
  using What = ControllerFault::What;
  if (word == "controllerDown") return {read_controller(in, What::Down)};
  if (word == "controllerUp") return {read_controller(in, What::Up)};
  if (word == "controllerRestart") return {read_controller(in, What::Restart)};
  if (word == "effect" || word == "storeError") return {read_effect(in, word == "storeError")};
  if (word == "watch") return {read_watch(in)};
  if (word == "nodeLost" || word == "nodeBack") return {read_node(in, word == "nodeBack")};
  if (word == "quota" || word == "quotaLifted") return {read_quota(in, word == "quotaLifted")};
  if (word == "mended") {
    in.allow_only({"fault", "at"});
    return {MendFault{}};
  }
  return {};
}

Json members_of(const DeleteEvent& event) {
  Json object = object_of({{"delete", event.job}});
  if (event.foreground) object["foreground"] = true;
  return object;
}

Json members_of(const CreateEvent& event) { return object_of({{"create", event.job}}); }

Json members_of(const EditEvent& event) {
  Json set = Json::object();
  for (const auto& [path, value] : event.set) set[path] = value;
  return object_of({{"edit", event.job}, {"set", std::move(set)}});
}

Json members_of(const QueueEvent& event) {
  Json object = object_of({{"queue", event.queue}});
  if (!event.state.empty()) object["state"] = event.state;
  if (event.deleted) object["deleted"] = true;
  return object;
}

Json members_of(const FaultEvent& event) {
  return std::visit(Overloaded{
                        [](const ControllerFault& fault) {
                          using What = ControllerFault::What;
                          Json object = object_of({{"fault", fault.what == What::Down ? "controllerDown"
                                                             : fault.what == What::Up ? "controllerUp"
                                                                                      : "controllerRestart"}});
                          if (fault.duration) object["for"] = to_string(*fault.duration);
                          if (fault.effects) object["effects"] = *fault.effects;
                          return object;
                        },
                        [](const EffectFault& fault) {
                          const bool is_preset =
                              fault.kind.empty() && fault.name.empty() && fault.result == ResultCode::Other;
                          Json object = object_of({{"fault", is_preset ? "storeError" : "effect"}});
                          if (!is_preset) object["result"] = result_word(fault.result);
                          if (!fault.kind.empty()) object["kind"] = fault.kind;
                          if (!fault.name.empty()) object["name"] = fault.name;
                          if (fault.done) object["done"] = true;
                          if (fault.times != 1) object["times"] = fault.times;
                          return object;
                        },
                        [](const WatchFault& fault) {
                          Json object = object_of({{"fault", "watch"}, {"mode", word_of(fault.mode)}});
                          if (fault.kind) object["kind"] = to_string(*fault.kind);
                          if (fault.duration) object["for"] = to_string(*fault.duration);
                          if (fault.count) object["count"] = *fault.count;
                          return object;
                        },
                        [](const MendFault&) { return object_of({{"fault", "mended"}}); },
                        [](const NodeFault& fault) {
                          return object_of({{"fault", fault.back ? "nodeBack" : "nodeLost"}, {"pods", fault.pods}});
                        },
                        [](const QuotaFault& fault) {
                          Json object = object_of({{"fault", fault.pods ? "quota" : "quotaLifted"}});
                          if (fault.pods) object["pods"] = *fault.pods;
                          if (!fault.ns.empty()) object["namespace"] = fault.ns;
                          return object;
                        },
                    },
                    event.what);
}

bool is_written_as_mapping(std::string_view kind) noexcept {
  return kind == "delete" || kind == "create" || kind == "edit" || kind == "queue" || kind == "fault" || kind == "job";
}

std::string LineMembers::put(const std::string& member, Json value, std::size_t at) {
  if (!places_.emplace(member, at).second) {
    place = at;
    return compose("`{}` is given already", member);
  }
  if (member.starts_with("set."))
    object["set"][member.substr(4)] = std::move(value);
  else
    object[member] = std::move(value);
  return {};
}

namespace {

/// Members that may stand without their names, in this order.
std::vector<std::string_view> positions(std::string_view kind, std::string_view fault) {
  if (kind == "queue") return {"queue", "state"};
  if (kind != "fault") return {kind};
  if (fault == "effect") return {"fault", "kind", "result"};
  if (fault == "watch") return {"fault", "kind", "mode"};
  if (fault == "nodeLost" || fault == "nodeBack" || fault == "quota") return {"fault", "pods"};
  return {"fault"};
}

bool is_flag(std::string_view kind, std::string_view word) {
  return (kind == "delete" && word == "foreground") || (kind == "queue" && word == "deleted") ||
         (kind == "fault" && word == "done");
}

bool is_number_member(std::string_view member, std::string_view fault) {
  return member == "times" || member == "count" || member == "effects" || (member == "pods" && fault == "quota");
}

Json typed(const std::string& member, const std::string& text, std::string_view fault) {
  if (member == "done" || member == "foreground" || member == "deleted") {
    if (text == "true" || text == "false") return text == "true";
    return text;
  }
  if (!is_number_member(member, fault)) return text;
  Json number = Json::parse(text, nullptr, false);
  return number.is_number() ? number : Json(text);
}

}  // namespace

std::string LineMembers::arrange(std::string kind) {
  if (kind == "job") {
    const std::string_view what = words.size() < 2 ? "" : std::string_view(words[1].text);
    if (what != "deleted" && what != "created") {
      place = words.size() < 2 ? 0 : words[1].place;
      hint = "for example `job train deleted`";
      return "what happened to the job is missing: `deleted` or `created`";
    }
    kind = what == "deleted" ? "delete" : "create";
    words.erase(words.begin() + 1);
  }
  const std::string fault = kind == "fault" && !words.empty() ? words.front().text : std::string();
  const std::vector<std::string_view> order = positions(kind, fault);
  std::size_t next = 0;
  object[kind] = "";
  for (const LineWord& word : words) {
    std::string problem;
    if (!word.key.empty() && kind == "edit") {
      problem = put("set." + word.key, value_of(word.text), word.place);
    } else if (!word.key.empty()) {
      problem = put(word.key, typed(word.key, word.text, fault), word.place);
    } else if (next > 0 && is_flag(kind, word.text)) {
      problem = put(word.text, true, word.place);
    } else {
      // What a fault is about may be left out, as its last word tells itself.
      if (next == 1 && (fault == "effect" || fault == "watch") &&
          is_among(word.text, fault == "effect" ? result_words() : mode_words()))
        ++next;
      if (next >= order.size()) {
        place = word.place;
        return compose("`{}` is one word too many", word.text);
      }
      const std::string member(order[next++]);
      problem = put(member, typed(member, word.text, fault), word.place);
    }
    if (!problem.empty()) return problem;
  }
  return {};
}

std::size_t LineMembers::place_of(const std::string& member) const {
  const auto at = places_.find(member);
  return at == places_.end() ? 0 : at->second;
}

std::vector<LineWord> line_words(const Json& members) {
  std::vector<LineWord> words;
  std::string kind;
  for (const char* candidate : {"delete", "create", "edit", "queue", "fault"})
    if (members.contains(candidate)) kind = candidate;
  const std::string name = members[kind].get<std::string>();
  words.push_back({0, "", kind});
  const std::vector<std::string_view> order = positions(kind, name);
  for (const std::string_view member : order) {
    const auto at = members.find(member);
    // An empty name is left out if nothing behind it could be taken for one.
    if (at == members.end() || (*at == "" && (members.size() == 1 || kind == "edit"))) continue;
    words.push_back({0, "", text_of(*at)});
    if (at->is_string()) words.back().text = at->get<std::string>();
  }
  for (const auto& [member, value] : members.items()) {
    if (std::find(order.begin(), order.end(), member) != order.end()) continue;
    if (member == "set") {
      for (const auto& [path, to] : value.items()) words.push_back({0, path, text_of(to)});
    } else if (value.is_boolean()) {
      words.push_back({0, "", member});
    } else {
      words.push_back({0, member, value.is_string() ? value.get<std::string>() : to_text(value)});
    }
  }
  return words;
}

}  // namespace pumice::simulation
