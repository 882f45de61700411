// Any bytes are a manifest: what is read as a CronJob is simulated for two days under each controller, with an outage,
// and twice alike. The first byte turns quirks off.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "pumice/check.h"
#include "pumice/cronjob/timeline.h"
#include "pumice/yaml.h"

namespace {

using namespace pumice;
using namespace pumice::cronjob;

void check_timeline(const CronJob& cronjob, Profile profile, unsigned off) {
  TimelineOptions options;
  options.profile = profile;
  options.quirks = Quirks::of(profile);
  for (std::size_t i = 0; i < kQuirkCount; ++i) {
    if ((off >> (i % 8) & 1U) != 0) options.quirks.set(static_cast<Quirk>(i), false);
  }
  options.from = *parse_rfc3339("2026-03-28T12:00:00Z");
  options.until = *parse_rfc3339("2026-03-30T12:00:00Z");
  options.outages = {{*parse_rfc3339("2026-03-28T20:00:00Z"), *parse_rfc3339("2026-03-29T08:00:00Z")}};
  options.plan.run = seconds(3000);
  const Timeline timeline = simulate(cronjob, {}, options);
  for (const Entry& entry : timeline.entries) PUMICE_CHECK(!sentence_of(entry, profile).empty());
  if (timeline.entries.size() > 1000) return;
  PUMICE_CHECK(simulate(cronjob, {}, options).entries == timeline.entries);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  const auto documents = parse_yaml(text, {.limits = {.bytes_max = 4096}});
  if (!documents) return 0;
  FieldContext context;
  FieldReader reader(documents.value->front().root, context);
  const CronJob cronjob = read_cronjob(reader, ReadMode::Manifest);
  if (has_errors(context.diagnostics)) return 0;
  // Runs of every second are too many for a fuzzer.
  if (cronjob.spec->schedule.find("@every") != std::string::npos) return 0;
  for (const Profile profile : {Profile::V2, Profile::Legacy, Profile::Volcano})
    check_timeline(cronjob, profile, *data);
  return 0;
}
