// Reports of `pumice test`.
#include <fmt/format.h>

#include "pumice/diagnostic_json.h"
#include "test_command.h"
#include "xml_text.h"

namespace pumice::host {
namespace {

using namespace scenario;

std::string place_text(const Place& place) {
  if (!place.range.begin.known()) return place.file + (place.field.empty() ? "" : " " + place.field);
  return fmt::format("{}:{}:{}", place.file, place.range.begin.line, place.range.begin.column);
}

std::string step_text(const Failure& failure) {
  if (failure.step == 0) return failure.when;
  return fmt::format("{}; step {}, +{}", failure.when, failure.step, to_string(failure.elapsed));
}

std::string counted(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

void print_failure(Printer& out, const Failure& failure) {
  out.print(Line{{Tone::Muted, "  --> "}, {Tone::Plain, place_text(failure.place)}});
  out.print(Line{{Tone::Plain, "      " + step_text(failure)}});
  out.print(Line{{Tone::Muted, "      expected  "}, {Tone::Strong, failure.expected}});
  out.print(Line{{Tone::Muted, "      seen      "}, {Tone::Warning, failure.seen}});
  for (std::string_view rest = failure.explanation; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (!line.empty()) out.print(Line{{Tone::Muted, "      | " + std::string(line)}});
  }
}

Json json_of(const TestResult& result) {
  Json json = to_json(result.outcome);
  json["name"] = result.name;
  json["file"] = result.file;
  if (!result.title.empty()) json["title"] = result.title;
  return json;
}

}  // namespace

void print_result(Printer& out, const TestResult& result, const std::vector<SourceText>& texts) {
  const Outcome& outcome = result.outcome;
  switch (outcome.verdict) {
    case Verdict::Passed:
      out.print(Line{
          {Tone::Winner, "ok      "},
          {Tone::Plain, result.name},
          {Tone::Muted, fmt::format("  {}, {}", counted(outcome.checks, "check"), counted(outcome.steps, "step"))}});
      break;
    case Verdict::Failed:
      out.print(Line{{Tone::Warning, "FAILED  "}, {Tone::Strong, result.name}});
      if (!result.title.empty()) out.print("        " + result.title, Tone::Muted);
      for (const Failure& failure : outcome.failures) print_failure(out, failure);
      break;
    case Verdict::Error: out.print(Line{{Tone::Warning, "ERROR   "}, {Tone::Strong, result.name}}); break;
  }
  Diagnostics told;
  for (const Diagnostic& finding : outcome.diagnostics)
    if (finding.severity != Severity::Note) told.push_back(finding);
  print_diagnostics(out, told, texts);
}

void print_totals(Printer& out, const TestCommand& command, const TestReport& report) {
  print_diagnostics(out, report.problems, report.texts);
  if (command.coverage == TestCommand::Coverage::Text) {
    out.print("");
    out.print(coverage_lines(report.coverage));
  } else if (command.coverage == TestCommand::Coverage::Json) {
    out.print(to_json(report.coverage).dump(2, ' ', false, Json::error_handler_t::replace));
  }
  if (!report.results.empty()) out.print("");
  std::string totals =
      fmt::format("{} passed, {} failed", report.count(Verdict::Passed), report.count(Verdict::Failed));
  if (const auto errors = report.count(Verdict::Error); errors > 0)
    totals += fmt::format(", {}", counted(errors, "error"));
  if (report.left_out > 0) totals += fmt::format("; {} left out", report.left_out);
  out.print(totals);
  out.flush();
}

std::string to_json_text(const TestReport& report, bool with_coverage, int status) {
  Json tests = Json::array();
  for (const TestResult& result : report.results) tests.push_back(json_of(result));
  Json json{{"tests", std::move(tests)},
            {"passed", report.count(Verdict::Passed)},
            {"failed", report.count(Verdict::Failed)},
            {"errors", report.count(Verdict::Error)},
            {"leftOut", report.left_out},
            {"diagnostics", to_json(report.problems)},
            {"exitStatus", status}};
  if (with_coverage) json["coverage"] = to_json(report.coverage);
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

std::string to_junit(const TestReport& report) {
  std::string cases;
  std::int64_t errors = report.count(Verdict::Error);
  for (const TestResult& result : report.results) {
    cases += fmt::format("    <testcase classname=\"{}\" name=\"{}\"", escaped_for_xml(result.file),
                         escaped_for_xml(result.name));
    std::string inside;
    for (const Failure& failure : result.outcome.failures)
      inside += fmt::format("      <failure type=\"expectation\" message=\"{}\">{}</failure>\n",
                            escaped_for_xml(fmt::format("expected {}, seen {}", failure.expected, failure.seen)),
                            escaped_for_xml(fmt::format("{}: {}\n{}", place_text(failure.place), step_text(failure),
                                                        failure.explanation)));
    if (result.outcome.verdict == Verdict::Error)
      for (const Diagnostic& finding : result.outcome.diagnostics)
        if (finding.severity == Severity::Error)
          inside += fmt::format("      <error type=\"{}\" message=\"{}\">{}</error>\n", escaped_for_xml(finding.code),
                                escaped_for_xml(finding.message), escaped_for_xml(to_text(finding)));
    cases += inside.empty() ? "/>\n" : ">\n" + inside + "    </testcase>\n";
  }
  for (const Diagnostic& finding : report.problems) {
    if (finding.severity != Severity::Error) continue;
    ++errors;
    cases += fmt::format(
        "    <testcase classname=\"{}\" name=\"{}\">\n      <error type=\"{}\" message=\"{}\">{}</error>\n"
        "    </testcase>\n",
        escaped_for_xml(finding.file), escaped_for_xml(finding.code), escaped_for_xml(finding.code),
        escaped_for_xml(finding.message), escaped_for_xml(to_text(finding)));
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"pumice test\" tests=\"{}\" "
      "failures=\"{}\" errors=\"{}\">\n{}  </testsuite>\n</testsuites>\n",
      report.results.size(), report.count(Verdict::Failed), errors, cases);
}

}  // namespace pumice::host
