// The command `cron` and its options.
#pragma once

#include <CLI/CLI.hpp>

#include "cron_command.h"
#include "cronjob_command.h"

namespace pumice::host {

struct CronCommands {
  CronCommand times;    ///< `next`, `explain`
  CronJobCommand jobs;  ///< `simulate`, `compare`
  bool batch = false;
};

void add_cron(CLI::App& app, CronCommands& commands);
/// Carries out what `app` was given.
[[nodiscard]] int run_cron(const CLI::App& app, const CronCommands& commands);

}  // namespace pumice::host
