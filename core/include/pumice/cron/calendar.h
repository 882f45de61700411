// Activations as an iCalendar text (RFC 5545), for calendar programs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pumice/time.h"

namespace pumice::cron {

/// One event without length for each time, in UTC. `title` becomes the events' summary, `stamp` the time at which the
/// text was made. The same input gives the same identifiers, so that reading a calendar twice makes no doubles.
[[nodiscard]] std::string to_icalendar(std::string_view title, const std::vector<Time>& times, Time stamp);

}  // namespace pumice::cron
