#include "pumice/cron/calendar.h"

#include <catch2/catch_test_macros.hpp>
#include <sstream>

namespace pumice::cron {
namespace {

TEST_CASE("activations as a calendar", "[cron]") {
  const Time at = *parse_rfc3339("2026-03-29T01:30:00Z");
  const Time stamp = *parse_rfc3339("2026-03-01T12:00:00.5Z");
  const std::string text = to_icalendar("0,30 1 * * *", {at}, stamp);
  CHECK(text.starts_with("BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:"));
  CHECK(text.ends_with("END:VEVENT\r\nEND:VCALENDAR\r\n"));
  CHECK(text.find("\r\nDTSTART:20260329T013000Z\r\n") != std::string::npos);
  CHECK(text.find("\r\nDTSTAMP:20260301T120000Z\r\n") != std::string::npos);
  CHECK(text.find("\r\nSUMMARY:0\\,30 1 * * *\r\n") != std::string::npos);
  CHECK(text == to_icalendar("0,30 1 * * *", {at}, stamp));
  CHECK(to_icalendar("a", {}, stamp).find("VEVENT") == std::string::npos);
}

TEST_CASE("lines of a calendar are short and hold whole characters", "[cron]") {
  std::string title = "a\nb";
  for (int i = 0; i < 100; ++i) title += "\u00e9";
  std::istringstream lines(to_icalendar(title, {Time{}}, Time{}));
  for (std::string line; std::getline(lines, line, '\n');) {
    CAPTURE(line);
    CHECK(line.ends_with('\r'));
    CHECK(line.size() <= 76);
    const std::size_t first = line.starts_with(' ') ? 1 : 0;
    CHECK((static_cast<unsigned char>(line[first]) & 0xC0) != 0x80);
  }
}

}  // namespace
}  // namespace pumice::cron
