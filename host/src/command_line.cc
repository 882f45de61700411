#include "command_line.h"

#include <CLI/CLI.hpp>

#include <charconv>
#include <map>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "completion.h"
#include "cron_options.h"
#include "eval_command.h"
#include "exit_status.h"
#include "options.h"
#include "playground.h"
#include "pumice/version.h"
#include "simulate.h"
#include "validate.h"
#include "version_command.h"

namespace pumice::host {
namespace {

constexpr const char* kSimulateFooter = R"(
Events
  pod w-0 Running            pod w-0 Failed exit=137       pod w-* Succeeded
  pod w-0 restarts=3         pod w-0 ready                 pod w-0 evicted | deleted | gone
  podgroup train Inqueue     command AbortJob train        advance 30s | next | nextTimer
  until Running | settled    until change                  @90s pod w-0 Failed exit=1
  `@` is the time since the start, `change` the next change of a job's phase.
  A pod is named in full or without its job's name; `*` stands for any characters. Where one
  name fits several, write it with its namespace: team-a/w-0, team-a/train. The same
  in YAML: {pod: w-0, phase: Failed, exitCode: 137}. A file holds one event a line, or a YAML
  list of events, or a document with `events:`. An event without a time, unless it is an
  `advance` or `until`, waits until the cluster has done what it does by itself: PodGroups
  taken in, pods running, deleted ones gone. A pod that is Failed without `exit=` had exit code 1.
  A pod that is evicted or deleted is gone after 1 s, without being Failed in between; with
  --manual it stays until you say `gone`.

Exit status
  0  done; with --auto, every job ended Completed
  1  with --auto: a job did not end Completed; or it would go on for ever
  2  wrong input, nothing to simulate, or an event that cannot happen

Examples
  pumice simulate job.yaml
  pumice simulate job.yaml --auto
  pumice simulate job.yaml --event 'pod w-0 Failed exit=137' --explain fails
  pumice simulate job.yaml --events story.yaml --explain full
  pumice simulate job.yaml --manual --event 'podgroup Inqueue' --event 'pod w-0 Running'
  kubectl get vcjob train -o yaml | pumice simulate - --auto --output json)";

void add_simulate(CLI::App& app, SimulateCommand& command) {
  CLI::App* simulate = app.add_subcommand("simulate", "Simulate Volcano Jobs and explain every step");
  simulate->add_option("FILE", command.files, "Manifests, YAML or JSON, several documents each; `-` is standard input")
      ->required()
      ->option_text("");
  simulate->add_option("--events", command.event_files, "Events from a file, `-` is standard input; may be repeated")
      ->option_text("FILE")
      ->allow_extra_args(false);
  simulate->add_option("--event", command.events, "One event, behind those of files; may be repeated")
      ->option_text("EVENT")
      ->allow_extra_args(false);
  auto* automatic = simulate->add_flag_callback(
      "--auto", [&command] { command.options.automation = Automation::Auto; },
      "Pods succeed by themselves, and the simulation runs until nothing more happens");
  simulate
      ->add_flag_callback(
          "--manual", [&command] { command.options.automation = Automation::Manual; },
          "Nothing happens by itself: every change is an event of yours")
      ->excludes(automatic);
  choices<Explain>(
      simulate->add_option("--explain", "How much is told (short)"), command.explain,
      {{"off", Explain::Off}, {"short", Explain::Short}, {"fails", Explain::Fails}, {"full", Explain::Full}});
  choices<Output>(simulate->add_option("--output", "Form of the output (text); jsonl has a line a step, as it happens"),
                  command.output, {{"text", Output::Text}, {"json", Output::Json}, {"jsonl", Output::JsonLines}});
  add_duration(*simulate, "--run-time", command.options.timings.run, "How long pods run with --auto (10s)");
  simulate
      ->add_option_function<std::string>(
          "--start",
          [&command](const std::string& text) { command.options.start = parse_rfc3339(text).value_or(Time{}); },
          "Time at which the simulation begins (2026-03-02T09:00:00Z)")
      ->option_text("TIME")
      ->check(time_problem);
  choices<Color>(simulate->add_option("--color", "Colour (auto: on a terminal, unless NO_COLOR is set)"), command.color,
                 {{"auto", Color::Auto}, {"always", Color::Always}, {"never", Color::Never}});
  simulate->footer(kSimulateFooter);
}

constexpr const char* kValidateFooter = R"(
Files and folders (all .yaml, .yml and .json files in them) may hold several documents and lists;
objects of other kinds are left out. What is found is told in the cluster's own words, errors that
the cluster would report only later included. Without --queues nothing is known of queues, and
their rules are left out. --old names what the objects are to replace, found by kind and name.
A rule that is no error is left out by the annotation `pumice.dev/ignore: RULE RULE…` too; the
front part of an id, such as volcano.lint, stands for all rules that begin with it.

Exit status
  0  nothing found at or above the level of --fail-on
  1  something was found
  2  a file could not be read or is no YAML, or there was nothing to validate

Examples
  pumice validate job.yaml
  pumice validate manifests/ --fail-on warning --output github
  pumice validate job.yaml --show-defaults --queues queues.yaml
  pumice validate new.yaml --old old.yaml
  helm template chart | pumice validate -
  pumice validate --explain volcano.lint.behind-any)";

void add_validate(CLI::App& app, ValidateCommand& command) {
  CLI::App* validate = app.add_subcommand("validate", "Whether a cluster accepts manifests, and what will surprise");
  validate->add_option("FILE", command.files, "Manifests or folders of them; `-` is standard input")->option_text("");
  validate->add_option("--old", command.old_files, "What the objects replace: rules of updates; may be repeated")
      ->option_text("FILE")
      ->allow_extra_args(false);
  validate->add_option("--queues", command.queue_files, "Volcano's Queues, as kubectl prints them; may be repeated")
      ->option_text("FILE")
      ->allow_extra_args(false);
  validate->add_flag("--show-defaults", command.show_defaults, "Tell what the cluster fills in");
  validate->add_flag("--no-lint", command.no_lint, "Only what a cluster refuses");
  validate->add_option("--ignore", command.ignored, "Leave a rule out; may be repeated")
      ->option_text("RULE")
      ->allow_extra_args(false);
  using FailOn = ValidateCommand::FailOn;
  choices<FailOn>(
      validate->add_option("--fail-on", "Least severity that makes the command fail (error)"), command.fail_on,
      {{"error", FailOn::Error}, {"warning", FailOn::Warning}, {"note", FailOn::Note}, {"never", FailOn::Never}});
  using Form = ValidateCommand::Output;
  choices<Form>(validate->add_option("--output", "Form of the output (text)"), command.output,
                {{"text", Form::Text},
                 {"json", Form::Json},
                 {"sarif", Form::Sarif},
                 {"github", Form::GitHub},
                 {"junit", Form::JUnit}});
  validate->add_option("--explain", command.explain, "Print the page of a rule, or of `all`, as Markdown")
      ->option_text("RULE");
  choices<Color>(validate->add_option("--color", "Colour (auto: on a terminal, unless NO_COLOR is set)"), command.color,
                 {{"auto", Color::Auto}, {"always", Color::Always}, {"never", Color::Never}});
  validate->footer(kValidateFooter);
  validate->callback([validate, &command] {
    if (command.files.empty() && command.explain.empty()) throw CLI::RequiredError(validate->get_name() + " FILE");
  });
}

void add_eval(CLI::App& app) {
  CLI::App* eval = app.add_subcommand("eval", "Answer questions line by line: JSON in, JSON out");
  eval->footer(R"(
Each line of standard input is an object {"id", "op", "args"}, each line of output its answer: {"id", "ok"} or
{"id", "error", "line"}. A wrong line gets an error as its answer and does not end the run.

Exit status
  0  every line was answered
  2  standard input or output broke

Example
  echo '{"id": 1, "op": "duration.parse", "args": {"text": "90m"}}' | pumice eval)");
}

void add_playground(CLI::App& app, PlaygroundCommand& command) {
  CLI::App* playground = app.add_subcommand("playground", "Serve the web page on this machine");
  playground
      ->add_option("--port", command.port, "Port on 127.0.0.1 (8080); the next free one if it is taken, 0 for any")
      ->option_text("PORT")
      ->check([](const std::string& text) {
        std::uint16_t port = 0;
        const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), port);
        const bool good = wrong == std::errc() && end == text.data() + text.size();
        return good ? std::string() : "`" + text + "` is no port: 0 to 65535";
      });
  playground->add_flag("--log-requests", command.log_requests, "Write a line for each request to standard error");
  playground->footer(R"(
The page is inside the program and sends nothing anywhere. Ctrl+C ends it.

Exit status
  0  ended by SIGINT or SIGTERM
  2  no port was free, or the program was built without the page

Example
  pumice playground --port 9000)");
}

void add_version(CLI::App& app, bool& as_json) {
  CLI::App* version = app.add_subcommand("version", "Release, time zone data and profiles");
  choices<bool>(version->add_option("--output", "Form of the output (text)"), as_json,
                {{"text", false}, {"json", true}});
  version->footer("\nExample\n  pumice version --output json");
}

void add_completion(CLI::App& app, std::string& shell) {
  CLI::App* completion = app.add_subcommand("completion", "Completion script for a shell");
  choices<std::string>(completion->add_option("SHELL", "The shell")->required(), shell,
                       {{"bash", "bash"}, {"zsh", "zsh"}, {"fish", "fish"}});
  completion->footer(R"(
Examples
  source <(pumice completion bash)
  pumice completion zsh > "${fpath[1]}/_pumice"
  pumice completion fish > ~/.config/fish/completions/pumice.fish)");
}

/// Without a command: the help. With a word that is none: that word, and what there is.
int no_command(const CLI::App& app) {
  const std::vector<std::string> words = app.remaining();
  if (words.empty()) {
    fmt::print(stderr, "{}", app.help());
    return kError;
  }
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  fmt::print(stderr, "`{}` is no command: {}\nRun with --help for more information.\n", words.front(),
             fmt::join(names, ", "));
  return kError;
}

}  // namespace

int run_command_line(int argc, char** argv) {
  CronCommands cron;
  CLI::App app("Volcano Jobs, simulated and explained: what will happen, which rule acts, and why the others do not.",
               "pumice");
  app.require_subcommand(0, 1);
  app.set_version_flag("--version", "pumice " + std::string(version()));
  app.get_formatter()->column_width(28);
  app.footer("\nMore about a command: pumice COMMAND --help");
  SimulateCommand simulation;
  PlaygroundCommand playground;
  bool version_as_json = false;
  std::string shell;
  add_simulate(app, simulation);
  ValidateCommand validation;
  add_validate(app, validation);
  add_playground(app, playground);
  add_cron(app, cron);
  add_eval(app);
  add_version(app, version_as_json);
  add_completion(app, shell);
  app.allow_extras();  // looked at in no_command; set last, as commands would inherit it

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& problem) {
    // Help and version are "errors" of status 0.
    return app.exit(problem) == 0 ? kFine : kError;
  }
  if (app.get_subcommands().empty() || !app.remaining().empty()) return no_command(app);
  if (app.got_subcommand("simulate")) return simulate(simulation);
  if (app.got_subcommand("validate")) return validate(validation);
  if (app.got_subcommand("playground")) return serve_playground(playground);
  if (app.got_subcommand("cron")) return run_cron(app, cron);
  if (app.got_subcommand("eval")) return eval_lines();
  if (app.got_subcommand("version")) return print_version(version_as_json);
  fmt::print("{}", completion_script(app, shell));
  return kFine;
}

}  // namespace pumice::host
