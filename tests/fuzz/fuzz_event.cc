// Any bytes are an event line, and any JSON is an event: what is understood can be written down and read again as
// itself, in both forms; what is not understood is explained.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "pumice/check.h"
#include "pumice/simulation/event.h"

namespace {

void check(const pumice::Result<pumice::UserEvent>& read) {
  if (!read) {
    PUMICE_CHECK(pumice::has_errors(read.diagnostics));
    return;
  }
  const pumice::UserEvent& event = *read.value;
  const auto from_line = pumice::parse_event(pumice::to_line(event));
  PUMICE_CHECK(from_line.ok() && *from_line.value == event);
  const auto from_json = pumice::read_event(pumice::to_json(event));
  PUMICE_CHECK(from_json.ok() && *from_json.value == event);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check(pumice::parse_event(text));
  const pumice::Json json = pumice::Json::parse(text, nullptr, false);
  if (!json.is_discarded()) check(pumice::read_event(json));
  return 0;
}
