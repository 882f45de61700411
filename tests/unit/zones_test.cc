#include "pumice/zones.h"

#include <cctz/civil_time.h>
#include <cctz/time_zone.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "zones/load_zone.h"

namespace {

using cctz::civil_second;
using Kind = cctz::time_zone::civil_lookup;
using pumice::zone_offset;
using pumice::ZoneOffset;

TEST_CASE("the embedded time zone database is the release in the repository") {
  CHECK(pumice::tzdata_release() == "2026f");
  const std::vector<std::string_view> names = pumice::zone_names();
  CHECK(names.size() == 598);
  CHECK(std::ranges::is_sorted(names));
  CHECK(std::ranges::adjacent_find(names) == names.end());
}

TEST_CASE("a zone is found by its exact name") {
  for (const std::string_view name : {"UTC", "Europe/Berlin", "US/Eastern", "Asia/Calcutta", "Etc/GMT+12", "EST5EDT"}) {
    CAPTURE(name);
    CHECK(pumice::is_zone(name));
    CHECK(zone_offset(name, 0).has_value());
  }
  // The library below would find some of these by itself: a file of the machine, its local zone, a fixed offset.
  for (const std::string_view name :
       {"", "Local", "localtime", "libc:UTC", "libc:localtime", "Fixed/UTC+01:00:00", "europe/berlin", "Europe",
        "Europe/Berlin ", "/usr/share/zoneinfo/Europe/Berlin", "../UTC", "Mars/Olympus"}) {
    CAPTURE(name);
    CHECK_FALSE(pumice::is_zone(name));
    CHECK_FALSE(zone_offset(name, 0).has_value());
  }
}

TEST_CASE("every zone of the database can be read") {
  for (const std::string_view name : pumice::zone_names()) {
    CAPTURE(name);
    CHECK(pumice::zones::load_zone(name).has_value());
  }
}

TEST_CASE("offsets at known instants") {
  struct Case {
    std::string_view name;
    std::string_view zone;
    std::int64_t at;
    ZoneOffset want;
  };
  const Case cases[] = {
      {"the second before summer time", "America/New_York", 1'772'953'199, {-18'000, false, "EST"}},
      {"the first second of summer time", "America/New_York", 1'772'953'200, {-14'400, true, "EDT"}},
      {"the last second of summer time", "America/New_York", 1'793'512'799, {-14'400, true, "EDT"}},
      {"the first second after it", "America/New_York", 1'793'512'800, {-18'000, false, "EST"}},
      {"beyond the table, where only the rule is left", "America/New_York", 2'530'767'600, {-14'400, true, "EDT"}},
      {"in the year 2400", "America/New_York", 13'585'233'600, {-14'400, true, "EDT"}},
      {"before there were zones", "America/New_York", -3'786'825'600, {-17'762, false, "LMT"}},
      {"war time", "America/New_York", -880'218'000, {-14'400, true, "EWT"}},
      {"summer time of half an hour ends", "Australia/Lord_Howe", 1'775'314'800, {37'800, false, "+1030"}},
      {"summer time of half an hour begins", "Australia/Lord_Howe", 1'791'041'400, {39'600, true, "+11"}},
      {"the rule with half an hour", "Australia/Lord_Howe", 4'094'724'600, {39'600, true, "+11"}},
      {"Ramadan time is the exception", "Africa/Casablanca", 1'740'276'000, {0, true, "+00"}},
      {"and its end the usual time", "Africa/Casablanca", 1'743'904'800, {3'600, false, "+01"}},
      {"Morocco after its change for good", "Africa/Casablanca", 1'909'094'400, {0, false, "+00"}},
      {"a year of summer time as standard time", "Europe/London", -34'214'400, {3'600, false, "BST"}},
      {"local mean time's last hour", "Europe/Berlin", -2'422'054'800, {3'208, false, "LMT"}},
      {"Irish winter is the exception", "Europe/Dublin", 1'767'225'600, {0, true, "GMT"}},
      {"Irish summer is standard", "Europe/Dublin", 1'782'864'000, {3'600, false, "IST"}},
      {"a quarter of an hour", "Asia/Kathmandu", 1'767'225'600, {20'700, false, "+0545"}},
      {"a rule that slim files keep as text only", "America/Havana", 1'782'864'000, {-14'400, true, "CDT"}},
      {"a rule with hours beyond a day", "America/Nuuk", 1'782'864'000, {-3'600, true, "-01"}},
      {"an old name is the same zone", "America/Godthab", 1'782'864'000, {-3'600, true, "-01"}},
      {"two hours of summer time", "Antarctica/Troll", 1'782'864'000, {7'200, true, "+02"}},
      {"the last second before a day was left out", "Pacific/Apia", 1'325'239'199, {-36'000, true, "-10"}},
      {"the day left out", "Pacific/Apia", 1'325'239'200, {50'400, true, "+14"}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name, c.zone);
    const std::optional<ZoneOffset> got = zone_offset(c.zone, c.at);
    REQUIRE(got.has_value());
    CHECK(got->seconds == c.want.seconds);
    CHECK(got->dst == c.want.dst);
    CHECK(got->abbreviation == c.want.abbreviation);
  }
}

TEST_CASE("civil times that a change of offset skips or repeats") {
  struct Case {
    std::string_view zone;
    civil_second civil;
    Kind::civil_kind want;
  };
  const Case cases[] = {
      {"America/New_York", civil_second(2026, 3, 8, 1, 59, 59), Kind::UNIQUE},
      {"America/New_York", civil_second(2026, 3, 8, 2, 30), Kind::SKIPPED},
      {"America/New_York", civil_second(2026, 11, 1, 1, 30), Kind::REPEATED},
      {"America/New_York", civil_second(2050, 3, 13, 2, 30), Kind::SKIPPED},
      {"America/New_York", civil_second(1942, 2, 9, 2, 30), Kind::SKIPPED},
      {"Australia/Lord_Howe", civil_second(2026, 10, 4, 2, 15), Kind::SKIPPED},
      {"Australia/Lord_Howe", civil_second(2026, 10, 4, 2, 30), Kind::UNIQUE},
      {"Australia/Lord_Howe", civil_second(2026, 4, 5, 1, 45), Kind::REPEATED},
      {"Australia/Lord_Howe", civil_second(2026, 4, 5, 1, 29, 59), Kind::UNIQUE},
      {"Australia/Lord_Howe", civil_second(2099, 10, 4, 2, 15), Kind::SKIPPED},
      {"Africa/Casablanca", civil_second(2025, 2, 23, 2, 30), Kind::REPEATED},
      {"Africa/Casablanca", civil_second(2025, 4, 6, 2, 30), Kind::SKIPPED},
      {"Pacific/Apia", civil_second(2011, 12, 30, 12, 0), Kind::SKIPPED},
  };
  for (const Case& c : cases) {
    const std::optional<cctz::time_zone> zone = pumice::zones::load_zone(c.zone);
    REQUIRE(zone.has_value());
    CAPTURE(c.zone, c.civil.year(), c.civil.month(), c.civil.day(), c.civil.hour(), c.civil.minute());
    CHECK(zone->lookup(c.civil).kind == c.want);
  }
}

TEST_CASE("instants at the ends of 64 bits are answered") {
  for (const std::int64_t at : {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()}) {
    for (const std::string_view name : pumice::zone_names()) {
      CAPTURE(name, at);
      CHECK(zone_offset(name, at).has_value());
    }
  }
  CHECK(zone_offset("America/New_York", std::numeric_limits<std::int64_t>::min()) == ZoneOffset{-17'762, false, "LMT"});
}

// FNV-1a over the offsets of all zones at 250 instants from 1850 to 2151. The wanted value was computed with Python's
// `zoneinfo` from the same database: an independent reader has to agree on every one of them.
TEST_CASE("all zones agree with an independent reader") {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const std::string_view name : pumice::zone_names()) {
    std::int64_t at = -3'786'825'600;
    for (int i = 0; i < 250; ++i, at += 38'000'003) {
      const auto offset =
          static_cast<std::uint64_t>(std::int64_t{zone_offset(name, at).value_or(ZoneOffset{}).seconds});
      for (int byte = 0; byte < 8; ++byte) hash = (hash ^ ((offset >> (8 * byte)) & 0xff)) * 0x100000001b3;
    }
  }
  CHECK(hash == 14'247'403'563'282'782'849U);
}

}  // namespace
