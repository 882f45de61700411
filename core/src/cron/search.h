// The search for the next activation of a schedule of fields (spec/cron-schedule.md 5), on whole seconds.
#pragma once

#include <cstdint>
#include <optional>

#include "pumice/cron/schedule.h"

namespace pumice::cron {

/// A local time in its parts.
struct Wall {
  std::int64_t day = 0;     ///< since 1970-01-01
  std::int64_t second = 0;  ///< of the day
  std::int64_t year = 0;
  unsigned month = 0;
  unsigned day_of_month = 0;

  [[nodiscard]] unsigned weekday() const noexcept;
  [[nodiscard]] std::int64_t hour() const noexcept { return second / 3600; }
  [[nodiscard]] std::int64_t minute() const noexcept { return second / 60 % 60; }
};

/// Parts of `local` seconds since 1970-01-01T00:00:00.
[[nodiscard]] Wall wall_of(std::int64_t local) noexcept;

/// The days of a month that the day rule allows, as bits 1 … 31. `first` is the month's first day.
[[nodiscard]] std::uint64_t days_of_month(const Fields& fields, std::int64_t first, unsigned length) noexcept;

/// The first day behind that of `now` whose month and day the fields allow, in a year up to `last_year`.
[[nodiscard]] std::optional<std::int64_t> next_date(const Fields& fields, const Wall& now,
                                                    std::int64_t last_year) noexcept;

class Search {
 public:
  Search(const Fields& fields, const Zone& zone, PeriodMemory& memory)
      : fields_(fields), zone_(zone), memory_(memory) {}

  /// The answer for the first candidate, an instant in seconds.
  [[nodiscard]] std::optional<std::int64_t> from(std::int64_t candidate);

 private:
  struct Walk;
  struct Today;

  [[nodiscard]] const ZonePeriod& period(std::int64_t at) { return memory_.look_up(zone_, at); }
  [[nodiscard]] std::int64_t instant(std::int64_t local);
  [[nodiscard]] Wall wall(std::int64_t at) { return wall_of(at + period(at).offset); }
  [[nodiscard]] Today today(std::int64_t at, const Wall& now, const ZonePeriod& here) const;
  [[nodiscard]] std::optional<std::int64_t> from_date(std::int64_t candidate, std::int64_t reset_day, const Wall& now,
                                                      std::optional<std::int64_t> arrived);

  [[nodiscard]] std::optional<std::int64_t> walk(std::int64_t at, bool reset);
  [[nodiscard]] bool walk_months(Walk& walk);
  [[nodiscard]] bool walk_days(Walk& walk);
  [[nodiscard]] bool walk_hours(Walk& walk);
  [[nodiscard]] bool walk_minutes(Walk& walk);

  const Fields& fields_;
  const Zone& zone_;
  PeriodMemory& memory_;
  std::int64_t last_year_ = 0;
};

}  // namespace pumice::cron
