// Any text is a scenario or is refused with a reason. What is read can be written and read again as itself; small ones
// are played, and played again they come out the same.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "pumice/check.h"
#include "pumice/scenario/run.h"

namespace {

using namespace pumice;
using namespace pumice::scenario;

/// Pods and events of scenarios that are played: longer runs prove nothing more.
constexpr std::size_t kObjectsBytesPlayed = 4000;
constexpr std::size_t kEventsPlayed = 20;

void check(const Scenario& scenario) {
  const std::string yaml = to_yaml(scenario);
  const auto again = read_documents(yaml, "again.yaml");
  PUMICE_CHECK(again.ok() && again.value->size() == 1);
  const auto* same = std::get_if<Scenario>(&again.value->front());
  PUMICE_CHECK(same != nullptr && same_content(*same, scenario));
  PUMICE_CHECK(to_yaml(*same) == yaml);
  if (scenario.objects.size() > kObjectsBytesPlayed || scenario.events.size() > kEventsPlayed) return;
  // Numbers of pods are one digit, so that no input is slow.
  if (scenario.objects.find("replicas: ") != std::string::npos) {
    for (std::size_t at = scenario.objects.find("replicas: "); at != std::string::npos;
         at = scenario.objects.find("replicas: ", at + 1))
      if (scenario.objects.find_first_not_of("0123456789", at + 10) > at + 11) return;
  }
  const Outcome first = run(scenario);
  PUMICE_CHECK(first.verdict != Verdict::Error || has_errors(first.diagnostics));
  PUMICE_CHECK(first.verdict != Verdict::Failed || !first.failures.empty());
  PUMICE_CHECK(to_json(run(scenario)) == to_json(first));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto documents = read_documents(text, "s.yaml");
  PUMICE_CHECK(documents.ok() || has_errors(documents.diagnostics));
  if (!documents) return 0;
  for (const Document& document : *documents.value)
    if (const auto* scenario = std::get_if<Scenario>(&document)) check(*scenario);
  return 0;
}
