// The schedule language (spec/cron-schedule.md 1-4, 7.1). Error texts are upstream's.
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "pumice/cron/schedule.h"

namespace pumice::cron {
namespace {

std::string error_of(const std::string& text) {
  const auto schedule = parse_schedule(text);
  if (schedule.ok()) return "";
  CHECK(schedule.diagnostics.size() == 1);
  CHECK(schedule.diagnostics.front().code == "InvalidSchedule");
  return schedule.diagnostics.front().message;
}

std::uint64_t bits(const std::vector<int>& values) {
  std::uint64_t out = 0;
  for (const int value : values) out |= std::uint64_t{1} << value;
  return out;
}

std::uint64_t from_to(int first, int last) {
  std::uint64_t out = 0;
  for (int value = first; value <= last; ++value) out |= std::uint64_t{1} << value;
  return out;
}

TEST_CASE("fields and what they mean", "[cron]") {
  struct Case {
    const char* schedule;
    Fields want;
  };
  const Field any_minute{from_to(0, 59), true};
  const Field any_hour{from_to(0, 23), true};
  const Field any_day{from_to(1, 31), true};
  const Field any_month{from_to(1, 12), true};
  const Field any_weekday{from_to(0, 6), true};
  const Case cases[] = {
      {"5 * * * *", {{bits({5})}, any_hour, any_day, any_month, any_weekday}},
      {"* ? * * ?", {any_minute, any_hour, any_day, any_month, any_weekday}},
      {"*/1 ?/1 */1 */1 */1", {any_minute, any_hour, any_day, any_month, any_weekday}},
      {"\t5  *\n* * * ", {{bits({5})}, any_hour, any_day, any_month, any_weekday}},
      {"5\u00a0*\u2003* * *", {{bits({5})}, any_hour, any_day, any_month, any_weekday}},
      {"*/20 * * * *", {{bits({0, 20, 40})}, any_hour, any_day, any_month, any_weekday}},
      {"5/15 1/2 * * *",
       {{bits({5, 20, 35, 50})}, {bits({1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23})}, any_day, any_month, any_weekday}},
      {"1,5-7/2,3 5-6/2 */2 5-7/1 */3",
       {{bits({1, 3, 5, 7})},
        {bits({5})},
        {bits({1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31})},
        {bits({5, 6, 7})},
        {bits({0, 3, 6})}}},
      {"*-7 *-x ?-/2 * *",
       {any_minute,
        any_hour,
        {bits({1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31})},
        any_month,
        any_weekday}},
      {"5,* * 1 * 1,*", {any_minute, any_hour, {bits({1})}, any_month, any_weekday}},
      {"*/2,* * * * *", {any_minute, any_hour, any_day, any_month, any_weekday}},
      {"30 08 ? Jul Sun", {{bits({30})}, {bits({8})}, any_day, {bits({7})}, {bits({0})}}},
      {"+5 +08 1 JAN-mar,dEc MON-fri/2",
       {{bits({5})}, {bits({8})}, {bits({1})}, {bits({1, 2, 3, 12})}, {bits({1, 3, 5})}}},
      {"0 0 1 1 FR\u0130", {{bits({0})}, {bits({0})}, {bits({1})}, {bits({1})}, {bits({5})}}},
      {"0/99 59/9223372036854775807 * * *", {{}, {}, {}, {}, {}}},  // the second is an error: see below
      {",5,, , , 1 1", {{bits({5})}, {}, {}, {bits({1})}, {bits({1})}}},
      {"0/99 23/9223372036854775807 1 1 0", {{bits({0})}, {bits({23})}, {bits({1})}, {bits({1})}, {bits({0})}}},
      {"@yearly", {{bits({0})}, {bits({0})}, {bits({1})}, {bits({1})}, any_weekday}},
      {"@annually", {{bits({0})}, {bits({0})}, {bits({1})}, {bits({1})}, any_weekday}},
      {"@monthly", {{bits({0})}, {bits({0})}, {bits({1})}, any_month, any_weekday}},
      {"@weekly", {{bits({0})}, {bits({0})}, any_day, any_month, {bits({0})}}},
      {"@daily", {{bits({0})}, {bits({0})}, any_day, any_month, any_weekday}},
      {"@midnight", {{bits({0})}, {bits({0})}, any_day, any_month, any_weekday}},
      {"@hourly", {{bits({0})}, any_hour, any_day, any_month, any_weekday}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.schedule);
    const auto schedule = parse_schedule(c.schedule);
    if (c.want == Fields{}) {
      CHECK_FALSE(schedule.ok());
      continue;
    }
    REQUIRE(schedule.ok());
    CHECK(schedule.value->fields() == c.want);
    CHECK_FALSE(schedule.value->is_every());
  }
}

TEST_CASE("errors have the original's text", "[cron]") {
  struct Case {
    std::string schedule;
    std::string want;
  };
  const Case cases[] = {
      {"", "empty spec string"},
      {" ", "expected exactly 5 fields, found 0: []"},
      {"xyz", "expected exactly 5 fields, found 1: [xyz]"},
      {"* * * *", "expected exactly 5 fields, found 4: [* * * *]"},
      {"0  */5 * * *  *", "expected exactly 5 fields, found 6: [0 */5 * * * *]"},
      {"0 2-7/1 * *", "expected exactly 5 fields, found 4: [0 2-7/1 * *]"},
      {"whenever it suits", "expected exactly 5 fields, found 3: [whenever it suits]"},
      {"60 0 * * *", "end of range (60) above maximum (59): 60"},
      {"0 60 * * *", "end of range (60) above maximum (23): 60"},
      {"0 24 * * *", "end of range (24) above maximum (23): 24"},
      {"0 0 0 * *", "beginning of range (0) below minimum (1): 0"},
      {"0 0 * 0 *", "beginning of range (0) below minimum (1): 0"},
      {"0 0 * 13 *", "end of range (13) above maximum (12): 13"},
      {"0 0 * * 7", "end of range (7) above maximum (6): 7"},
      {"0 0 * * 5-7", "end of range (7) above maximum (6): 5-7"},
      {"0 0 * * MON-SUN", "beginning of range (1) beyond end of range (0): MON-SUN"},
      {"0 0 * * sat-sun", "beginning of range (6) beyond end of range (0): sat-sun"},
      {"70/5 * * * *", "beginning of range (70) beyond end of range (59): 70/5"},
      {"5-1 * * * *", "beginning of range (5) beyond end of range (1): 5-1"},
      {"*/0 * * * *", "step of range should be a positive number: */0"},
      {"*/-0 * * * *", "step of range should be a positive number: */-0"},
      {"TZ=America/New_York 15/0 * * * *", "step of range should be a positive number: 15/0"},
      {"5--5 * * * *", "too many hyphens: 5--5"},
      {"5-6-7 * * * *", "too many hyphens: 5-6-7"},
      {"x-6-7 * * * *", "failed to parse int from x: strconv.Atoi: parsing \"x\": invalid syntax"},
      {"2-x * * * *", "failed to parse int from x: strconv.Atoi: parsing \"x\": invalid syntax"},
      {"5- * * * *", "failed to parse int from : strconv.Atoi: parsing \"\": invalid syntax"},
      {"-5 * * * *", "failed to parse int from : strconv.Atoi: parsing \"\": invalid syntax"},
      {"/5 * * * *", "failed to parse int from : strconv.Atoi: parsing \"\": invalid syntax"},
      {"*//5 * * * *", "too many slashes: *//5"},
      {"*/1/2 * * * *", "too many slashes: */1/2"},
      {"*/-12 * * * *", "negative number (-12) not allowed: -12"},
      {"*/x * * * *", "failed to parse int from x: strconv.Atoi: parsing \"x\": invalid syntax"},
      {"5 j * * *", "failed to parse int from j: strconv.Atoi: parsing \"j\": invalid syntax"},
      {"0 0 * * XYZ", "failed to parse int from XYZ: strconv.Atoi: parsing \"XYZ\": invalid syntax"},
      {"0 0 * monday *", "failed to parse int from monday: strconv.Atoi: parsing \"monday\": invalid syntax"},
      {"jan * * * *", "failed to parse int from jan: strconv.Atoi: parsing \"jan\": invalid syntax"},
      {"0 0 * * January", "failed to parse int from January: strconv.Atoi: parsing \"January\": invalid syntax"},
      {"1_0 * * * *", "failed to parse int from 1_0: strconv.Atoi: parsing \"1_0\": invalid syntax"},
      {"0x1 * * * *", "failed to parse int from 0x1: strconv.Atoi: parsing \"0x1\": invalid syntax"},
      {"9223372036854775807 * * * *", "end of range (9223372036854775807) above maximum (59): 9223372036854775807"},
      {"9223372036854775808 * * * *",
       "failed to parse int from 9223372036854775808: strconv.Atoi: parsing \"9223372036854775808\": value out of "
       "range"},
      {"9223372036854775808x * * * *",
       "failed to parse int from 9223372036854775808x: strconv.Atoi: parsing \"9223372036854775808x\": invalid "
       "syntax"},
      {"99999999999999999999x * * * *",
       "failed to parse int from 99999999999999999999x: strconv.Atoi: parsing \"99999999999999999999x\": value out "
       "of "
       "range"},
      {"\u0665 * * * *", "failed to parse int from \u0665: strconv.Atoi: parsing \"\u0665\": invalid syntax"},
      {"\"\\ * * * *", "failed to parse int from \"\\: strconv.Atoi: parsing \"\\\"\\\\\": invalid syntax"},
      {"\a\x01\x7f * * * *",
       "failed to parse int from \a\x01\x7f: strconv.Atoi: parsing \"\\a\\x01\\x7f\": invalid syntax"},
      {"\xff\u200b\U000e0001 * * * *",
       "failed to parse int from \xff\u200b\U000e0001: strconv.Atoi: parsing \"\\xff\\u200b\\U000e0001\": invalid "
       "syntax"},
      {std::string("1\0 * * * *", 11),
       std::string("failed to parse int from 1\0: strconv.Atoi: parsing \"1\\x00\": invalid syntax", 74)},
      {"@unrecognized", "unrecognized descriptor: @unrecognized"},
      {"@reboot", "unrecognized descriptor: @reboot"},
      {"@Daily", "unrecognized descriptor: @Daily"},
      {"@hourly ", "unrecognized descriptor: @hourly "},
      {"@every", "unrecognized descriptor: @every"},
      {" @daily", "expected exactly 5 fields, found 1: [@daily]"},
      {"@every Xm", "failed to parse duration @every Xm: time: invalid duration \"Xm\""},
      {"@every  5m", "failed to parse duration @every  5m: time: invalid duration \" 5m\""},
      {"@every ", "failed to parse duration @every : time: invalid duration \"\""},
      {"@every 5", "failed to parse duration @every 5: time: missing unit in duration \"5\""},
      {"@every 1h5", "failed to parse duration @every 1h5: time: missing unit in duration \"1h5\""},
      {"@every 1d", "failed to parse duration @every 1d: time: unknown unit \"d\" in duration \"1d\""},
      {"@every 1\u00e9",
       "failed to parse duration @every 1\u00e9: time: unknown unit \"\\xc3\\xa9\" in duration \"1\\xc3\\xa9\""},
      {"@every 9223372036854775808h",
       "failed to parse duration @every 9223372036854775808h: time: invalid duration \"9223372036854775808h\""},
      {"TZ=UTC", "invalid schedule format: runtime error: slice bounds out of range [:-1]"},
      {"CRON_TZ=Europe/Paris", "invalid schedule format: runtime error: slice bounds out of range [:-1]"},
      {"TZ=", "invalid schedule format: runtime error: slice bounds out of range [:-1]"},
      {"TZ=UTC\t* * * * *", "provided bad location UTC\t*: unknown time zone UTC\t*"},
      {"TZ=utc * * * * *", "provided bad location utc: unknown time zone utc"},
      {"TZ=Mars/Olympus * * * * *", "provided bad location Mars/Olympus: unknown time zone Mars/Olympus"},
      {"TZ=../UTC * * * * *", "provided bad location ../UTC: time: invalid location name"},
      {"TZ=/UTC * * * * *", "provided bad location /UTC: time: invalid location name"},
      {"TZ=\\UTC * * * * *", "provided bad location \\UTC: time: invalid location name"},
      {"TZ=UTC ", "expected exactly 5 fields, found 0: []"},
      {"TZ=UTC TZ=UTC * * * * *", "expected exactly 5 fields, found 6: [TZ=UTC * * * * *]"},
      {"tz=UTC * * * * *", "expected exactly 5 fields, found 6: [tz=UTC * * * * *]"},
      {" TZ=UTC * * * * *", "expected exactly 5 fields, found 6: [TZ=UTC * * * * *]"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.schedule);
    CHECK(error_of(c.schedule) == c.want);
  }
}

TEST_CASE("the first wrong field is told", "[cron]") {
  CHECK(error_of("60 24 * * *") == "end of range (60) above maximum (59): 60");
  CHECK(error_of("0 24,25 0 * *") == "end of range (24) above maximum (23): 24");
}

TEST_CASE("zones in front of a schedule", "[cron]") {
  const auto offset = [](const std::string& text) {
    const auto schedule = parse_schedule(text);
    REQUIRE(schedule.ok());
    return schedule.value->zone().period_at(1'772'841'600).offset;
  };
  CHECK(offset("5 * * * *") == 0);
  CHECK(offset("CRON_TZ=UTC  5 * * * *") == 0);
  CHECK(offset("TZ= 0 * * * *") == 0);
  CHECK(offset("TZ=Local 0 * * * *") == 0);
  CHECK(offset("CRON_TZ=Asia/Tokyo 5 * * * *") == 32'400);
  CHECK(offset("TZ=Asia/Tokyo @midnight") == 32'400);
  CHECK(offset("TZ=Asia/Tokyo  @hourly \t") == 32'400);

  const ZoneSource india{.local = Zone::fixed(19'800)};
  CHECK(parse_schedule("5 * * * *", india).value->zone().period_at(0).offset == 19'800);
  CHECK(parse_schedule("TZ=Local 5 * * * *", india).value->zone().period_at(0).offset == 19'800);
  CHECK(parse_schedule("TZ=UTC 5 * * * *", india).value->zone().period_at(0).offset == 0);
}

TEST_CASE("an unknown zone is told with the nearest name", "[cron]") {
  const auto schedule = parse_schedule("TZ=Europe/Berlyn 0 0 * * *");
  REQUIRE_FALSE(schedule.ok());
  CHECK(schedule.diagnostics.front().hint == "did you mean `Europe/Berlin`?");
  CHECK(parse_schedule("TZ=Qqqqqqqqqqqq 0 0 * * *").diagnostics.front().hint.empty());
}

TEST_CASE("large and hostile texts are read in one go", "[cron]") {
  const std::string commas(1'000'000, ',');
  CHECK(error_of(commas).starts_with("expected exactly 5 fields, found 1: [,,,"));
  const auto never = parse_schedule(commas + " * * * *");
  REQUIRE(never.ok());
  CHECK_FALSE(never.value->next(Time{}).has_value());
  CHECK(error_of(std::string(1'000'000, '-') + " * * * *").starts_with("failed to parse int from "));
  CHECK(error_of(std::string(1'000'000, '9') + " * * * *").ends_with("value out of range"));
  CHECK(error_of("TZ=" + std::string(1'000'000, 'a') + " * * * * *").starts_with("provided bad location aaa"));
  CHECK(error_of(std::string(1'000'000, '\0')).starts_with("expected exactly 5 fields, found 1"));
  CHECK(error_of("@every " + std::string(1'000'000, '1')).find("time: invalid duration") != std::string::npos);
}

}  // namespace
}  // namespace pumice::cron
