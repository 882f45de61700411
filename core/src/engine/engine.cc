#include "pumice/engine.h"

#include <algorithm>

#include "engine/arguments.h"
#include "engine/history.h"
#include "pumice/diagnostic_json.h"
#include "pumice/model/reader.h"
#include "pumice/simulation/report.h"
#include "pumice/version.h"

namespace pumice {

using engine::Arguments;

namespace {

/// Runs that are open at the same time; a page needs one, a comparison two.
constexpr std::size_t kSessionsMax = 32;
constexpr std::size_t kEventsMax = 10'000;
/// Steps of one `until` or `advance`.
constexpr std::int64_t kStepsOfEventMax = 10'000;

void read_quirks(Arguments& in, volcano::Quirks& quirks) {
  if (const auto word = in.text("profile")) {
    if (const auto problem = profile_problem(profiles(), *word))
      in.error("InvalidInput", "profile", problem->message, problem->hint);
    quirks = volcano::Quirks::of(volcano::profile_from(*word).value_or(volcano::Profile::Volcano));
  }
  for (const auto& [member, on] : {std::pair("quirksOff", false), std::pair("quirksOn", true)}) {
    const Json* list = in.find(member);
    if (list == nullptr) continue;
    if (!list->is_array()) {
      in.error("InvalidInput", member, "must be a list");
      continue;
    }
    for (std::size_t i = 0; i < list->size(); ++i) {
      const std::string field = std::string(member) + "[" + std::to_string(i) + "]";
      const auto* name = (*list)[i].get_ptr<const std::string*>();
      if (name == nullptr) {
        in.error("InvalidInput", field, "must be a string");
      } else if (const auto problem = quirk_problem(volcano::quirk_names(), *name)) {
        in.error("InvalidInput", field, problem->message, problem->hint);
      } else {
        quirks.set(*volcano::quirk_from(*name), on);
      }
    }
  }
}

void read_options(Arguments& in, SimulationOptions& options) {
  options.steps_max = kStepsOfEventMax;
  if (const auto word = in.text("automation")) {
    const auto automation = automation_from(*word);
    if (!automation) in.error("InvalidInput", "automation", "`" + *word + "` is not `manual`, `assist` or `auto`");
    options.automation = automation.value_or(Automation::Assist);
  }
  if (const auto word = in.text("start")) {
    const auto start = parse_rfc3339(*word);
    if (!start)
      in.error("InvalidInput", "start", "`" + *word + "` is not a time that can be simulated",
               "write it as `2026-03-02T09:00:00Z`, years 1678 to 2261");
    options.start = start.value_or(options.start);
  }
  read_quirks(in, options.controller.quirks);
  Arguments timings = in.object("timings");
  options.timings.admit = timings.duration("admit").value_or(options.timings.admit);
  options.timings.start = timings.duration("start").value_or(options.timings.start);
  options.timings.remove = timings.duration("remove").value_or(options.timings.remove);
  options.timings.run = timings.duration("run").value_or(options.timings.run);
  in.diagnostics.insert(in.diagnostics.end(), timings.diagnostics.begin(), timings.diagnostics.end());
}

/// An event as a mapping, or in the line form.
Result<UserEvent> read_any_event(const Json& event) {
  return event.is_string() ? parse_event(event.get_ref<const std::string&>()) : read_event(event);
}

std::vector<UserEvent> read_events(Arguments& in) {
  std::vector<UserEvent> events;
  const Json* list = in.find("events");
  if (list == nullptr) return events;
  if (!list->is_array()) {
    in.error("InvalidInput", "events", "must be a list");
    return events;
  }
  if (list->size() > kEventsMax) {
    in.error("LimitExceeded", "events", "are more than " + std::to_string(kEventsMax));
    return events;
  }
  for (std::size_t i = 0; i < list->size(); ++i) {
    Result<UserEvent> event = read_any_event((*list)[i]);
    for (Diagnostic& finding : event.diagnostics) {
      // What is only odd is told by the step's sentence, too.
      if (finding.severity != Severity::Error) continue;
      finding.field = "events[" + std::to_string(i) + "]" + (finding.field.empty() ? "" : "." + finding.field);
      in.diagnostics.push_back(std::move(finding));
    }
    if (event) events.push_back(std::move(*event.value));
  }
  return events;
}

Json json_of(const ObjectHeader& header, const YamlNode& node) {
  return object_of({{"apiVersion", header.api_version},
                    {"kind", header.kind},
                    {"name", header.name},
                    {"namespace", header.ns},
                    {"line", node.range.begin.line},
                    {"simulated", header.is_volcano_job()}});
}

Json documents_of(const std::string& text) {
  Json documents = Json::array();
  auto parsed = parse_yaml(text, {.duplicate_keys = Severity::Warning});
  if (!parsed) return documents;
  Diagnostics findings;
  for (YamlDocument& document : *parsed.value) {
    if (document.root.is_null()) continue;
    const std::vector<FoundObject> objects = objects_of(document.root, "", findings);
    for (const FoundObject& object : objects) documents.push_back(json_of(object.header, *object.node));
    // Something that says not what it is shows, too.
    if (objects.empty())
      documents.push_back(json_of(read_header(document.root).value.value_or(ObjectHeader{}), document.root));
  }
  return documents;
}

std::string_view to_string(Tone tone) {
  switch (tone) {
    case Tone::Plain: return "plain";
    case Tone::Muted: return "muted";
    case Tone::Strong: return "strong";
    case Tone::Phase: return "phase";
    case Tone::Winner: return "winner";
    case Tone::Warning: return "warning";
  }
  return "plain";
}

Json lines_json(const std::vector<Line>& lines) {
  Json list = Json::array();
  for (const Line& line : lines) {
    Json spans = Json::array();
    for (const Span& span : line) {
      if (!span.text.empty()) spans.push_back(object_of({{"tone", to_string(span.tone)}, {"text", span.text}}));
    }
    list.push_back(std::move(spans));
  }
  return list;
}

}  // namespace

struct Engine::Session {
  engine::History history;
};

Engine::Engine() = default;
Engine::~Engine() = default;

std::string Engine::validate(std::string_view input) const {
  Arguments in(input);
  const auto text = in.text("text", true);
  const auto file = in.text("file");
  if (!in.ok()) return engine::failure(in.diagnostics);
  const auto simulation = Simulation::create({{file.value_or(""), *text}}, {});
  return engine::success(
      object_of({{"diagnostics", to_json(simulation.diagnostics)}, {"documents", documents_of(*text)}}));
}

std::string Engine::create(std::string_view input) {
  Arguments in(input);
  SimulationOptions options;
  const auto text = in.text("text", true);
  const auto file = in.text("file");
  read_options(in, options);
  if (!in.ok()) return engine::failure(in.diagnostics);
  if (sessions_.size() >= kSessionsMax) {
    return engine::failure("LimitExceeded", "",
                           std::to_string(kSessionsMax) + " sessions are open: dispose of one first");
  }
  Result<Simulation> simulation = Simulation::create({{file.value_or(""), *text}}, options);
  if (!simulation) return engine::failure(simulation.diagnostics);
  auto session = std::make_unique<Session>(Session{engine::History(std::move(*simulation.value))});
  const Simulation& latest = session->history.latest();
  Json answer = object_of({{"session", next_session_},
                           {"steps", Json::array({step_summary_json(latest, session->history.latest_record())})},
                           {"view", view_json(latest)},
                           {"diagnostics", to_json(simulation.diagnostics)}});
  sessions_.emplace(next_session_++, std::move(session));
  return engine::success(std::move(answer));
}

std::string Engine::run(std::string_view input) {
  Arguments in(input);
  const auto id = in.integer("session", true);
  const auto from = in.integer("from");
  const std::vector<UserEvent> events = read_events(in);
  engine::History* const found = find(in, id);
  if (found == nullptr) return engine::failure(in.diagnostics);
  engine::History& history = *found;
  if (from && (*from < 1 || *from > history.total())) {
    return engine::failure("InvalidInput", "from", "must be a step between 1 and " + std::to_string(history.total()));
  }
  const std::int64_t begin = from.value_or(history.total());
  if (from) history.go_back(*from);
  Json steps = Json::array();
  for (const UserEvent& event : events) {
    for (const StepRecord& step : history.apply(event)) steps.push_back(step_summary_json(history.latest(), step));
    if (history.total() <= engine::kStepsMax) continue;
    history.go_back(begin);
    return engine::failure("LimitExceeded", "events",
                           "the run would be longer than " + std::to_string(engine::kStepsMax) + " steps");
  }
  return engine::success(
      object_of({{"steps", std::move(steps)}, {"total", history.total()}, {"view", view_json(history.latest())}}));
}

/// The session of that number, if nothing was wrong so far and it exists; else there are findings.
engine::History* Engine::find(Arguments& in, std::optional<std::int64_t> id) const {
  if (!in.ok()) return nullptr;
  const auto found = sessions_.find(*id);
  if (found != sessions_.end()) return &found->second->history;
  in.error("UnknownSession", "session", "there is no session " + std::to_string(*id));
  return nullptr;
}

/// The session and the step that the arguments name, if both exist; else there are findings.
engine::History* Engine::find_step(Arguments& in, std::int64_t& step, std::int64_t first) const {
  const auto id = in.integer("session", true);
  const auto wanted = in.integer("step", true);
  engine::History* const history = find(in, id);
  if (history == nullptr) return nullptr;
  step = *wanted;
  if (step >= first && step <= history->total()) return history;
  in.error("InvalidInput", "step",
           "must be a step between " + std::to_string(first) + " and " + std::to_string(history->total()));
  return nullptr;
}

std::string Engine::seek(std::string_view input) {
  Arguments in(input);
  Explain level = Explain::Short;
  if (const auto word = in.text("explain")) {
    const auto known = explain_from(*word);
    if (!known) in.error("InvalidInput", "explain", "`" + *word + "` is not `off`, `short`, `fails` or `full`");
    level = known.value_or(level);
  }
  std::int64_t step = 0;
  engine::History* history = find_step(in, step, 0);
  if (history == nullptr) return engine::failure(in.diagnostics);
  const engine::History::Moment moment = history->at(step);
  std::vector<Line> lines;
  if (moment.record) lines = explain(*moment.state, *moment.record, level);
  return engine::success(
      object_of({{"view", view_json(*moment.state)}, {"text", plain_text(lines)}, {"lines", lines_json(lines)}}));
}

std::string Engine::records(std::string_view input) {
  Arguments in(input);
  RecordsWanted wanted;
  for (auto [member, value] : {std::pair{"from", &wanted.from}, {"count", &wanted.count}}) {
    const std::int64_t given = in.integer(member).value_or(*value);
    if (given < 0) in.error("InvalidInput", member, "must not be negative");
    *value = given;
  }
  wanted.detail = in.flag("detail").value_or(false);
  std::int64_t step = 0;
  engine::History* history = find_step(in, step, 1);
  if (history == nullptr) return engine::failure(in.diagnostics);
  const engine::History::Moment moment = history->at(step);
  return engine::success(object_of({{"records", records_json(*moment.state, *moment.record, wanted)}}));
}

std::string Engine::dispose(std::string_view input) {
  Arguments in(input);
  const auto id = in.integer("session", true);
  if (!in.ok()) return engine::failure(in.diagnostics);
  sessions_.erase(*id);
  return engine::success(Json::object());
}

}  // namespace pumice
