// Time zones and schedules, as far as both kinds of CronJobs look at them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace pumice::admission {

/// Parts between slashes that no zone of the IANA has.
[[nodiscard]] std::size_t count_bad_zone_parts(std::string_view zone);
/// What Go's LoadLocation takes: `UTC`, `Local`, and the names of the embedded database.
[[nodiscard]] bool is_loadable_zone(std::string_view zone);
/// `did you mean …`, or empty.
[[nodiscard]] std::string zone_hint(std::string_view zone);

}  // namespace pumice::admission
