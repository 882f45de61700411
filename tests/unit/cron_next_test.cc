// Activations without changes of clocks (spec/cron-schedule.md 5.2-5.4, 6, 7.2, 7.3).
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "pumice/cron/schedule.h"

namespace pumice::cron {
namespace {

Time time(const std::string& text) {
  const auto read = parse_rfc3339(text);
  REQUIRE(read.has_value());
  return *read;
}

/// The next activations, `none` behind the last.
std::vector<std::string> next(const std::string& schedule, const std::string& after, std::size_t count) {
  const auto read = parse_schedule(schedule);
  REQUIRE(read.ok());
  std::vector<std::string> times;
  Time at = time(after);
  while (times.size() < count) {
    const auto found = read.value->next(at);
    times.push_back(found ? to_rfc3339(*found) : "none");
    if (!found) break;
    at = *found;
  }
  return times;
}

TEST_CASE("activations of schedules", "[cron]") {
  struct Case {
    const char* schedule;
    const char* after;
    std::vector<std::string> want;
  };
  const Case cases[] = {
      {"0/15 * * * *", "2012-07-09T14:45:00Z", {"2012-07-09T15:00:00Z"}},
      {"0/15 * * * *", "2012-07-09T14:59:00Z", {"2012-07-09T15:00:00Z"}},
      {"0/15 * * * *", "2012-07-09T14:59:59Z", {"2012-07-09T15:00:00Z"}},
      {"0/15 * * * *", "2012-07-09T14:59:59.999999999Z", {"2012-07-09T15:00:00Z"}},
      {"0/15 * * * *", "2012-07-09T15:00:00.000000001Z", {"2012-07-09T15:15:00Z"}},
      {"20-35/15 * * * *", "2012-07-09T15:45:00Z", {"2012-07-09T16:20:00Z"}},
      {"*/15 * * * *", "2012-07-09T23:46:00Z", {"2012-07-10T00:00:00Z"}},
      {"20-35/15 10-12 * * *", "2012-07-09T23:35:51Z", {"2012-07-10T10:20:00Z"}},
      {"20-35/15 1/2 */2 * *", "2012-07-09T23:35:51Z", {"2012-07-11T01:20:00Z"}},
      {"0 0 9 Apr-Oct ?", "2012-07-09T23:35:00Z", {"2012-08-09T00:00:00Z"}},
      {"0 0 */5 Apr,Aug,Oct Mon", "2012-07-09T23:35:00Z", {"2012-08-01T00:00:00Z"}},
      {"0 0 */5 Oct Mon", "2012-07-09T23:35:00Z", {"2012-10-01T00:00:00Z"}},
      {"0 0 * Feb Mon", "2012-07-09T23:35:00Z", {"2013-02-04T00:00:00Z"}},
      {"0 0 * Feb Mon/2", "2012-07-09T23:35:00Z", {"2013-02-01T00:00:00Z"}},
      {"* * * * *", "2012-12-31T23:59:45Z", {"2013-01-01T00:00:00Z"}},
      {"0 0 29 Feb ?", "2012-07-09T23:35:00Z", {"2016-02-29T00:00:00Z"}},
      {"0 0 30 Feb ?", "2012-07-09T23:35:00Z", {"none"}},
      {"0 0 31 Apr ?", "2012-07-09T23:35:00Z", {"none"}},
      {"0 0 13 * 5", "2025-06-01T00:00:00Z", {"2025-06-06T00:00:00Z", "2025-06-13T00:00:00Z", "2025-06-20T00:00:00Z"}},
      {"0 0 */2 * 1", "2025-06-01T00:00:00Z", {"2025-06-02T00:00:00Z", "2025-06-03T00:00:00Z", "2025-06-05T00:00:00Z"}},
      {"0 0 29 2 1", "2025-01-01T00:00:00Z", {"2025-02-03T00:00:00Z"}},
      {"0 0 31 * *", "2025-01-31T00:00:00Z", {"2025-03-31T00:00:00Z", "2025-05-31T00:00:00Z", "2025-07-31T00:00:00Z"}},
      {"0 0 1-31 * 1", "2025-06-03T12:00:00Z", {"2025-06-04T00:00:00Z"}},
      {"0 0 13 * 0-6", "2025-06-03T12:00:00Z", {"2025-06-04T00:00:00Z"}},
      {"0 0 *,15 * 1", "2025-06-03T12:00:00Z", {"2025-06-09T00:00:00Z", "2025-06-16T00:00:00Z"}},
      {"0 0 */10 * Sun",
       "2025-06-01T00:00:00Z",
       {"2025-06-08T00:00:00Z", "2025-06-11T00:00:00Z", "2025-06-15T00:00:00Z", "2025-06-21T00:00:00Z",
        "2025-06-22T00:00:00Z", "2025-06-29T00:00:00Z", "2025-07-01T00:00:00Z"}},
      // Five years, counted by the year of the first candidate.
      {"0 0 29 2 *", "2096-02-28T00:00:00Z", {"2096-02-29T00:00:00Z", "none"}},
      {"0 0 29 2 *", "2098-12-31T23:59:58Z", {"none"}},
      {"0 0 29 2 *", "2098-12-31T23:59:59Z", {"2104-02-29T00:00:00Z"}},
      // Fields of commas only.
      {", * * * *", "2025-01-01T00:00:00Z", {"none"}},
      {"* , * * *", "2025-01-01T00:00:00Z", {"none"}},
      {"* * * , *", "2025-01-01T00:00:00Z", {"none"}},
      {"0 0 , * *", "2025-01-01T00:00:00Z", {"none"}},
      {"0 0 , * 1", "2025-01-01T00:00:00Z", {"2025-01-06T00:00:00Z"}},
      {"0 0 1 * ,", "2025-01-01T00:00:00Z", {"2025-02-01T00:00:00Z"}},
      {"0 0 , * ,", "2025-01-01T00:00:00Z", {"none"}},
      // Before 1970, and at the end of time.
      {"0 0 1 1 *", "1968-07-01T00:00:00.5Z", {"1969-01-01T00:00:00Z", "1970-01-01T00:00:00Z", "1971-01-01T00:00:00Z"}},
      {"59 23 31 12 *", "1678-01-01T00:00:00Z", {"1678-12-31T23:59:00Z"}},
      {"0 0 1 1 *", "2261-07-01T00:00:00Z", {"2262-01-01T00:00:00Z", "none"}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.schedule, c.after);
    CHECK(next(c.schedule, c.after, c.want.size()) == c.want);
  }
}

TEST_CASE("instants at which a schedule fires", "[cron]") {
  struct Case {
    const char* schedule;
    std::vector<std::string> fires;
    std::vector<std::string> does_not;
  };
  const Case cases[] = {
      {"0/15 * * * *", {"2012-07-09T15:00:00Z", "2012-07-09T15:45:00Z"}, {"2012-07-09T15:40:00Z"}},
      {"5/15 * * * *", {"2012-07-09T15:05:00Z", "2012-07-09T15:20:00Z", "2012-07-09T15:50:00Z"}, {}},
      {"0/15 * * Jul *", {"2012-07-15T15:00:00Z"}, {}},
      {"0/15 * * Jun *", {}, {"2012-07-15T15:00:00Z"}},
      {"30 08 ? Jul Sun", {"2012-07-15T08:30:00Z"}, {"2012-07-16T08:30:00Z"}},
      {"30 08 15 Jul ?", {"2012-07-15T08:30:00Z"}, {"2012-07-16T08:30:00Z"}},
      {"@hourly", {"2012-07-09T15:00:00Z"}, {"2012-07-09T15:04:00Z"}},
      {"@daily", {"2012-07-09T00:00:00Z"}, {"2012-07-09T15:00:00Z"}},
      {"@weekly", {"2012-07-08T00:00:00Z"}, {"2012-07-09T00:00:00Z", "2012-07-08T01:00:00Z"}},
      {"@monthly", {"2012-07-01T00:00:00Z"}, {"2012-07-08T00:00:00Z"}},
      {"@yearly", {"2012-01-01T00:00:00Z"}, {"2012-07-01T00:00:00Z"}},
      {"* * 1,15 * Sun", {"2012-07-15T00:00:00Z", "2012-06-15T00:00:00Z", "2012-08-01T00:00:00Z"}, {}},
      {"* * */10 * Sun", {"2012-07-15T00:00:00Z"}, {}},
      {"* * */2 * Sun", {"2012-07-15T00:00:00Z"}, {}},
      {"* * * * Mon", {}, {"2012-07-15T00:00:00Z"}},
      {"* * 1,15 * *", {"2012-07-15T00:00:00Z"}, {"2012-07-09T00:00:00Z"}},
  };
  for (const Case& c : cases) {
    const auto schedule = parse_schedule(c.schedule);
    REQUIRE(schedule.ok());
    const auto fires_at = [&](Time at) { return schedule.value->next(at + Duration{-kSecond.ns}) == at; };
    for (const std::string& at : c.fires) {
      CAPTURE(c.schedule, at);
      CHECK(fires_at(time(at)));
    }
    for (const std::string& at : c.does_not) {
      CAPTURE(c.schedule, at);
      CHECK_FALSE(fires_at(time(at)));
    }
  }
}

TEST_CASE("@every", "[cron]") {
  struct Case {
    const char* schedule;
    const char* after;
    const char* want;
  };
  const Case cases[] = {
      {"@every 5m", "2026-03-01T02:13:00Z", "2026-03-01T02:18:00Z"},
      {"@every 15m50ns", "2012-07-09T14:45:00Z", "2012-07-09T15:00:00Z"},
      {"@every 15m", "2012-07-09T14:59:59Z", "2012-07-09T15:14:59Z"},
      {"@every 15ms", "2012-07-09T14:45:00Z", "2012-07-09T14:45:01Z"},
      {"@every 0", "2012-07-09T14:45:00Z", "2012-07-09T14:45:01Z"},
      {"@every -5m", "2012-07-09T14:45:00Z", "2012-07-09T14:45:01Z"},
      {"@every 1.5s", "2012-07-09T14:45:00Z", "2012-07-09T14:45:01Z"},
      {"@every 15m", "2012-07-09T14:45:00.005Z", "2012-07-09T15:00:00Z"},
      {"@every 15s", "2012-12-31T23:59:45Z", "2013-01-01T00:00:00Z"},
      {"@every 2184h25m", "2012-07-09T23:35:00Z", "2012-10-09T00:00:00Z"},
      {"TZ=Asia/Tokyo @every 6h", "2026-03-01T02:13:00Z", "2026-03-01T08:13:00Z"},
      {"@every 2562047h", "2012-07-09T14:45:00Z", "none"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.schedule, c.after);
    CHECK(next(c.schedule, c.after, 1).front() == c.want);
  }
}

TEST_CASE("a local zone is taken where a schedule names none", "[cron]") {
  const auto schedule = parse_schedule("14 14 * * *", {.local = Zone::fixed(19'800)});
  REQUIRE(schedule.ok());
  CHECK(schedule.value->next(time("2016-01-03T13:09:03+05:30")) == time("2016-01-03T14:14:00+05:30"));
}

}  // namespace
}  // namespace pumice::cron
