// Any bytes are a schedule: they are refused with one text, or understood, and then activations go forward in time and
// are the same with and without memory. The first byte chooses a zone.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "pumice/check.h"
#include "pumice/cron/describe.h"
#include "pumice/cron/schedule.h"

namespace {

constexpr std::array<std::string_view, 8> kZones{
    "UTC",          "Europe/Berlin",    "Australia/Lord_Howe", "Asia/Beirut",
    "Pacific/Apia", "America/Asuncion", "Antarctica/Troll",    "America/Havana"};
constexpr pumice::Time kStart{1'300'000'000'000'000'000};  // 2011-03-13, not long before Samoa leaves out a day

void check_activations(const pumice::cron::Schedule& schedule) {
  pumice::cron::PeriodMemory memory;
  pumice::Time at = kStart;
  for (int i = 0; i < 20; ++i) {
    const auto next = schedule.next(at, memory);
    PUMICE_CHECK(next == schedule.next(at));
    if (!next) return;
    PUMICE_CHECK(*next > at);
    at = *next;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  const std::string zone(kZones.at(*data % kZones.size()));
  for (const std::string& schedule : {std::string(text), pumice::cron::with_time_zone(zone, text)}) {
    const auto read = pumice::cron::parse_schedule(schedule);
    PUMICE_CHECK(read.ok() == read.diagnostics.empty());
    PUMICE_CHECK(pumice::cron::describe(schedule, {.after = kStart}).ok() == read.ok());
    if (read) check_activations(*read.value);
  }
  return 0;
}
