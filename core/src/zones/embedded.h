// Zones of the embedded database by name.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "zones/tzif.h"

namespace pumice::zones {

[[nodiscard]] std::vector<std::string_view> embedded_names();
[[nodiscard]] bool is_embedded(std::string_view name) noexcept;

/// A zone unpacked; its footer and abbreviations are those of the database itself. Empty if there is no zone of exactly
/// that name.
[[nodiscard]] std::optional<Tzif> embedded_zone(std::string_view name);

}  // namespace pumice::zones
