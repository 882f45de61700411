// `pumice cron`: when a schedule fires, and what it means.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "pumice/time.h"

namespace pumice::host {

struct CronCommand {
  enum class Output : std::uint8_t { Text, Json, Calendar };

  std::string schedule;
  std::optional<std::string> time_zone;
  std::optional<Time> after;             ///< the system's clock if absent
  std::optional<std::string> zoneinfo;   ///< a folder of compiled zones to use in place of the embedded ones
  std::optional<std::int64_t> deadline;  ///< `startingDeadlineSeconds` of the CronJob, for `explain`
  std::optional<std::string> name;       ///< of the CronJob, for `explain`
  std::int64_t count = 10;
  Output output = Output::Text;
};

inline constexpr std::int64_t kCronCountMax = 100'000;

/// The next activations. 0: as many as asked for; 1: it stops firing before; 2: wrong schedule or zone.
[[nodiscard]] int cron_next(const CronCommand& command);
/// The schedule in words with warnings. 0; 1: it never fires; 2: wrong schedule or zone.
[[nodiscard]] int cron_explain(const CronCommand& command);
/// Lines of standard input, {"schedule", "timeZone"?, "after"?, "count"?, "id"?}, each answered as `cron.next` is by
/// `pumice eval`. 0: all lines answered; 2: a stream broke.
[[nodiscard]] int cron_batch();

}  // namespace pumice::host
