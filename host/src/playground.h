// `pumice playground`: serves the page that is built into the program, on this machine only.
#pragma once

#include <cstdint>

namespace pumice::host {

struct PlaygroundCommand {
  std::uint16_t port = 8080;  ///< the next free one if it is taken; 0: any
  bool log_requests = false;
};

/// Serves until SIGINT or SIGTERM, then returns the exit status. Prints the address once it can be opened.
[[nodiscard]] int serve_playground(const PlaygroundCommand& command);

}  // namespace pumice::host
