#include "pumice/zones.h"

#include <cctz/time_zone.h>
#include <cctz/zone_info_source.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <utility>

#include "zones/embedded.h"
#include "zones/load_zone.h"
#include "zones/zones_data.h"

namespace pumice {

namespace {

/// A reader over the file of one zone, as cctz wants it.
class EmbeddedSource final : public cctz::ZoneInfoSource {
 public:
  explicit EmbeddedSource(std::string bytes) : bytes_(std::move(bytes)), rest_(bytes_) {}

  std::size_t Read(void* to, std::size_t size) override {
    size = std::min(size, rest_.size());
    std::memcpy(to, rest_.data(), size);
    rest_.remove_prefix(size);
    return size;
  }

  int Skip(std::size_t offset) override {
    rest_.remove_prefix(std::min(offset, rest_.size()));
    return 0;
  }

  std::string Version() const override { return std::string(zones::kRelease); }

 private:
  std::string bytes_;
  std::string_view rest_;
};

std::unique_ptr<cctz::ZoneInfoSource> open_embedded(
    const std::string& name,
    const std::function<std::unique_ptr<cctz::ZoneInfoSource>(const std::string&)>& /*files_of_the_machine*/) {
  const std::optional<zones::Tzif> zone = zones::embedded_zone(name);
  if (!zone) return nullptr;
  return std::make_unique<EmbeddedSource>(zones::write_tzif(*zone));
}

// A billion years either way: far from where the library's own arithmetic would overflow.
constexpr std::int64_t kInstantMax = std::int64_t{1} << 55;

}  // namespace

std::string_view tzdata_release() noexcept { return zones::kRelease; }

std::vector<std::string_view> zone_names() { return zones::embedded_names(); }

bool is_zone(std::string_view name) noexcept { return zones::is_embedded(name); }

std::optional<cctz::time_zone> zones::load_zone(std::string_view name) {
  // cctz remembers every name it was ever asked for, and knows some of its own: it sees only names of the database.
  if (!zones::is_embedded(name)) return std::nullopt;
  cctz::time_zone zone;
  if (!cctz::load_time_zone(std::string(name), &zone)) return std::nullopt;
  return zone;
}

std::optional<ZoneOffset> zone_offset(std::string_view zone, std::int64_t unix_seconds) {
  const std::optional<cctz::time_zone> loaded = zones::load_zone(zone);
  if (!loaded) return std::nullopt;
  const std::chrono::seconds since_epoch{std::clamp(unix_seconds, -kInstantMax, kInstantMax)};
  const auto found = loaded->lookup(cctz::time_point<cctz::seconds>(since_epoch));
  return ZoneOffset{.seconds = found.offset, .dst = found.is_dst, .abbreviation = found.abbr};
}

}  // namespace pumice

namespace cctz_extension {
// Takes the place of the library's own, which would read the files of the machine.
ZoneInfoSourceFactory zone_info_source_factory = pumice::open_embedded;
}  // namespace cctz_extension
