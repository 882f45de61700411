// Times in a zone, as texts.
#pragma once

#include <string>

#include "pumice/time.h"
#include "pumice/zone.h"

namespace pumice::cronjob {

/// RFC 3339 with the zone's offset, whole seconds: `2026-03-02T10:00:00+01:00`; `Z` where it is none.
[[nodiscard]] std::string time_in_zone(Time time, const Zone& zone);

}  // namespace pumice::cronjob
