#include "pumice/cron/clock_marks.h"

#include "civil.h"
#include "cron/search.h"
#include "cron/words.h"

namespace pumice::cron {
namespace {

bool has_marks(const Schedule& schedule) {
  return !schedule.is_every() && !schedule.zone().is_fixed() && !is_full(schedule.fields().hour, all_fields()[1]);
}

bool matches(const Fields& fields, std::int64_t local) {
  const Wall wall = wall_of(local);
  return fields.month.has(wall.month) && fields.day_matches(wall.day_of_month, wall.weekday()) &&
         fields.hour.has(wall.hour()) && fields.minute.has(wall.minute());
}

}  // namespace

std::string_view to_string(ClockMark mark) noexcept {
  switch (mark) {
    case ClockMark::None: return "";
    case ClockMark::FirstOfTwo: return "first of two";
    case ClockMark::SecondOfTwo: return "second of two";
  }
  return "";
}

ClockMark mark_of(const Schedule& schedule, Time at) {
  if (!has_marks(schedule)) return ClockMark::None;
  const std::int64_t second = floor_div(at.ns, kSecond.ns);
  const ZonePeriod here = schedule.zone().period_at(second);
  const std::int64_t local = second + here.offset;
  if (here.begin != kSinceEver) {
    const ZonePeriod before = schedule.zone().period_at(here.begin - 1);
    if (before.offset > here.offset && before.contains(local - before.offset)) return ClockMark::SecondOfTwo;
  }
  if (here.end != kForever) {
    const ZonePeriod next = schedule.zone().period_at(here.end);
    if (next.offset < here.offset && next.contains(local - next.offset)) return ClockMark::FirstOfTwo;
  }
  return ClockMark::None;
}

std::vector<SkippedTime> skipped_between(const Schedule& schedule, Time begin, Time end, std::size_t max) {
  std::vector<SkippedTime> found;
  if (!has_marks(schedule)) return found;
  const std::int64_t last = floor_div(end.ns, kSecond.ns);
  ZonePeriod here = schedule.zone().period_at(floor_div(begin.ns, kSecond.ns));
  while (here.end <= last && found.size() < max) {
    const ZonePeriod next = schedule.zone().period_at(here.end);
    const std::int64_t first_local = here.end + here.offset;
    const std::int64_t end_local = here.end + next.offset;
    for (std::int64_t local = first_local + (60 - first_local % 60) % 60; local < end_local && found.size() < max;
         local += 60) {
      if (!matches(schedule.fields(), local)) continue;
      const Wall wall = wall_of(local);
      found.push_back({{here.end * kSecond.ns}, date_text(wall.day) + " " + clock_text(wall.second)});
    }
    here = next;
  }
  return found;
}

}  // namespace pumice::cron
