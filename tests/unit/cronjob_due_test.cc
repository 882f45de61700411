// Which run is due and when to look again: spec/k8s-cronjob.md 6, 10 step 5 and 11.4, spec/volcano-cronjob.md 5
// and 7.3.
#include <catch2/catch_test_macros.hpp>
#include <string>

#include "pumice/cronjob/due.h"
#include "support/cronjob_scene.h"

namespace pumice::cronjob {
namespace {

using test::duration_of;
using test::time_of;

/// Offsets from T are Go durations; `-` is unset, or none.
Time offset(Time t, std::string_view text) { return t + duration_of(text); }
std::optional<Time> maybe(Time t, std::string_view text) {
  return text == "-" ? std::nullopt : std::optional(offset(t, text));
}

Clockwork clockwork(std::string_view schedule, std::string_view zone = "UTC") {
  return Clockwork(*cron::parse_schedule(cron::with_time_zone(zone, schedule)).value);
}

struct RecentCase {
  const char* schedule;
  const char* created;
  const char* last;
  std::int64_t deadline;  ///< seconds; 0: unset
  bool use_deadline;
  const char* now;
  const char* earliest;
  const char* due;  ///< `error`
  Missed missed;
};

void check(Time t, const RecentCase& c, Quirks quirks) {
  CAPTURE(c.schedule, c.created, c.last, c.now);
  Clockwork times = clockwork(c.schedule);
  DueQuestion question{.creation = offset(t, c.created),
                       .last_schedule = maybe(t, c.last),
                       .starting_deadline_seconds = c.deadline == 0 ? std::nullopt : std::optional(c.deadline),
                       .now = offset(t, c.now),
                       .quirks = quirks};
  const Due due = most_recent(times, question, c.use_deadline);
  CHECK(due.failed == (std::string_view(c.due) == "error"));
  CHECK(due.earliest == offset(t, c.earliest));
  if (due.failed) {
    CHECK_FALSE(due.run);
    return;
  }
  CHECK(due.run == maybe(t, c.due));
  CHECK(due.missed == c.missed);
}

TEST_CASE("the most recent run", "[cronjob][due]") {
  const Time t = time_of("2016-05-19T10:00:00Z");
  const RecentCase cases[] = {
      {"0 * * * *", "0", "-", 0, false, "30s", "0", "-", Missed::None},
      {"0 * * * *", "0", "-", 0, false, "61m", "0", "60m", Missed::None},
      {"0 * * * *", "10s", "-", 0, false, "301m", "10s", "300m", Missed::Few},
      {"0 * * * *", "0", "0", 0, false, "30s", "0", "-", Missed::None},
      {"30 6-16/4 * * 1-5", "0", "30m", 0, false, "24h31m", "30m", "24h30m", Missed::Few},
      {"30 6-16/4 * * 1-5", "0", "30m", 0, false, "96h31m", "30m", "96h30m", Missed::Few},
      {"30 6-16/4 * * 1-5", "0", "-", 0, false, "24h31m", "0", "24h30m", Missed::Few},
      {"30 10,11,12 * * 1-5", "0", "30m", 0, false, "30h30m", "30m", "-", Missed::Few},
      {"@every 1h", "-59m", "1m", 10, false, "168h", "1m", "167h1m", Missed::Many},
      {"59 23 31 2 *", "10s", "-", 0, false, "1h", "10s", "error", Missed::None},
      {"*/5 * * * *", "0", "30m", 0, false, "31m", "30m", "-", Missed::None},
      {"*/5 * * * *", "0", "30m", 60, true, "32m", "31m", "-", Missed::None},
      {"0 8-10 * * 1-5", "-10h", "-2h", 0, false, "21h", "-2h", "-", Missed::Few},
      {"0,1 0 * * *", "0", "-", 0, false, "24h", "0", "-", Missed::Many},
  };
  for (const RecentCase& c : cases) check(t, c, Quirks::of(Profile::V2));
}

TEST_CASE("the most recent run, Volcano's rows", "[cronjob][due]") {
  const Time t = time_of("2025-03-11T10:00:00Z");
  const RecentCase cases[] = {
      {"0 * * * *", "0", "-", 0, false, "30s", "0", "-", Missed::None},
      {"30 10,11,12 * * 1-5", "0", "30m", 0, false, "30h30m", "30m", "-", Missed::Few},
      {"0 * * * *", "0", "-", 0, false, "61m", "0", "60m", Missed::None},
      {"0 * * * *", "10s", "-", 0, false, "301m", "10s", "300m", Missed::Few},
      {"30 6-16/4 * * 1-5", "0", "30m", 0, false, "24h31m", "30m", "24h30m", Missed::Few},
      {"30 6-16/4 * * 1-5", "0", "30m", 0, false, "96h31m", "30m", "76h30m", Missed::Few},
      {"30 6-16/4 * * 1-5", "0", "-", 0, false, "24h31m", "0", "24h30m", Missed::Few},
      {"@every 1h", "-59m", "1m", 10, false, "168h", "1m", "167h1m", Missed::Many},
      {"59 23 31 2 *", "10s", "-", 0, false, "1h", "10s", "error", Missed::None},
      {"0 * * * *", "0", "0", 0, false, "30s", "0", "-", Missed::None},
      {"*/5 * * * *", "0", "30m", 60, false, "31m", "30m", "-", Missed::None},
      {"*/5 * * * *", "0", "30m", 60, true, "32m", "31m", "-", Missed::None},
      {"* * * * *", "0", "-", 0, false, "100m", "0", "100m", Missed::Few},
      {"* * * * *", "0", "-", 0, false, "101m", "0", "101m", Missed::Many},
  };
  for (const RecentCase& c : cases) check(t, c, Quirks::of(Profile::Volcano));
}

TEST_CASE("what the estimate loses is found without it", "[cronjob][due][quirks]") {
  const Time t = time_of("2016-05-19T10:00:00Z");
  const Quirks exact = Quirks::of(Profile::V2).without(Quirk::MissedEstimate);
  const RecentCase cases[] = {
      {"30 10,11,12 * * 1-5", "0", "30m", 0, false, "30h30m", "30m", "26h30m", Missed::Few},
      {"0 8-10 * * 1-5", "-10h", "-2h", 0, false, "21h", "-2h", "0", Missed::Few},
      {"0,1 0 * * *", "0", "-", 0, false, "24h", "0", "14h1m", Missed::Few},
      {"* * * * *", "0", "-", 0, false, "5000h", "0", "5000h", Missed::Many},
      {"0 * * * *", "0", "-", 0, false, "61m", "0", "60m", Missed::None},
  };
  for (const RecentCase& c : cases) check(t, c, exact);
}

TEST_CASE("the last run of all", "[cronjob][due][quirks]") {
  // Between 2096 and 2104 there is no 29 February: behind the run of 2096 the search gives up.
  Clockwork times = clockwork("0 0 29 2 *");
  DueQuestion question{.creation = time_of("2095-01-01T00:00:00Z"),
                       .last_schedule = {},
                       .starting_deadline_seconds = {},
                       .now = time_of("2096-03-01T00:00:00Z"),
                       .quirks = Quirks::of(Profile::V2)};
  CHECK(most_recent(times, question, true).failed);
  question.quirks.set(Quirk::LastRunLost, false);
  CHECK(most_recent(times, question, true).run == time_of("2096-02-29T00:00:00Z"));
  // Nothing to come: the wake-up is due at once and for ever.
  CHECK(delay(times, question).ns < -duration_of("1h").ns);
}

TEST_CASE("which run is to be started", "[cronjob][due]") {
  const Time t1 = time_of("2016-05-19T10:00:00Z");
  struct Case {
    const char* schedule;
    const char* created;
    const char* last;
    const char* now;
    std::int64_t deadline;
    const char* run;
    Missed missed;
  };
  const Case cases[] = {
      {"0 * * * *", "-10m", "-", "-7m", 0, "-", Missed::None},
      {"0 * * * *", "-10m", "-", "2s", 0, "0", Missed::None},
      {"0 * * * *", "-10m", "0", "2m", 0, "-", Missed::None},
      {"0 * * * *", "-10m", "0", "65m", 0, "1h", Missed::None},
      {"0 * * * *", "-2h", "-1h", "65m", 0, "1h", Missed::Few},
      {"0 * * * *", "-2h", "-1h", "241h", 0, "241h", Missed::Many},
      {"0 * * * *", "-2h", "-1h", "241h", 7200, "241h", Missed::Few},
      {"59 23 31 2 *", "10s", "-", "1h", 0, "error", Missed::None},
  };
  for (const Case& c : cases) {
    CAPTURE(c.schedule, c.created, c.last, c.now, c.deadline);
    Clockwork times = clockwork(c.schedule);
    const Due due =
        most_recent(times,
                    {.creation = offset(t1, c.created),
                     .last_schedule = maybe(t1, c.last),
                     .starting_deadline_seconds = c.deadline == 0 ? std::nullopt : std::optional(c.deadline),
                     .now = offset(t1, c.now),
                     .quirks = Quirks::of(Profile::V2)},
                    true);
    CHECK(due.failed == (std::string_view(c.run) == "error"));
    if (due.failed) continue;
    CHECK(due.run == maybe(t1, c.run));
    CHECK(due.missed == c.missed);
  }
}

TEST_CASE("when to look again", "[cronjob][due]") {
  const Time t = time_of("2016-05-19T10:00:00Z");        // a Thursday
  const Time volcano = time_of("2025-03-11T10:00:00Z");  // a Tuesday
  struct Case {
    Time t;
    const char* schedule;
    const char* created;
    const char* last;
    const char* now;
    const char* delay;
  };
  const Case cases[] = {
      {t, "30 6-16/4 * * 1-5", "0", "30m", "24h31m", "3h59m"},
      {t, "30 10,11,12 * * 1-5", "0", "30m", "30h30m", "66h"},
      {t, "0 12 * * 4", "0", "2h", "457h30m", "48h30m"},
      {t, "0 12 * * 5", "0", "-", "6h", "20h"},
      {volcano, "30 6-16/4 * * 1-5", "0", "30m", "24h31m", "3h59m"},
      {volcano, "30 10,11,12 * * 1-5", "0", "30m", "30h30m", "18h"},
      {volcano, "0 12 * * 2", "0", "2h", "457h30m", "48h30m"},
      {volcano, "0 12 * * 3", "0", "-", "6h", "20h"},
      // 6.3, the examples.
      {t, "0 * * * *", "-59m", "-", "-1m", "1m"},
      {t, "0 * * * *", "-59m", "0", "1m", "59m"},
      {t, "0 * * * *", "-200h", "-168h", "1m", "59m"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.schedule, c.created, c.last, c.now);
    Clockwork times = clockwork(c.schedule);
    const Duration got = delay(times, {.creation = offset(c.t, c.created),
                                       .last_schedule = maybe(c.t, c.last),
                                       .starting_deadline_seconds = 10,
                                       .now = offset(c.t, c.now),
                                       .quirks = Quirks::of(Profile::V2)});
    CHECK(to_string(got) == to_string(Duration{duration_of(c.delay).ns + 100 * kMillisecond.ns}));
  }
}

TEST_CASE("unmet runs of the legacy controller", "[cronjob][due][legacy]") {
  const Time t = time_of("2016-05-19T10:00:00Z");
  struct Case {
    const char* schedule;
    const char* last;
    const char* now;
    std::int64_t deadline;
    const char* run;
    std::int64_t count;
  };
  const Case cases[] = {
      {"* * * * *", "0", "100m", 0, "100m", 100},
      {"* * * * *", "0", "101m", 0, "error", 101},
      {"* * * * *", "0", "101m", 200, "101m", 4},
      {"* * * * *", "0", "30s", 0, "-", 0},
      {"* * * * *", "1h", "30m", 0, "-", 0},  // the clock was moved back
      // No estimate: what the newer controllers lose is found.
      {"30 10,11,12 * * 1-5", "30m", "30h30m", 0, "26h30m", 5},
      {"0 0 31 2 *", "0", "1h", 0, "error", 101},  // "never" is year 1, again and again
  };
  for (const Case& c : cases) {
    CAPTURE(c.schedule, c.last, c.now, c.deadline);
    Clockwork times = clockwork(c.schedule);
    const Due due =
        unmet(times, {.creation = t,
                      .last_schedule = offset(t, c.last),
                      .starting_deadline_seconds = c.deadline == 0 ? std::nullopt : std::optional(c.deadline),
                      .now = offset(t, c.now),
                      .quirks = Quirks::of(Profile::Legacy)});
    CHECK(due.failed == (std::string_view(c.run) == "error"));
    CHECK(due.count == c.count);
    if (!due.failed) CHECK(due.run == maybe(t, c.run));
  }
  Clockwork times = clockwork("* * * * *");
  const Due due = unmet(times, {.creation = t,
                                .last_schedule = {},
                                .starting_deadline_seconds = {},
                                .now = offset(t, "5000h30s"),
                                .quirks = Quirks::of(Profile::Legacy).without(Quirk::HundredMissed)});
  CHECK(due.run == offset(t, "5000h"));
  CHECK_FALSE(due.failed);
}

TEST_CASE("@every with a deadline shorter than its period", "[cronjob][due][quirks]") {
  const Time t = time_of("2016-05-19T10:00:00Z");
  Clockwork times = clockwork("@every 1h");
  DueQuestion question{.creation = t,
                       .last_schedule = t,
                       .starting_deadline_seconds = 60,
                       .now = offset(t, "1h10s"),
                       .quirks = Quirks::of(Profile::V2)};
  CHECK_FALSE(most_recent(times, question, true).run);
  question.quirks.set(Quirk::EveryBelowDeadline, false);
  CHECK(most_recent(times, question, true).run == offset(t, "1h"));
  question.now = offset(t, "1h61s");
  CHECK_FALSE(most_recent(times, question, true).run);
}

TEST_CASE("a deadline beyond 292 years", "[cronjob][due][quirks]") {
  const Time now = time_of("2026-03-02T09:00:00Z");
  const Quirks quirks = Quirks::of(Profile::V2);
  CHECK(deadline_before(now, 60, quirks) == time_of("2026-03-02T08:59:00Z"));
  // 9223372037 seconds are one more than 64 bits hold in nanoseconds: the product is far below zero.
  CHECK(deadline_before(now, 9'223'372'037, quirks) > now);
  CHECK(deadline_before(now, 9'223'372'037, quirks.without(Quirk::DeadlineOverflow)) < now);
  CHECK(deadline_behind(now, 9'223'372'037, quirks) < now);
}

TEST_CASE("the last time of a long chain is the one that walking it finds", "[cronjob][due]") {
  struct Case {
    const char* schedule;
    const char* zone;
    const char* from;
    const char* now;
  };
  const Case cases[] = {
      {"* * * 1-11 *", "UTC", "2025-11-30T23:59:00Z", "2026-03-07T10:00:30Z"},
      {"*/7 3-5 * * 1,2", "America/New_York", "2025-01-01T00:00:00Z", "2026-02-20T00:00:00Z"},
      {"* * * * *", "Australia/Lord_Howe", "2025-09-01T00:00:00Z", "2025-12-31T23:59:59Z"},
      {"0 5 * * 6", "Asia/Beirut", "2024-01-01T00:00:00Z", "2024-08-01T00:00:00Z"},
      {"* 0 * * *", "America/Asuncion", "2023-08-15T00:00:00Z", "2023-11-15T13:00:00Z"},
      {"0 0 29 2 *", "UTC", "2020-01-01T00:00:00Z", "2031-01-01T00:00:00Z"},
      {"@every 90s", "UTC", "2026-01-01T00:00:00.5Z", "2026-01-02T00:00:31Z"},
      {"* * * * *", "UTC", "2026-01-01T00:00:00Z", "2026-01-01T00:00:59Z"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.schedule, c.zone);
    Clockwork times = clockwork(c.schedule, c.zone);
    const Time now = time_of(c.now);
    std::optional<Time> want;
    for (auto at = times.schedule().next(time_of(c.from)); at && *at <= now; at = times.schedule().next(*at)) want = at;
    CHECK(times.last_until(time_of(c.from), now) == want);
  }
}

}  // namespace
}  // namespace pumice::cronjob
