#include "pumice/zone.h"

#include <catch2/catch_test_macros.hpp>
#include <string>

#include "pumice/zones.h"
#include "zones/embedded.h"
#include "zones/zone_rule.h"

namespace pumice {
namespace {

std::string file_of(std::string_view name) {
  const auto zone = zones::embedded_zone(name);
  REQUIRE(zone.has_value());
  return zones::write_tzif(*zone);
}

TEST_CASE("a zone's offsets are those of the other reader") {
  for (const std::string_view name : zone_names()) {
    const auto zone = Zone::named(name);
    REQUIRE(zone.has_value());
    for (std::int64_t at = -3'786'825'600; at < 9'000'000'000; at += 38'000'003) {
      CAPTURE(name, at);
      const ZonePeriod period = zone->period_at(at);
      const auto want = zone_offset(name, at);
      REQUIRE((want.has_value() && period.offset == want->seconds && period.contains(at)));
      REQUIRE((period.begin == kSinceEver || zone->period_at(period.begin - 1).end == period.begin));
      REQUIRE((period.end == kForever || zone->period_at(period.end).begin == period.end));
    }
  }
}

TEST_CASE("a zone from a file is the zone") {
  for (const std::string_view name :
       {"UTC", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "Europe/Dublin"}) {
    CAPTURE(name);
    const auto from_file = Zone::from_tzif(file_of(name));
    REQUIRE(from_file.has_value());
    for (std::int64_t at = -3'786'825'600; at < 9'000'000'000; at += 38'000'003) {
      REQUIRE(from_file->period_at(at) == Zone::named(name)->period_at(at));
    }
  }
}

TEST_CASE("what is no zone file is refused") {
  const std::string file = file_of("America/New_York");
  for (std::size_t size = 0; size < file.size(); ++size) CHECK_FALSE(Zone::from_tzif(file.substr(0, size)).has_value());
  CHECK_FALSE(Zone::from_tzif("TZif" + std::string(1000, '\xff')).has_value());
  CHECK_FALSE(Zone::from_tzif(std::string(1000, '\0')).has_value());
  // Any byte may be another one: a zone or none, but no harm.
  for (std::size_t i = 0; i < file.size(); ++i) {
    std::string changed = file;
    changed[i] = static_cast<char>(~changed[i]);
    if (const auto zone = Zone::from_tzif(changed)) CHECK(zone->period_at(1'772'841'600).contains(1'772'841'600));
  }
}

TEST_CASE("fixed zones") {
  CHECK(Zone().is_fixed());
  CHECK(Zone().period_at(0) == ZonePeriod{kSinceEver, kForever, 0});
  CHECK(Zone::fixed(-3600).period_at(1'000'000'000'000).offset == -3600);
  CHECK(Zone::named("Etc/GMT+5")->is_fixed());
  CHECK_FALSE(Zone::named("Europe/Berlin")->is_fixed());
  CHECK_FALSE(Zone::named("europe/berlin").has_value());
  CHECK_FALSE(Zone::named("").has_value());
}

TEST_CASE("periods far away are answered") {
  const auto zone = Zone::named("Europe/Berlin");
  for (const std::int64_t at : {kSinceEver, kForever, std::int64_t{1} << 55, -(std::int64_t{1} << 55)}) {
    const std::int32_t offset = zone->period_at(at).offset;
    CHECK((offset == 3208 || offset == 3600 || offset == 7200));
  }
}

TEST_CASE("rules") {
  const auto berlin = zones::parse_zone_rule("CET-1CEST,M3.5.0,M10.5.0/3");
  REQUIRE(berlin.has_value());
  CHECK(berlin->period_at(1'774'745'999) == ZonePeriod{1'761'440'400, 1'774'746'000, 3600});
  CHECK(berlin->period_at(1'774'746'000) == ZonePeriod{1'774'746'000, 1'792'890'000, 7200});
  const auto julian = zones::parse_zone_rule("<-03>3<-02>,J60/0,J300/0");
  REQUIRE(julian.has_value());
  CHECK(julian->begin.in(2024) == 1'709'251'200);  // 1 March, leap year or not
  CHECK(julian->begin.in(2023) == 1'677'628'800);
  const auto zero_based = zones::parse_zone_rule("XXX-2YYY,59/-1:30:15,299");
  REQUIRE(zero_based.has_value());
  CHECK(zero_based->begin.in(2023) == 1'677'628'800 - 5415);
  for (const char* text : {"", "EST", "5", "EST5EDT", "EST5EDT,", "EST5EDT,M3.2.0", "EST5EDT,M3.2.0,M13.1.0",
                           "EST5EDT,M3.6.0,M11.1.0", "EST5EDT,M3.2.7,M11.1.0", "EST5EDT,J0,J5", "EST5EDT,366,1",
                           "EST5EDT,M3.2.0,M11.1.0x", "<EST5", "EST168", "EST5EDT,M3.2.0/x,M11.1.0"}) {
    CAPTURE(text);
    CHECK_FALSE(zones::parse_zone_rule(text).has_value());
  }
}

}  // namespace
}  // namespace pumice
