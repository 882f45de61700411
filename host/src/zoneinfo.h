// Time zones of a folder such as /usr/share/zoneinfo, in place of those inside the program.
#pragma once

#include <optional>
#include <string>

#include "pumice/cron/schedule.h"
#include "pumice/result.h"

namespace pumice::host {

/// The program's own zones without a folder. Fails if the folder cannot be one of zones.
[[nodiscard]] Result<cron::ZoneSource> zones_of(const std::optional<std::string>& folder);

/// Hints of the core name zones of its own database, which a folder need not have: with one, they say that.
void fit_hints(Diagnostics& diagnostics, const std::optional<std::string>& folder);

}  // namespace pumice::host
