#!/usr/bin/env bash
# Builds the benchmarks and prints them as a table; the same numbers as JSON go to build/release/benchmarks.json.
. "$(dirname "$0")/lib.sh"

case "${1:-}" in
  -h | --help)
    say "usage: scripts/bench.sh [OPTION OF GOOGLE BENCHMARK…]"
    say "For instance: scripts/bench.sh --benchmark_filter=decide --benchmark_repetitions=5"
    exit 0
    ;;
esac

set_up native sources

title "Build"
step "benchmarks" "read the log named above" configure_and_build release pumice_bench

title "Benchmarks"
json=$root/build/release/benchmarks.json
"$root/build/release/bin/pumice_bench" --benchmark_out="$json" --benchmark_out_format=json --benchmark_counters_tabular=true "$@"
say
say "as JSON: $json"
