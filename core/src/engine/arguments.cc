#include "engine/arguments.h"

#include "json_depth.h"
#include "pumice/diagnostic_json.h"

namespace pumice::engine {
namespace {

Diagnostic diagnostic_of(std::string code, std::string field, std::string message, std::string hint = {}) {
  return {.severity = Severity::Error,
          .code = std::move(code),
          .field = std::move(field),
          .message = std::move(message),
          .hint = std::move(hint)};
}

}  // namespace

Arguments::Arguments(std::string_view input) {
  if (input.size() > kInputBytesMax) {
    error("LimitExceeded", "", "the input is longer than " + std::to_string(kInputBytesMax) + " bytes");
    return;
  }
  if (is_nested_deeper(input, kInputDepthMax)) {
    error("LimitExceeded", "", "the input is nested deeper than " + std::to_string(kInputDepthMax) + " levels");
    return;
  }
  Json value = Json::parse(input, nullptr, false);
  if (value.is_object()) {
    value_ = std::move(value);
  } else {
    error("InvalidInput", "", value.is_discarded() ? "the input is not JSON" : "the input is not a JSON object");
  }
}

void Arguments::error(std::string code, std::string field, std::string message, std::string hint) {
  diagnostics.push_back(diagnostic_of(std::move(code), path_ + field, std::move(message), std::move(hint)));
}

const Json* Arguments::find(const char* member) const {
  const auto at = value_.find(member);
  return at == value_.end() || at->is_null() ? nullptr : &*at;
}

std::optional<std::string> Arguments::text(const char* member, bool required) {
  const Json* value = find(member);
  if (value != nullptr && value->is_string()) return value->get<std::string>();
  if (value != nullptr) error("InvalidInput", member, "must be a string");
  if (value == nullptr && required && ok()) error("InvalidInput", member, "is missing");
  return std::nullopt;
}

std::optional<std::int64_t> Arguments::integer(const char* member, bool required) {
  const Json* value = find(member);
  // Numbers come from JavaScript, too: `3.0` is 3 there.
  if (value != nullptr && value->is_number_integer()) {
    const bool fits = !value->is_number_unsigned() || value->get<std::uint64_t>() <= std::uint64_t{1} << 53U;
    if (fits) return value->get<std::int64_t>();
  }
  if (value != nullptr) error("InvalidInput", member, "must be a whole number");
  if (value == nullptr && required && ok()) error("InvalidInput", member, "is missing");
  return std::nullopt;
}

std::optional<bool> Arguments::flag(const char* member) {
  const Json* value = find(member);
  if (value != nullptr && value->is_boolean()) return value->get<bool>();
  if (value != nullptr) error("InvalidInput", member, "must be true or false");
  return std::nullopt;
}

std::optional<Duration> Arguments::duration(const char* member) {
  const auto word = text(member);
  if (!word) return std::nullopt;
  const auto value = parse_duration(*word);
  if (value && value->ns >= 0) return value;
  error("InvalidInput", member,
        value ? "must not be negative" : "`" + *word + "` " + std::string(duration_problem(*word)),
        "write it as `90s`, `1m30s` or `2h`");
  return std::nullopt;
}

Arguments Arguments::object(const char* member) {
  Arguments inner;
  inner.path_ = path_ + member + ".";
  const Json* value = find(member);
  if (value != nullptr && value->is_object()) {
    inner.value_ = *value;
  } else if (value != nullptr) {
    error("InvalidInput", member, "must be an object");
  }
  return inner;
}

std::string success(Json answer) {
  answer["type"] = "success";
  return to_text(answer);
}

std::string failure(const Diagnostics& diagnostics) {
  return to_text(object_of({{"type", "failure"}, {"diagnostics", to_json(diagnostics)}}));
}

std::string failure(std::string code, std::string field, std::string message) {
  return failure(Diagnostics{diagnostic_of(std::move(code), std::move(field), std::move(message))});
}

}  // namespace pumice::engine
