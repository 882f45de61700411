// Pieces of the description of a schedule.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pumice/cron/describe.h"

namespace pumice::cron {

enum class FieldKind : std::uint8_t { Minute, Hour, Day, Month, Weekday };

struct FieldFacts {
  FieldKind kind;
  std::string_view name;
  std::int64_t min;
  std::int64_t max;
};
[[nodiscard]] std::span<const FieldFacts, 5> all_fields() noexcept;
[[nodiscard]] const Field& field_of(const Fields& fields, FieldKind kind) noexcept;
[[nodiscard]] bool is_full(const Field& field, const FieldFacts& facts) noexcept;

/// `02:30`, from seconds of the day; 86400 is `24:00`.
[[nodiscard]] std::string clock_text(std::int64_t second);
/// `2026-03-29`, from days since 1970-01-01.
[[nodiscard]] std::string date_text(std::int64_t day);
/// The values of a field: `0, 15, 30 and 45`, `9 to 17`, `Monday to Friday`.
[[nodiscard]] std::string values_text(const Field& field, FieldKind kind);

[[nodiscard]] std::string meaning_of(const Field& field, const FieldFacts& facts);
/// The whole schedule, without the zone: `at 09:00 on Monday to Friday`.
[[nodiscard]] std::string sentence_of(const Fields& fields);

[[nodiscard]] Diagnostic warning(std::string code, std::string message, std::string hint = {});

/// Warnings that need no clock. `words` are the five fields as written.
void warn_of_fields(const Fields& fields, const std::vector<std::string>& words, Diagnostics& out);
/// Times that clock changes skip, repeat or lose in the two years from `after` on.
void warn_of_clock_changes(const Schedule& schedule, Time after, Diagnostics& out);

}  // namespace pumice::cron
