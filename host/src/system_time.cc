#include "system_time.h"

#include <chrono>
#include <cstdint>

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace pumice::host {

Time system_now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return {std::chrono::floor<std::chrono::seconds>(now).count() * kSecond.ns};
}

std::string local_text(const Zone& zone, Time time, const char* form) {
  const std::int64_t at = time.ns / kSecond.ns;
  const std::int32_t offset = zone.period_at(at).offset;
  const std::chrono::sys_seconds local{std::chrono::seconds(at + offset)};
  const std::int32_t size = offset < 0 ? -offset : offset;
  return fmt::format(fmt::runtime(form), local, offset < 0 ? '-' : '+', size / 3600, size / 60 % 60);
}

}  // namespace pumice::host
