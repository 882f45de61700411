// Scenarios, played and judged.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "pumice/json.h"
#include "pumice/scenario/coverage.h"
#include "pumice/scenario/scenario.h"
#include "pumice/scenario/world.h"

namespace pumice::scenario {

/// A run ends with an error after so many steps.
inline constexpr std::int64_t kStepsMax = 100'000;

/// Something that was expected and did not come about.
struct Failure {
  Place place;            ///< in the scenario
  std::string when;       ///< `after event 5 (pod worker-1 Failed exit=137)`, `at the end`
  std::string expected;   ///< `phase Running`
  std::string seen;       ///< `phase Restarting`
  std::int64_t step = 0;  ///< the step that decided; 0 if there was none
  Duration elapsed;
  std::string explanation;  ///< of that step
};

enum class Verdict : std::uint8_t { Passed, Failed, Error };
[[nodiscard]] std::string_view to_string(Verdict verdict) noexcept;  ///< `passed`, `failed`, `error`

struct Outcome {
  Verdict verdict = Verdict::Passed;
  std::vector<Failure> failures;
  Diagnostics diagnostics;  ///< of the objects; errors make the verdict Error
  std::int64_t steps = 0;   ///< 0: only admission was asked
  std::int64_t checks = 0;  ///< single things that were expected
  Duration elapsed;         ///< virtual time at the end
  Coverage coverage;
};

struct RunOptions {
  FileLoader loader;
  /// Beside those of the scenario: the cases of a suite.
  std::vector<Expectation> more;
  /// Called after each step.
  std::function<void(const World&)> on_step;
};

[[nodiscard]] Outcome run(const Scenario& scenario, const RunOptions& options = {});

/// `{verdict, steps, checks, elapsed, failures: [{when, expected, seen, file?, line?, column?, field?, step, elapsed,
/// explanation}], diagnostics}`.
[[nodiscard]] Json to_json(const Outcome& outcome);

/// A scenario of what was done to some manifests, with what came of it as expectations: it passes, and played again it
/// is what was done. `refused` holds, for each event, why it was refused; empty if it was not.
struct Recording {
  std::vector<SourceText> manifests;
  SimulationOptions options;
  Pace pace = Pace::Calm;
  std::vector<UserEvent> events;
  std::vector<std::string> refused;
};
[[nodiscard]] Scenario record(const Recording& recording, const Simulation& end);

}  // namespace pumice::scenario
