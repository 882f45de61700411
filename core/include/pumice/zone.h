// A time zone as a table of offsets: for parts of the core that compute with civil times and ask for offsets often.
//
// Behaviour: spec/cron-schedule.md 8: the offset of an instant, and the period around it. Names, abbreviations and what
// counts as summer time are in zones.h.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>

namespace pumice {

namespace zones {
struct Tzif;
}

/// A stretch of time in which a zone's clocks keep one offset: instants `begin` ≤ t < `end`, in seconds since
/// 1970-01-01T00:00:00Z. Neighbouring periods may have the same offset.
struct ZonePeriod {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int32_t offset = 0;  ///< seconds east of Greenwich: local time is UTC plus this

  [[nodiscard]] constexpr bool contains(std::int64_t at) const noexcept { return at >= begin && at < end; }
  friend bool operator==(const ZonePeriod&, const ZonePeriod&) = default;
};

inline constexpr std::int64_t kForever = std::numeric_limits<std::int64_t>::max();
inline constexpr std::int64_t kSinceEver = std::numeric_limits<std::int64_t>::min();

/// A zone: cheap to copy, never changes. UTC unless made otherwise.
class Zone {
 public:
  Zone() = default;

  /// Clocks that are always `offset` seconds ahead of UTC.
  [[nodiscard]] static Zone fixed(std::int32_t offset) noexcept;

  /// The zone of exactly that name in the embedded database; empty if there is none.
  [[nodiscard]] static std::optional<Zone> named(std::string_view name);

  /// A zone from the bytes of a compiled zone file (RFC 8536, version 2 and up). Empty if they are no such file.
  [[nodiscard]] static std::optional<Zone> from_tzif(std::string_view bytes);

  /// The period that contains `at`. Rules are carried on for ever; before the first record local mean time holds.
  [[nodiscard]] ZonePeriod period_at(std::int64_t at) const;

  /// True if the midnight that begins some day of `first` … `last` (days since 1970-01-01, local) does not exist, or if
  /// offsets change there more often than the usual reckoning of civil times can stand. May be true without need.
  [[nodiscard]] bool may_miss_midnight(std::int64_t first, std::int64_t last) const;

  [[nodiscard]] bool is_fixed() const noexcept { return table_ == nullptr; }

  struct Table;

 private:
  [[nodiscard]] static std::optional<Zone> from_file(const zones::Tzif& file);

  std::shared_ptr<const Table> table_;
  std::int32_t offset_ = 0;
};

}  // namespace pumice
