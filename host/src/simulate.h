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
  SimulationOptions options;
};

/// Runs the command and returns the exit status.
[[nodiscard]] int simulate(const SimulateCommand& command);

}  // namespace pumice::host
