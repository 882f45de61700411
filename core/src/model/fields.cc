#include "model/fields.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "utf8.h"

namespace pumice {
namespace {

constexpr std::string_view kNoTime = "0001-01-01T00:00:00Z";

std::string joined(const Words& words) {
  std::string out;
  for (const std::string_view word : words) {
    if (!out.empty()) out += ", ";
    out += "`" + std::string(word) + "`";
  }
  return out;
}

}  // namespace

std::string in_backticks(std::string_view text) {
  constexpr std::size_t kShown = 60;
  if (text.size() <= kShown) return "`" + std::string(text) + "`";
  std::size_t end = kShown;
  while (end > 0 && is_utf8_tail(text[end])) --end;  // not inside a UTF-8 sequence
  return "`" + std::string(text.substr(0, end)) + "…`";
}

std::optional<Time> read_time(FieldReader& reader, std::string_view name) {
  const std::optional<std::string> text = reader.string(name);
  if (!text || *text == kNoTime) return std::nullopt;
  const std::optional<Time> time = parse_rfc3339(*text);
  if (!time) {
    reader.report_at(name, Severity::Error, "InvalidTime", in_backticks(*text) + " is not a time that can be used",
                     "write it as `2026-03-02T09:00:00Z`, years 1678 to 2261");
  }
  return time;
}

std::optional<Duration> read_duration(FieldReader& reader, std::string_view name) {
  const std::optional<std::string> text = reader.string(name);
  if (!text) return std::nullopt;
  const std::optional<Duration> duration = parse_duration(*text);
  if (!duration) {
    reader.report_at(name, Severity::Error, "InvalidDuration",
                     in_backticks(*text) + " " + std::string(duration_problem(*text)),
                     "write numbers with the units `h`, `m`, `s`, `ms`: `90s`, `1h30m`");
  }
  return duration;
}

std::uint64_t read_resource_version(FieldReader& reader) {
  const std::string text = reader.string("resourceVersion").value_or("");
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || (error == std::errc() && end == text.data() + text.size())) return value;
  reader.report_at("resourceVersion", Severity::Warning, "InvalidValue",
                   in_backticks(text) + " is not a resource version of decimal digits, it is taken as 0");
  return 0;
}

std::optional<Diagnostic> unknown_word(std::string_view word, std::string_view what, const Words& known) {
  if (word.empty() || std::find(known.begin(), known.end(), word) != known.end()) return std::nullopt;
  const std::string_view meant = nearest_name(word, known);
  Diagnostic finding;
  finding.severity = Severity::Warning;
  finding.code = "Unknown";
  bool starts_word = true;
  for (const char c : what) {
    if (c != ' ') finding.code += starts_word ? static_cast<char>(c - 'a' + 'A') : c;
    starts_word = c == ' ';
  }
  finding.message = "unknown " + std::string(what) + " " + in_backticks(word);
  finding.hint = meant.empty() ? "known are " + joined(known) : "did you mean `" + std::string(meant) + "`?";
  return finding;
}

void check_word(FieldReader& reader, std::string_view name, std::string_view word, std::string_view what,
                const Words& known) {
  std::optional<Diagnostic> finding = unknown_word(word, what, known);
  if (!finding) return;
  if (name.empty()) {
    reader.report(finding->severity, std::move(finding->code), std::move(finding->message), std::move(finding->hint));
  } else {
    reader.report_at(name, finding->severity, std::move(finding->code), std::move(finding->message),
                     std::move(finding->hint));
  }
}

}  // namespace pumice
