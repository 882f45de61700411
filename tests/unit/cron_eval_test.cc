// `cron.next` and `cron.describe` at the border of `pumice eval`.
#include <catch2/catch_test_macros.hpp>
#include <string>

#include "pumice/eval.h"
#include "pumice/json.h"

namespace pumice {
namespace {

Json ask(const std::string& op, const Json& args) {
  return Json::parse(eval_line(Json{{"op", op}, {"args", args}}.dump(), 1));
}

TEST_CASE("cron.next", "[cron][eval]") {
  CHECK(ask("cron.next", {{"schedule", "0 2 * * *"},
                          {"timeZone", "Europe/Berlin"},
                          {"after", "2023-10-28T14:00:00+02:00"},
                          {"count", 3}})
            .at("ok")
            .at("next") == Json{"2023-10-29T00:00:00Z", "2023-10-29T01:00:00Z", "2023-10-30T01:00:00Z"});
  CHECK(ask("cron.next", {{"schedule", "0 0 29 2 *"}, {"after", "2096-01-01T00:00:00Z"}, {"count", 3}}).at("ok") ==
        Json{{"next", {"2096-02-29T00:00:00Z", ""}}});
  CHECK(ask("cron.next", {{"schedule", "@hourly"}, {"after", "2096-01-01T00:00:00Z"}}).at("ok").at("next").size() == 1);
  CHECK(ask("cron.next", {{"schedule", "@hourly"}, {"after", "2096-01-01T00:00:00Z"}, {"count", 0}}).at("ok") ==
        Json{{"next", Json::array()}});
}

TEST_CASE("cron.next in seconds", "[cron][eval]") {
  CHECK(
      ask("cron.next", {{"schedule", "0 0 29 2 *"}, {"after", "2096-01-01T00:00:00Z"}, {"count", 3}, {"unix", true}}) ==
      Json{{"ok", {{"next", {3981312000, nullptr}}}}});
}

TEST_CASE("what is wrong with a question about cron", "[cron][eval]") {
  struct Case {
    Json args;
    std::string code;
    std::string message;
  };
  const std::string after = "2026-01-01T00:00:00Z";
  const Case cases[] = {
      {{{"after", after}}, "MissingArgument", "missing argument `schedule`"},
      {{{"schedule", "* * * * *"}}, "MissingArgument", "missing argument `after`"},
      {{{"schedule", ""}, {"after", after}}, "InvalidSchedule", "empty spec string"},
      {{{"schedule", ""}, {"timeZone", "UTC"}, {"after", after}},
       "InvalidSchedule",
       "expected exactly 5 fields, found 0: []"},
      {{{"schedule", "* * * * *"}, {"timeZone", "Nowhere"}, {"after", after}},
       "InvalidSchedule",
       "provided bad location Nowhere: unknown time zone Nowhere"},
      {{{"schedule", 5}, {"after", after}}, "InvalidArgument", "args.schedule: expected a string, got number `5`"},
      {{{"schedule", "* * * * *"}, {"after", "9999-12-31T00:00:00Z"}},
       "InvalidArgument",
       "args.after: `9999-12-31T00:00:00Z` is not a time of the years 1678 to 2261"},
      {{{"schedule", "* * * * *"}, {"after", "0000-01-01T00:00:00Z"}},
       "InvalidArgument",
       "args.after: `0000-01-01T00:00:00Z` is not a time of the years 1678 to 2261"},
      {{{"schedule", "* * * * *"}, {"after", after}, {"count", 100'001}},
       "InvalidArgument",
       "args.count: must be between 0 and 100000"},
      {{{"schedule", "* * * * *"}, {"after", after}, {"count", -1}},
       "InvalidArgument",
       "args.count: must be between 0 and 100000"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.args.dump());
    const Json answer = ask("cron.next", c.args);
    REQUIRE(answer.contains("error"));
    CHECK(answer.at("error").at("code") == c.code);
    CHECK(answer.at("error").at("message") == c.message);
  }
}

TEST_CASE("cron.describe", "[cron][eval]") {
  const Json plain = ask("cron.describe", {{"schedule", "30 2 * * *"}, {"timeZone", "Europe/Berlin"}}).at("ok");
  CHECK(plain.at("text") == "Every day at 02:30, Europe/Berlin time.");
  CHECK(plain.at("fields").size() == 5);
  CHECK(plain.at("fields").at(1) == Json{{"name", "hour"}, {"text", "2"}, {"meaning", "2"}});
  CHECK(plain.at("warnings").empty());
  const Json dated = ask(
      "cron.describe", {{"schedule", "30 2 * * *"}, {"timeZone", "Europe/Berlin"}, {"after", "2026-01-01T00:00:00Z"}});
  CHECK(dated.at("ok").at("warnings").size() == 4);
  CHECK(dated.at("ok").at("warnings").at(0).at("code") == "SkippedByClockChange");
  CHECK(ask("cron.describe", {{"schedule", "0 0 * * 7"}}).at("error").at("code") == "InvalidSchedule");
}

}  // namespace
}  // namespace pumice
