// Time zones as cctz values, for those parts of the core that compute with civil times.
#pragma once

#include <cctz/time_zone.h>

#include <optional>
#include <string_view>

namespace pumice::zones {

/// The zone of that exact name from the embedded database; empty if there is none. The files of the machine and its
/// `TZ` play no part. The first use of a zone decodes it, later ones are cheap.
[[nodiscard]] std::optional<cctz::time_zone> load_zone(std::string_view name);

}  // namespace pumice::zones
