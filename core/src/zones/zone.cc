// Periods of a zone from its compiled form: explicit changes in a sorted table, and behind them a rule.
#include "pumice/zone.h"

#include <algorithm>
#include <string>
#include <vector>

#include "civil.h"
#include "zones/embedded.h"
#include "zones/tzif.h"
#include "zones/zone_rule.h"

namespace pumice {

using zones::ZoneRule;

struct Zone::Table {
  std::int32_t last_offset = 0;          ///< behind the last change
  std::int32_t first_offset = 0;         ///< before the first change
  std::vector<std::int64_t> changes;     ///< sorted; each begins a period
  std::vector<std::int32_t> offsets;     ///< of those periods
  std::int64_t rule_begin = kSinceEver;  ///< from here on the rule holds
  ZoneRule rule;
  std::vector<std::int64_t> odd_days;  ///< sorted; see `may_miss_midnight`
  bool rule_misses_midnight = false;
};

namespace {

constexpr std::int64_t kShortPeriod = 3 * kDaySeconds;

std::int64_t day_of(std::int64_t local) noexcept { return floor_div(local, kDaySeconds); }

/// The day whose first moment lies in local times `from` ≤ t < `to`, if there is one.
std::optional<std::int64_t> midnight_within(std::int64_t from, std::int64_t to) noexcept {
  const std::int64_t day = day_of(to - 1);
  return from < to && day * kDaySeconds >= from ? std::optional(day) : std::nullopt;
}

/// The day that the rule leaves without its first moment in a year.
std::optional<std::int64_t> missing_midnight(const ZoneRule& rule, std::int64_t year) {
  if (!rule.changes) return std::nullopt;
  const std::int64_t forward = std::int64_t{rule.summer} - rule.standard;
  const std::int64_t gap = forward > 0 ? rule.begin.in(year) : rule.end.in(year);
  return midnight_within(gap, gap + std::max(forward, -forward));
}

void note_odd_days(Zone::Table& table) {
  std::int32_t before = table.first_offset;
  for (std::size_t i = 0; i < table.changes.size(); ++i) {
    const std::int64_t at = table.changes[i];
    const std::int32_t offset = table.offsets[i];
    if (const auto day = midnight_within(at + before, at + offset)) table.odd_days.push_back(*day);
    if (i > 0 && at - table.changes[i - 1] < kShortPeriod) {
      const std::int64_t first = day_of(table.changes[i - 1]);
      for (std::int64_t day = first - 2; day <= day_of(at) + 2; ++day) table.odd_days.push_back(day);
    }
    before = offset;
  }
  std::ranges::sort(table.odd_days);
  // A rule changes clocks at the same time of day every year.
  table.rule_misses_midnight = missing_midnight(table.rule, 2000).has_value();
}

/// True if one of the days `first` … `last` begins with a midnight that the rule leaves out.
bool rule_misses(const ZoneRule& rule, std::int64_t first, std::int64_t last) {
  const std::int64_t first_year = date_of(first).year;
  const std::int64_t last_year = date_of(last).year;
  if (last_year - first_year > 6) return true;
  for (std::int64_t year = first_year; year <= last_year; ++year) {
    const auto day = missing_midnight(rule, year);
    if (day && *day >= first && *day <= last) return true;
  }
  return false;
}

}  // namespace

Zone Zone::fixed(std::int32_t offset) noexcept {
  Zone zone;
  zone.offset_ = offset;
  return zone;
}

std::optional<Zone> Zone::named(std::string_view name) {
  const std::optional<zones::Tzif> file = zones::embedded_zone(name);
  return file ? from_file(*file) : std::nullopt;
}

std::optional<Zone> Zone::from_tzif(std::string_view bytes) {
  const std::optional<zones::Tzif> file = zones::read_tzif(bytes);
  return file ? from_file(*file) : std::nullopt;
}

std::optional<Zone> Zone::from_file(const zones::Tzif& file) {
  Table table;
  table.first_offset = file.types.front().offset;
  std::int32_t last = table.first_offset;
  for (std::size_t i = 0; i < file.changes.size(); ++i) {
    const std::int32_t offset = file.types[file.change_types[i]].offset;
    if (offset == last) continue;
    table.changes.push_back(file.changes[i]);
    table.offsets.push_back(offset);
    last = offset;
  }
  table.rule.standard = table.last_offset = last;
  if (!file.footer.empty()) {
    const auto rule = zones::parse_zone_rule(file.footer);
    if (!rule) return std::nullopt;
    table.rule = *rule;
  }
  if (!file.changes.empty()) table.rule_begin = file.changes.back();
  if (table.changes.empty() && !table.rule.changes) {
    return fixed(table.rule.standard);
  }
  note_odd_days(table);
  Zone zone;
  zone.table_ = std::make_shared<const Table>(std::move(table));
  return zone;
}

ZonePeriod Zone::period_at(std::int64_t at) const {
  if (table_ == nullptr) return {kSinceEver, kForever, offset_};
  const Table& table = *table_;
  if (at >= table.rule_begin) {
    ZonePeriod period = table.rule.period_at(at);
    if (period.begin < table.rule_begin) {
      // What the last change began holds until the rule's first: the two may differ (Ojinaga in November 2022).
      period.begin = table.rule_begin;
      period.offset = table.last_offset;
    }
    return period;
  }
  const auto next = std::ranges::upper_bound(table.changes, at);
  const std::int64_t end = next == table.changes.end() ? table.rule_begin : *next;
  if (next == table.changes.begin()) return {kSinceEver, end, table.first_offset};
  const auto index = static_cast<std::size_t>(next - table.changes.begin()) - 1;
  return {table.changes[index], end, table.offsets[index]};
}

bool Zone::may_miss_midnight(std::int64_t first, std::int64_t last) const {
  if (table_ == nullptr) return false;
  const Table& table = *table_;
  if (table.rule_misses_midnight && (last + 2) * kDaySeconds >= table.rule_begin &&
      rule_misses(table.rule, first, last)) {
    return true;
  }
  if (table.odd_days.empty() || table.odd_days.back() < first) return false;
  const auto odd = std::ranges::lower_bound(table.odd_days, first);
  return odd != table.odd_days.end() && *odd <= last;
}

}  // namespace pumice
