#include "simulate.h"

#include <algorithm>

#include <spdlog/spdlog.h>

#include <fmt/format.h>

#include "events_input.h"
#include "exit_status.h"
#include "files.h"
#include "pumice/diagnostic_json.h"

namespace pumice::host {
namespace {

using volcano::JobPhase;

struct Inputs {
  std::vector<SourceText> manifests;
  std::vector<SourceText> texts;  ///< everything findings can be about
  std::vector<PlacedEvent> events;
  Diagnostics diagnostics;
};

/// Reads everything before anything is simulated, so that all that is wrong is told at once.
Inputs read_inputs(const SimulateCommand& command) {
  Inputs in;
  const auto take = [&](auto&& result) {
    in.diagnostics.insert(in.diagnostics.end(), result.diagnostics.begin(), result.diagnostics.end());
  };
  int stdin_uses = 0;
  for (const auto* list : {&command.files, &command.event_files}) {
    stdin_uses += static_cast<int>(std::count(list->begin(), list->end(), "-"));
  }
  if (stdin_uses > 1) {
    in.diagnostics.push_back({.code = "InvalidArgument", .message = "standard input (`-`) can be read only once"});
    return in;
  }
  for (const std::string& path : command.files) {
    auto source = read_source(path);
    take(source);
    if (!source) continue;
    in.texts.push_back(*source.value);
    in.manifests.push_back(std::move(*source.value));
  }
  for (const std::string& path : command.event_files) {
    auto source = read_source(path);
    take(source);
    if (!source) continue;
    in.texts.push_back(*source.value);
    auto events = read_events(in.texts.back());
    take(events);
    if (events) in.events.insert(in.events.end(), events.value->begin(), events.value->end());
  }
  for (std::size_t i = 0; i < command.events.size(); ++i) {
    in.texts.push_back({fmt::format("<event {}>", i + 1), command.events[i]});
    auto event = read_event_argument(in.texts.back());
    take(event);
    if (event) in.events.push_back(std::move(*event.value));
  }
  return in;
}

/// Takes steps and findings, and writes them in one of the forms.
class Writer {
 public:
  explicit Writer(const SimulateCommand& command)
      : command_(command), out_(stdout, command.color), err_(stderr, command.color) {}

  void findings(const Diagnostics& diagnostics, const std::vector<SourceText>& texts) {
    if (command_.output == Output::Text) {
      print_diagnostics(err_, diagnostics, texts);
    } else {
      findings_.insert(findings_.end(), diagnostics.begin(), diagnostics.end());
    }
  }
  void header(const Simulation& simulation);
  void step(const Simulation& simulation, const StepRecord& step);
  /// `simulation` is null if there was none.
  void end(const Simulation* simulation, int status);

 private:
  void summary(const Simulation& simulation);
  void emit(const Json& json) {
    const int indent = command_.output == Output::Json ? 2 : -1;
    const std::string text = json.dump(indent, ' ', false, Json::error_handler_t::replace) + "\n";
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
  }

  const SimulateCommand& command_;
  Printer out_;
  Printer err_;
  Diagnostics findings_;
  Json steps_ = Json::array();
};

std::string counted(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

/// What is simulated, in a line for each job. The jobs exist from step 1 on.
void Writer::header(const Simulation& simulation) {
  if (command_.output != Output::Text) return;
  for (const std::string& key : simulation.jobs()) {
    const auto job = simulation.cluster().jobs().find(key);
    if (job == simulation.cluster().jobs().end()) continue;
    const JobSpec& spec = *job->second->spec;
    std::int64_t pods = 0;
    for (const TaskSpec& task : spec.tasks) pods += std::max(0, task.replicas);
    const auto place = simulation.place_of(key, "metadata.name");
    out_.print(Line{{Tone::Strong, "Job " + simulation.name_of(key)},
                    {Tone::Plain, fmt::format(": {}, {}, minAvailable {}, maxRetry {}",
                                              counted(static_cast<std::int64_t>(spec.tasks.size()), "task"),
                                              counted(pods, "pod"), spec.min_available, spec.max_retry)},
                    {Tone::Muted, place ? fmt::format("  ({}:{})", place->file, place->range.begin.line) : ""}});
  }
  out_.print("");
}

void Writer::step(const Simulation& simulation, const StepRecord& step) {
  switch (command_.output) {
    case Output::Text:
      out_.print(explain(simulation, step, command_.explain));
      out_.flush();
      break;
    case Output::Json: steps_.push_back(step_json(simulation, step)); break;
    case Output::JsonLines: emit(step_json(simulation, step)); break;
  }
}

std::string pods_text(const JobStatus& status) {
  std::string text;
  const auto add = [&text](std::int32_t count, std::string_view what) {
    if (count != 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, what);
  };
  add(status.pending, "pending");
  add(status.running, "running");
  add(status.succeeded, "succeeded");
  add(status.failed, "failed");
  add(status.unknown, "unknown");
  add(status.terminating, "terminating");
  return text.empty() ? "no pods counted" : "pods: " + text;
}

std::string due_text(const Simulation& simulation, Time due) {
  const Time start = simulation.options().start;
  if (due >= end_of_time(start)) return "behind " + end_of_time_text(start);
  return fmt::format("at +{} (`advance nextTimer`)", to_string(due - start));
}

/// Where each job stands, and what it waits for.
void Writer::summary(const Simulation& simulation) {
  const std::vector<Waiting> waiting = simulation.waiting();
  auto next = waiting.begin();
  if (command_.explain == Explain::Off) out_.print("");
  for (const std::string& key : simulation.jobs()) {
    const auto job = simulation.cluster().jobs().find(key);
    if (job == simulation.cluster().jobs().end()) continue;
    const JobStatus& status = job->second->status;
    const std::string phase(status.phase.text().empty() ? "new" : status.phase.text());
    out_.print(
        Line{{Tone::Plain, "Job " + simulation.name_of(key) + " is "},
             {Tone::Phase, phase},
             {Tone::Plain, fmt::format(" after {}: retryCount {} of {}, version {}, {}",
                                       to_string(simulation.now() - simulation.options().start), status.retry_count,
                                       job->second->spec->max_retry, status.version, pods_text(status))}});
    // They come in the order of the jobs.
    for (; next != waiting.end() && next->job_key == key; ++next)
      out_.print(Line{{Tone::Plain, "  "}, {Tone::Muted, next->text}});
  }
  for (const volcano::DelayedActions::Pending& pending : simulation.controller().delayed().pending()) {
    const volcano::Request& request = pending.action.request;
    const std::string pod = request.pod_name.empty() ? "" : simulation.name_of(request.ns + "/" + request.pod_name);
    out_.print(
        Line{{Tone::Plain, "  "},
             {Tone::Muted, fmt::format("delayed {}{} is due {}", pending.action.action.text(),
                                       pod.empty() ? "" : " of " + pod, due_text(simulation, pending.action.due))}});
  }
}

void Writer::end(const Simulation* simulation, int status) {
  Json last{{"diagnostics", to_json(findings_)}, {"exitStatus", status}, {"view", nullptr}};
  if (simulation != nullptr) last["view"] = view_json(*simulation);
  switch (command_.output) {
    case Output::Text:
      if (simulation != nullptr) summary(*simulation);
      out_.flush();
      break;
    case Output::Json:
      last["steps"] = std::move(steps_);
      emit(last);
      break;
    case Output::JsonLines: emit(last); break;
  }
}

/// Lets happen what happens by itself while `more()`, each step told as it comes; false if it was stopped at the limit.
template <class More>
bool run_while(Simulation& simulation, Writer& writer, More more) {
  for (std::int64_t steps = 0; more(); ++steps) {
    if (steps == simulation.options().steps_max) {
      spdlog::error("stopped after {}; it may go on like this for ever", counted(steps, "step"));
      return false;
    }
    const auto step = simulation.next();
    if (!step) return true;
    writer.step(simulation, *step);
    if (!step->refused.empty()) return false;
  }
  return true;
}

/// An event without a time comes when things have calmed down: PodGroups are taken in, pods run, deleted ones are gone.
/// Pods that run, and delayed actions, are what events are about, so these are not waited for.
bool calm_down(Simulation& simulation, Writer& writer) {
  return run_while(simulation, writer, [&] { return simulation.cluster().is_busy(); });
}

bool needs_calm(const UserEvent& event) {
  return !event.at && !std::holds_alternative<AdvanceEvent>(event.what) &&
         !std::holds_alternative<UntilEvent>(event.what);
}

bool all_completed(const Simulation& simulation) {
  return std::all_of(simulation.cluster().jobs().begin(), simulation.cluster().jobs().end(),
                     [](const auto& job) { return job.second->status.phase.code == JobPhase::Completed; });
}

/// Carries out `event`; returns why it was refused, nothing if it was not.
std::string carry_out(Simulation& simulation, const UserEvent& event, Writer& writer) {
  std::string refused;
  for (const StepRecord& step : simulation.apply(event)) {
    writer.step(simulation, step);
    if (refused.empty()) refused = step.refused;
  }
  return refused;
}

int run(Simulation& simulation, const SimulateCommand& command, const Inputs& in, Writer& writer) {
  const StepRecord first = simulation.start();
  writer.header(simulation);
  writer.step(simulation, first);
  for (const PlacedEvent& placed : in.events) {
    if (needs_calm(placed.event) && !calm_down(simulation, writer)) return kNotAsHoped;
    std::string refused = carry_out(simulation, placed.event, writer);
    if (refused.empty()) continue;
    writer.findings({{.code = "Refused", .file = placed.file, .range = placed.range, .message = std::move(refused)}},
                    in.texts);
    return kError;
  }
  if (command.options.automation != Automation::Auto) {
    return calm_down(simulation, writer) ? kFine : kNotAsHoped;
  }
  if (!run_while(simulation, writer, [] { return true; })) return kNotAsHoped;
  return all_completed(simulation) ? kFine : kNotAsHoped;
}

/// What is wrong with an option is told by the name under which it was given.
void name_as_option(Diagnostic& finding) {
  if (!finding.file.empty()) return;
  if (finding.field == "start") finding.field = "--start";
  if (finding.field == "timings.run") finding.field = "--run-time";
}

}  // namespace

int simulate(const SimulateCommand& command) {
  Writer writer(command);
  const Inputs in = read_inputs(command);
  if (has_errors(in.diagnostics) || in.manifests.empty()) {
    writer.findings(in.diagnostics, in.texts);
    writer.end(nullptr, kError);
    return kError;
  }
  Result<Simulation> simulation = Simulation::create(in.manifests, command.options);
  for (Diagnostic& finding : simulation.diagnostics) name_as_option(finding);
  Diagnostics diagnostics = in.diagnostics;
  diagnostics.insert(diagnostics.end(), simulation.diagnostics.begin(), simulation.diagnostics.end());
  writer.findings(diagnostics, in.texts);
  if (!simulation) {
    writer.end(nullptr, kError);
    return kError;
  }
  const int status = run(*simulation.value, command, in, writer);
  writer.end(&*simulation.value, status);
  return status;
}

}  // namespace pumice::host
