// The cron schedule language and its next activation, as the CronJob controllers use it (spec/cron-schedule.md).
//
// Surprises of the original are part of the contract: what happens to times that clock changes skip or repeat follows
// its search step by step (spec 5.6).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "pumice/result.h"
#include "pumice/time.h"
#include "pumice/zone.h"

namespace pumice::cron {

/// One field: the values it allows as bits, and whether an item with the star mark is among them (spec 3.3).
struct Field {
  std::uint64_t values = 0;
  bool star = false;

  [[nodiscard]] constexpr bool has(std::int64_t value) const noexcept { return (values >> value & 1U) != 0; }
  friend bool operator==(const Field&, const Field&) = default;
};

/// The five fields of a schedule.
struct Fields {
  Field minute;
  Field hour;
  Field day;  ///< of the month
  Field month;
  Field weekday;  ///< from Sunday = 0
  friend bool operator==(const Fields&, const Fields&) = default;

  /// The day rule (spec 5.2): with a star mark on either field both must match, without one is enough.
  [[nodiscard]] constexpr bool day_matches(unsigned day_of_month, unsigned day_of_week) const noexcept {
    const bool by_day = day.has(day_of_month);
    const bool by_weekday = weekday.has(day_of_week);
    return day.star || weekday.star ? by_day && by_weekday : by_day || by_weekday;
  }
};

/// Memory between calls of `Schedule::next`: the stretch of constant offset that was looked at last. Never changes an
/// answer, saves look-ups. Belongs to one schedule.
struct PeriodMemory {
  ZonePeriod period{0, 0, 0};

  /// The period of `zone` that contains `at`.
  const ZonePeriod& look_up(const Zone& zone, std::int64_t at) {
    if (!period.contains(at)) period = zone.period_at(at);
    return period;
  }
};

/// A schedule that was read. Values; `next` may be called from anywhere.
class Schedule {
 public:
  Schedule(const Fields& fields, Zone zone) : fields_(fields), zone_(std::move(zone)) {}
  /// `@every`: a constant delay, whole seconds, at least one (spec 6).
  static Schedule every(Duration delay);

  /// The first activation after `after`; absent if the search passes its horizon of five years (spec 5.4), or the end
  /// of the range of `Time`. For `@every`: `after` plus the delay, without the fraction of a second.
  [[nodiscard]] std::optional<Time> next(Time after) const;
  [[nodiscard]] std::optional<Time> next(Time after, PeriodMemory& memory) const;

  [[nodiscard]] bool is_every() const noexcept { return every_seconds_ > 0; }
  [[nodiscard]] std::int64_t every_seconds() const noexcept { return every_seconds_; }
  /// Of no meaning for `@every`.
  [[nodiscard]] const Fields& fields() const noexcept { return fields_; }
  [[nodiscard]] const Zone& zone() const noexcept { return zone_; }

 private:
  Schedule() = default;

  Fields fields_;
  Zone zone_;
  std::int64_t every_seconds_ = 0;
};

/// Where zones come from.
struct ZoneSource {
  /// What is meant where a schedule names no zone, and by the name `Local`.
  Zone local;
  /// The zone of a name other than `UTC` and `Local`; empty if there is none.
  std::function<std::optional<Zone>(std::string_view)> find = Zone::named;
};

/// The zone that Go's `time.LoadLocation` would give; empty if there is none, with its words in `error`.
[[nodiscard]] std::optional<Zone> load_zone(std::string_view name, const ZoneSource& zones, std::string& error);

/// Reads a schedule (spec 1–4). Otherwise one diagnostic `InvalidSchedule` has the original's text word for word; its
/// hint names the nearest zone, if that is what is wrong.
[[nodiscard]] Result<Schedule> parse_schedule(std::string_view text, const ZoneSource& zones = {});

/// The text that the controllers hand to the parser for a schedule with a time zone beside it. A schedule that speaks of
/// a zone itself is used as it is (spec 8).
[[nodiscard]] std::string with_time_zone(std::string_view time_zone, std::string_view schedule);

/// A schedule's text in its parts; nothing is checked. The words are what white space leaves; those of a descriptor are
/// the fields it stands for.
struct ScheduleText {
  std::optional<std::string> zone;  ///< behind `TZ=` or `CRON_TZ=`
  std::string rest;
  std::vector<std::string> words;
};
[[nodiscard]] ScheduleText split_schedule(std::string_view text);

}  // namespace pumice::cron
