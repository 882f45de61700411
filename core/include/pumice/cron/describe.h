// A schedule in plain words, and what about it will surprise.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pumice/cron/schedule.h"
#include "pumice/json.h"

namespace pumice::cron {

struct FieldWords {
  std::string name;  ///< `minute`, `hour`, `day of month`, `month`, `day of week`
  std::string text;  ///< as it was written
  std::string meaning;
};

/// Codes of warnings:
///   EitherDay               both day fields are restricted and one is enough (spec 5.2)
///   UnevenStep              `*/n` that does not divide its range, or goes beyond it
///   NeverFires              no date matches, or none within five years of `after` (spec 5.4)
///   SkippedByClockChange    a time does not exist on a date (spec 5.6, Z1 and Z5)
///   DoubledByClockChange    a time comes twice on a date (Z3)
///   LostToClockChange       a time exists, and the search steps over it (Z7 to Z11)
///   WrongDayAfterClockChange  an activation on a day that does not match (Z8, Z9)
///   ZoneInSchedule          a `TZ=` prefix, which Kubernetes refuses in new CronJobs
///   EveryHasNoAnchor, EveryRounded, EveryIgnoresZone  (spec 6)
///   EveryBelowDeadline      `@every` with a starting deadline below its period: never starts (k8s-cronjob.md 6.1 P-4)
///   NameTooLong             more than the 52 characters that leave room for a job's name (k8s-cronjob.md 9)
///   LocalZone               `Local` or nothing as time zone: UTC is taken here, and Kubernetes refuses it
struct Description {
  std::string text;                ///< one sentence
  std::vector<FieldWords> fields;  ///< empty for `@every`
  Diagnostics warnings;            ///< each a warning, without a place
};

struct DescribeOptions {
  std::optional<std::string> time_zone;  ///< beside the schedule, as in a CronJob
  /// Where the two years begin in which clock changes are looked at; absent: they are not.
  std::optional<Time> after;
  ZoneSource zones{};
  // Of the CronJob around the schedule, where known.
  std::optional<std::int64_t> starting_deadline_seconds{};
  std::optional<std::string> name{};
};

/// Fails exactly if `parse_schedule` fails.
[[nodiscard]] Result<Description> describe(std::string_view schedule, const DescribeOptions& options = {});

/// Warns if the zone beside the schedule, or before it, is `Local` or has no name.
void warn_of_local_zone(std::string_view schedule, const std::optional<std::string>& time_zone, Diagnostics& out);

/// {text, fields: [{name, text, meaning}], warnings: [diagnostic]}
[[nodiscard]] Json to_json(const Description& description);

}  // namespace pumice::cron
