#include "pumice/diagnostic.h"

#include <algorithm>

namespace pumice {

std::string_view to_string(Severity severity) noexcept {
  switch (severity) {
    case Severity::Error: return "error";
    case Severity::Warning: return "warning";
    case Severity::Note: return "note";
  }
  return "error";
}

bool has_errors(const Diagnostics& diagnostics) noexcept {
  return std::any_of(diagnostics.begin(), diagnostics.end(),
                     [](const Diagnostic& d) { return d.severity == Severity::Error; });
}

std::string to_text(const Diagnostic& diagnostic) {
  std::string out;
  if (!diagnostic.file.empty()) out += diagnostic.file + ":";
  if (diagnostic.range.begin.known()) {
    out += std::to_string(diagnostic.range.begin.line) + ":";
    if (diagnostic.range.begin.column > 0) out += std::to_string(diagnostic.range.begin.column) + ":";
  }
  if (!out.empty()) out += " ";
  out += std::string(to_string(diagnostic.severity)) + ": ";
  if (!diagnostic.field.empty()) out += diagnostic.field + ": ";
  out += diagnostic.message;
  if (!diagnostic.hint.empty()) out += " (" + diagnostic.hint + ")";
  return out;
}

}  // namespace pumice
