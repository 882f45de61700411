// The command `webhook`, its command `certificate` and their options.
#pragma once

#include <CLI/CLI.hpp>

#include "webhook/serve_options.h"

namespace pumice::host::webhook {

struct Commands {
  ServeOptions serve;
  CertificateOptions certificate;
};

void add_webhook(CLI::App& app, Commands& commands);
/// Carries out what `app` was given.
[[nodiscard]] int run_webhook(const CLI::App& app, const Commands& commands);

}  // namespace pumice::host::webhook
