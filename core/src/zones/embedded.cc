#include "zones/embedded.h"

#include <algorithm>

#include "civil.h"
#include "zones/zones_data.h"

namespace pumice::zones {
namespace {

std::string_view line_of(std::string_view text, std::size_t number) noexcept {
  for (; number > 0; --number) text.remove_prefix(text.find('\n') + 1);
  return text.substr(0, text.find('\n'));
}

/// The place of a name among the names; their number if it is none.
std::size_t place_of(std::string_view name) noexcept {
  // Halves the text, always cut at the beginning of a line.
  std::size_t begin = 0;
  std::size_t end = kNames.size();
  while (begin < end) {
    std::size_t line = begin + (end - begin) / 2;
    while (line > begin && kNames[line - 1] != '\n') --line;
    const std::string_view found = kNames.substr(line, kNames.find('\n', line) - line);
    if (found == name) return static_cast<std::size_t>(std::ranges::count(kNames.substr(0, line), '\n'));
    if (found < name) {
      begin = line + found.size() + 1;
    } else {
      end = line;
    }
  }
  return kNumbers.size();
}

}  // namespace

std::vector<std::string_view> embedded_names() {
  std::vector<std::string_view> names;
  names.reserve(kNumbers.size());
  for (std::string_view rest = kNames; !rest.empty();) {
    names.push_back(rest.substr(0, rest.find('\n')));
    rest.remove_prefix(names.back().size() + 1);
  }
  return names;
}

bool is_embedded(std::string_view name) noexcept { return place_of(name) < kNumbers.size(); }

std::optional<Tzif> embedded_zone(std::string_view name) {
  const std::size_t place = place_of(name);
  if (place == kNumbers.size()) return std::nullopt;
  const std::size_t number = kNumbers[place];
  std::size_t change = 0;
  std::size_t type = 0;
  for (const ZoneShape& before : kShapes.first(number)) {
    change += before.changes;
    type += before.types;
  }
  const ZoneShape& shape = kShapes[number];

  Tzif zone;
  zone.footer = line_of(kFooters, shape.footer);
  for (std::size_t i = type; i < type + shape.types; ++i) {
    const std::uint16_t word = kTypeWords[i];
    zone.types.push_back({kTypeOffsets[i], word % 2 != 0, line_of(kWords, word / 2U)});
  }
  zone.changes.reserve(shape.changes);
  zone.change_types.reserve(shape.changes);
  std::int64_t day = kFirstDay;
  std::int32_t before = zone.types.front().offset;
  for (std::size_t i = change; i < change + shape.changes; ++i) {
    day += kChangeDays[i];
    zone.changes.push_back(day * kDaySeconds + kTimes[kChangeTimes[i]] - before);
    zone.change_types.push_back(kChangeTypes[i]);
    before = zone.types[kChangeTypes[i]].offset;
  }
  return zone;
}

}  // namespace pumice::zones
