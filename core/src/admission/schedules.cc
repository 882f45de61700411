#include "admission/schedules.h"

#include <algorithm>

#include "admission/findings.h"
#include "digits.h"
#include "pumice/zones.h"

namespace pumice::admission {
namespace {

bool is_bad_part(std::string_view part) {
  constexpr std::size_t kPartMax = 14;
  if (part == "." || part == ".." || part.starts_with('-') || part.empty() || part.size() > kPartMax) return true;
  return !std::all_of(part.begin(), part.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '.' || c == '_' || c == '+' ||
           c == '-';
  });
}

}  // namespace

std::size_t count_bad_zone_parts(std::string_view zone) {
  std::size_t bad = 0;
  while (true) {
    const std::string_view part = zone.substr(0, zone.find('/'));
    bad += is_bad_part(part) ? 1 : 0;
    if (part.size() == zone.size()) return bad;
    zone.remove_prefix(part.size() + 1);
  }
}

bool is_loadable_zone(std::string_view zone) { return zone == "UTC" || zone == "Local" || is_zone(zone); }

std::string zone_hint(std::string_view zone) { return meant_hint(zone, zone_names()); }

}  // namespace pumice::admission
