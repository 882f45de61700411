#include "pumice/cron/describe.h"

#include "pumice/cron/clock_marks.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

namespace pumice::cron {
namespace {

Description description_of(const std::string& schedule, const DescribeOptions& options = {}) {
  auto description = describe(schedule, options);
  REQUIRE(description.ok());
  return *std::move(description.value);
}

std::vector<std::string> codes_of(const Description& description) {
  std::vector<std::string> codes;
  for (const Diagnostic& warning : description.warnings) {
    CHECK(warning.severity == Severity::Warning);
    CHECK_FALSE(warning.message.empty());
    codes.push_back(warning.code);
  }
  return codes;
}

DescribeOptions in(const std::string& zone, const std::string& after) {
  return {.time_zone = zone, .after = parse_rfc3339(after)};
}

TEST_CASE("schedules in a sentence", "[cron]") {
  struct Case {
    const char* schedule;
    const char* want;
  };
  const Case cases[] = {
      {"* * * * *", "Every minute, UTC time."},
      {"*/5 * * * *", "Every 5 minutes, UTC time."},
      {"*/5 9-17 * * 1-5", "Every 5 minutes of hours 9 to 17 on Monday to Friday, UTC time."},
      {"0 9 * * 1-5", "At 09:00 on Monday to Friday, UTC time."},
      {"15 3,15 1 * *", "At 03:15 and 15:15 on day 1 of the month, UTC time."},
      {"0 * * * *", "Every hour, on the hour, UTC time."},
      {"17 * * * *", "At minute 17 of every hour, UTC time."},
      {"0 */2 * * *", "Every 2 hours from 00:00, UTC time."},
      {"* 3 * * *", "Every minute of hour 3, UTC time."},
      {"@daily", "Every day at 00:00, UTC time."},
      {"@yearly", "At 00:00 on day 1 of the month in January, UTC time."},
      {"0 0 13 * 5", "At 00:00 on day 13 of the month and also on Friday, UTC time."},
      {"0 0 *,13 * 5", "At 00:00 on Friday, UTC time."},
      {"0 0 1-31 * 1", "Every day at 00:00, UTC time."},
      {"0 0 * 4-10,12 ?", "Every day at 00:00 in April to October and December, UTC time."},
      {"TZ=Asia/Tokyo 0 9 * * *", "Every day at 09:00, Asia/Tokyo time."},
      {", * * * *", "Never, UTC time."},
      {"@every 90m", "Every 1h30m0s, counted from the run before."},
  };
  for (const Case& c : cases) {
    CAPTURE(c.schedule);
    CHECK(description_of(c.schedule).text == c.want);
  }
}

TEST_CASE("a schedule field by field", "[cron]") {
  const Description description = description_of("*/20 9-17 1,15 * mon-fri");
  REQUIRE(description.fields.size() == 5);
  const char* const want[][3] = {{"minute", "*/20", "0, 20 and 40"},
                                 {"hour", "9-17", "9 to 17"},
                                 {"day of month", "1,15", "1 and 15"},
                                 {"month", "*", "every month"},
                                 {"day of week", "mon-fri", "Monday to Friday"}};
  for (std::size_t i = 0; i < 5; ++i) {
    CHECK(description.fields[i].name == want[i][0]);
    CHECK(description.fields[i].text == want[i][1]);
    CHECK(description.fields[i].meaning == want[i][2]);
  }
  CHECK(description_of("@weekly").fields.at(4).text == "0");
  CHECK(description_of("@every 5m").fields.empty());
}

TEST_CASE("warnings that need no clock", "[cron]") {
  struct Case {
    const char* schedule;
    std::vector<std::string> want;
  };
  const Case cases[] = {
      {"0 9 * * 1-5", {}},
      {"*/15 */6 * */3 *", {}},
      {"0 0 13 * 5", {"EitherDay"}},
      {"0 0 */2 * 3", {"UnevenStep", "EitherDay"}},
      {"0 0 *,13 * 5", {}},
      {"*/45 * * * *", {"UnevenStep"}},
      {"*/90 * * * *", {"UnevenStep"}},
      {"0 */5 * * *", {"UnevenStep"}},
      {"0 0 */5 * *", {"UnevenStep"}},
      {"0 0 * */5 *", {"UnevenStep"}},
      {"0 0 * * */2", {"UnevenStep"}},
      {"5-50/7 * * * *", {}},
      {"0 0 31 2 *", {"NeverFires"}},
      {"0 0 31 2,4,6 *", {"NeverFires"}},
      {"0 0 31 2 1", {"EitherDay"}},
      {"0 0 29 2 *", {}},
      {"0 , * * *", {"NeverFires"}},
      {"0 0 , * *", {"NeverFires"}},
      {"TZ=UTC 0 0 * * *", {"ZoneInSchedule"}},
      {"@every 5m", {"EveryHasNoAnchor"}},
      {"@every 1.5s", {"EveryHasNoAnchor", "EveryRounded"}},
      {"TZ=UTC @every 0", {"EveryHasNoAnchor", "EveryRounded", "EveryIgnoresZone", "ZoneInSchedule"}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.schedule);
    CHECK(codes_of(description_of(c.schedule)) == c.want);
  }
}

TEST_CASE("a schedule that does not fire within the horizon", "[cron]") {
  CHECK(codes_of(description_of("0 0 29 2 *", {.after = parse_rfc3339("2096-03-01T00:00:00Z")})) ==
        std::vector<std::string>{"NeverFires"});
}

TEST_CASE("clock changes are told with their dates", "[cron]") {
  struct Case {
    const char* schedule;
    const char* zone;
    const char* after;
    std::vector<std::string> want;
  };
  const Case cases[] = {
      {"30 2 * * *",
       "Europe/Berlin",
       "2026-01-01T00:00:00Z",
       {"skipped on 2026-03-29: 02:30 does not exist, clocks go forward from 02:00 to 03:00",
        "fires twice on 2026-10-25: 02:30 comes twice, clocks go back from 03:00 to 02:00",
        "skipped on 2027-03-28: 02:30 does not exist, clocks go forward from 02:00 to 03:00",
        "fires twice on 2027-10-31: 02:30 comes twice, clocks go back from 03:00 to 02:00"}},
      {"0 9 * * *", "Europe/Berlin", "2026-01-01T00:00:00Z", {}},
      {"*/30 * * * *", "Europe/Berlin", "2026-01-01T00:00:00Z", {}},
      {"30 2 1 * *", "Europe/Berlin", "2026-01-01T00:00:00Z", {}},
      {"30 2 * * *", "Asia/Tokyo", "2026-01-01T00:00:00Z", {}},
      {"0-44 1-2 8 3 *",
       "America/New_York",
       "2026-01-01T00:00:00Z",
       {"skipped on 2026-03-08: 02:00 to 02:44 (45 times) do not exist, clocks go forward from 02:00 to 03:00"}},
      {"0 3 * * *",
       "Australia/Lord_Howe",
       "2025-09-01T00:00:00Z",
       {"lost on 2025-10-05: 03:00 exists, but the controller's search steps over it because clocks go forward from "
        "02:00 to 02:30 on 2025-10-05",
        "lost on 2026-04-05: 03:00 exists, but the controller's search steps over it because clocks go back from 02:00 "
        "to "
        "01:30 on 2026-04-05",
        "lost on 2026-10-04: 03:00 exists, but the controller's search steps over it because clocks go forward from "
        "02:00 to 02:30 on 2026-10-04",
        "lost on 2027-04-04: 03:00 exists, but the controller's search steps over it because clocks go back from 02:00 "
        "to "
        "01:30 on 2027-04-04"}},
      {"0 9 * * 6",
       "America/Sao_Paulo",
       "2018-10-01T00:00:00Z",
       {"fires on 2018-11-04 at 09:00, a day that does not match: the controller's search is led astray because clocks "
        "go forward from 00:00 to 01:00 on 2018-11-04"}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.schedule, c.zone);
    std::vector<std::string> messages;
    for (const Diagnostic& warning : description_of(c.schedule, in(c.zone, c.after)).warnings) {
      messages.push_back(warning.message);
    }
    CHECK(messages == c.want);
  }
}

TEST_CASE("a schedule of every minute at night is looked at around the changes only", "[cron]") {
  const auto codes = codes_of(description_of("* 0-4 * * *", in("America/New_York", "2026-01-01T00:00:00Z")));
  CHECK(codes == std::vector<std::string>{"SkippedByClockChange", "DoubledByClockChange", "SkippedByClockChange",
                                          "DoubledByClockChange"});
}

TEST_CASE("warnings about the CronJob around a schedule", "[cron]") {
  using Codes = std::vector<std::string>;
  DescribeOptions options;
  options.starting_deadline_seconds = 3599;
  CHECK(codes_of(description_of("@every 1h", options)) == Codes{"EveryHasNoAnchor", "EveryBelowDeadline"});
  options.starting_deadline_seconds = 3600;
  CHECK(codes_of(description_of("@every 1h", options)) == Codes{"EveryHasNoAnchor"});
  options.starting_deadline_seconds = 5;
  CHECK(codes_of(description_of("* * * * *", options)).empty());
  options.name = std::string(52, 'a');
  CHECK(codes_of(description_of("* * * * *", options)).empty());
  *options.name += 'a';
  CHECK(codes_of(description_of("* * * * *", options)) == Codes{"NameTooLong"});
}

TEST_CASE("a zone that is none", "[cron]") {
  using Codes = std::vector<std::string>;
  for (const char* zone : {"Local", ""})
    CHECK(codes_of(description_of("@daily", {.time_zone = zone})) == Codes{"LocalZone"});
  CHECK(codes_of(description_of("TZ=Local @daily")) == Codes{"ZoneInSchedule", "LocalZone"});
  CHECK(codes_of(description_of("@daily", {.time_zone = "UTC"})).empty());
  CHECK(codes_of(description_of("@daily")).empty());
}

TEST_CASE("activations that clock changes repeat, and times that they leave out", "[cron]") {
  const auto schedule_of = [](const char* zone, const char* text) {
    return *parse_schedule(with_time_zone(zone, text)).value;
  };
  const auto mark = [&](const char* zone, const char* schedule, const char* at) {
    return mark_of(schedule_of(zone, schedule), *parse_rfc3339(at));
  };
  CHECK(mark("Europe/Berlin", "30 2 * * *", "2026-10-25T00:30:00Z") == ClockMark::FirstOfTwo);
  CHECK(mark("Europe/Berlin", "30 2 * * *", "2026-10-25T01:30:00Z") == ClockMark::SecondOfTwo);
  CHECK(mark("Europe/Berlin", "0 2 * * *", "2026-10-25T00:00:00Z") == ClockMark::FirstOfTwo);
  CHECK(mark("Europe/Berlin", "0 3 * * *", "2026-10-25T02:00:00Z") == ClockMark::None);
  CHECK(mark("Europe/Berlin", "59 1 * * *", "2026-10-24T23:59:00Z") == ClockMark::None);
  CHECK(mark("Australia/Lord_Howe", "45 1 * * *", "2026-04-04T14:45:00Z") == ClockMark::FirstOfTwo);
  CHECK(mark("Australia/Lord_Howe", "45 1 * * *", "2026-04-04T15:15:00Z") == ClockMark::SecondOfTwo);
  CHECK(mark("Europe/Berlin", "30 * * * *", "2026-10-25T01:30:00Z") == ClockMark::None);  // of every hour
  CHECK(mark("UTC", "30 2 * * *", "2026-10-25T01:30:00Z") == ClockMark::None);

  const auto skipped = [&](const char* zone, const char* schedule, std::size_t max) {
    std::vector<std::string> list;
    for (const SkippedTime& one : skipped_between(schedule_of(zone, schedule), *parse_rfc3339("2026-01-01T00:00:00Z"),
                                                  *parse_rfc3339("2027-01-01T00:00:00Z"), max)) {
      list.push_back(one.local + " " + to_rfc3339(one.change));
    }
    return list;
  };
  using Texts = std::vector<std::string>;
  CHECK(skipped("Europe/Berlin", "*/30 1,2,3 * * *", 9) ==
        Texts{"2026-03-29 02:00 2026-03-29T01:00:00Z", "2026-03-29 02:30 2026-03-29T01:00:00Z"});
  CHECK(skipped("Europe/Berlin", "*/30 1,2,3 * * *", 1).size() == 1);
  CHECK(skipped("Europe/Berlin", "30 2 * * 1-6", 9).empty());
  CHECK(skipped("Europe/Berlin", "30 * * * *", 9).empty());
  CHECK(skipped("Europe/Berlin", "30 4 * * *", 9).empty());
}

TEST_CASE("a description fails as the parser does", "[cron]") {
  const auto description = describe("0 0 * * 7", {.time_zone = "UTC"});
  REQUIRE_FALSE(description.ok());
  CHECK(description.diagnostics.front().message == "end of range (7) above maximum (6): 7");
}

}  // namespace
}  // namespace pumice::cron
