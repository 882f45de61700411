// Scenarios and suites from files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pumice/scenario/run.h"
#include "pumice/scenario/scenario.h"

namespace pumice::host {

/// Reads files named relative to a document.
[[nodiscard]] scenario::FileLoader loader_beside(const std::string& document);

/// One thing to be tested.
struct TestCase {
  std::string name;  ///< of the scenario; `suite/test/case` within a suite
  std::string file;
  scenario::Scenario scenario;
  std::vector<scenario::Expectation> more;
};

struct TestFiles {
  std::vector<TestCase> cases;
  Diagnostics problems;
  std::vector<SourceText> texts;     ///< everything findings can be about
  std::vector<std::string> watched;  ///< files that were looked at
  std::int64_t others = 0;           ///< documents of other kinds
};

/// All tests of files and folders. A scenario that a suite among them names is tested there, and not once more by
/// itself, unless its file is given.
[[nodiscard]] TestFiles read_tests(const std::vector<std::string>& given);

/// The scenario that a text is, if it is one; nothing if it holds manifests. Findings tell what is wrong with it.
[[nodiscard]] std::optional<Result<scenario::Scenario>> scenario_of(const SourceText& source);

}  // namespace pumice::host
