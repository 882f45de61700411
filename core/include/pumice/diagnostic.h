// Diagnostics: what is wrong with a user's input, where, and what would be right.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pumice {

enum class Severity : std::uint8_t { Error, Warning, Note };

/// Text of a severity as users read it: `error`, `warning`, `note`.
[[nodiscard]] std::string_view to_string(Severity severity) noexcept;

/// A place in a text. Lines and columns count from 1; a column counts bytes of UTF-8. 0 means "not known".
struct Position {
  std::int32_t line = 0;
  std::int32_t column = 0;

  [[nodiscard]] bool known() const noexcept { return line > 0; }
  friend bool operator==(const Position&, const Position&) = default;
};

/// A half-open stretch of a text: `end` is the place behind the last byte, or unknown.
struct Range {
  Position begin;
  Position end;

  friend bool operator==(const Range&, const Range&) = default;
};

/// One finding. `code` is stable (PascalCase, for programs), `message` is for people: lower-case start, no final full
/// stop, the user's own words in backticks. `hint` says what would be right, where that is known.
struct Diagnostic {
  Severity severity = Severity::Error;
  std::string code;
  std::string file;   ///< name of the text as the caller gave it, may be empty
  Range range;        ///< where in that text
  std::string field;  ///< field path such as `spec.tasks[1].policies[0].event`, may be empty
  std::string message;
  std::string hint;

  friend bool operator==(const Diagnostic&, const Diagnostic&) = default;
};

using Diagnostics = std::vector<Diagnostic>;

/// True if at least one entry is an error.
[[nodiscard]] bool has_errors(const Diagnostics& diagnostics) noexcept;

/// `file:line:column: severity: field: message (hint)`, the parts that are known. One line, no colour.
[[nodiscard]] std::string to_text(const Diagnostic& diagnostic);

}  // namespace pumice
