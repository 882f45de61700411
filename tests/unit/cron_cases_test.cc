// Questions that people really asked about schedules (cases.md, group C): the next activations, and what is refused.
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "pumice/cron/describe.h"
#include "pumice/cron/schedule.h"

namespace pumice::cron {
namespace {

struct Case {
  const char* name;
  const char* schedule;
  const char* zone;
  const char* after;
  std::vector<std::string> want;
};

TEST_CASE("activations that people asked about", "[cron][cases]") {
  const Case cases[] = {
      {"C07",
       "0 2 * * *",
       "Europe/Berlin",
       "2023-10-28T12:00:00Z",
       {"2023-10-29T00:00:00Z", "2023-10-29T01:00:00Z", "2023-10-30T01:00:00Z"}},
      {"C11",
       "0 9 10 * *",
       "America/Sao_Paulo",
       "2018-10-17T12:00:00Z",
       {"2018-11-10T11:00:00Z", "2018-12-10T11:00:00Z"}},
      {"C12",
       "0 1 4 11 *",
       "America/Sao_Paulo",
       "2018-10-17T12:00:00Z",
       {"2018-11-04T03:00:00Z", "2019-11-04T04:00:00Z"}},
      {"C14",
       "0 * * * *",
       "Asia/Kolkata",
       "2026-03-01T00:00:00Z",
       {"2026-03-01T00:30:00Z", "2026-03-01T01:30:00Z", "2026-03-01T02:30:00Z"}},
      {"C15",
       "* * * * *",
       "America/New_York",
       "2026-11-01T05:58:30Z",
       {"2026-11-01T05:59:00Z", "2026-11-01T06:00:00Z", "2026-11-01T06:01:00Z"}},
      {"C49",
       "45 1 * * *",
       "Australia/Lord_Howe",
       "2026-04-03T20:00:00Z",
       {"2026-04-04T14:45:00Z", "2026-04-04T15:15:00Z", "2026-04-05T15:15:00Z"}},
      {"C49",
       "*/15 * * * *",
       "Australia/Lord_Howe",
       "2026-04-04T14:20:00Z",
       {"2026-04-04T14:30:00Z", "2026-04-04T14:45:00Z", "2026-04-04T15:00:00Z", "2026-04-04T15:15:00Z",
        "2026-04-04T15:30:00Z"}},
      {"C44", "0 12 * * 0", "Europe/Berlin", "2022-03-24T11:00:00Z", {"2022-03-27T10:00:00Z", "2022-04-03T10:00:00Z"}},
      {"C45",
       "0 17 * * *",
       "America/New_York",
       "2016-03-12T22:00:00Z",
       {"2016-03-13T21:00:00Z", "2016-03-14T21:00:00Z"}},
      {"C33",
       "0 0 */2 * 3",
       "Etc/UTC",
       "2024-08-16T00:00:00Z",
       {"2024-08-17T00:00:00Z", "2024-08-19T00:00:00Z", "2024-08-21T00:00:00Z", "2024-08-23T00:00:00Z",
        "2024-08-25T00:00:00Z", "2024-08-27T00:00:00Z", "2024-08-28T00:00:00Z", "2024-08-29T00:00:00Z",
        "2024-08-31T00:00:00Z", "2024-09-01T00:00:00Z"}},
      {"C35",
       "*/45 * * * *",
       "Etc/UTC",
       "2026-01-01T00:00:30Z",
       {"2026-01-01T00:45:00Z", "2026-01-01T01:00:00Z", "2026-01-01T01:45:00Z", "2026-01-01T02:00:00Z"}},
      {"C35",
       "*/59 * * * *",
       "Etc/UTC",
       "2026-01-01T00:00:30Z",
       {"2026-01-01T00:59:00Z", "2026-01-01T01:00:00Z", "2026-01-01T01:59:00Z", "2026-01-01T02:00:00Z"}},
      {"C35", "*/90 * * * *", "Etc/UTC", "2026-01-01T00:00:30Z", {"2026-01-01T01:00:00Z", "2026-01-01T02:00:00Z"}},
      {"C36",
       "0 0 */5 * *",
       "Etc/UTC",
       "2022-02-20T00:00:00Z",
       {"2022-02-21T00:00:00Z", "2022-02-26T00:00:00Z", "2022-03-01T00:00:00Z", "2022-03-06T00:00:00Z",
        "2022-03-11T00:00:00Z"}},
      {"C30", "0 0 * * 0,5,6", "Etc/UTC", "2026-03-02T00:00:00Z", {"2026-03-06T00:00:00Z", "2026-03-07T00:00:00Z"}},
      {"C32", "0 0 * * SUN-SAT", "Etc/UTC", "2026-03-02T00:00:00Z", {"2026-03-03T00:00:00Z", "2026-03-04T00:00:00Z"}},
      {"C46", "@hourly", "Etc/UTC", "2026-03-02T00:00:00Z", {"2026-03-02T01:00:00Z"}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name, c.schedule);
    const auto schedule = parse_schedule(with_time_zone(c.zone, c.schedule));
    REQUIRE(schedule.ok());
    std::vector<std::string> got;
    auto at = parse_rfc3339(c.after);
    while (got.size() < c.want.size() && (at = schedule.value->next(*at))) got.push_back(to_rfc3339(*at));
    CHECK(got == c.want);
  }
}

TEST_CASE("schedules that people wondered about being refused", "[cron][cases]") {
  struct Refused {
    const char* name;
    const char* schedule;
    const char* message;
  };
  const Refused cases[] = {
      {"C27", "TZ=UTC", "invalid schedule format: runtime error: slice bounds out of range [:-1]"},
      {"C27", "CRON_TZ=Europe/Paris", "invalid schedule format: runtime error: slice bounds out of range [:-1]"},
      {"C30", "0 0 * * 7", "end of range (7) above maximum (6): 7"},
      {"C30", "0 0 * * 5-7", "end of range (7) above maximum (6): 5-7"},
      {"C32", "0 0 * * MON-SUN", "beginning of range (1) beyond end of range (0): MON-SUN"},
      {"C46", "0 */5 * * * *", "expected exactly 5 fields, found 6: [0 */5 * * * *]"},
      {"C46", "0 2-7/1 * *", "expected exactly 5 fields, found 4: [0 2-7/1 * *]"},
      {"C46", "60 * * * *", "end of range (60) above maximum (59): 60"},
      {"C46", "0 24 * * *", "end of range (24) above maximum (23): 24"},
      {"C46", "0 0 0 * *", "beginning of range (0) below minimum (1): 0"},
      {"C46", "*/0 * * * *", "step of range should be a positive number: */0"},
      {"C46", "whenever it suits", "expected exactly 5 fields, found 3: [whenever it suits]"},
      {"C46", "@never", "unrecognized descriptor: @never"},
  };
  for (const Refused& c : cases) {
    CAPTURE(c.name, c.schedule);
    const auto schedule = parse_schedule(c.schedule);
    REQUIRE_FALSE(schedule.ok());
    CHECK(schedule.diagnostics.front().message == c.message);
  }
}

TEST_CASE("what a linter should say about them", "[cron][cases]") {
  const auto first_code = [](const char* schedule) { return describe(schedule).value->warnings.front().code; };
  CHECK(first_code("0 0 */2 * 3") == "UnevenStep");
  CHECK(describe("0 0 */2 * 3").value->warnings.back().code == "EitherDay");  // C33
  for (const char* schedule : {"*/45 * * * *", "*/59 * * * *", "*/90 * * * *", "0 0 */5 * *"}) {
    CHECK(first_code(schedule) == "UnevenStep");  // C35, C36
  }
}

}  // namespace
}  // namespace pumice::cron
