#include "pumice/cron/calendar.h"

#include <cstdint>

#include "digits.h"
#include "utf8.h"

namespace pumice::cron {
namespace {

constexpr std::size_t kLineBytesMax = 75;

/// `2026-03-29T01:30:00Z` → `20260329T013000Z`; calendars have no fractions of a second.
std::string time_text(Time time) {
  std::string text;
  for (const char c : to_rfc3339(time).substr(0, 19)) {
    if (c != '-' && c != ':') text += c;
  }
  return text + 'Z';
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == ';' || c == ',') out += '\\';
    out += static_cast<unsigned char>(c) < ' ' || c == 0x7F ? ' ' : c;
  }
  return out;
}

/// Appends a line, broken where it is too long, but never inside a character.
void append_line(std::string& out, std::string_view line) {
  std::size_t room = kLineBytesMax;
  while (line.size() > room) {
    std::size_t cut = room;
    while (cut > 1 && is_utf8_tail(line[cut])) --cut;
    out += line.substr(0, cut);
    out += "\r\n ";
    line.remove_prefix(cut);
    room = kLineBytesMax - 1;
  }
  out += line;
  out += "\r\n";
}

std::uint64_t fnv1a(std::string_view text) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

}  // namespace

std::string to_icalendar(std::string_view title, const std::vector<Time>& times, Time stamp) {
  std::string out;
  for (const std::string_view line : {"BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//pumice.dev//Pumice//EN"}) {
    append_line(out, line);
  }
  for (const Time& time : times) {
    append_line(out, "BEGIN:VEVENT");
    append_line(out, "UID:" + time_text(time) + "-" + hex(fnv1a(title), 16) + "@pumice.dev");
    append_line(out, "DTSTAMP:" + time_text(stamp));
    append_line(out, "DTSTART:" + time_text(time));
    append_line(out, "SUMMARY:" + escaped(title));
    append_line(out, "TRANSP:TRANSPARENT");
    append_line(out, "END:VEVENT");
  }
  append_line(out, "END:VCALENDAR");
  return out;
}

}  // namespace pumice::cron
