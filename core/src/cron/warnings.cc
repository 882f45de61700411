// What will surprise about a schedule's fields, without asking when.
#include <array>
#include <bit>

#include "compose.h"
#include "cron/go_text.h"
#include "cron/words.h"

namespace pumice::cron {
namespace {

void warn_of_step(std::string_view item, const Field& field, const FieldFacts& facts, Diagnostics& out) {
  if (!item.starts_with("*/") && !item.starts_with("?/")) return;
  const std::int64_t step = to_number(item.substr(2)).value;
  const std::int64_t size = facts.max - facts.min + 1;
  if (step <= 1) return;
  const std::string hint = "write the wanted values one by one, or choose a step that divides the range";
  if (step >= size) {
    out.push_back(
        warning("UnevenStep",
                compose("`{}` allows only {}: a step counts within the {} field and starts anew with it", item,
                        values_text(Field{std::uint64_t{1} << facts.min, false}, facts.kind), facts.name),
                hint));
    return;
  }
  std::string_view unit;
  switch (facts.kind) {
    case FieldKind::Minute: unit = "hour"; break;
    case FieldKind::Hour: unit = "day"; break;
    case FieldKind::Day: unit = "month"; break;
    case FieldKind::Month: unit = "year"; break;
    case FieldKind::Weekday: unit = "week"; break;
  }
  // Months differ in length: no step goes evenly through them.
  if (size % step == 0 && facts.kind != FieldKind::Day) return;
  out.push_back(warning("UnevenStep",
                        compose("`{}` means {}, and starts anew every {}: the last step is shorter", item,
                                values_text(field, facts.kind), unit),
                        facts.kind == FieldKind::Day ? "" : hint));
}

/// True if some date of the calendar has a month and a day that match.
bool can_fire(const Fields& fields) {
  constexpr std::array<std::uint64_t, 13> kLengths{0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (fields.minute.values == 0 || fields.hour.values == 0) return false;
  const bool both = fields.day.star || fields.weekday.star;
  const bool any_weekday = fields.weekday.values != 0;
  if (both && !any_weekday) return false;
  for (unsigned month = 1; month <= 12; ++month) {
    if (!fields.month.has(month)) continue;
    const bool any_day = (fields.day.values & ((std::uint64_t{2} << kLengths.at(month)) - 2)) != 0;
    if (any_day || (!both && any_weekday)) return true;
  }
  return false;
}

}  // namespace

Diagnostic warning(std::string code, std::string message, std::string hint) {
  return {
      .severity = Severity::Warning, .code = std::move(code), .message = std::move(message), .hint = std::move(hint)};
}

void warn_of_fields(const Fields& fields, const std::vector<std::string>& words, Diagnostics& out) {
  const auto facts = all_fields();
  if (!can_fire(fields)) {
    out.push_back(warning("NeverFires", "never fires: no date has a time, day and month that match"));
  }
  for (std::size_t i = 0; i < facts.size() && i < words.size(); ++i) {
    std::string_view rest = words[i];
    while (!rest.empty()) {
      const std::string_view item = rest.substr(0, rest.find(','));
      rest.remove_prefix(std::min(item.size() + 1, rest.size()));
      warn_of_step(item, item.size() == words[i].size() ? field_of(fields, facts[i].kind) : Field{}, facts[i], out);
    }
  }
  if (fields.day.star || fields.weekday.star || fields.day.values == 0 || fields.weekday.values == 0) return;
  const bool steps = words.size() == 5 && (words[2].starts_with("*/") || words[4].starts_with("*/"));
  out.push_back(
      warning("EitherDay",
              compose("fires on days that match day of month or day of week, not only on those that match both{}",
                      steps ? ": `*/n` counts as a restriction, other crons differ here" : ""),
              "to have one of them decide alone, make the other `*`"));
}

}  // namespace pumice::cron
