// The command line: what is asked for, read from the arguments.
#pragma once

namespace pumice::host {

/// Reads the arguments, carries out the command, and returns the exit status.
[[nodiscard]] int run_command_line(int argc, char** argv);

}  // namespace pumice::host
