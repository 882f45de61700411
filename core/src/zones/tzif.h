// Compiled time zones (RFC 8536): what a file says, and the files of the embedded database.
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
  std::uint8_t abbreviation = 0;  ///< place in the list of abbreviations
};

struct Tzif {
  std::vector<std::int64_t> changes;       ///< sorted instants, in seconds
  std::vector<std::uint8_t> change_types;  ///< what begins there: a place in `types`
  std::vector<TzifType> types;             ///< never empty; the first holds before the first change
  std::string_view footer;                 ///< the rule behind the last change, may be empty
};

/// Reads a file of version 2 or later; `footer` points into `bytes`. Empty if they are no such file.
[[nodiscard]] std::optional<Tzif> read_tzif(std::string_view bytes);

/// The file of a zone of the embedded database; empty if there is no zone of exactly that name.
[[nodiscard]] std::optional<std::string> tzif_named(std::string_view name);

}  // namespace pumice::zones
