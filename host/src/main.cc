#include <cstdio>
#include <memory>

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include "command_line.h"
#include "exit_status.h"

int main(int argc, char** argv) {
  try {
    // Logs go to standard error: standard output belongs to the answers.
    spdlog::set_default_logger(spdlog::stderr_color_st("pumice"));
    spdlog::set_pattern("%n: %^%l%$: %v");
    const int status = pumice::host::run_command_line(argc, argv);
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
    spdlog::error("standard output could not be written");
    return pumice::host::kError;
  } catch (const std::exception& problem) {
    spdlog::critical("{}", problem.what());
    return pumice::host::kError;
  }
}
