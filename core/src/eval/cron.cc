// Operations of the cron schedule language.
#include "eval/operation.h"
#include "pumice/cron/describe.h"
#include "pumice/cron/schedule.h"

namespace pumice::eval {
namespace {

constexpr std::int64_t kCountMax = 100'000;

/// The schedule of `schedule` and `timeZone`, as the controllers put them together.
Result<cron::Schedule> read_schedule(FieldReader& args) {
  const std::string text = args.string("schedule").value_or("");
  const auto time_zone = args.string("timeZone");
  return cron::parse_schedule(time_zone ? cron::with_time_zone(*time_zone, text) : text);
}

Failure refused(Diagnostics diagnostics) {
  std::string message = diagnostics.front().message;
  return {"InvalidSchedule", std::move(message), std::move(diagnostics)};
}

std::optional<Time> read_time(FieldReader& args, std::string_view name) {
  const auto text = args.string(name);
  if (!text) return std::nullopt;
  const auto time = parse_rfc3339(*text);
  if (!time) {
    args.report_at(name, Severity::Error, "InvalidTime", "`" + *text + "` is not a time of the years 1678 to 2261",
                   "write it as 2026-03-02T09:00:00Z");
  }
  return time;
}

}  // namespace

Answer cron_next(FieldReader& args) {
  const auto after = read_time(args, "after");
  const std::int64_t count = args.int64("count").value_or(1);
  if (count < 0 || count > kCountMax) {
    args.report_at("count", Severity::Error, "LimitExceeded", "must be between 0 and " + std::to_string(kCountMax));
  }
  const bool unix_seconds = args.boolean("unix").value_or(false);
  auto schedule = read_schedule(args);
  if (!after || !args.context().diagnostics.empty()) return Json();
  if (!schedule) return refused(std::move(schedule.diagnostics));

  Json next = Json::array();
  cron::PeriodMemory memory;
  std::optional<Time> at = after;
  for (std::int64_t i = 0; i < count && at; ++i) {
    at = schedule.value->next(*at, memory);
    if (unix_seconds) {
      next.push_back(at ? Json(at->ns / kSecond.ns) : Json());
    } else {
      next.push_back(at ? to_rfc3339(*at) : "");
    }
  }
  return object_of({{"next", std::move(next)}});
}

Answer cron_describe(FieldReader& args) {
  const std::string schedule = args.string("schedule").value_or("");
  cron::DescribeOptions options;
  options.time_zone = args.string("timeZone");
  options.after = read_time(args, "after");
  options.starting_deadline_seconds = args.int64("startingDeadlineSeconds");
  options.name = args.string("name");
  if (!args.context().diagnostics.empty()) return Json();
  auto description = cron::describe(schedule, options);
  if (!description) return refused(std::move(description.diagnostics));
  return to_json(*description.value);
}

}  // namespace pumice::eval
