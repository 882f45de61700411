// The schedule language (spec/cron-schedule.md 1-4). Messages are the original's, word for word.
#include <algorithm>
#include <array>
#include <span>
#include <variant>

#include "compose.h"
#include "cron/go_text.h"
#include "pumice/cron/schedule.h"
#include "pumice/field_reader.h"
#include "pumice/zones.h"

namespace pumice::cron {
namespace {

struct Error {
  std::string text;
  std::string hint{};
};

template <class T>
using Or = std::variant<T, Error>;

struct Name {
  std::string_view text;
  std::int64_t value;
};

struct Bounds {
  std::int64_t min;
  std::int64_t max;
  std::span<const Name> names{};
};

constexpr std::array kMonths{Name{"jan", 1}, Name{"feb", 2},  Name{"mar", 3},  Name{"apr", 4},
                             Name{"may", 5}, Name{"jun", 6},  Name{"jul", 7},  Name{"aug", 8},
                             Name{"sep", 9}, Name{"oct", 10}, Name{"nov", 11}, Name{"dec", 12}};
constexpr std::array kWeekdays{Name{"sun", 0}, Name{"mon", 1}, Name{"tue", 2}, Name{"wed", 3},
                               Name{"thu", 4}, Name{"fri", 5}, Name{"sat", 6}};

constexpr Bounds kMinute{0, 59};
constexpr Bounds kHour{0, 23};
constexpr Bounds kDay{1, 31};
constexpr Bounds kMonth{1, 12, kMonths};
constexpr Bounds kWeekday{0, 6, kWeekdays};

/// The parts of a text between separators: always one more than there are separators.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t end = text.find(separator); end != std::string_view::npos; end = text.find(separator)) {
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  parts.push_back(text);
  return parts;
}

Or<std::int64_t> read_integer(std::string_view text) {
  const Number number = to_number(text);
  if (!number.error.empty()) return Error{compose("failed to parse int from {}: {}", text, number.error)};
  if (number.value < 0) return Error{compose("negative number ({}) not allowed: {}", number.value, text)};
  return number.value;
}

Or<std::int64_t> read_value(std::string_view text, const Bounds& bounds) {
  if (!bounds.names.empty() && text.size() <= 8) {
    const std::string word = lower(text);
    for (const Name& name : bounds.names) {
      if (name.text == word) return name.value;
    }
  }
  return read_integer(text);
}

struct Stretch {
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::int64_t step = 1;
  bool star = false;
  bool single = false;  ///< one value, or a star
};

/// What stands before the `/`.
Or<Stretch> read_base(std::string_view base, std::string_view item, const Bounds& bounds) {
  const std::vector<std::string_view> ends = split(base, '-');
  Stretch stretch{.single = ends.size() == 1};
  if (ends.front() == "*" || ends.front() == "?") {
    stretch.first = bounds.min;
    stretch.last = bounds.max;
    stretch.star = true;
    return stretch;
  }
  auto value = read_value(ends.front(), bounds);
  if (auto* error = std::get_if<Error>(&value)) return std::move(*error);
  stretch.first = stretch.last = std::get<std::int64_t>(value);
  if (ends.size() > 2) return Error{compose("too many hyphens: {}", item)};
  if (ends.size() == 2) {
    value = read_value(ends[1], bounds);
    if (auto* error = std::get_if<Error>(&value)) return std::move(*error);
    stretch.last = std::get<std::int64_t>(value);
  }
  return stretch;
}

std::uint64_t bits_of(const Stretch& stretch) {
  std::uint64_t bits = 0;
  // Steps may be as large as 2^63 - 1: compare what is left, not the sum.
  for (std::int64_t value = stretch.first;; value += stretch.step) {
    bits |= std::uint64_t{1} << static_cast<unsigned>(value);
    if (stretch.step > stretch.last - value) return bits;
  }
}

/// One item (spec 3.2). Checks are made in the order of spec 3.4.
Or<Field> read_item(std::string_view item, const Bounds& bounds) {
  const std::vector<std::string_view> parts = split(item, '/');
  auto base = read_base(parts.front(), item, bounds);
  if (auto* error = std::get_if<Error>(&base)) return std::move(*error);
  Stretch stretch = std::get<Stretch>(base);
  if (parts.size() > 2) return Error{compose("too many slashes: {}", item)};
  if (parts.size() == 2) {
    auto step = read_integer(parts[1]);
    if (auto* error = std::get_if<Error>(&step)) return std::move(*error);
    stretch.step = std::get<std::int64_t>(step);
    if (stretch.single) stretch.last = bounds.max;
    if (stretch.step > 1) stretch.star = false;
  }
  if (stretch.first < bounds.min) {
    return Error{compose("beginning of range ({}) below minimum ({}): {}", stretch.first, bounds.min, item)};
  }
  if (stretch.last > bounds.max) {
    return Error{compose("end of range ({}) above maximum ({}): {}", stretch.last, bounds.max, item)};
  }
  if (stretch.first > stretch.last) {
    return Error{compose("beginning of range ({}) beyond end of range ({}): {}", stretch.first, stretch.last, item)};
  }
  if (stretch.step == 0) return Error{compose("step of range should be a positive number: {}", item)};
  return Field{bits_of(stretch), stretch.star};
}

Or<Field> read_field(std::string_view text, const Bounds& bounds) {
  Field field;
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(','));
    text.remove_prefix(std::min(item.size() + 1, text.size()));
    if (item.empty()) continue;
    auto one = read_item(item, bounds);
    if (auto* error = std::get_if<Error>(&one)) return std::move(*error);
    field.values |= std::get<Field>(one).values;
    field.star = field.star || std::get<Field>(one).star;
  }
  return field;
}

Or<Fields> read_fields(std::string_view text) {
  const std::vector<std::string_view> words = words_of(text);
  if (words.size() != 5) {
    std::string found;
    for (const std::string_view word : words) found.append(found.empty() ? 0 : 1, ' ').append(word);
    return Error{"expected exactly 5 fields, found " + std::to_string(words.size()) + ": [" + found + "]"};
  }
  Fields fields;
  const std::array<std::pair<Field*, const Bounds*>, 5> places{{{&fields.minute, &kMinute},
                                                                {&fields.hour, &kHour},
                                                                {&fields.day, &kDay},
                                                                {&fields.month, &kMonth},
                                                                {&fields.weekday, &kWeekday}}};
  for (std::size_t i = 0; i < places.size(); ++i) {
    auto field = read_field(words[i], *places[i].second);
    if (auto* error = std::get_if<Error>(&field)) return std::move(*error);
    *places[i].first = std::get<Field>(field);
  }
  return fields;
}

struct Descriptor {
  std::string_view name;
  std::string_view fields;
};
constexpr std::array kDescriptors{
    Descriptor{"@yearly", "0 0 1 1 *"}, Descriptor{"@annually", "0 0 1 1 *"}, Descriptor{"@monthly", "0 0 1 * *"},
    Descriptor{"@weekly", "0 0 * * 0"}, Descriptor{"@daily", "0 0 * * *"},    Descriptor{"@midnight", "0 0 * * *"},
    Descriptor{"@hourly", "0 * * * *"},
};

/// The fields that a descriptor stands for; empty if it is none of those.
std::string_view fields_of_descriptor(std::string_view text) {
  const auto found = std::ranges::find(kDescriptors, text, &Descriptor::name);
  return found == kDescriptors.end() ? std::string_view() : found->fields;
}

Or<Schedule> read_descriptor(std::string_view text, const Zone& zone) {
  if (const std::string_view fields = fields_of_descriptor(text); !fields.empty()) {
    return Schedule(std::get<Fields>(read_fields(fields)), zone);
  }
  constexpr std::string_view kEvery = "@every ";
  if (text.starts_with(kEvery)) {
    const std::string_view delay = text.substr(kEvery.size());
    if (const auto duration = parse_duration(delay)) return Schedule::every(*duration);
    return Error{compose("failed to parse duration {}: {}", text, duration_error(delay))};
  }
  return Error{compose("unrecognized descriptor: {}", text)};
}

Or<Zone> read_zone(std::string_view name, const ZoneSource& zones) {
  std::string problem;
  if (auto zone = load_zone(name, zones, problem)) return *std::move(zone);
  const bool may_be_meant = problem.starts_with("unknown") && name.size() <= 64;
  const std::string_view near = may_be_meant ? nearest_name(name, zone_names()) : std::string_view();
  return Error{compose("provided bad location {}: {}", name, problem),
               near.empty() ? "" : compose("did you mean `{}`?", near)};
}

/// Takes `TZ=name` or `CRON_TZ=name` from the front; the rest is trimmed then. False if no blank ends the name.
bool take_zone(std::string_view& text, std::optional<std::string_view>& name) {
  if (!text.starts_with("TZ=") && !text.starts_with("CRON_TZ=")) return true;
  const std::size_t begin = text.find('=') + 1;
  const std::size_t blank = text.find(' ');
  if (blank == std::string_view::npos) {
    name = text.substr(begin);
    return false;
  }
  name = text.substr(begin, blank - begin);
  text = trimmed(text.substr(blank));
  return true;
}

Or<Schedule> read_schedule(std::string_view text, const ZoneSource& zones) {
  if (text.empty()) return Error{"empty spec string"};
  std::optional<std::string_view> name;
  if (!take_zone(text, name)) {
    // The original fails here with a slice out of range; the controller makes an error of it.
    return Error{"invalid schedule format: runtime error: slice bounds out of range [:-1]",
                 "a blank and the schedule have to follow the time zone"};
  }
  Zone zone = zones.local;
  if (name) {
    auto found = read_zone(*name, zones);
    if (auto* error = std::get_if<Error>(&found)) return std::move(*error);
    zone = std::get<Zone>(std::move(found));
  }
  if (text.starts_with('@')) return read_descriptor(text, zone);
  auto fields = read_fields(text);
  if (auto* error = std::get_if<Error>(&fields)) return std::move(*error);
  return Schedule(std::get<Fields>(fields), std::move(zone));
}

}  // namespace

std::optional<Zone> load_zone(std::string_view name, const ZoneSource& zones, std::string& error) {
  if (name.empty() || name == "UTC") return Zone();
  if (name == "Local") return zones.local;
  if (name.find("..") != std::string_view::npos || name.front() == '/' || name.front() == '\\') {
    error = "time: invalid location name";
    return std::nullopt;
  }
  auto zone = zones.find(name);
  if (!zone) error = compose("unknown time zone {}", name);
  return zone;
}

Result<Schedule> parse_schedule(std::string_view text, const ZoneSource& zones) {
  auto schedule = read_schedule(text, zones);
  if (auto* error = std::get_if<Error>(&schedule)) {
    return Result<Schedule>::failure(
        {{.code = "InvalidSchedule", .message = std::move(error->text), .hint = std::move(error->hint)}});
  }
  return Result<Schedule>::success(std::get<Schedule>(std::move(schedule)));
}

std::string with_time_zone(std::string_view time_zone, std::string_view schedule) {
  if (schedule.find("TZ") != std::string_view::npos) return std::string(schedule);
  return compose("TZ={} {}", time_zone, schedule);
}

ScheduleText split_schedule(std::string_view text) {
  ScheduleText parts;
  std::optional<std::string_view> name;
  const bool complete = take_zone(text, name);
  if (name) parts.zone = std::string(*name);
  if (!complete) return parts;
  parts.rest = std::string(text);
  const std::string_view meant = fields_of_descriptor(text);
  for (const std::string_view word : words_of(meant.empty() ? text : meant)) parts.words.emplace_back(word);
  return parts;
}

}  // namespace pumice::cron
