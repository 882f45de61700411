#include "pumice/eval.h"

#include <algorithm>
#include <array>

#include "compose.h"
#include "eval/operation.h"
#include "pumice/diagnostic_json.h"
#include "pumice/json.h"
#include "pumice/yaml.h"

namespace pumice {
namespace eval {
namespace {

constexpr std::array<std::string_view, 1> kReview{"review"};
constexpr std::array<std::string_view, 1> kText{"text"};
constexpr std::array<std::string_view, 2> kTwoTexts{"a", "b"};
constexpr std::array<std::string_view, 2> kTextTimes{"a", "times"};
constexpr std::array<std::string_view, 1> kScenario{"scenario"};
constexpr std::array<std::string_view, 1> kSchedule{"schedule"};
constexpr std::array<std::string_view, 2> kScheduleAfter{"schedule", "after"};
constexpr std::array<std::string_view, 3> kSync{"profile", "cronJob", "now"};
constexpr std::array<std::string_view, 2> kJobRequest{"job", "request"};
constexpr std::array<std::string_view, 1> kChange{"change"};
constexpr std::array<std::string_view, 2> kJobAction{"job", "action"};
constexpr std::array<std::string_view, 3> kJobPodsNow{"job", "pods", "now"};
constexpr std::array<std::string_view, 3> kJobStatusAction{"job", "status", "action"};

/// All operations, sorted by name.
constexpr std::array kOperations{
    Operation{"admission.review", kReview, admission_review},
    Operation{"cron.describe", kSchedule, cron_describe},
    Operation{"cron.next", kScheduleAfter, cron_next},
    Operation{"cron.sync", kSync, cron_sync},
    Operation{"duration.parse", kText, duration_parse},
    Operation{"job.sync", kJobPodsNow, job_sync},
    Operation{"quantity.add", kTwoTexts, quantity_add},
    Operation{"quantity.multiply", kTextTimes, quantity_multiply},
    Operation{"quantity.parse", kText, quantity_parse},
    Operation{"scenario.run", kScenario, scenario_run},
    Operation{"volcano.applyPolicies", kJobRequest, volcano_apply_policies},
    Operation{"volcano.execute", kJobAction, volcano_execute},
    Operation{"volcano.request", kChange, volcano_request},
    Operation{"volcano.transition", kJobStatusAction, volcano_transition},
    Operation{"yaml.parse", kText, yaml_parse},
};

Failure failure(std::string code, std::string message) { return {std::move(code), std::move(message), {}}; }

/// Looks at brackets and commas only, so that nothing deep or huge is ever built. Absent if the line may be read.
std::optional<Failure> unreadable(std::string_view line) {
  if (static_cast<std::int64_t>(line.size()) > kEvalLineBytesMax) {
    return failure("LimitExceeded", "the line is longer than " + std::to_string(kEvalLineBytesMax) + " bytes");
  }
  std::int32_t depth = 0;
  std::int64_t values = 1;
  bool in_string = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    // The parser would take it for the end of the line.
    if (c == '\0') return failure("InvalidJson", "the line is not JSON: it holds a NUL byte");
    if (in_string) {
      if (c == '\\') ++i;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      ++values;
      if (++depth > kEvalDepthMax) {
        return failure("LimitExceeded", "values are nested deeper than " + std::to_string(kEvalDepthMax) + " levels");
      }
    } else if (c == ']' || c == '}') {
      --depth;
    } else if (c == ',' && ++values > kEvalValuesMax) {
      return failure("LimitExceeded", "the line has more than " + std::to_string(kEvalValuesMax) + " values");
    }
  }
  return std::nullopt;
}

/// Wrong types found while the arguments were read.
std::optional<Failure> wrong_arguments(Diagnostics& diagnostics) {
  std::erase_if(diagnostics, [](const Diagnostic& finding) { return finding.severity != Severity::Error; });
  if (diagnostics.empty()) return std::nullopt;
  std::string message = diagnostics.front().message;
  if (!diagnostics.front().field.empty()) message = diagnostics.front().field + ": " + message;
  const std::string& code = diagnostics.front().code;
  const bool is_name = code == "UnknownProfile" || code == "UnknownQuirk";
  if (!diagnostics.front().hint.empty() && (is_name || code == "UnknownArgument")) {
    message += ", " + diagnostics.front().hint;
  }
  return Failure{is_name ? code : "InvalidArgument", std::move(message), std::move(diagnostics)};
}

/// Arguments that the operation has not asked for.
void refuse_unknown(FieldReader& args) {
  Diagnostics& diagnostics = args.context().diagnostics;
  const std::size_t known = diagnostics.size();
  args.finish();
  for (std::size_t i = known; i < diagnostics.size(); ++i) {
    diagnostics[i].severity = Severity::Error;
    diagnostics[i].code = "UnknownArgument";
    diagnostics[i].message = "there is no such argument";
  }
}

Answer run(const Operation& operation, const Json& args) {
  Result<YamlNode> tree = node_from_json(args);
  if (!tree) return Failure{"LimitExceeded", tree.diagnostics.front().message, std::move(tree.diagnostics)};
  FieldContext context;
  FieldReader reader(*tree.value, context, "args");
  for (const std::string_view name : operation.required) {
    if (!reader.has(name)) return failure("MissingArgument", "missing argument `" + std::string(name) + "`");
  }
  Answer answer = operation.run(reader);
  // An operation that failed may not have come to all of its arguments.
  if (!std::holds_alternative<Failure>(answer)) refuse_unknown(reader);
  if (std::optional<Failure> wrong = wrong_arguments(context.diagnostics)) return *std::move(wrong);
  return answer;
}

Answer dispatch(const Json& request) {
  const auto op = request.find("op");
  if (op == request.end()) return failure("InvalidRequest", "missing member `op`");
  const auto* name = op->get_ptr<const std::string*>();
  if (name == nullptr) return failure("InvalidRequest", "`op` must be a string");
  const auto operation = std::find_if(kOperations.begin(), kOperations.end(),
                                      [&](const Operation& candidate) { return candidate.name == *name; });
  if (operation == kOperations.end()) {
    const std::string_view meant = nearest_name(*name, eval_operations());
    return failure("UnknownOperation", "unknown operation `" + *name + "`" +
                                           (meant.empty() ? "" : ", did you mean `" + std::string(meant) + "`?"));
  }
  const auto args = request.find("args");
  if (args == request.end() || args->is_null()) return run(*operation, Json::object());
  if (!args->is_object()) return failure("InvalidArgument", "`args` must be an object");
  return run(*operation, *args);
}

// The texts looked at here are valid JSON.

constexpr std::string_view kBlanks = " \t\r\n";

/// Behind the string that begins at `at`.
std::size_t behind_string(std::string_view json, std::size_t at) {
  for (++at; json[at] != '"'; ++at) {
    if (json[at] == '\\') ++at;
  }
  return at + 1;
}

/// The comma or bracket behind the value at `at`.
std::size_t behind_value(std::string_view json, std::size_t at) {
  for (int depth = 0;;) {
    const char c = json[at];
    if (c == '"') {
      at = behind_string(json, at);
      continue;
    }
    const bool closes = c == ']' || c == '}';
    if (depth == 0 && (closes || c == ',')) return at;
    if (closes) --depth;
    if (c == '[' || c == '{') ++depth;
    ++at;
  }
}

/// The text of an object's member `id`; of several the last, as in the object that was read.
std::string_view text_of_id(std::string_view object) {
  std::string_view found;
  std::size_t at = object.find('{') + 1;
  while (true) {
    at = object.find_first_not_of(kBlanks, at);
    if (object[at] == ',') at = object.find_first_not_of(kBlanks, at + 1);
    if (object[at] == '}') return found;
    const std::size_t key_end = behind_string(object, at);
    const bool is_id = Json::parse(object.substr(at, key_end - at)) == "id";
    const std::size_t value = object.find(':', key_end) + 1;
    at = behind_value(object, value);
    if (is_id) found = object.substr(value, at - value);
  }
}

std::string without_blanks(std::string_view json) {
  std::string out;
  for (std::size_t at = 0; at < json.size();) {
    const std::size_t end = json[at] == '"' ? behind_string(json, at) : at + 1;
    if (kBlanks.find(json[at]) == std::string_view::npos) out += json.substr(at, end - at);
    at = end;
  }
  return out;
}

/// An answer with the request's `id`; its members stay in the order of their names. Numbers are echoed as they were
/// written: read and printed again, one of many digits would be another number.
std::string print_with_id(Json answer, std::string_view request, const Json& id) {
  answer["id"] = id;
  if (!id.is_number() && !id.is_structured()) return to_text(answer);
  std::string out;
  for (const auto& [name, value] : answer.items()) {
    out += (out.empty() ? "{\"" : ",\"") + name + "\":";
    out += name == "id" ? without_blanks(text_of_id(request)) : to_text(value);
  }
  return out + "}";
}

Json error_answer(const Failure& wrong, std::int64_t line_number) {
  Json error = object_of({{"code", wrong.code}, {"message", wrong.message}, {"line", line_number}});
  if (!wrong.diagnostics.empty()) error["diagnostics"] = to_json(wrong.diagnostics);
  return object_of({{"error", std::move(error)}, {"line", line_number}});
}

}  // namespace
}  // namespace eval

bool is_readable_line(std::string_view line) { return !eval::unreadable(line); }

std::string eval_line(std::string_view line, std::int64_t line_number) {
  if (const auto wrong = eval::unreadable(line)) return to_text(eval::error_answer(*wrong, line_number));
  const Json request = Json::parse(line, nullptr, false);
  if (request.is_discarded()) {
    const std::string what = compose("the line is not JSON from column {} on", json_fault(line));
    return to_text(eval::error_answer({"InvalidJson", what, {}}, line_number));
  }
  if (!request.is_object()) {
    return to_text(eval::error_answer({"InvalidRequest", "a request is a JSON object", {}}, line_number));
  }
  eval::Answer answer = eval::dispatch(request);
  Json out;
  if (const auto* wrong = std::get_if<eval::Failure>(&answer)) {
    out = eval::error_answer(*wrong, line_number);
  } else {
    out = Json::object();
    out["ok"] = std::get<Json>(std::move(answer));
  }
  if (const auto id = request.find("id"); id != request.end()) return eval::print_with_id(std::move(out), line, *id);
  return to_text(out);
}

std::string eval_lines(std::string_view text) {
  std::string answers;
  for (std::int64_t number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    answers += eval_line(line, number);
    answers += '\n';
  }
  return answers;
}

std::vector<std::string_view> eval_operations() {
  std::vector<std::string_view> names;
  for (const eval::Operation& operation : eval::kOperations) names.push_back(operation.name);
  return names;
}

}  // namespace pumice
