#include "support/cron_oracle.h"

#include <limits>

#include "pumice/check.h"
#include "zones/load_zone.h"

namespace pumice::test {
namespace {

using cctz::civil_day;
using cctz::civil_second;

const civil_second kEpoch(1970, 1, 1);

cctz::time_point<cctz::seconds> point(std::int64_t at) { return cctz::time_point<cctz::seconds>(cctz::seconds(at)); }

int weekday_from_sunday(const civil_second& wall) {
  return (static_cast<int>(cctz::get_weekday(wall)) + 1) % 7;  // the library counts from Monday
}

}  // namespace

CronOracle::CronOracle(const cron::Fields& fields, const std::string& zone) : fields_(fields) {
  const auto loaded = zones::load_zone(zone);
  PUMICE_CHECK(loaded.has_value());
  zone_ = *loaded;
}

CronOracle::Period CronOracle::period(std::int64_t at) const {
  Period period{std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max(),
                zone_.lookup(point(at)).offset};
  cctz::time_zone::civil_transition change;
  if (zone_.prev_transition(point(at + 1), &change)) period.from = (change.to - kEpoch) - period.offset;
  if (zone_.next_transition(point(at), &change)) period.to = (change.from - kEpoch) - period.offset;
  return period;
}

std::int64_t CronOracle::date(const civil_second& wall) const {
  const std::int64_t u = wall - kEpoch;
  const Period first = period(u);
  if (first.offset == 0) return u;
  const std::int64_t v = u - first.offset;
  if (v >= first.from && v < first.to) return v;
  return u - period(v).offset;
}

civil_second CronOracle::wall(std::int64_t at) const { return kEpoch + at + zone_.lookup(point(at)).offset; }

bool CronOracle::day_matches(const civil_second& wall) const {
  const bool by_day = fields_.day.has(wall.day());
  const bool by_weekday = fields_.weekday.has(weekday_from_sunday(wall));
  return fields_.day.star || fields_.weekday.star ? by_day && by_weekday : by_day || by_weekday;
}

std::optional<std::int64_t> CronOracle::next(std::int64_t after) const {
  std::int64_t t = after + 1;
  bool reset = false;
  const std::int64_t limit = wall(t).year() + 5;

start:
  if (wall(t).year() > limit) return std::nullopt;

  while (!fields_.month.has(wall(t).month())) {
    if (!reset) {
      reset = true;
      t = date(civil_second(wall(t).year(), wall(t).month(), 1));
    }
    const civil_second w = wall(t);
    const std::int64_t then = date(civil_second(w.year(), w.month() + 1, w.day(), w.hour(), w.minute(), w.second()));
    if (then <= t) return std::nullopt;  // the original would never end
    t = then;
    if (wall(t).month() == 1) goto start;
  }
  while (!day_matches(wall(t))) {
    if (!reset) {
      reset = true;
      t = date(civil_second(civil_day(wall(t))));
    }
    const civil_second w = wall(t);
    std::int64_t then = date(civil_second(w.year(), w.month(), w.day() + 1, w.hour(), w.minute(), w.second()));
    if (const int hour = wall(then).hour(); hour > 12) {
      then += (24 - hour) * 3600;
    } else {
      then -= hour * 3600;
    }
    if (then <= t) return std::nullopt;
    t = then;
    if (wall(t).day() == 1) goto start;
  }
  while (!fields_.hour.has(wall(t).hour())) {
    if (!reset) {
      reset = true;
      const civil_second w = wall(t);
      t = date(civil_second(w.year(), w.month(), w.day(), w.hour()));
    }
    t += 3600;
    if (wall(t).hour() == 0) goto start;
  }
  while (!fields_.minute.has(wall(t).minute())) {
    if (!reset) {
      reset = true;
      t -= (t % 60 + 60) % 60;
    }
    t += 60;
    if (wall(t).minute() == 0) goto start;
  }
  while (wall(t).second() != 0) {
    reset = true;
    t += 1;
    if (wall(t).second() == 0) goto start;
  }
  return t;
}

std::optional<std::int64_t> CronOracle::scan(std::int64_t after, std::int64_t end) const {
  std::int64_t t = after - (after % 60 + 60) % 60 + 60;
  for (; t < end; t += 60) {
    const civil_second w = wall(t);
    if (fields_.minute.has(w.minute()) && fields_.hour.has(w.hour()) && fields_.month.has(w.month()) &&
        day_matches(w)) {
      return t;
    }
  }
  return std::nullopt;
}

bool CronOracle::is_plain(std::int64_t begin, std::int64_t end) const {
  const Period first = period(begin);
  return first.to > end && first.offset % 60 == 0;
}

}  // namespace pumice::test
