// Reading what the user names on the command line.
#pragma once

#include <string>

#include "pumice/result.h"
#include "pumice/simulation/simulation.h"

namespace pumice::host {

/// Larger files are refused: no manifest comes near, and the readers of the core have lower bounds of their own.
inline constexpr std::size_t kFileBytesMax = 16UL * 1024 * 1024;

/// The text of a file; `-` is standard input. Errors name the file and say what the system says.
[[nodiscard]] Result<SourceText> read_source(const std::string& path);

}  // namespace pumice::host
