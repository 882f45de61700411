// Findings with the lines they are about.
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "terminal.h"

namespace pumice::host {
namespace {

constexpr std::size_t kShownMax = 100;
constexpr std::size_t kSourceColumnsMax = 160;

/// Line `number` (from 1) of a text, without its end.
std::optional<std::string_view> line_of(std::string_view text, std::int32_t number) {
  for (std::int32_t at = 1; at < number; ++at) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return std::nullopt;
    text.remove_prefix(end + 1);
  }
  std::string_view line = text.substr(0, text.find('\n'));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

/// What stands under a line up to a column, so that the mark comes out below its text whatever a tab is worth.
std::string blanks_below(std::string_view text) {
  std::string blanks;
  for (const char c : text) {
    if (!is_continuation(c)) blanks += c == '\t' ? '\t' : ' ';
  }
  return blanks;
}

std::string place_of(const Diagnostic& finding) {
  std::string place = printable(finding.file);
  if (finding.range.begin.known()) place += fmt::format(":{}", finding.range.begin.line);
  if (finding.range.begin.known() && finding.range.begin.column > 0)
    place += fmt::format(":{}", finding.range.begin.column);
  return place;
}

std::string_view code_of(Severity severity) {
  switch (severity) {
    case Severity::Error: return "1;31";
    case Severity::Warning: return "1;33";
    case Severity::Note: return "1;36";
  }
  return {};
}

std::string message_of(const Diagnostic& finding) {
  return (finding.field.empty() ? "" : finding.field + ": ") + printable(finding.message);
}

void print_source(Printer& out, const Diagnostic& finding, std::string_view text) {
  const Position& begin = finding.range.begin;
  const auto line = line_of(text, begin.line);
  if (!line || begin.column < 1) return;
  const std::string number = std::to_string(begin.line);
  const std::string margin(number.size(), ' ');
  const auto column = std::min(static_cast<std::size_t>(begin.column) - 1, line->size());
  const Position& end = finding.range.end;
  const bool ends_here = end.line == begin.line && end.column > begin.column;
  const std::size_t last = ends_here ? std::min(static_cast<std::size_t>(end.column) - 1, line->size()) : line->size();
  // A value of several lines is marked at its first word only.
  const std::size_t word = std::min(line->find_first_of(" \t", column), line->size());
  const std::string_view marked = line->substr(column, (ends_here ? last : word) - column);
  std::string shown = printable(line->substr(0, kSourceColumnsMax));
  if (line->size() > kSourceColumnsMax) shown += " …";
  out.print(Line{{Tone::Muted, " " + margin + " |"}});
  out.print(Line{{Tone::Muted, " " + number + " | "}, {Tone::Plain, shown}});
  if (column >= kSourceColumnsMax) return;
  const std::size_t width = std::min(std::max<std::size_t>(1, blanks_below(marked).size()), kSourceColumnsMax - column);
  out.print(Line{{Tone::Muted, " " + margin + " | "},
                 {Tone::Plain, blanks_below(line->substr(0, column))},
                 {Tone::Strong, out.paint(std::string(width, '^'), code_of(finding.severity))}});
}

void print_one(Printer& out, const Diagnostic& finding, const std::vector<SourceText>& sources) {
  const std::string_view severity = to_string(finding.severity);
  const std::string place = place_of(finding);
  if (finding.severity == Severity::Note) {
    out.print(Line{{Tone::Plain, out.paint(severity, code_of(finding.severity)) + ": "},
                   {Tone::Muted, place.empty() ? "" : place + ": "},
                   {Tone::Plain, message_of(finding) + (finding.hint.empty() ? "" : " (" + finding.hint + ")")}});
    return;
  }
  const std::string head = std::string(severity) + (finding.code.empty() ? "" : "[" + finding.code + "]");
  out.print(
      Line{{Tone::Plain, out.paint(head, code_of(finding.severity)) + ": "}, {Tone::Strong, message_of(finding)}});
  if (!place.empty()) out.print(Line{{Tone::Muted, "  --> "}, {Tone::Plain, place}});
  const auto source =
      std::find_if(sources.begin(), sources.end(), [&](const SourceText& s) { return s.file == finding.file; });
  if (source != sources.end() && finding.range.begin.known()) print_source(out, finding, source->text);
  if (!finding.hint.empty()) out.print(Line{{Tone::Muted, "   = hint: "}, {Tone::Plain, printable(finding.hint)}});
}

}  // namespace

void print_diagnostics(Printer& out, const Diagnostics& diagnostics, const std::vector<SourceText>& sources) {
  for (std::size_t i = 0; i < std::min(diagnostics.size(), kShownMax); ++i) print_one(out, diagnostics[i], sources);
  if (diagnostics.size() > kShownMax)
    out.print(fmt::format("and {} more {}", diagnostics.size() - kShownMax,
                          diagnostics.size() == kShownMax + 1 ? "finding" : "findings"),
              Tone::Muted);
  out.flush();
}

}  // namespace pumice::host
