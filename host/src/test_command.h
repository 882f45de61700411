// `pumice test`: scenarios and suites, played and judged.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pumice/scenario/run.h"
#include "scenario_files.h"
#include "terminal.h"

namespace pumice::host {

struct TestCommand {
  enum class Output : std::uint8_t { Text, Json, JUnit };
  enum class Coverage : std::uint8_t { None, Text, Json };

  std::vector<std::string> files;
  std::string run;  ///< only tests whose name has this pattern; empty: all
  Output output = Output::Text;
  std::string coverage_word;  ///< as given
  Coverage coverage = Coverage::None;
  std::optional<Explain> explain;
  Color color = Color::Auto;
  bool watch = false;
  bool fail_fast = false;
};

struct TestResult {
  std::string name;
  std::string title;
  std::string file;
  scenario::Outcome outcome;
};

struct TestReport {
  std::vector<TestResult> results;
  Diagnostics problems;
  std::vector<SourceText> texts;
  scenario::Coverage coverage;
  std::int64_t left_out = 0;  ///< by `--run`, or behind the first failure

  [[nodiscard]] std::int64_t count(scenario::Verdict verdict) const;
};

/// 0: all is as expected; 1: something is not; 2: a document is wrong, or there is nothing to test.
[[nodiscard]] int test(const TestCommand& command);

void print_result(Printer& out, const TestResult& result, const std::vector<SourceText>& texts);
void print_totals(Printer& out, const TestCommand& command, const TestReport& report);
[[nodiscard]] std::string to_json_text(const TestReport& report, bool with_coverage, int status);
[[nodiscard]] std::string to_junit(const TestReport& report);

}  // namespace pumice::host
