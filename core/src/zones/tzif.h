// Compiled time zones (RFC 8536): what a file says.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pumice::zones {

/// One kind of local time.
struct TzifType {
  std::int32_t offset = 0;  ///< seconds east of Greenwich
  bool is_dst = false;
  std::string_view abbreviation{};
};

struct Tzif {
  std::vector<std::int64_t> changes;       ///< sorted instants, in seconds
  std::vector<std::uint8_t> change_types;  ///< what begins there: a place in `types`
  std::vector<TzifType> types;             ///< never empty; the first holds before the first change
  std::string_view footer;                 ///< the rule behind the last change, may be empty
};

/// Reads a file of version 2 or later; texts point into `bytes`. Empty if they are no such file.
[[nodiscard]] std::optional<Tzif> read_tzif(std::string_view bytes);

/// A file that says the same.
[[nodiscard]] std::string write_tzif(const Tzif& zone);

}  // namespace pumice::zones
