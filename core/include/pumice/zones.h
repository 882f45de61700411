// Time zones: the IANA database, compiled into the core, so that a time in a zone is the same on every machine and in
// the browser. Names are matched exactly, letter case included, as Kubernetes does.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pumice {

/// Release of the embedded database, such as `2026f`.
[[nodiscard]] std::string_view tzdata_release() noexcept;

/// All names, old ones included, sorted byte by byte.
[[nodiscard]] std::vector<std::string_view> zone_names();

/// True if the embedded database has a zone of exactly that name.
[[nodiscard]] bool is_zone(std::string_view name) noexcept;

/// What a zone's clocks show at one instant.
struct ZoneOffset {
  std::int32_t seconds = 0;  ///< east of Greenwich; local time is UTC plus this
  bool dst = false;          ///< the database's own word; in Ireland and Morocco the *winter* time is the exception
  std::string abbreviation;  ///< `CET`, or the offset as text (`-03`) where people use no letters

  friend bool operator==(const ZoneOffset&, const ZoneOffset&) = default;
};

/// Empty if there is no such zone. Any instant is answered: rules are carried on for ever, and before the first record
/// of a zone its local mean time holds. Instants more than a billion years away answer as one that far away does.
[[nodiscard]] std::optional<ZoneOffset> zone_offset(std::string_view zone, std::int64_t unix_seconds);

}  // namespace pumice
