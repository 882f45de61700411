#include "pumice/time.h"

#include <catch2/catch_test_macros.hpp>
#include <limits>
#include <string>

namespace pumice {
namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();

TEST_CASE("durations are read as Go reads them", "[time]") {
  struct Case {
    const char* name;
    const char* text;
    std::int64_t ns;
    const char* canonical;
  };
  const Case cases[] = {
      {"bare zero", "0", 0, "0s"},
      {"signed zero", "-0", 0, "0s"},
      {"zero with unit", "0h", 0, "0s"},
      {"several terms", "1h30m", 5'400'000'000'000, "1h30m0s"},
      {"terms in any order and number", "34s966m", 57'994'000'000'000, "16h6m34s"},
      {"the same unit twice", "1s1s", 2'000'000'000, "2s"},
      {"plus sign", "+5us", 5'000, "5\u00b5s"},
      {"minus sign", "-1.5s", -1'500'000'000, "-1.5s"},
      {"micro sign", "1\u00b5s", 1'000, "1\u00b5s"},
      {"Greek mu", "1\u03bcs", 1'000, "1\u00b5s"},
      {"nothing before the point", ".5h", 1'800'000'000'000, "30m0s"},
      {"nothing behind the point", "1.s", 1'000'000'000, "1s"},
      {"below a nanosecond is cut off", "1.9ns", 1, "1ns"},
      {"fraction through doubles", "0.1m", 6'000'000'000, "6s"},
      {"fraction that doubles cannot hold", "0.830103483285477580700h", 2'988'372'539'827, "49m48.372539827s"},
      {"more digits than fit are dropped", "0.9223372036854775807999999h", 3'320'413'933'267, "55m20.413933267s"},
      {"milliseconds", "500ms", 500'000'000, "500ms"},
      {"milliseconds with a fraction", "1.5ms", 1'500'000, "1.5ms"},
      {"microseconds with a fraction", "1.001us", 1'001, "1.001\u00b5s"},
      {"largest", "9223372036854775807ns", kMax, "2562047h47m16.854775807s"},
      {"smallest", "-9223372036854775808ns", kMin, "-2562047h47m16.854775808s"},
      {"smallest from parts", "-2562047h47m16.854775808s", kMin, "-2562047h47m16.854775808s"},
      {"two terms that wrap to zero", "9223372036854775808ns9223372036854775808ns", 0, "0s"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name, c.text);
    const auto duration = parse_duration(c.text);
    REQUIRE(duration);
    CHECK(duration->ns == c.ns);
    CHECK(to_string(*duration) == c.canonical);
    CHECK(parse_duration(to_string(*duration)) == duration);
  }
}

TEST_CASE("what Go refuses as a duration is refused", "[time]") {
  const std::string cases[] = {"",
                               "+",
                               "-",
                               "--1s",
                               "1",
                               "-1",
                               "s",
                               ".",
                               ".s",
                               "-.s",
                               "1d",
                               "1w",
                               "1S",
                               "1 s",
                               " 1s",
                               "1s ",
                               "1h 30m",
                               "1e3s",
                               "1..5s",
                               "1.5.5s",
                               "1,5s",
                               "0x1s",
                               "1hm",
                               "h1",
                               "9223372036854775808ns",
                               "9223372036854775809ns",
                               "-9223372036854775809ns",
                               "18446744073709551616ns",
                               "2562048h",
                               "9223372036.854775808s",
                               "9223372036854775807ns1ns",
                               "153722867h",
                               "\u00b5s",
                               "1\u00b5",
                               "1s\n",
                               std::string("1s\0", 3),
                               "ns1",
                               "infs",
                               "NaN"};
  for (const std::string& text : cases) {
    CAPTURE(text);
    CHECK_FALSE(parse_duration(text));
  }
}

TEST_CASE("instants are read and written as RFC 3339", "[time]") {
  struct Case {
    const char* name;
    const char* text;
    std::int64_t ns;
    const char* printed;
  };
  const Case cases[] = {
      {"epoch", "1970-01-01T00:00:00Z", 0, "1970-01-01T00:00:00Z"},
      {"one nanosecond before", "1969-12-31T23:59:59.999999999Z", -1, "1969-12-31T23:59:59.999999999Z"},
      {"plain", "2026-03-02T09:00:00Z", 1'772'442'000'000'000'000, "2026-03-02T09:00:00Z"},
      {"milliseconds", "2026-03-02T09:00:00.005Z", 1'772'442'000'005'000'000, "2026-03-02T09:00:00.005Z"},
      {"digits behind the ninth", "2026-03-02T09:00:00.0000000019Z", 1'772'442'000'000'000'001,
       "2026-03-02T09:00:00.000000001Z"},
      {"trailing zeros", "2026-03-02T09:00:00.500Z", 1'772'442'000'500'000'000, "2026-03-02T09:00:00.5Z"},
      {"east", "2026-03-02T14:30:00+05:30", 1'772'442'000'000'000'000, "2026-03-02T09:00:00Z"},
      {"west, over midnight", "2026-03-01T23:00:00-10:00", 1'772'442'000'000'000'000, "2026-03-02T09:00:00Z"},
      {"leap day", "2024-02-29T00:00:00Z", 1'709'164'800'000'000'000, "2024-02-29T00:00:00Z"},
      {"last", "2262-04-11T23:47:16.854775807Z", kMax, "2262-04-11T23:47:16.854775807Z"},
      {"first", "1677-09-21T00:12:43.145224192Z", kMin, "1677-09-21T00:12:43.145224192Z"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name, c.text);
    const auto time = parse_rfc3339(c.text);
    REQUIRE(time);
    CHECK(time->ns == c.ns);
    CHECK(to_rfc3339(*time) == c.printed);
  }
}

TEST_CASE("malformed instants are refused", "[time]") {
  for (const char* text : {"",
                           "2026-03-02",
                           "2026-03-02 09:00:00Z",
                           "2026-03-02t09:00:00Z",
                           "2026-03-02T09:00:00z",
                           "2026-03-02T09:00:00",
                           "2026-3-02T09:00:00Z",
                           "2026-03-02T9:00:00Z",
                           "2026-13-02T09:00:00Z",
                           "2026-00-02T09:00:00Z",
                           "2026-02-29T09:00:00Z",
                           "2026-03-32T09:00:00Z",
                           "2026-03-00T09:00:00Z",
                           "2026-03-02T24:00:00Z",
                           "2026-03-02T09:60:00Z",
                           "2026-03-02T09:00:60Z",
                           "2026-03-02T09:00:00.Z",
                           "2026-03-02T09:00:00,5Z",
                           "2026-03-02T09:00:00+5:30",
                           "2026-03-02T09:00:00+05",
                           "2026-03-02T09:00:00+0530",
                           "2026-03-02T09:00:00+24:00",
                           "2026-03-02T09:00:00+05:60",
                           "2026-03-02T09:00:00ZZ",
                           "0001-01-01T00:00:00Z",
                           "9999-12-31T23:59:59Z",
                           "2262-04-11T23:47:16.854775808Z",
                           "1677-09-21T00:12:43.145224191Z",
                           "-026-03-02T09:00:00Z"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_rfc3339(text));
  }
}

TEST_CASE("a duration that is only too long is told apart from other texts", "[time]") {
  for (const char* text :
       {"2562048h", "99999999999999999999999s", "9223372036854775809ns", "2562047h48m", "-2562048h"}) {
    CAPTURE(text);
    CHECK(is_duration_too_long(text));
  }
  for (const char* text : {"", "1", "h", "1d", "99999999999999999999999", "2562047h", "99999999999999999999999x"}) {
    CAPTURE(text);
    CHECK_FALSE(is_duration_too_long(text));
  }
}

TEST_CASE("sums of instants stop at the ends of the range", "[time]") {
  CHECK((Time{5} + Duration{-7}).ns == -2);
  CHECK((Time{kMax} + Duration{1}).ns == kMax);
  CHECK((Time{kMin} + Duration{-1}).ns == kMin);
  CHECK((Time{7} - Time{5}).ns == 2);
  CHECK((Time{kMax} - Time{-1}).ns == kMax);
  CHECK((Time{kMin} - Time{1}).ns == kMin);
  CHECK((Time{0} - Time{kMin}).ns == kMax);
}

}  // namespace
}  // namespace pumice
