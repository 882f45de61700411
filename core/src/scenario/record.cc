// From what was done to a scenario.
#include <algorithm>

#include "pumice/scenario/run.h"
#include "pumice/version.h"
#include "pumice/volcano/profile.h"
#include "pumice/zones.h"

namespace pumice::scenario {
namespace {

Check phase_check(const std::string& job, const JobStatus& status) {
  return {job, PhaseWanted{{std::string(status.phase.text())}}, {}};
}

Check counter_check(const std::string& job, const char* counter, std::int64_t value) {
  return {job, CounterWanted{counter, {Number::Op::Equal, value}}, {}};
}

/// The profile and the quirks switched off that lead to `quirks`; the profile with the fewest of them.
void describe_quirks(volcano::Quirks quirks, Scenario& scenario) {
  bool first = true;
  for (const auto profile : {volcano::Profile::Volcano, volcano::Profile::Classic}) {
    const volcano::Quirks all = volcano::Quirks::of(profile);
    std::vector<std::string> off;
    bool leads_there = true;
    for (std::size_t i = 0; i < volcano::kQuirkCount; ++i) {
      const auto quirk = static_cast<volcano::Quirk>(i);
      if (all.has(quirk) && !quirks.has(quirk)) off.emplace_back(to_string(quirk));
      leads_there = leads_there && (all.has(quirk) || !quirks.has(quirk));
    }
    if (!leads_there || (!first && off.size() >= scenario.quirks_off.size())) continue;
    scenario.profiles = {std::string(to_string(profile))};
    scenario.quirks_off = std::move(off);
    first = false;
  }
}

}  // namespace

Scenario record(const Recording& recording, const Simulation& end) {
  Scenario scenario;
  scenario.start = recording.options.start;
  scenario.automation = recording.options.automation;
  scenario.timings = recording.options.timings;
  scenario.pace = recording.pace;
  describe_quirks(recording.options.controller.quirks, scenario);
  scenario.made = {std::string(version()), std::string(tzdata_release())};
  for (const SourceText& manifest : recording.manifests) {
    std::string_view text = manifest.text;
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
    std::string& objects = scenario.objects;
    if (!objects.empty() && !objects.ends_with('\n')) objects += '\n';
    if (!objects.empty() && !text.starts_with("---")) objects += "---\n";
    objects += text;
  }
  for (std::size_t i = 0; i < recording.events.size(); ++i) {
    scenario.events.push_back({recording.events[i], {}});
    if (i >= recording.refused.size() || recording.refused[i].empty()) continue;
    std::string problem;
    auto pattern = Pattern::compile(quoted_pattern(recording.refused[i]), problem);
    if (!pattern) pattern = Pattern::compile("", problem);
    Expectation expectation;
    expectation.when = Expectation::When::After;
    expectation.event = static_cast<std::int64_t>(i) + 1;
    expectation.checks.push_back({"", RefusedWanted{*std::move(pattern)}, {}});
    scenario.expect.push_back(std::move(expectation));
  }
  Expectation last;
  const bool several = end.jobs().size() > 1;
  for (const std::string& key : end.jobs()) {
    const auto job = end.cluster().jobs().find(key);
    if (job == end.cluster().jobs().end()) continue;
    const JobStatus& status = job->second->status;
    if (status.phase.text().empty()) continue;
    const std::string name = several ? end.name_of(key) : std::string();
    last.checks.push_back(phase_check(name, status));
    last.checks.push_back(counter_check(name, "retryCount", status.retry_count));
    last.checks.push_back(counter_check(name, "version", status.version));
  }
  if (!last.checks.empty()) scenario.expect.push_back(std::move(last));
  return scenario;
}

}  // namespace pumice::scenario
