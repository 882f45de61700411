// The cron search written down plainly, step by step as in spec/cron-schedule.md 5.3 and 5.5, and a scan that looks at
// every minute. Slow, and sharing nothing with the core but the fields: zones come from another library.
#pragma once

#include <cctz/time_zone.h>

#include <cstdint>
#include <optional>
#include <string>

#include "pumice/cron/schedule.h"

namespace pumice::test {

class CronOracle {
 public:
  /// The zone must be one of the embedded database.
  CronOracle(const cron::Fields& fields, const std::string& zone);

  /// Spec 5.3. Instants are seconds since 1970-01-01T00:00:00Z.
  [[nodiscard]] std::optional<std::int64_t> next(std::int64_t after) const;

  /// The first minute behind `after` whose local time matches, if there is one before `end`.
  [[nodiscard]] std::optional<std::int64_t> scan(std::int64_t after, std::int64_t end) const;

  /// True if clocks keep one offset of whole minutes in `begin` … `end`: then the scan is right.
  [[nodiscard]] bool is_plain(std::int64_t begin, std::int64_t end) const;

 private:
  struct Period {
    std::int64_t from, to, offset;
  };
  [[nodiscard]] Period period(std::int64_t at) const;
  [[nodiscard]] std::int64_t date(const cctz::civil_second& wall) const;
  [[nodiscard]] cctz::civil_second wall(std::int64_t at) const;
  [[nodiscard]] bool day_matches(const cctz::civil_second& wall) const;

  cron::Fields fields_;
  cctz::time_zone zone_;
};

}  // namespace pumice::test
