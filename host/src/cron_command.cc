#include "cron_command.h"

#include <cstdio>
#include <vector>

#include <fmt/format.h>

#include "eval_command.h"
#include "exit_status.h"
#include "pumice/cron/calendar.h"
#include "pumice/cron/clock_marks.h"
#include "pumice/cron/describe.h"
#include "pumice/diagnostic_json.h"
#include "pumice/eval.h"
#include "system_time.h"
#include "terminal.h"
#include "zoneinfo.h"

namespace pumice::host {
namespace {

using cron::Schedule;

std::string full_text(const CronCommand& command) {
  return command.time_zone ? cron::with_time_zone(*command.time_zone, command.schedule) : command.schedule;
}

void print_json(const Json& json) { fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace)); }

int refuse(const CronCommand& command, Diagnostics diagnostics) {
  fit_hints(diagnostics, command.zoneinfo);
  if (command.output == CronCommand::Output::Json) {
    print_json({{"diagnostics", to_json(diagnostics)}});
  } else {
    Printer err(stderr, Color::Auto);
    print_diagnostics(err, diagnostics, {});
  }
  return kError;
}

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

/// Times on paper that clock changes leave out, before and between the activations; a few of each stretch.
constexpr std::size_t kSkippedMax = 20;

std::vector<cron::SkippedTime> skipped_times(const Schedule& schedule, Time after, const std::vector<Time>& times) {
  return times.empty() ? std::vector<cron::SkippedTime>()
                       : cron::skipped_between(schedule, after, times.back(), kSkippedMax);
}

void print_next_text(const Schedule& schedule, Time after, const std::vector<Time>& times) {
  const auto skipped = skipped_times(schedule, after, times);
  auto next_skipped = skipped.begin();
  for (const Time& time : times) {
    for (; next_skipped != skipped.end() && next_skipped->change <= time; ++next_skipped) {
      fmt::print("skipped               {} does not exist: the clocks go forward\n", next_skipped->local);
    }
    const std::string_view mark = to_string(mark_of(schedule, time));
    fmt::print("{}  {}{}{}\n", to_rfc3339(time), local_text(schedule.zone(), time, kLocalForPeople),
               mark.empty() ? "" : "  ", mark.empty() ? "" : fmt::format("{}: the clocks go back", mark));
  }
}

void print_next(const CronCommand& command, const Schedule& schedule, Time after, const std::vector<Time>& times,
                const Diagnostics& warnings) {
  switch (command.output) {
    case CronCommand::Output::Text: return print_next_text(schedule, after, times);
    case CronCommand::Output::Calendar: fmt::print("{}", cron::to_icalendar(full_text(command), times, after)); return;
    case CronCommand::Output::Json: break;
  }
  Json next = Json::array();
  Json local = Json::array();
  Json marks = Json::object();
  for (const Time& time : times) {
    next.push_back(to_rfc3339(time));
    local.push_back(local_text(schedule.zone(), time, kLocalForPrograms));
    if (const auto mark = to_string(mark_of(schedule, time)); !mark.empty()) marks[to_rfc3339(time)] = mark;
  }
  Json out{{"schedule", command.schedule}, {"after", to_rfc3339(after)}, {"next", next}, {"local", local}};
  if (command.time_zone) out["timeZone"] = *command.time_zone;
  if (!marks.empty()) out["doubled"] = std::move(marks);
  for (const cron::SkippedTime& one : skipped_times(schedule, after, times)) {
    out["skipped"].push_back({{"local", one.local}, {"change", to_rfc3339(one.change)}});
  }
  if (!warnings.empty()) out["diagnostics"] = to_json(warnings);
  print_json(out);
}

/// Why there are no more activations.
std::string_view end_text(const Schedule& schedule, Time last) {
  constexpr Time kLastYears{9'056'966'400'000'000'000};  // 2257: five years before the end
  const bool end_of_time = schedule.is_every() || last > kLastYears;
  return end_of_time ? "the next time lies beyond the supported range, which ends in 2262"
                     : "no time within five years";
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

/// A line of `cron --batch` as a line of `eval`; absent if it cannot be read, or is no object.
std::optional<std::string> batch_request(std::string_view line) {
  if (!is_readable_line(line)) return std::nullopt;
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
  const auto zones = zones_of(command.zoneinfo);
  if (!zones) return refuse(command, zones.diagnostics);
  auto schedule = cron::parse_schedule(full_text(command), *zones.value);
  if (!schedule) return refuse(command, std::move(schedule.diagnostics));
  Diagnostics warnings;
  cron::warn_of_local_zone(command.schedule, command.time_zone, warnings);
  if (command.output != CronCommand::Output::Json) {
    Printer err(stderr, Color::Auto);
    print_diagnostics(err, warnings, {});
  }
  const Time after = command.after.value_or(system_now());
  const std::vector<Time> times = next_times(*schedule.value, after, command.count);
  print_next(command, *schedule.value, after, times, warnings);
  if (static_cast<std::int64_t>(times.size()) == command.count) return kFine;
  if (command.output == CronCommand::Output::Text) {
    fmt::print("{}: {}\n", times.empty() ? "never" : "then no more",
               end_text(*schedule.value, times.empty() ? after : times.back()));
  }
  return kNotAsHoped;
}

int cron_explain(const CronCommand& command) {
  const auto zones = zones_of(command.zoneinfo);
  if (!zones) return refuse(command, zones.diagnostics);
  auto description = cron::describe(command.schedule, {.time_zone = command.time_zone,
                                                       .after = command.after.value_or(system_now()),
                                                       .zones = *zones.value,
                                                       .starting_deadline_seconds = command.deadline,
                                                       .name = command.name});
  if (!description) return refuse(command, std::move(description.diagnostics));
  if (command.output == CronCommand::Output::Json) {
    print_json(to_json(*description.value));
  } else {
    print_description(*description.value);
  }
  for (const Diagnostic& warning : description.value->warnings) {
    if (warning.code == "NeverFires" || warning.code == "EveryBelowDeadline") return kNotAsHoped;
  }
  return kFine;
}

int cron_batch() {
  return answer_lines([](std::string_view line, std::int64_t number) {
    const auto request = batch_request(line);
    // Such a line is refused by `eval`, in its words.
    return eval_line(request ? *request : line, number);
  });
}

}  // namespace pumice::host
