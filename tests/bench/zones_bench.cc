#include <benchmark/benchmark.h>

#include <cstdint>

#include "pumice/zones.h"

namespace {

// The offset of a zone whose instants fall behind its table, so that its rule has to be applied.
void zone_offset_by_rule(benchmark::State& state) {
  std::int64_t at = 4'000'000'000;
  for (auto _ : state) {
    benchmark::DoNotOptimize(pumice::zone_offset("America/New_York", at));
    at += 3'600;
  }
}
BENCHMARK(zone_offset_by_rule);

}  // namespace
