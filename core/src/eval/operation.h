// One operation of `pumice eval`: arguments in, JSON or an error out.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "pumice/diagnostic.h"
#include "pumice/field_reader.h"
#include "pumice/json.h"

namespace pumice::eval {

struct Failure {
  std::string code;
  std::string message;
  Diagnostics diagnostics;
};

using Answer = std::variant<Json, Failure>;

/// An operation reads its arguments through the reader. Wrong types it finds are collected there: an answer is used
/// only if there are none, so an operation need not look.
struct Operation {
  std::string_view name;
  std::span<const std::string_view> required;  ///< arguments that must be there, checked before `run`
  Answer (*run)(FieldReader& args);
};

[[nodiscard]] Answer admission_review(FieldReader& args);
[[nodiscard]] Answer cron_describe(FieldReader& args);
[[nodiscard]] Answer cron_next(FieldReader& args);
[[nodiscard]] Answer cron_sync(FieldReader& args);
[[nodiscard]] Answer job_sync(FieldReader& args);
[[nodiscard]] Answer yaml_parse(FieldReader& args);
[[nodiscard]] Answer duration_parse(FieldReader& args);
[[nodiscard]] Answer quantity_add(FieldReader& args);
[[nodiscard]] Answer quantity_multiply(FieldReader& args);
[[nodiscard]] Answer quantity_parse(FieldReader& args);
[[nodiscard]] Answer scenario_run(FieldReader& args);
[[nodiscard]] Answer volcano_apply_policies(FieldReader& args);
[[nodiscard]] Answer volcano_execute(FieldReader& args);
[[nodiscard]] Answer volcano_request(FieldReader& args);
[[nodiscard]] Answer volcano_transition(FieldReader& args);

}  // namespace pumice::eval
