// Reports of `pumice validate` for programs.
#include <map>

#include <fmt/format.h>

#include "pumice/diagnostic_json.h"
#include "pumice/version.h"
#include "validate.h"
#include "xml_text.h"

namespace pumice::host {
namespace {

Diagnostics all_findings(const ValidateReport& report) {
  Diagnostics all = report.unreadable;
  for (const ValidatedObject& object : report.objects) {
    all.insert(all.end(), object.review.diagnostics.begin(), object.review.diagnostics.end());
  }
  return all;
}

std::string printed(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace); }

Json defaults_json(const std::vector<admission::Default>& defaults) {
  Json list = Json::array();
  for (const admission::Default& one : defaults) {
    list.push_back({{"field", one.field}, {"value", one.value}, {"why", one.why}});
  }
  return list;
}

std::string text_of(const Diagnostic& finding) {
  return (finding.field.empty() ? "" : finding.field + ": ") + finding.message +
         (finding.hint.empty() ? "" : " (" + finding.hint + ")");
}

Json sarif_location(const Diagnostic& finding) {
  Json region = Json::object();
  const Range& range = finding.range;
  if (range.begin.known()) {
    region["startLine"] = range.begin.line;
    if (range.begin.column > 0) region["startColumn"] = range.begin.column;
    if (range.end.known() && range.end.column > 0) {
      region["endLine"] = range.end.line;
      region["endColumn"] = range.end.column;
    }
  }
  Json place{{"artifactLocation", {{"uri", finding.file}}}};
  if (!region.empty()) place["region"] = region;
  return {{"physicalLocation", place}};
}

std::string_view sarif_level(Severity severity) {
  switch (severity) {
    case Severity::Error: return "error";
    case Severity::Warning: return "warning";
    case Severity::Note: return "note";
  }
  return "none";
}

Json sarif_rule(const std::string& id) {
  Json rule{{"id", id}};
  if (const admission::Rule* known = admission::find_rule(id)) {
    rule["shortDescription"] = {{"text", known->explanation}};
    rule["help"] = {{"text", known->fix}};
    rule["defaultConfiguration"] = {{"level", sarif_level(known->severity)}};
  }
  return rule;
}

/// What may not stand in the message of a workflow command, and in its properties.
std::string escaped_for_github(std::string_view text, bool is_property) {
  std::string out;
  for (const char c : text) {
    if (c == '%' || c == '\r' || c == '\n' || (is_property && (c == ':' || c == ','))) {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out;
}

std::string_view github_command(Severity severity) {
  switch (severity) {
    case Severity::Error: return "error";
    case Severity::Warning: return "warning";
    case Severity::Note: return "notice";
  }
  return "notice";
}

std::string junit_case(const std::string& suite, const std::string& name, const Diagnostics& findings,
                       ValidateCommand::FailOn fail_on, std::size_t& failed) {
  std::string inside;
  for (const Diagnostic& finding : findings) {
    if (!fails(finding, fail_on)) continue;
    inside += fmt::format("      <failure type=\"{}\" message=\"{}\">{}</failure>\n", escaped_for_xml(finding.code),
                          escaped_for_xml(finding.message), escaped_for_xml(to_text(finding)));
  }
  failed += inside.empty() ? 0 : 1;
  const std::string head =
      fmt::format("    <testcase classname=\"{}\" name=\"{}\"", escaped_for_xml(suite), escaped_for_xml(name));
  return inside.empty() ? head + "/>\n" : head + ">\n" + inside + "    </testcase>\n";
}

}  // namespace

std::string to_json_text(const ValidateReport& report, bool with_defaults) {
  Json objects = Json::array();
  for (const ValidatedObject& object : report.objects) {
    Json one{{"file", object.file},
             {"kind", object.kind},
             {"name", object.name},
             {"allowed", object.review.allowed},
             {"diagnostics", to_json(object.review.diagnostics)}};
    if (!object.ns.empty()) one["namespace"] = object.ns;
    if (!object.review.allowed) one["message"] = object.review.message;
    if (with_defaults) {
      one["defaults"] = defaults_json(object.review.defaults);
      one["patch"] = object.review.patch;
    }
    objects.push_back(std::move(one));
  }
  return printed({{"objects", objects}, {"skipped", report.skipped}, {"diagnostics", to_json(report.unreadable)}});
}

std::string to_sarif(const ValidateReport& report) {
  std::map<std::string, std::size_t> indexes;
  Json rules = Json::array();
  Json results = Json::array();
  for (const Diagnostic& finding : all_findings(report)) {
    const auto [rule, is_new] = indexes.emplace(finding.code, rules.size());
    if (is_new) rules.push_back(sarif_rule(finding.code));
    Json result{{"ruleId", finding.code},
                {"ruleIndex", rule->second},
                {"level", sarif_level(finding.severity)},
                {"message", {{"text", text_of(finding)}}}};
    if (!finding.file.empty()) result["locations"] = Json::array({sarif_location(finding)});
    results.push_back(std::move(result));
  }
  const Json driver{{"name", "pumice"}, {"version", version()}, {"rules", rules}};
  const Json run{{"tool", {{"driver", driver}}}, {"results", results}};
  return printed({{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                  {"version", "2.1.0"},
                  {"runs", Json::array({run})}});
}

std::string to_github(const ValidateReport& report) {
  std::string out;
  for (const Diagnostic& finding : all_findings(report)) {
    std::string properties;
    const auto put = [&](const char* name, const std::string& value) {
      properties += fmt::format("{}{}={}", properties.empty() ? " " : ",", name, escaped_for_github(value, true));
    };
    if (!finding.file.empty()) put("file", finding.file);
    const Range& range = finding.range;
    if (range.begin.known()) put("line", std::to_string(range.begin.line));
    if (range.begin.known() && range.begin.column > 0) put("col", std::to_string(range.begin.column));
    if (range.end.known()) put("endLine", std::to_string(range.end.line));
    put("title", finding.code);
    out += fmt::format("::{}{}::{}\n", github_command(finding.severity), properties,
                       escaped_for_github(text_of(finding), false));
  }
  return out;
}

std::string to_junit(const ValidateReport& report, ValidateCommand::FailOn fail_on) {
  std::string cases;
  std::size_t count = report.objects.size();
  std::size_t failed = 0;
  if (!report.unreadable.empty()) {
    ++count;
    cases += junit_case("input", "files can be read", report.unreadable, fail_on, failed);
  }
  for (const ValidatedObject& object : report.objects) {
    const std::string name = object.kind + " " + (object.ns.empty() ? "" : object.ns + "/") + object.name;
    cases += junit_case(object.file, name, object.review.diagnostics, fail_on, failed);
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"pumice validate\" tests=\"{}\" "
      "failures=\"{}\">\n{}  </testsuite>\n</testsuites>\n",
      count, failed, cases);
}

}  // namespace pumice::host
