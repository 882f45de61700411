// `pumice simulate`: manifests and events in, explained steps out.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pumice/simulation/report.h"
#include "pumice/simulation/simulation.h"
#include "terminal.h"

namespace pumice::host {

enum class Output : std::uint8_t { Text, Json, JsonLines };

struct SimulateCommand {
  std::vector<std::string> files;
  std::vector<std::string> event_files;
  std::vector<std::string> events;  ///< carried out behind those of the files
  Explain explain = Explain::Short;
  Output output = Output::Text;
  Color color = Color::Auto;
  std::string profile = "volcano";
  std::vector<std::size_t> quirks_off;  ///< places among `volcano::quirk_names()`
  SimulationOptions options;            ///< but for the quirks
  bool options_given = false;           ///< one of those that a scenario says itself
  std::string record;                   ///< file that gets a scenario of what was done
};

/// `7` or `7,0.1`: seed and rate; absent if it is neither.
[[nodiscard]] std::optional<RandomFaults> faults_from(const std::string& text);

/// Runs the command and returns the exit status.
[[nodiscard]] int simulate(const SimulateCommand& command);

}  // namespace pumice::host
