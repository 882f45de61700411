// `pumice cron simulate` and `pumice cron compare`: CronJobs over virtual time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pumice/cronjob/timeline.h"
#include "terminal.h"

namespace pumice::host {

struct CronJobCommand {
  enum class Output : std::uint8_t { Text, Json, JsonLines, Calendar };

  std::string file;
  std::optional<Time> from;   ///< the system's clock if absent
  std::optional<Time> until;  ///< a week later if absent
  std::vector<cronjob::Outage> outages;
  Duration job_duration{10 * kSecond.ns};
  std::vector<cronjob::Profile> profiles;  ///< none: that of the CronJob's API version
  std::vector<std::size_t> quirks_off;     ///< places among `cronjob::quirk_names()`
  std::optional<std::string> zoneinfo;
  Output output = Output::Text;
  Color color = Color::Auto;
};

/// What becomes of every run. 0: all started; 1: some did not, or the simulation stopped; 2: wrong input.
[[nodiscard]] int cron_simulate(const CronJobCommand& command);
/// Where two profiles differ. 0: nowhere; 1: somewhere; 2: wrong input.
[[nodiscard]] int cron_compare(const CronJobCommand& command);

}  // namespace pumice::host
