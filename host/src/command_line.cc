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
#include "pumice/volcano/profile.h"
#include "quirks_command.h"
#include "schema_command.h"
#include "simulate.h"
#include "test_command.h"
#include "validate.h"
#include "version_command.h"
#include "webhook/command.h"

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
  --manual it stays until you say `gone`. `pod w-0 reason=ImagePullBackOff` keeps it Pending.
  delete train [foreground]  create train (once more)      edit train spec.tasks[w].replicas=3
  queue blue Closed | Open | deleted
  Queue, PriorityClass and ResourceQuota among the manifests are looked at: state, capability,
  priority, the number of pods.
  Of batch/v1 Jobs: pod p2 Failed    the second pod that was made; pod 3 …: that of index 3
    pod p1 exit=0 container=proxy    one container ends, the kubelet does the rest
    pod p1 reason=ImagePullBackOff   it cannot start (Unschedulable, CreateContainerConfigError …)
    edit pi spec.suspend=true        delete pi | delete pi foreground | create pi
    until Complete pi                Active, Suspended, FailureTarget, SuccessCriteriaMet, Failed
  Pods of batch/v1 Jobs may say in annotations how they live: pumice.dev/run-for: 30s,
  pumice.dev/exit-code: "1", pumice.dev/sigterm-exit-code: "0" or ignored.
  A scenario (`apiVersion: pumice.dev/v1`) in place of manifests brings its own events and options;
  --record writes one of what was done.

Faults (in YAML {fault: watch, kind: pods, mode: hold, for: 10s})
  fault controllerDown | controllerUp | controllerRestart   [for=30s] [effects=2]
      what the controller has in memory is lost; `effects`: it crashes when so many more effects
      have been carried out, so in the middle of its work
  fault effect CreatePod forbidden   [name=w-0] [times=2] [done]
      the next effects of a kind are answered with conflict, notFound, alreadyExists, forbidden,
      timeout or error; `done`: the server carries out what times out. Kinds are those that
      --explain full shows. `fault storeError` is any effect, and an error of no known kind
  fault watch pods hold | release | double | drop | relist   [for=10s] [count=1]
      news of jobs, pods, podGroups, commands, queues, priorityClasses, objects or `all`: held
      back, let through (`count`: only the first), told twice, lost until there is a new list
  fault nodeLost w-* | nodeBack w-*     its pods stay, and are evicted after 5 minutes
  fault quota 3 | quotaLifted           so many pods in each namespace
  fault mended                          none of these go on, but for nodes and quotas
  --faults draws faults from a seed: of effects, of news, and crashes. The same seed, the same run.

Exit status
  0  done; with --auto, every job ended Completed or Complete and every JobFlow Succeed
  1  with --auto: a job or a JobFlow did not end like that; or it would go on for ever
  2  wrong input, nothing to simulate, or an event that cannot happen

Examples
  pumice simulate job.yaml
  pumice simulate job.yaml --auto
  pumice simulate job.yaml --event 'pod w-0 Failed exit=137' --explain fails
  pumice simulate job.yaml --events story.yaml --explain full
  pumice simulate job.yaml --event 'pod w-0 Failed' --profile volcano-classic
  pumice simulate job.yaml --event 'pod w-* Succeeded' --quirk-off kill-clears-counts
  pumice simulate job.yaml --auto --faults 7,0.1
  pumice simulate job.yaml --event 'fault controllerDown' --event 'pod w-0 Failed' --event 'fault controllerUp'
  pumice simulate job.yaml --manual --event 'podgroup Inqueue' --event 'pod w-0 Running'
  kubectl get vcjob train -o yaml | pumice simulate - --auto --output json)";

void add_simulate(CLI::App& app, SimulateCommand& command) {
  CLI::App* simulate = app.add_subcommand("simulate", "Simulate Jobs of Kubernetes and Volcano and explain every step");
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
      "--auto",
      [&command] {
        command.options.automation = Automation::Auto;
        command.options_given = true;
      },
      "Pods succeed by themselves, and the simulation runs until nothing more happens");
  simulate
      ->add_flag_callback(
          "--manual",
          [&command] {
            command.options.automation = Automation::Manual;
            command.options_given = true;
          },
          "Nothing happens by itself: every change is an event of yours")
      ->excludes(automatic);
  choices<Explain>(
      simulate->add_option("--explain", "How much is told (short)"), command.explain,
      {{"off", Explain::Off}, {"short", Explain::Short}, {"fails", Explain::Fails}, {"full", Explain::Full}});
  choices<Output>(simulate->add_option("--output", "Form of the output (text); jsonl has a line a step, as it happens"),
                  command.output, {{"text", Output::Text}, {"json", Output::Json}, {"jsonl", Output::JsonLines}});
  add_duration(*simulate, "--run-time", command.options.timings.run, "How long pods run with --auto (10s)");
  simulate->add_option("--record", command.record, "Write what was done as a scenario, for `pumice test`")
      ->option_text("FILE")
      ->allow_extra_args(false);
  simulate
      ->add_option_function<std::string>(
          "--start",
          [&command](const std::string& text) {
            command.options.start = parse_rfc3339(text).value_or(Time{});
            command.options_given = true;
          },
          "Time at which the simulation begins (2026-03-02T09:00:00Z)")
      ->option_text("TIME")
      ->check(time_problem);
  add_profile(*simulate, command.profile, profiles(), "Which controller is imitated (volcano)");
  add_quirks_off(*simulate, command.quirks_off, volcano::quirk_names());
  simulate
      ->add_option_function<std::string>(
          "--faults",
          [&command](const std::string& text) { command.options.faults = faults_from(text).value_or(RandomFaults{}); },
          "Random faults from a seed, each effect and notification with this probability (0.05)")
      ->option_text("SEED[,RATE]")
      ->excludes("--record")  // a scenario has no faults that it does not name
      ->check([](const std::string& text) {
        return faults_from(text)
                   ? std::string()
                   : "`" + text + "` is no seed, or the rate behind it is not between 0 and 1: as 7 or 7,0.1";
      });
  choices<Color>(simulate->add_option("--color", "Colour (auto: on a terminal, unless NO_COLOR is set)"), command.color,
                 {{"auto", Color::Auto}, {"always", Color::Always}, {"never", Color::Never}});
  simulate->callback([simulate, &command] {
    for (const char* option : {"--run-time", "--profile", "--quirk-off", "--faults"})
      if (simulate->get_option(option)->count() > 0) command.options_given = true;
  });
  simulate->footer(kSimulateFooter);
}

constexpr const char* kTestFooter = R"(
Files, and in folders all .yaml, .yml and .json files, hold scenarios and suites (`apiVersion: pumice.dev/v1`);
documents of other kinds are left out. A scenario that a suite names is tested there. What was
expected and did not come about is told with its place, what was seen, and why.
--coverage tells which policies of the objects never decided, and which cells of the table
phase × action were visited.

Exit status
  0  everything is as expected
  1  something is not
  2  a document is wrong, or there is nothing to test

Examples
  pumice test policies/scenarios
  pumice test policies/scenarios --run 'evict' --explain fails
  pumice test story.yaml --watch
  pumice test policies --output junit > report.xml
  pumice simulate job.yaml --event 'pod w-0 Failed exit=1' --record story.yaml && pumice test story.yaml)";

void add_test(CLI::App& app, TestCommand& command) {
  CLI::App* test = app.add_subcommand("test", "Play scenarios and hold them against what they expect");
  test->add_option("FILE", command.files, "Scenarios, suites, or folders of them; `-` is standard input")
      ->required()
      ->option_text("");
  test->add_option("--run", command.run, "Only tests with a name that has this regular expression")
      ->option_text("REGEX")
      ->allow_extra_args(false);
  using Form = TestCommand::Output;
  choices<Form>(test->add_option("--output", "Form of the output (text)"), command.output,
                {{"text", Form::Text}, {"json", Form::Json}, {"junit", Form::JUnit}});
  // A flag, so that the word behind it stays a file: `--coverage`, `--coverage=json`.
  test->add_flag("--coverage{text}", command.coverage_word,
                 "What was reached of policies and of the state machine; --coverage=json as JSON")
      ->check([](const std::string& word) {
        return word == "text" || word == "json" ? std::string() : "`" + word + "` is none of text|json";
      });
  auto* explained = test->add_option_function<std::string>(
      "--explain", [&command](const std::string& word) { command.explain = explain_from(word); },
      "Print every step, and so much of it");
  explained->option_text("off|short|fails|full")->check([](const std::string& word) {
    return explain_from(word) ? std::string() : "`" + word + "` is none of off|short|fails|full";
  });
  test->add_flag("--watch", command.watch, "Run again whenever a file changes, until Ctrl+C");
  test->add_flag("--fail-fast", command.fail_fast, "Stop behind the first test that fails");
  choices<Color>(test->add_option("--color", "Colour (auto: on a terminal, unless NO_COLOR is set)"), command.color,
                 {{"auto", Color::Auto}, {"always", Color::Always}, {"never", Color::Never}});
  test->callback([&command] {
    if (command.coverage_word == "text") command.coverage = TestCommand::Coverage::Text;
    if (command.coverage_word == "json") command.coverage = TestCommand::Coverage::Json;
  });
  test->footer(kTestFooter);
}

void add_schema(CLI::App& app, std::string& kind) {
  CLI::App* schema = app.add_subcommand("schema", "JSON Schema of a kind of document");
  choices<std::string>(schema->add_option("KIND", "The kind")->required(), kind,
                       {{"scenario", "scenario"}, {"suite", "suite"}});
  schema->footer("\nExample\n  pumice schema scenario > scenario.schema.json");
}

constexpr const char* kValidateFooter = R"(
Files and folders (all .yaml, .yml and .json files in them) may hold several documents and lists;
objects of other kinds are left out. What is found is told in the cluster's own words, errors that
the cluster would report only later included. Without --queues nothing is known of queues, and
their rules are left out. --old names what the objects are to replace, found by kind and name.
A rule that is no error is left out by the annotation `pumice.dev/ignore: RULE RULE…` too, or for one
line by a comment on it or above it: `# pumice: ignore RULE RULE…`. The
front part of an id, such as volcano.lint, stands for all rules that begin with it. --config says
it for all files and by namespace; policies/lint has examples. What it denies is an error, and stays.

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
  pumice validate manifests/ --config policies/lint/strict.yaml
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
  validate->add_option("--config", command.config, "Lint configuration: what denies, warns, is left out")
      ->option_text("FILE");
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

void add_quirks(CLI::App& app, QuirksCommand& command) {
  CLI::App* quirks = app.add_subcommand("quirks", "Surprises of the controllers that can be switched off");
  quirks->add_option("NAME", command.name, "One of them, to be told in full")->option_text("");
  add_profile(*quirks, command.profile, all_profiles(), "Only what is on in this profile");
  choices<bool>(quirks->add_option("--output", "Form of the output (text)"), command.as_json,
                {{"text", false}, {"json", true}});
  choices<Color>(quirks->add_option("--color", "Colour (auto: on a terminal, unless NO_COLOR is set)"), command.color,
                 {{"auto", Color::Auto}, {"always", Color::Always}, {"never", Color::Never}});
  quirks->footer(R"(
A quirk is behaviour of the real controllers that a fix would change. A profile says which are on;
`--quirk-off` of simulate and cron, and `quirksOff` of eval, switch them off one by one: to see
what a fix would change.

Exit status
  0  done
  2  no such quirk or profile

Examples
  pumice quirks
  pumice quirks kill-clears-counts
  pumice quirks --profile volcano-classic --output json)");
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
  TestCommand testing;
  add_test(app, testing);
  add_playground(app, playground);
  webhook::Commands webhook;
  webhook::add_webhook(app, webhook);
  add_cron(app, cron);
  add_eval(app);
  QuirksCommand quirks;
  add_quirks(app, quirks);
  std::string schema;
  add_schema(app, schema);
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
  if (app.got_subcommand("test")) return test(testing);
  if (app.got_subcommand("schema")) return print_schema(schema);
  if (app.got_subcommand("playground")) return serve_playground(playground);
  if (app.got_subcommand("webhook")) return webhook::run_webhook(app, webhook);
  if (app.got_subcommand("cron")) return run_cron(app, cron);
  if (app.got_subcommand("eval")) return eval_lines();
  if (app.got_subcommand("quirks")) return print_quirks(quirks);
  if (app.got_subcommand("version")) return print_version(version_as_json);
  fmt::print("{}", completion_script(app, shell));
  return kFine;
}

}  // namespace pumice::host
