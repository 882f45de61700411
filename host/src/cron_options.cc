#include "cron_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "exit_status.h"
#include "options.h"

namespace pumice::host {
namespace {

using cronjob::Outage;
using cronjob::Profile;

void add_zoneinfo(CLI::App& app, std::optional<std::string>& target) {
  app.add_option_function<std::string>(
         "--zoneinfo", [&target](const std::string& text) { target = text; },
         "Take zones from this folder, such as /usr/share/zoneinfo, not from the program's own database")
      ->option_text("DIR")
      ->check(CLI::ExistingDirectory);
}

/// What `cron next` and `cron explain` have in common.
void add_schedule_options(CLI::App& app, CronCommand& command) {
  app.add_option("SCHEDULE", command.schedule, "Five fields, `@daily` and the like, or `@every 90m`")
      ->required()
      ->option_text("");
  app.add_option_function<std::string>(
         "--tz", [&command](const std::string& text) { command.time_zone = text; },
         "Time zone, as in `timeZone` of a CronJob (UTC)")
      ->option_text("ZONE");
  add_time(app, "--after", command.after, "Look at the time from here on (now)");
  add_zoneinfo(app, command.zoneinfo);
}

/// `FROM..UNTIL`; absent if it is not one.
std::optional<Outage> outage_of(const std::string& text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string::npos) return std::nullopt;
  const auto from = parse_rfc3339(text.substr(0, dots));
  const auto until = parse_rfc3339(text.substr(dots + 2));
  if (!from || !until || *until < *from) return std::nullopt;
  return Outage{*from, *until};
}

/// What `cron simulate` and `cron compare` have in common.
void add_cronjob_options(CLI::App& app, CronJobCommand& command) {
  app.add_option("FILE", command.file, "Manifest with CronJobs, YAML or JSON; `-` is standard input")
      ->required()
      ->option_text("");
  add_time(app, "--from", command.from, "The controller starts here (now)");
  add_time(app, "--until", command.until, "The simulation ends here (a week later)");
  app.add_option_function<std::vector<std::string>>(
         "--outage",
         [&command](const std::vector<std::string>& texts) {
           for (const std::string& text : texts) {
             if (const auto outage = outage_of(text)) command.outages.push_back(*outage);
           }
         },
         "The controller is down for that time; may be repeated")
      ->option_text("FROM..UNTIL")
      ->allow_extra_args(false)
      ->check([](const std::string& text) {
        return outage_of(text) ? std::string()
                               : "`" + text +
                                     "` is no stretch of time: write it as "
                                     "2026-03-02T09:00:00Z..2026-03-02T17:00:00Z";
      });
  add_duration(app, "--job-duration", command.job_duration, "How long a job runs (10s)");
  add_quirks_off(app, command.quirks_off, cronjob::quirk_names());
  add_zoneinfo(app, command.zoneinfo);
  choices<Color>(app.add_option("--color", "Colour (auto: on a terminal, unless NO_COLOR is set)"), command.color,
                 {{"auto", Color::Auto}, {"always", Color::Always}, {"never", Color::Never}});
}

std::vector<Profile> profiles_of(const std::string& text) {
  std::vector<Profile> profiles;
  std::string rest = text;
  while (true) {
    const std::size_t comma = rest.find(',');
    const auto profile = cronjob::profile_from(rest.substr(0, comma));
    if (!profile) return {};
    profiles.push_back(*profile);
    if (comma == std::string::npos) return profiles;
    rest.erase(0, comma + 1);
  }
}

CLI::Option* add_profiles(CLI::App& app, CronJobCommand& command, std::size_t count, const std::string& description) {
  return app
      .add_option_function<std::string>(
          "--profile", [&command](const std::string& text) { command.profiles = profiles_of(text); }, description)
      ->option_text(count == 1 ? "PROFILE" : "A,B")
      ->check([count](const std::string& text) {
        return profiles_of(text).size() == count
                   ? std::string()
                   : fmt::format("`{}` is not {} of {}", text, count == 1 ? "one" : "two", cronjob::profile_names());
      });
}

constexpr const char* kCronFooter = R"(
A schedule is read and followed just as the CronJob controllers of Kubernetes and Volcano do it.
With --batch each line of standard input is an object {"schedule", "timeZone", "after", "count",
"id"}, of which only the first must be there, and each line of output its answer.

Exit status
  0  done
  1  done, but the schedule does not fire any more within five years
  2  wrong schedule or zone, or a stream broke

Examples
  pumice cron next '*/15 8-18 * * mon-fri' --tz Europe/Berlin
  pumice cron next '30 2 * * *' --tz Europe/Berlin --after 2026-03-27T00:00:00Z --count 3
  pumice cron next '0 9 1 * *' --count 24 --output ics > fires.ics
  pumice cron explain '30 2 * * *' --tz America/New_York
  pumice cron simulate cronjob.yaml --outage 2026-03-02T09:00:00Z..2026-03-02T17:00:00Z
  echo '{"schedule": "@daily", "timeZone": "Asia/Tokyo", "count": 3}' | pumice cron --batch)";

void add_next(CLI::App& cron, CronCommand& command) {
  CLI::App* next = cron.add_subcommand("next", "The next times at which a schedule fires");
  add_schedule_options(*next, command);
  next->add_option("--count", command.count, "How many (10)")
      ->option_text("N")
      ->check(CLI::Range(std::int64_t{1}, kCronCountMax));
  choices<CronCommand::Output>(next->add_option("--output", "Form of the output (text); ics is for calendars"),
                               command.output,
                               {{"text", CronCommand::Output::Text},
                                {"json", CronCommand::Output::Json},
                                {"ics", CronCommand::Output::Calendar}});
  next->footer("\nExample\n  pumice cron next '0 2 * * *' --tz Europe/Berlin --after 2026-10-24T00:00:00Z --count 3");
}

void add_explain(CLI::App& cron, CronCommand& command) {
  CLI::App* explain = cron.add_subcommand("explain", "A schedule in plain words, and what will surprise about it");
  add_schedule_options(*explain, command);
  explain
      ->add_option_function<std::int64_t>(
          "--deadline", [&command](std::int64_t value) { command.deadline = value; },
          "`startingDeadlineSeconds` of the CronJob")
      ->option_text("SECONDS")
      ->check(CLI::NonNegativeNumber);
  explain
      ->add_option_function<std::string>(
          "--name", [&command](const std::string& text) { command.name = text; }, "Name of the CronJob")
      ->option_text("NAME");
  choices<CronCommand::Output>(explain->add_option("--output", "Form of the output (text)"), command.output,
                               {{"text", CronCommand::Output::Text}, {"json", CronCommand::Output::Json}});
  explain->footer("\nExample\n  pumice cron explain '0 0 */2 * 3'");
}

void add_simulate(CLI::App& cron, CronJobCommand& command) {
  CLI::App* simulate = cron.add_subcommand("simulate", "What becomes of every run of a CronJob, and why");
  add_cronjob_options(*simulate, command);
  add_profiles(*simulate, command, 1, "Which controller (by apiVersion): " + cronjob::profile_names());
  choices<CronJobCommand::Output>(
      simulate->add_option("--output", "Form of the output (text); jsonl has a line a run, ics is for calendars"),
      command.output,
      {{"text", CronJobCommand::Output::Text},
       {"json", CronJobCommand::Output::Json},
       {"jsonl", CronJobCommand::Output::JsonLines},
       {"ics", CronJobCommand::Output::Calendar}});
  simulate->footer(R"(
Exit status
  0  every run started
  1  a run was skipped, missed, replaced or left open; or a limit was reached
  2  wrong input

Example
  pumice cron simulate cronjob.yaml --from 2026-03-02T00:00:00Z --until 2026-03-03T00:00:00Z \
      --outage 2026-03-02T09:00:00Z..2026-03-02T17:00:00Z --job-duration 5m)");
}

void add_compare(CLI::App& cron, CronJobCommand& command) {
  CLI::App* compare = cron.add_subcommand("compare", "Runs that two controllers treat differently");
  add_cronjob_options(*compare, command);
  add_profiles(*compare, command, 2, "The two, of " + cronjob::profile_names())->required();
  choices<CronJobCommand::Output>(compare->add_option("--output", "Form of the output (text)"), command.output,
                                  {{"text", CronJobCommand::Output::Text},
                                   {"json", CronJobCommand::Output::Json},
                                   {"jsonl", CronJobCommand::Output::JsonLines}});
  compare->footer(R"(
Exit status
  0  no run differs
  1  some do
  2  wrong input

Example
  pumice cron compare cronjob.yaml --profile cronjob,cronjob-legacy \
      --outage 2026-03-02T09:00:00Z..2026-03-02T17:00:00Z)");
}

}  // namespace

void add_cron(CLI::App& app, CronCommands& commands) {
  CLI::App* cron = app.add_subcommand("cron", "When a cron schedule fires, and what becomes of a CronJob's runs");
  cron->require_subcommand(0, 1);
  cron->add_flag("--batch", commands.batch, "Answer questions line by line: JSON in, JSON out");
  cron->footer(kCronFooter);
  add_next(*cron, commands.times);
  add_explain(*cron, commands.times);
  add_simulate(*cron, commands.jobs);
  add_compare(*cron, commands.jobs);
}

int run_cron(const CLI::App& app, const CronCommands& commands) {
  const CLI::App& cron = *app.get_subcommand("cron");
  if (commands.batch && !cron.get_subcommands().empty()) {
    fmt::print(stderr, "--batch stands alone: its questions come from standard input\n");
    return kError;
  }
  if (cron.got_subcommand("next")) return cron_next(commands.times);
  if (cron.got_subcommand("explain")) return cron_explain(commands.times);
  if (cron.got_subcommand("simulate")) return cron_simulate(commands.jobs);
  if (cron.got_subcommand("compare")) return cron_compare(commands.jobs);
  if (commands.batch) return cron_batch();
  fmt::print(stderr, "{}", cron.help("pumice"));
  return kError;
}

}  // namespace pumice::host
