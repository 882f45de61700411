// Operations on texts.
#include "eval/operation.h"
#include "pumice/diagnostic_json.h"
#include "pumice/quantity.h"
#include "pumice/time.h"
#include "pumice/yaml.h"

namespace pumice::eval {
namespace {

std::string with_place(const Diagnostic& finding) {
  const Position& at = finding.range.begin;
  if (!at.known()) return finding.message;
  return "line " + std::to_string(at.line) + ", column " + std::to_string(at.column) + ": " + finding.message;
}

/// The quantities in the arguments called `names`, or what is wrong with the first that is none.
std::variant<std::vector<Quantity>, Failure> read_quantities(FieldReader& args,
                                                             std::initializer_list<std::string_view> names) {
  std::vector<Quantity> quantities;
  for (const std::string_view name : names) {
    std::string_view problem;
    std::optional<Quantity> quantity = parse_quantity(args.string(name).value_or("0"), &problem);
    if (!quantity) return Failure{"InvalidQuantity", std::string(problem), {}};
    quantities.push_back(*std::move(quantity));
  }
  return quantities;
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

Answer quantity_parse(FieldReader& args) {
  const auto read = read_quantities(args, {"text"});
  if (const auto* wrong = std::get_if<Failure>(&read)) return *wrong;
  const Quantity& value = std::get<0>(read)[0];
  return object_of({{"canonical", value.text()}, {"sign", value.sign()}});
}

Answer quantity_add(FieldReader& args) {
  auto read = read_quantities(args, {"a", "b"});
  if (auto* wrong = std::get_if<Failure>(&read)) return std::move(*wrong);
  std::vector<Quantity>& values = std::get<0>(read);
  const int order = compare(values[0], values[1]);
  values[0].add(values[1]);
  return object_of({{"sum", values[0].text()}, {"compare", order}});
}

Answer quantity_multiply(FieldReader& args) {
  auto read = read_quantities(args, {"a"});
  if (auto* wrong = std::get_if<Failure>(&read)) return std::move(*wrong);
  Quantity& value = std::get<0>(read)[0];
  value.multiply(args.int64("times").value_or(0));
  return object_of({{"product", value.text()}});
}

}  // namespace pumice::eval
