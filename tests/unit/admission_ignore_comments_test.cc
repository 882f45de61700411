// Comments that leave findings out.
#include <catch2/catch_test_macros.hpp>

#include <string>

#include "pumice/admission/ignore_comments.h"
#include "pumice/check.h"

namespace pumice::admission {
namespace {

IgnoreComments comments_of(const std::string& text) {
  const auto documents = parse_yaml(text);
  PUMICE_CHECK(documents.ok());
  return ignore_comments(text, *documents.value, "job.yaml");
}

/// `line: rule rule`, comma-separated.
std::string shown(const std::string& text) {
  std::string out;
  for (const IgnoreComment& comment : comments_of(text).comments) {
    out += (out.empty() ? "" : ", ") + std::to_string(comment.line) + ":";
    for (const std::string& rule : comment.rules) out += " " + rule;
  }
  return out;
}

TEST_CASE("which line a comment is for", "[admission][comments]") {
  struct Case {
    std::string text;
    std::string want;
  };
  const Case cases[] = {
      {"a: 1 # pumice: ignore volcano.lint", "1: volcano.lint"},
      {"a: 1 #pumice:ignore volcano.lint, cron.lint\r\nb: 2", "1: volcano.lint cron.lint"},
      {"# pumice: ignore volcano.lint\na: 1", "2: volcano.lint"},
      {"# pumice: ignore volcano.lint\n\n# more words\na: 1", "4: volcano.lint"},
      {"# pumice: ignore volcano.lint\n# pumice: ignore cron.lint\na: 1", "3: volcano.lint, 3: cron.lint"},
      {"a: 1\n# pumice: ignore volcano.lint", "2: volcano.lint"},
      {"a: 1 # words # pumice: ignore volcano.lint # why", "1: volcano.lint"},
      {"a: 1 # pumice: ignored volcano.lint", ""},
      {"a: 1 # pumice ignore volcano.lint", ""},
      {"a: b#pumice:ignore volcano.lint", ""},
      {"a: '# pumice: ignore volcano.lint'", ""},
      {"a: |\n  # pumice: ignore volcano.lint\n  x\nb: 1", ""},
      {"a: 'x' # pumice: ignore volcano.lint", "1: volcano.lint"},
      {"a: |\n  x\n# pumice: ignore volcano.lint\nb: 1", "4: volcano.lint"},
  };
  for (const Case& one : cases) {
    CAPTURE(one.text);
    CHECK(shown(one.text) == one.want);
  }
}

TEST_CASE("comments that cannot do anything are told", "[admission][comments]") {
  const IgnoreComments wrong =
      comments_of("a: 1\nb: 2   # pumice: ignore volcano.lint.behind-an\nc: 3 # pumice: ignore");
  REQUIRE(wrong.diagnostics.size() == 2);
  CHECK(to_text(wrong.diagnostics[0]) ==
        "job.yaml:2:8: warning: there is no rule `volcano.lint.behind-an` (did you mean `volcano.lint.behind-any`?)");
  CHECK(to_text(wrong.diagnostics[1]) ==
        "job.yaml:3:6: warning: this comment names no rule (# pumice: ignore volcano.lint)");
}

TEST_CASE("findings on the line of their field or its name are left out", "[admission][comments]") {
  const std::string text =
      "spec:\n"
      "  policies: # pumice: ignore volcano.lint.a\n"
      "  - event: x\n"
      "    # pumice: ignore volcano.lint\n"
      "    action: y\n";
  const auto documents = parse_yaml(text);
  const std::vector<IgnoreComment> comments{{2, {"volcano.lint.a"}}, {5, {"volcano.lint"}}};
  const YamlNode& root = documents.value->front().root;
  const auto remains = [&](const std::string& code, const std::string& field, Severity severity = Severity::Warning) {
    Diagnostics findings{{.severity = severity, .code = code, .field = field}};
    drop_commented(findings, root, comments);
    return !findings.empty();
  };
  CHECK_FALSE(remains("volcano.lint.a", "spec.policies"));
  CHECK(remains("volcano.lint.b", "spec.policies"));
  CHECK(remains("volcano.lint.a", "spec.policies[0].event"));
  CHECK_FALSE(remains("volcano.lint.b", "spec.policies[0].action"));
  CHECK(remains("volcano.lint.b", "spec.policies[0].action", Severity::Error));
}

}  // namespace
}  // namespace pumice::admission
