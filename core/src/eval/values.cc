// Operations on texts.
#include "eval/operation.h"
#include "pumice/diagnostic_json.h"
#include "pumice/time.h"
#include "pumice/yaml.h"

namespace pumice::eval {
namespace {

std::string with_place(const Diagnostic& finding) {
  const Position& at = finding.range.begin;
  if (!at.known()) return finding.message;
  return "line " + std::to_string(at.line) + ", column " + std::to_string(at.column) + ": " + finding.message;
}

}  // namespace

Answer yaml_parse(FieldReader& args) {
  const std::optional<std::string> text = args.string("text");
  if (!text) return Json();
  Result<Json> result = yaml_to_json(*text);
  if (!result) return Failure{"InvalidYaml", with_place(result.diagnostics.front()), std::move(result.diagnostics)};
  Json out = Json::object();
  out["json"] = *std::move(result.value);
  out["diagnostics"] = to_json(result.diagnostics);
  return out;
}

Answer duration_parse(FieldReader& args) {
  const std::optional<std::string> text = args.string("text");
  if (!text) return Json();
  const std::optional<Duration> duration = parse_duration(*text);
  if (!duration) return Failure{"InvalidDuration", "`" + *text + "` " + std::string(duration_problem(*text)), {}};
  return object_of({{"nanoseconds", std::to_string(duration->ns)}, {"canonical", to_string(*duration)}});
}

}  // namespace pumice::eval
