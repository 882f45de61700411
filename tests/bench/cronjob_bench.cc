// A year of a CronJob of every minute in virtual time, and one look of a controller.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>

#include "pumice/cronjob/timeline.h"

namespace {

using namespace pumice;
using namespace pumice::cronjob;

CronJob minutely(ConcurrencyPolicy policy) {
  CronJob cronjob;
  ObjectMeta meta;
  meta.ns = "default";
  meta.name = "bench";
  cronjob.meta = std::make_shared<const ObjectMeta>(meta);
  Spec spec;
  spec.schedule = "* * * * *";
  spec.time_zone = "America/New_York";
  spec.successful_limit = 3;
  spec.failed_limit = 1;
  spec.policy = policy;
  cronjob.spec = std::make_shared<const Spec>(spec);
  return cronjob;
}

void cronjob_year(benchmark::State& state, Profile profile, ConcurrencyPolicy policy, std::int64_t job_seconds) {
  TimelineOptions options;
  options.profile = profile;
  options.quirks = Quirks::of(profile);
  options.from = *parse_rfc3339("2026-01-01T00:00:30Z");
  options.until = *parse_rfc3339("2027-01-01T00:00:30Z");
  options.plan.run = seconds(job_seconds);
  std::size_t runs = 0;
  for (auto _ : state) runs = simulate(minutely(policy), {}, options).entries.size();
  state.counters["runs"] = static_cast<double>(runs);
}
constexpr ConcurrencyPolicy kAllow = ConcurrencyPolicy::Allow;
BENCHMARK_CAPTURE(cronjob_year, minutely, Profile::V2, kAllow, 10)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(cronjob_year, minutely_legacy, Profile::Legacy, kAllow, 10)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(cronjob_year, minutely_volcano, Profile::Volcano, kAllow, 10)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(cronjob_year, minutely_forbid, Profile::V2, ConcurrencyPolicy::Forbid, 150)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(cronjob_year, minutely_replace, Profile::V2, ConcurrencyPolicy::Replace, 150)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(cronjob_year, minutely_20_at_once, Profile::V2, kAllow, 1200)->Unit(benchmark::kMillisecond);

}  // namespace
