// The clock of the system, and local times as texts.
#pragma once

#include <string>

#include "pumice/time.h"
#include "pumice/zone.h"

namespace pumice::host {

/// Now, in whole seconds.
[[nodiscard]] Time system_now();

/// Local time with weekday and offset: `Sun 2026-03-29 03:30 +02:00`.
[[nodiscard]] std::string local_text(const Zone& zone, Time time, const char* form);
inline constexpr const char* kLocalForPeople = "{0:%a %Y-%m-%d %H:%M:%S} {1}{2:02}:{3:02}";
inline constexpr const char* kLocalForPrograms = "{0:%Y-%m-%dT%H:%M:%S}{1}{2:02}:{3:02}";

}  // namespace pumice::host
