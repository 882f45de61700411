// One activation after the other: the usual kinds of schedules, a stretch of each in turn, and one that fires every
// four years.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "pumice/cron/schedule.h"

namespace {

using namespace pumice;

struct Running {
  cron::Schedule schedule;
  cron::PeriodMemory memory{};
  Time at{};
};

constexpr Time kStart{1'772'841'600'000'000'000};  // 2026-03-07T00:00:00Z

Running running(const std::string& schedule, const std::string& zone) {
  return {.schedule = *cron::parse_schedule(cron::with_time_zone(zone, schedule)).value, .at = kStart};
}

void step(Running& one) {
  const auto next = one.schedule.next(one.at, one.memory);
  one.at = next.value_or(kStart);
  benchmark::DoNotOptimize(one.at);
}

void cron_next_mix(benchmark::State& state) {
  std::vector<Running> mix{running("* * * * *", "America/New_York"),     running("*/5 * * * *", "Europe/Berlin"),
                           running("0 9 * * 1-5", "Asia/Tokyo"),         running("15 3 1 * *", "UTC"),
                           running("30 2 * * 0", "Australia/Lord_Howe"), running("0 0 1 1 *", "UTC")};
  // Each answer is the next question, as for the single schedules: stretches keep the processor from working on several
  // schedules at once.
  constexpr int kStretch = 1000;
  std::size_t turn = 0;
  int left = kStretch;
  for (auto _ : state) {
    step(mix[turn]);
    if (--left > 0) continue;
    left = kStretch;
    turn = turn + 1 == mix.size() ? 0 : turn + 1;
  }
}
BENCHMARK(cron_next_mix);

void cron_next(benchmark::State& state, const char* schedule, const char* zone) {
  Running one = running(schedule, zone);
  for (auto _ : state) step(one);
}
BENCHMARK_CAPTURE(cron_next, minutely_new_york, "* * * * *", "America/New_York");
BENCHMARK_CAPTURE(cron_next, daily_berlin, "0 9 * * *", "Europe/Berlin");
BENCHMARK_CAPTURE(cron_next, weekly_lord_howe, "30 2 * * 0", "Australia/Lord_Howe");
BENCHMARK_CAPTURE(cron_next, daily_havana, "0 9 * * *", "America/Havana");
BENCHMARK_CAPTURE(cron_next, sparse_utc, "0 0 29 2 *", "UTC");
BENCHMARK_CAPTURE(cron_next, sparse_new_york, "0 0 29 2 *", "America/New_York");
BENCHMARK_CAPTURE(cron_next, never, "0 0 31 2 *", "UTC");

void cron_parse(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(cron::parse_schedule("TZ=Europe/Berlin */5 8-18 * * mon-fri"));
}
BENCHMARK(cron_parse);

}  // namespace
