#include "simulate.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <set>

#include <spdlog/spdlog.h>

#include <fmt/format.h>

#include "events_input.h"
#include "exit_status.h"
#include "files.h"
#include "pumice/diagnostic_json.h"
#include "scenario_files.h"

namespace pumice::host {
namespace {

struct Inputs {
  std::vector<SourceText> manifests;
  std::vector<SourceText> texts;  ///< everything findings can be about
  std::vector<PlacedEvent> events;
  Diagnostics diagnostics;
  SimulationOptions options;
  scenario::Pace pace = scenario::Pace::Calm;
  std::set<std::size_t> may_be_refused;  ///< events of which a scenario expects just that
};

/// A scenario brings its manifests, its options and its events.
void take_scenario(const SimulateCommand& command, scenario::Scenario scenario, Inputs& in) {
  const scenario::Place& place = scenario.place;
  const auto complain = [&](Severity severity, std::string code, std::string message, std::string hint) {
    in.diagnostics.push_back(
        {severity, std::move(code), place.file, place.range, "", std::move(message), std::move(hint)});
  };
  if (command.files.size() > 1)
    complain(Severity::Error, "InvalidArgument", "a scenario is simulated alone, without other files",
             "`pumice test` runs many");
  if (command.options_given)
    complain(
        Severity::Error, "InvalidArgument", "a scenario says itself how it is simulated",
        "leave out --auto, --manual, --start, --run-time, --profile, --quirk-off and --faults, or change the document");
  if (!scenario.expect.empty())
    complain(Severity::Note, "NotJudged", "what the scenario expects is looked at by `pumice test`", "");
  auto sources = scenario::sources_of(scenario, loader_beside(place.file));
  in.diagnostics.insert(in.diagnostics.end(), sources.diagnostics.begin(), sources.diagnostics.end());
  if (sources) in.manifests = std::move(*sources.value);
  in.options = scenario::options_of(scenario);
  in.pace = scenario.pace;
  for (const scenario::ScenarioEvent& event : scenario.events)
    in.events.push_back({event.event, event.place.file, event.place.range});
  for (const scenario::Expectation& expectation : scenario.expect)
    for (const scenario::Check& check : expectation.checks)
      if (expectation.event > 0 && std::holds_alternative<scenario::RefusedWanted>(check.wanted))
        in.may_be_refused.insert(static_cast<std::size_t>(expectation.event) - 1);
}

/// Reads everything before anything is simulated, so that all that is wrong is told at once.
Inputs read_inputs(const SimulateCommand& command) {
  Inputs in;
  in.options = command.options;
  volcano::Quirks& quirks = in.options.controller.quirks;
  quirks = volcano::Quirks::of(volcano::profile_from(command.profile).value_or(volcano::Profile::Volcano));
  for (const std::size_t quirk : command.quirks_off) quirks.set(static_cast<volcano::Quirk>(quirk), false);
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
    if (auto found = scenario_of(*source.value)) {
      take(*found);
      if (*found) take_scenario(command, std::move(*found->value), in);
      continue;
    }
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
    if (!simulation.is_in_manifests(key)) continue;
    out_.print(Line{{Tone::Strong, "Job " + simulation.name_of(key)},
                    {Tone::Plain, fmt::format(": {}, {}, minAvailable {}, maxRetry {}",
                                              counted(static_cast<std::int64_t>(spec.tasks.size()), "task"),
                                              counted(pods, "pod"), spec.min_available, spec.max_retry)},
                    {Tone::Muted, place ? fmt::format("  ({}:{})", place->file, place->range.begin.line) : ""}});
  }
  for (const std::string& key : simulation.kube().jobs()) {
    const kubejob::JobPtr job = simulation.kube().job(key);
    if (!job) continue;
    const kubejob::JobSpec& spec = *job->spec;
    const auto place = simulation.place_of(key, "metadata.name");
    const std::string wanted = spec.completions ? fmt::format("{} completions, ", *spec.completions) : "";
    out_.print(Line{{Tone::Strong, "Job " + simulation.name_of(key)},
                    {Tone::Plain, fmt::format(" of batch/v1: {}parallelism {}, backoffLimit {}", wanted,
                                              spec.parallelism.value_or(1), spec.backoff_limit.value_or(0))},
                    {Tone::Muted, place ? fmt::format("  ({}:{})", place->file, place->range.begin.line) : ""}});
  }
  for (const std::string& key : simulation.flows()) {
    const jobflow::FlowSpec& spec = *simulation.side().flows().at(key)->spec;
    out_.print(Line{
        {Tone::Strong, "JobFlow " + simulation.name_of(key)},
        {Tone::Plain, fmt::format(": {}, jobs are {}", counted(static_cast<std::int64_t>(spec.steps.size()), "step"),
                                  spec.deletes_jobs() ? "deleted at the end" : "kept")}});
  }
  const RandomFaults& faults = simulation.options().faults;
  if (faults.per_million > 0)
    out_.print(
        Line{{Tone::Plain, fmt::format("Random faults: seed {}, rate {}; the same again by --faults {},{}", faults.seed,
                                       faults.per_million / 1e6, faults.seed, faults.per_million / 1e6)}});
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
    if (job == simulation.cluster().jobs().end()) {
      if (const volcano::JobPtr last = simulation.cluster().last_job(key))
        out_.print(Line{{Tone::Plain, "Job " + simulation.name_of(key) + " was "},
                        {Tone::Phase, std::string(last->status.phase.text())},
                        {Tone::Plain, " and is deleted"}});
      continue;
    }
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
  for (const std::string& key : simulation.kube().jobs()) {
    const kubejob::JobPtr job = simulation.kube().last_job(key);
    if (!job) continue;
    const kubejob::JobStatus& status = job->status;
    const bool exists = simulation.kube().job(key) != nullptr;
    const kubejob::Condition* finished = status.finished();
    const std::string why = finished != nullptr && !finished->reason.empty() ? " (" + finished->reason + ")" : "";
    out_.print(Line{{Tone::Plain, fmt::format("Job {} {} ", simulation.name_of(key), exists ? "is" : "was")},
                    {Tone::Phase, std::string(kubeworld::state_of(job.get()))},
                    {Tone::Plain, fmt::format("{}{} after {}: active {}, succeeded {}, failed {}", why,
                                              exists ? "" : " and is deleted",
                                              to_string(simulation.now() - simulation.options().start), status.active,
                                              status.succeeded, status.failed)}});
    for (; next != waiting.end() && next->job_key == key; ++next)
      out_.print(Line{{Tone::Plain, "  "}, {Tone::Muted, next->text}});
  }
  for (const std::string& key : simulation.flows()) {
    const auto flow = simulation.side().flows().find(key);
    if (flow == simulation.side().flows().end()) continue;
    const std::string& phase = flow->second->status.phase;
    out_.print(Line{{Tone::Plain, "JobFlow " + simulation.name_of(key) + " is "},
                    {Tone::Phase, phase.empty() ? "new" : phase},
                    {Tone::Plain, fmt::format(" after {}", to_string(simulation.now() - simulation.options().start))}});
    for (const std::string& line : simulation.waiting_of_flow(key))
      out_.print(Line{{Tone::Plain, "  "}, {Tone::Muted, line}});
  }
  for (const Standing& fault : standing_faults(simulation))
    out_.print(Line{{Tone::Plain, "  "}, {Tone::Warning, fault.text}});
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
  if (const RandomFaults& faults = command_.options.faults; faults.per_million > 0)
    last["faults"] = {{"seed", faults.seed}, {"rate", faults.per_million / 1e6}};
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
  return run_while(simulation, writer, [&] { return simulation.is_busy(); });
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

/// `done` gets what became of each event.
int run(Simulation& simulation, const Inputs& in, Writer& writer, scenario::Recording& done) {
  const StepRecord first = simulation.start();
  writer.header(simulation);
  writer.step(simulation, first);
  for (const PlacedEvent& placed : in.events) {
    const bool waits = in.pace == scenario::Pace::Calm && waits_for_calm(placed.event);
    if (waits && !calm_down(simulation, writer)) return kNotAsHoped;
    std::string refused = carry_out(simulation, placed.event, writer);
    done.events.push_back(placed.event);
    done.refused.push_back(refused);
    if (refused.empty() || in.may_be_refused.contains(done.events.size() - 1)) continue;
    writer.findings({{.code = "Refused", .file = placed.file, .range = placed.range, .message = std::move(refused)}},
                    in.texts);
    return kError;
  }
  if (in.pace == scenario::Pace::Immediate) return kFine;
  if (in.options.automation != Automation::Auto) {
    return calm_down(simulation, writer) ? kFine : kNotAsHoped;
  }
  if (!run_while(simulation, writer, [] { return true; })) return kNotAsHoped;
  return simulation.all_succeeded() ? kFine : kNotAsHoped;
}

bool write_record(const std::string& path, const scenario::Scenario& scenario) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << scenario::to_yaml(scenario);
  out.close();
  if (out.good()) return true;
  spdlog::error("{} cannot be written", path);
  return false;
}

/// What is wrong with an option is told by the name under which it was given.
void name_as_option(Diagnostic& finding) {
  if (!finding.file.empty()) return;
  if (finding.field == "start") finding.field = "--start";
  if (finding.field == "timings.run") finding.field = "--run-time";
}

}  // namespace

std::optional<RandomFaults> faults_from(const std::string& text) {
  RandomFaults faults;
  faults.per_million = 50'000;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, faults.seed);
  if (error != std::errc{}) return std::nullopt;
  if (rest == end) return faults;
  if (*rest != ',') return std::nullopt;
  double rate = 0;
  const auto [tail, wrong] = std::from_chars(rest + 1, end, rate);
  if (wrong != std::errc{} || tail != end || !(rate >= 0 && rate <= 1)) return std::nullopt;
  faults.per_million = static_cast<std::int32_t>(rate * 1'000'000 + 0.5);
  return faults;
}

int simulate(const SimulateCommand& command) {
  Writer writer(command);
  const Inputs in = read_inputs(command);
  if (has_errors(in.diagnostics) || in.manifests.empty()) {
    writer.findings(in.diagnostics, in.texts);
    writer.end(nullptr, kError);
    return kError;
  }
  Result<Simulation> simulation = Simulation::create(in.manifests, in.options);
  for (Diagnostic& finding : simulation.diagnostics) name_as_option(finding);
  Diagnostics diagnostics = in.diagnostics;
  diagnostics.insert(diagnostics.end(), simulation.diagnostics.begin(), simulation.diagnostics.end());
  writer.findings(diagnostics, in.texts);
  if (!simulation) {
    writer.end(nullptr, kError);
    return kError;
  }
  scenario::Recording done{in.manifests, in.options, in.pace, {}, {}};
  int status = run(*simulation.value, in, writer, done);
  if (!command.record.empty() && !write_record(command.record, scenario::record(done, *simulation.value)))
    status = kError;
  writer.end(&*simulation.value, status);
  return status;
}

}  // namespace pumice::host
