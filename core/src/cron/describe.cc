#include "pumice/cron/describe.h"

#include <algorithm>

#include "compose.h"
#include "cron/words.h"
#include "pumice/diagnostic_json.h"

namespace pumice::cron {
namespace {

void describe_every(const Schedule& schedule, std::string_view delay, bool has_zone, Description& out) {
  const std::string meant = to_string(seconds(schedule.every_seconds()));
  out.text = compose("Every {}, counted from the run before.", meant);
  out.warnings.push_back(
      warning("EveryHasNoAnchor",
              "`@every` counts from the last run, or from the creation of the CronJob: it keeps no time of day",
              "for fixed times write fields, such as `0 */6 * * *`"));
  if (const auto duration = parse_duration(delay); duration && duration->ns != schedule.every_seconds() * kSecond.ns) {
    out.warnings.push_back(
        warning("EveryRounded", compose("`{}` means {}: whole seconds, at least one", delay, meant)));
  }
  if (has_zone) out.warnings.push_back(warning("EveryIgnoresZone", "`@every` takes no notice of the time zone"));
}

std::string capitalised(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

bool already_never(const Diagnostics& warnings) {
  return std::ranges::any_of(warnings, [](const Diagnostic& one) { return one.code == "NeverFires"; });
}

void describe_fields(const Schedule& schedule, const ScheduleText& parts, const DescribeOptions& options,
                     Description& out) {
  const Fields& fields = schedule.fields();
  std::string zone = parts.zone.value_or("");
  if (zone.empty())
    zone = options.zones.local.is_fixed() && options.zones.local.period_at(0).offset == 0 ? "UTC" : "local";
  out.text = capitalised(sentence_of(fields)) + compose(", {} time.", zone);
  const auto facts = all_fields();
  for (std::size_t i = 0; i < facts.size(); ++i) {
    out.fields.push_back({std::string(facts[i].name), i < parts.words.size() ? parts.words[i] : "",
                          meaning_of(field_of(fields, facts[i].kind), facts[i])});
  }
  warn_of_fields(fields, parts.words, out.warnings);
  if (!options.after || already_never(out.warnings)) return;
  if (!schedule.next(*options.after)) {
    out.warnings.push_back(
        warning("NeverFires", "does not fire within five years: the search for the next time gives up"));
  }
  warn_of_clock_changes(schedule, *options.after, out.warnings);
}

/// The job's name is the CronJob's, a hyphen and ten digits, and may have 63 characters.
constexpr std::size_t kNameMax = 52;

void warn_of_cronjob(const Schedule& schedule, const DescribeOptions& options, Diagnostics& out) {
  const auto& deadline = options.starting_deadline_seconds;
  if (deadline && schedule.is_every() && *deadline < schedule.every_seconds()) {
    out.push_back(warning(
        "EveryBelowDeadline",
        compose("never starts: with a starting deadline of {} s the controller looks no further back than that, and "
                "`@every` counts {} from there",
                *deadline, to_string(seconds(schedule.every_seconds()))),
        "leave `startingDeadlineSeconds` out, make it at least the period, or write fields such as `0 */6 * * *`"));
  }
  if (options.name && options.name->size() > kNameMax) {
    out.push_back(warning("NameTooLong",
                          compose("the name has {} characters, a CronJob's may have {}: its jobs' names have 11 more",
                                  options.name->size(), kNameMax)));
  }
}

}  // namespace

void warn_of_local_zone(std::string_view schedule, const std::optional<std::string>& time_zone, Diagnostics& out) {
  const std::optional<std::string> zone = time_zone ? time_zone : split_schedule(schedule).zone;
  if (!zone || (!zone->empty() && *zone != "Local")) return;
  out.push_back(warning("LocalZone", compose("the time zone `{}` is taken as UTC", *zone),
                        time_zone ? "Kubernetes refuses it: name a zone such as `Europe/Berlin`, or `UTC`"
                                  : "name a zone such as `Europe/Berlin`, or `UTC`"));
}

Result<Description> describe(std::string_view schedule, const DescribeOptions& options) {
  const std::string text = options.time_zone ? with_time_zone(*options.time_zone, schedule) : std::string(schedule);
  Result<Schedule> read = parse_schedule(text, options.zones);
  if (!read) return Result<Description>::failure(std::move(read.diagnostics));
  const ScheduleText parts = split_schedule(text);
  Description out;
  if (read.value->is_every()) {
    describe_every(*read.value, std::string_view(parts.rest).substr(std::string_view("@every ").size()),
                   parts.zone.has_value(), out);
  } else {
    describe_fields(*read.value, parts, options, out);
  }
  if (!options.time_zone && parts.zone) {
    out.warnings.push_back(warning("ZoneInSchedule",
                                   "Kubernetes refuses a time zone inside the schedule of a new CronJob",
                                   "use the field `timeZone` instead"));
  }
  warn_of_local_zone(schedule, options.time_zone, out.warnings);
  warn_of_cronjob(*read.value, options, out.warnings);
  return Result<Description>::success(std::move(out));
}

Json to_json(const Description& description) {
  Json fields = Json::array();
  for (const FieldWords& field : description.fields) {
    fields.push_back(object_of({{"name", field.name}, {"text", field.text}, {"meaning", field.meaning}}));
  }
  return object_of(
      {{"text", description.text}, {"fields", std::move(fields)}, {"warnings", pumice::to_json(description.warnings)}});
}

}  // namespace pumice::cron
