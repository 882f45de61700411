// Operations of scenarios.
#include "eval/operation.h"
#include "pumice/scenario/run.h"

namespace pumice::eval {
namespace {

using namespace scenario;

/// The steps of one answer; more are counted in the result, not told.
constexpr std::size_t kTraceMax = 20'000;

Failure failure(Diagnostics diagnostics) {
  std::string message = "the scenario cannot be read";
  for (const Diagnostic& finding : diagnostics) {
    if (finding.severity != Severity::Error) continue;
    message = (finding.field.empty() ? "" : finding.field + ": ") + finding.message;
    break;
  }
  return {"InvalidScenario", std::move(message), std::move(diagnostics)};
}

/// The one document that the argument is, or holds as text.
Result<Document> read(FieldReader& args) {
  const YamlNode& node = *args.node().find("scenario");
  if (node.kind != YamlNode::Kind::String) return read_document(node, "");
  auto documents = read_documents(node.scalar.get_ref<const std::string&>(), "");
  if (!documents) return Result<Document>::failure(std::move(documents.diagnostics));
  if (documents.value->size() == 1)
    return Result<Document>::success(std::move(documents.value->front()), std::move(documents.diagnostics));
  return Result<Document>::failure(
      {{.code = "InvalidScenario",
        .message = std::to_string(documents.value->size()) + " scenarios are in the text, one is wanted"}});
}

}  // namespace

Answer scenario_run(FieldReader& args) {
  const std::string form = args.string("trace").value_or("summary");
  if (form != "summary" && form != "full" && form != "none")
    args.report_at("trace", Severity::Error, "InvalidArgument", "`" + form + "` is none of summary, full, none");
  auto document = read(args);
  if (!document) return failure(std::move(document.diagnostics));
  const auto* wanted = std::get_if<Scenario>(&*document.value);
  if (wanted == nullptr)
    return Failure{
        "InvalidScenario", "a Suite names files, and there are none here: give its scenarios one by one", {}};
  if (!args.context().diagnostics.empty()) return Json();
  Json trace = Json::array();
  RunOptions options;
  if (form != "none")
    options.on_step = [&](const World& world) {
      if (trace.size() < kTraceMax)
        trace.push_back(world.step_json(form == "full" ? World::StepForm::Full : World::StepForm::Summary));
    };
  const Outcome outcome = run(*wanted, options);
  Json answer = object_of({{"result", to_json(outcome)}, {"coverage", to_json(outcome.coverage)}});
  if (form != "none") answer["trace"] = std::move(trace);
  if (!wanted->name.empty()) answer["name"] = wanted->name;
  return answer;
}

}  // namespace pumice::eval
