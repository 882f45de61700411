// The lint configuration: its format, what decides, and what it does to a review.
#include <catch2/catch_test_macros.hpp>

#include <string>

#include "pumice/admission/lint_config.h"
#include "support/admission.h"

namespace pumice::admission {
namespace {

const std::string kHeader = "apiVersion: pumice.dev/v1\nkind: LintConfig\n";

LintConfig config_of(const std::string& text) {
  Result<LintConfig> config = parse_lint_config(kHeader + text, "lint.yaml");
  for (const Diagnostic& finding : config.diagnostics) UNSCOPED_INFO(to_text(finding));
  REQUIRE(config.ok());
  return std::move(*config.value);
}

TEST_CASE("the longest name decides, and namespaces before the general part", "[admission][lint-config]") {
  const LintConfig config = config_of(R"(
deny: [volcano.lint.exit-code-range]
warn: [cron.lint]
ignore: [volcano.lint, cron.lint.suspended]
namespaces:
- names: [dev-*, sandbox]
  ignore: [cron.lint]
- names: [dev-a]
  note: [cron.lint.no-time-zone]
)");
  struct Case {
    std::string rule;
    std::string ns;
    std::optional<LintAction> want;
  };
  const Case cases[] = {
      {"volcano.lint.exit-code-range", "prod", LintAction::Deny},
      {"volcano.lint.exit-code-action", "prod", LintAction::Ignore},
      {"cron.lint.no-time-zone", "prod", LintAction::Warn},
      {"cron.lint.suspended", "prod", LintAction::Ignore},
      {"job.lint.suspended", "prod", std::nullopt},
      {"cron.lint.no-time-zone", "sandbox", LintAction::Ignore},
      {"cron.lint.no-time-zone", "sandbox-2", LintAction::Warn},
      {"cron.lint.no-time-zone", "dev-b", LintAction::Ignore},
      {"cron.lint.no-time-zone", "dev-a", LintAction::Note},
      {"cron.lint.suspended", "dev-a", LintAction::Ignore},
      {"volcano.lint.exit-code-range", "dev-a", LintAction::Deny},
  };
  for (const Case& one : cases) {
    CAPTURE(one.rule, one.ns);
    CHECK(config.action_for(one.rule, one.ns) == one.want);
  }
  CHECK(config_of("").action_for("cron.lint.suspended", "x") == std::nullopt);
}

TEST_CASE("what is wrong with a configuration", "[admission][lint-config]") {
  struct Case {
    std::string text;
    std::string code;
    std::string field;
    std::string hint;
  };
  const Case cases[] = {
      {kHeader + "deny: [volcano.lint.exit-code-rang]", "UnknownRule", "deny[0]",
       "did you mean `volcano.lint.exit-code-range`?"},
      {kHeader + "deny: [volcano.job.min-available]", "RuleOfCluster", "deny[0]",
       "only warnings and notes can be configured"},
      {kHeader + "deny: [volcano.lint]\nwarn: [cron.lint, volcano.lint]", "DuplicateRule", "warn[1]", ""},
      {kHeader + "forbid: [volcano.lint]", "UnknownField", "forbid", ""},
      {kHeader + "deny: volcano.lint", "WrongType", "deny", ""},
      {kHeader + "deny: [7]", "WrongType", "deny[0]", ""},
      {kHeader + "namespaces: [{ignore: [volcano.lint]}]", "InvalidField", "namespaces[0].names", ""},
      {kHeader + "namespaces: [{names: ['a*b'], ignore: [volcano.lint]}]", "InvalidField", "namespaces[0].names[0]",
       ""},
      {kHeader + "namespaces: [{names: [a], rules: []}]", "UnknownField", "namespaces[0].rules", ""},
      {"deny: []", "InvalidField", "apiVersion", ""},
      {"apiVersion: v2\nkind: LintConfig", "InvalidField", "apiVersion", ""},
      {"apiVersion: pumice.dev/v1\nkind: Scenario", "InvalidField", "kind", ""},
      {kHeader + "---\n" + kHeader, "InvalidField", "", ""},
      {kHeader + "deny: [", "InvalidYaml", "", ""},
      {"", "InvalidField", "apiVersion", ""},
  };
  for (const Case& one : cases) {
    CAPTURE(one.text);
    const Result<LintConfig> config = parse_lint_config(one.text, "lint.yaml");
    CHECK_FALSE(config.ok());
    REQUIRE_FALSE(config.diagnostics.empty());
    const Diagnostic& first = config.diagnostics.front();
    INFO(to_text(first));
    CHECK(first.code == one.code);
    CHECK(first.field == one.field);
    CHECK(first.severity == Severity::Error);
    CHECK(first.file == "lint.yaml");
    if (!one.hint.empty()) CHECK(first.hint == one.hint);
  }
}

TEST_CASE("a configuration changes findings, not what a cluster accepts", "[admission][lint-config]") {
  const std::string job = test::volcano_job(
      "{policies: [{event: PodPending, action: AbortJob}], tasks: [{name: w, replicas: 1, template: " + test::kPod +
      "}]}");
  const auto severity_of = [&](const std::string& text, const std::string& ignored = {}) {
    const LintConfig config = config_of(text);
    Options options;
    options.lint_config = &config;
    if (!ignored.empty()) options.ignored = {ignored};
    const Review review = test::review_of(job, options);
    CHECK(review.allowed);
    for (const Diagnostic& finding : review.diagnostics) {
      if (finding.code == "volcano.lint.pending-without-timeout") return std::string(to_string(finding.severity));
    }
    return std::string("none");
  };
  CHECK(severity_of("") == "warning");
  CHECK(severity_of("deny: [volcano.lint]") == "error");
  CHECK(severity_of("note: [volcano.lint]") == "note");
  CHECK(severity_of("ignore: [volcano.lint]") == "none");
  CHECK(severity_of("namespaces: [{names: [team], deny: [volcano.lint]}]") == "error");
  CHECK(severity_of("namespaces: [{names: [other], deny: [volcano.lint]}]") == "warning");
  CHECK(severity_of("warn: [volcano.lint]", "volcano.lint") == "none");
  // What is denied stays.
  CHECK(severity_of("deny: [volcano.lint]", "volcano.lint") == "error");
}

}  // namespace
}  // namespace pumice::admission
