#include "cron_command.h"

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "eval_command.h"
#include "exit_status.h"
#include "pumice/cron/calendar.h"
#include "pumice/cron/describe.h"
#include "pumice/diagnostic_json.h"
#include "pumice/eval.h"
#include "terminal.h"

namespace pumice::host {
namespace {

using cron::Schedule;

Time system_now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return {std::chrono::floor<std::chrono::seconds>(now).count() * kSecond.ns};
}

/// A compiled zone of a folder such as /usr/share/zoneinfo.
std::optional<Zone> zone_of_folder(const std::string& folder, std::string_view name) {
  constexpr std::size_t kZoneBytesMax = 1 << 20;
  const std::filesystem::path path = std::filesystem::path(folder) / name;
  std::error_code problem;
  if (!std::filesystem::is_regular_file(path, problem)) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (!file || bytes.size() > kZoneBytesMax) return std::nullopt;
  return Zone::from_tzif(bytes);
}

cron::ZoneSource zones_of(const CronCommand& command) {
  cron::ZoneSource zones;
  if (command.zoneinfo) {
    zones.find = [folder = *command.zoneinfo](std::string_view name) { return zone_of_folder(folder, name); };
  }
  return zones;
}

std::string full_text(const CronCommand& command) {
  return command.time_zone ? cron::with_time_zone(*command.time_zone, command.schedule) : command.schedule;
}

void print_json(const Json& json) { fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace)); }

int refuse(const CronCommand& command, const Diagnostics& diagnostics) {
  if (command.output == CronCommand::Output::Json) {
    print_json({{"diagnostics", to_json(diagnostics)}});
  } else {
    Printer err(stderr, Color::Auto);
    print_diagnostics(err, diagnostics, {});
  }
  return kError;
}

/// Local time with weekday and offset: `Sun 2026-03-29 03:30 +02:00`.
std::string local_text(const Zone& zone, Time time, const char* form) {
  const std::int64_t at = time.ns / kSecond.ns;
  const std::int32_t offset = zone.period_at(at).offset;
  const std::chrono::sys_seconds local{std::chrono::seconds(at + offset)};
  const std::int32_t size = offset < 0 ? -offset : offset;
  return fmt::format(fmt::runtime(form), local, offset < 0 ? '-' : '+', size / 3600, size / 60 % 60);
}
constexpr const char* kForPeople = "{0:%a %Y-%m-%d %H:%M:%S} {1}{2:02}:{3:02}";
constexpr const char* kForPrograms = "{0:%Y-%m-%dT%H:%M:%S}{1}{2:02}:{3:02}";

std::vector<Time> next_times(const Schedule& schedule, Time after, std::int64_t count) {
  std::vector<Time> times;
  cron::PeriodMemory memory;
  auto at = std::optional(after);
  for (std::int64_t i = 0; i < count; ++i) {
    at = schedule.next(*at, memory);
    if (!at) break;
    times.push_back(*at);
  }
  return times;
}

void print_next(const CronCommand& command, const Schedule& schedule, Time after, const std::vector<Time>& times) {
  Json next = Json::array();
  Json local = Json::array();
  switch (command.output) {
    case CronCommand::Output::Text:
      for (const Time& time : times) {
        fmt::print("{}  {}\n", to_rfc3339(time), local_text(schedule.zone(), time, kForPeople));
      }
      return;
    case CronCommand::Output::Calendar: fmt::print("{}", cron::to_icalendar(full_text(command), times, after)); return;
    case CronCommand::Output::Json: break;
  }
  for (const Time& time : times) {
    next.push_back(to_rfc3339(time));
    local.push_back(local_text(schedule.zone(), time, kForPrograms));
  }
  Json out{{"schedule", command.schedule}, {"after", to_rfc3339(after)}, {"next", next}, {"local", local}};
  if (command.time_zone) out["timeZone"] = *command.time_zone;
  print_json(out);
}

void print_description(const cron::Description& description) {
  Printer out(stdout, Color::Auto);
  out.print(description.text, Tone::Strong);
  for (const cron::FieldWords& field : description.fields) {
    out.print(fmt::format("  {:<13} {:<12} {}", field.name, printable(field.text), field.meaning));
  }
  if (!description.warnings.empty()) out.print("");
  print_diagnostics(out, description.warnings, {});
}

/// A line of `cron --batch` as a line of `eval`; absent if it is no object.
std::optional<std::string> batch_request(std::string_view line) {
  if (static_cast<std::int64_t>(line.size()) > kEvalLineBytesMax) return std::nullopt;
  Json args = Json::parse(line, nullptr, false);
  if (!args.is_object()) return std::nullopt;
  Json request{{"op", "cron.next"}};
  if (const auto id = args.find("id"); id != args.end()) {
    request["id"] = *id;
    args.erase("id");
  }
  if (!args.contains("after")) args["after"] = to_rfc3339(system_now());
  request["args"] = std::move(args);
  return to_text(request);
}

}  // namespace

int cron_next(const CronCommand& command) {
  const auto schedule = cron::parse_schedule(full_text(command), zones_of(command));
  if (!schedule) return refuse(command, schedule.diagnostics);
  const Time after = command.after.value_or(system_now());
  const std::vector<Time> times = next_times(*schedule.value, after, command.count);
  print_next(command, *schedule.value, after, times);
  if (static_cast<std::int64_t>(times.size()) == command.count) return kFine;
  if (command.output == CronCommand::Output::Text) {
    fmt::print("{}: no time within five years\n", times.empty() ? "never" : "then no more");
  }
  return kNotAsHoped;
}

int cron_explain(const CronCommand& command) {
  const auto description = cron::describe(
      command.schedule,
      {.time_zone = command.time_zone, .after = command.after.value_or(system_now()), .zones = zones_of(command)});
  if (!description) return refuse(command, description.diagnostics);
  if (command.output == CronCommand::Output::Json) {
    print_json(to_json(*description.value));
  } else {
    print_description(*description.value);
  }
  for (const Diagnostic& warning : description.value->warnings) {
    if (warning.code == "NeverFires") return kNotAsHoped;
  }
  return kFine;
}

int cron_batch() {
  return answer_lines([](std::string_view line, std::int64_t number) {
    const auto request = batch_request(line);
    // What is no object is refused by `eval`, in its words.
    return eval_line(request ? *request : line, number);
  });
}

}  // namespace pumice::host
