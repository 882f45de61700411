// What scenarios have reached of what there is: policies of their objects, and cells of the state machine.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pumice/json.h"
#include "pumice/scenario/world.h"
#include "pumice/simulation/report.h"

namespace pumice::scenario {

struct Coverage {
  /// A policy of an object: where it stands, for which job, and how often it was asked and decided.
  struct Rule {
    std::string file;
    std::int32_t line = 0;
    std::int32_t column = 0;
    std::string job;
    std::string path;

    friend auto operator<=>(const Rule&, const Rule&) = default;
  };
  struct Count {
    std::int64_t looked_at = 0;
    std::int64_t fired = 0;
  };

  /// Columns of the table phase × action (spec/volcano-job.md 7.2): actions that are executed alike share one.
  static constexpr std::array<std::string_view, 8> kActions{"RestartJob",   "RestartTask…", "AbortJob", "CompleteJob",
                                                            "TerminateJob", "ResumeJob",    "SyncJob",  "other"};

  std::map<Rule, Count> rules;
  std::map<std::pair<std::string, std::string>, std::int64_t> cells;  ///< phase (empty: new), column → executions

  void add_rules(const World& world);
  void add(const Frame& frame, const World& world);
  void merge(const Coverage& other);
};

/// `{rules: [{file, line, column, job, path, lookedAt, fired}], cells: [{phase, action, count}], rulesFired,
/// rulesTotal, cellsVisited, cellsTotal}`.
[[nodiscard]] Json to_json(const Coverage& coverage);
/// The same in lines: policies that never fired, and the table of cells.
[[nodiscard]] std::vector<Line> coverage_lines(const Coverage& coverage);

}  // namespace pumice::scenario
