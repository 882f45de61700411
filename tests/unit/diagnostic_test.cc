#include "pumice/diagnostic.h"

#include <catch2/catch_test_macros.hpp>
#include <string>

namespace {

using pumice::Diagnostic;
using pumice::Diagnostics;
using pumice::Severity;

struct Case {
  std::string name;
  Diagnostic input;
  std::string want;
};

TEST_CASE("a diagnostic prints the parts that are known") {
  const Case cases[] = {
      {.name = "message alone", .input = {.message = "`x` is unknown"}, .want = "error: `x` is unknown"},
      {.name = "file without place",
       .input = {.file = "a.yaml", .message = "is empty"},
       .want = "a.yaml: error: is empty"},
      {.name = "line without column",
       .input = {.file = "a.yaml", .range = {.begin = {.line = 3}}, .message = "m"},
       .want = "a.yaml:3: error: m"},
      {.name = "everything",
       .input = {.severity = Severity::Warning,
                 .code = "UnknownField",
                 .file = "a.yaml",
                 .range = {.begin = {.line = 3, .column = 7}},
                 .field = "spec.tasks[1]",
                 .message = "unknown field `replica`",
                 .hint = "did you mean `replicas`?"},
       .want = "a.yaml:3:7: warning: spec.tasks[1]: unknown field `replica` (did you mean `replicas`?)"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(pumice::to_text(c.input) == c.want);
  }
}

TEST_CASE("only an error counts as an error") {
  CHECK_FALSE(pumice::has_errors({}));
  CHECK_FALSE(pumice::has_errors({{.severity = Severity::Warning}, {.severity = Severity::Note}}));
  CHECK(pumice::has_errors({{.severity = Severity::Note}, {.severity = Severity::Error}}));
}

}  // namespace
