#!/usr/bin/env bash
# Builds and runs the tests. The last line is `N passed, N failed, N skipped` over all suites; the exit status is 0 only if
# nothing failed. A suite that cannot be built or run counts as a failure.
. "$(dirname "$0")/lib.sh"

all_suites=(format native asan wasm web e2e bench fuzz cluster tidy)
usual_suites=(format native wasm web e2e asan fuzz bench cluster)

usage() {
  say "usage: scripts/test.sh [SUITE…]"
  say "  format  clang-format over all C++ files; prettier over the page"
  say "  native  the Catch2 tests, the purity of the core, a program that uses the installed core"
  say "  asan    the Catch2 tests and those of the webhook under the address and undefined-behaviour sanitizers"
  say "  wasm    the same Catch2 tests as WebAssembly under node, and the module's contract"
  say "  web     types, Svelte's own check and vitest of the page"
  say "  e2e     the program with the page inside, in a real Chromium; program and wasm module answer alike"
  say "  bench   every benchmark once, briefly: that they work, not what they measure"
  say "  fuzz    each fuzz target: kept inputs, then some seconds with a fresh seed (PUMICE_FUZZ_SECONDS, now $fuzz_seconds)"
  say "  cluster the webhook behind a real API server, with kubectl; left out where Go is not installed"
  say "  tidy    clang-tidy over the core and the program; files that passed unchanged are not looked at again"
  say "By default: ${usual_suites[*]}. With \`all\`: every one. Logs: $logs"
}

fuzz_seconds=${PUMICE_FUZZ_SECONDS:-10}
suites=()
for argument in "$@"; do
  case $argument in
    -h | --help)
      usage
      exit 0
      ;;
    all) suites=("${all_suites[@]}") ;;
    *)
      if [[ " ${all_suites[*]} " != *" $argument "* ]]; then
        usage >&2
        exit 2
      fi
      suites+=("$argument")
      ;;
  esac
done
are_named=${suites[*]:+yes}
[ -n "$are_named" ] || suites=("${usual_suites[@]}")

passed=0 failed=0 skipped=0

# count PASSED FAILED SKIPPED [STATUS]: adds to the totals. A status other than 0 is at least one failure.
count() {
  local good=${1:-0} bad=${2:-0} left=${3:-0} status=${4:-0}
  if [ "$status" -ne 0 ] && [ "$bad" -eq 0 ]; then bad=1; fi
  if [ "$good" -eq 0 ] && [ "$bad" -eq 0 ] && [ "$left" -eq 0 ]; then bad=1; fi # a suite that ran nothing did not run
  passed=$((passed + good)) failed=$((failed + bad)) skipped=$((skipped + left))
  say "    $good passed, $bad failed, $left skipped"
}

# build NAME COMMAND…: a build is no test, but one that fails is a failure.
build() {
  attempt "$@" && return
  count 0 1 0
  return 1
}

# check NAME COMMAND…: one test, judged by its exit status.
check() {
  if attempt "$@"; then count 1 0 0; else count 0 1 0; fi
}

attribute() { sed -n "s/.*[ <]$1=\"\([0-9]*\)\".*/\1/p;" <<<"$2" | head -n 1; }

# catch NAME COMMAND…: a Catch2 program, counted by test case.
catch() {
  local name=$1 status=0 report=$logs/catch.xml cases
  shift
  rm -f "$report"
  attempt "$name" "$@" --reporter console --reporter "xml::out=$report" --durations no || status=$?
  cases=$(grep -o '<OverallResultsCases[^>]*>' "$report" 2>/dev/null || true)
  count "$(attribute successes "$cases")" "$(attribute failures "$cases")" "$(attribute skips "$cases")" $status
}

# totals NAME COMMAND…: a program whose output ends with a line `N passed, N failed`, perhaps with `, N skipped`.
totals() {
  local name=$1 status=0 line
  attempt "$@" || status=$?
  line=$(grep -E '^([A-Za-z0-9_-]+: )?[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?$' "$(log_of "$name")" | tail -n 1)
  # shellcheck disable=SC2046
  count $(grep -oE '[0-9]+ (passed|failed|skipped)' <<<"${line:-0 passed, 0 failed}" | cut -d' ' -f1 | paste -sd' ') \
    $([[ $line == *skipped ]] || echo 0) $status
}

suite_format() {
  check "clang-format" bash -c "cd '$root' && git ls-files -co --exclude-standard -z -- '*.cc' '*.h' | xargs -0 clang-format-$llvm_version --dry-run -Werror"
  check "prettier" npm --prefix "$root/web" run format:check
}

suite_native() {
  local status=0 report=$root/build/dev/ctest.xml summary total bad left
  build "build, native" configure_and_build ci-dev all || return 0
  rm -f "$report"
  attempt "tests, native" ctest --preset ci-dev --parallel "$jobs" --output-junit "$report" || status=$?
  summary=$(grep -m 1 -A 8 '<testsuite ' "$report" 2>/dev/null | tr '\n\t' '  ' || true)
  total=$(attribute tests "$summary") bad=$(attribute failures "$summary") left=$(attribute skipped "$summary")
  count $((${total:-0} - ${bad:-0} - ${left:-0})) "${bad:-0}" "${left:-0}" $status
}

suite_asan() {
  build "build with sanitizers" configure_and_build ci-asan pumice_tests || return 0
  catch "tests with sanitizers" "$root/build/asan/bin/pumice_tests"
  build "program with sanitizers" configure_and_build ci-asan pumice || return 0
  export PUMICE_BIN=$root/build/asan/bin/pumice
  node_tests "webhook with sanitizers" "$root"/tests/webhook/*.test.mjs
  check "webhook with sanitizers, under load" node "$root/tests/webhook/load.mjs" 2000 64
}

suite_wasm() {
  build "build, wasm" configure_and_build ci-wasm all || return 0
  catch "tests, wasm under node" node "$root/build/wasm/bin/pumice_tests.js"
  [ ! -d "$root/wasm/test" ] || node_tests "contract of the wasm module" "$root"/wasm/test/*.test.mjs
}

# node_tests NAME FILE…: files for node's own test runner.
node_tests() {
  local name=$1 status=0 log
  shift
  attempt "$name" env PUMICE_WASM_DIR="$root/build/wasm" node --test --test-reporter=tap "$@" || status=$?
  log=$(log_of "$name")
  count "$(sed -n 's/^# pass //p' "$log")" "$(sed -n 's/^# fail //p' "$log")" "$(sed -n 's/^# skipped //p' "$log")" $status
}

# The module and the page in the program, once for the suites that need them.
page_built=
with_page() {
  [ -z "$page_built" ] || return "$page_built"
  page_built=1
  build "wasm module" configure_and_build ci-wasm pumice_wasm || return
  build "page" npm --prefix "$root/web" run build || return
  build "program with the page" configure_and_build ci-release pumice "$(page_option)" || return
  page_built=0
}

suite_web() {
  local status=0 report=$root/build/vitest.json
  check "types and Svelte" npm --prefix "$root/web" run check
  build "wasm module for the page" configure_and_build ci-wasm pumice_wasm || return 0
  mkdir -p "$root/build"
  rm -f "$report"
  attempt "vitest" npm --prefix "$root/web" test -- --reporter=default --reporter=json --outputFile.json="$report" || status=$?
  # shellcheck disable=SC2046
  count $(node -e '
    const r = JSON.parse(require("fs").readFileSync(process.argv[1], "utf8"));
    // A file that could not even be loaded has no tests to fail.
    const broken = r.testResults.filter((f) => f.status === "failed" && f.assertionResults.length === 0).length;
    console.log(r.numPassedTests, r.numFailedTests + broken, r.numPendingTests + r.numTodoTests);
  ' "$report" 2>/dev/null || echo 0 0 0) $status
}

suite_e2e() {
  with_page || return 0
  export PUMICE_BIN=$root/build/release/bin/pumice
  node_tests "program and wasm module answer alike" "$root"/tests/parity/*.test.mjs
  totals "end to end in Chromium" npm --prefix "$root/web" run e2e
}

suite_bench() {
  build "benchmarks" configure_and_build ci-release pumice_bench "$(page_option)" || return 0
  check "every benchmark runs" "$root/build/release/bin/pumice_bench" --benchmark_min_time=0.001
}

suite_fuzz() {
  local target name seed
  build "fuzz targets" configure_and_build ci-fuzz all || return 0
  for target in "$root"/build/fuzz/bin/fuzz_*; do
    name=${target##*/fuzz_}
    seed=$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')
    mkdir -p "$root/build/fuzz/corpus/$name" "$root/build/fuzz/finds" "$root/tests/fuzz/corpus/$name"
    check "fuzz $name, $fuzz_seconds s from seed $seed" "$target" -seed="$seed" -max_total_time="$fuzz_seconds" \
      -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 -artifact_prefix="$root/build/fuzz/finds/$name-" \
      "$root/build/fuzz/corpus/$name" "$root/tests/fuzz/corpus/$name"
  done
}

# The API server is built once, and kept; a run that nobody asked for the suite by its name does not take that time.
suite_cluster() {
  local why=''
  if ! command -v go >/dev/null; then
    why="Go is not installed, so there is no API server"
  elif [ -z "$are_named" ] && ! "$root/tests/cluster/build.sh" --is-built; then
    why="the API server is not built yet: \`scripts/test.sh cluster\` does, in 20 minutes or so"
  fi
  if [ -n "$why" ]; then
    say "  left out: $why"
    count 0 0 1
    return 0
  fi
  local folder=$logs/kube.folder
  build "API server and etcd (20 minutes at first)" bash -c "'$root/tests/cluster/build.sh' >'$folder'" || return 0
  build "program" configure_and_build ci-dev pumice || return 0
  build "kubectl" need_kubectl || return 0
  export PUMICE_BIN=$root/build/dev/bin/pumice PUMICE_KUBE KUBECTL
  PUMICE_KUBE=$(cat "$folder")
  KUBECTL=$(find_kubectl)
  node_tests "webhook behind an API server" "$root"/tests/cluster/*.test.mjs
}

suite_tidy() { totals "clang-tidy" "$root/scripts/tidy.sh"; }

parts=(native sources node emscripten web)
for suite in "${suites[@]}"; do
  case $suite in
    format | tidy) parts+=(analysis) ;;
    e2e) parts+=(chromium) ;;
    fuzz) parts+=(fuzz) ;;
  esac
done
set_up "${parts[@]}"

times=()
for suite in "${suites[@]}"; do
  title "$suite"
  started=$SECONDS
  "suite_$suite"
  times+=("$suite $((SECONDS - started)) s")
done

title "Totals"
say "  times: $(printf '%s, ' "${times[@]}" | sed 's/, $//'), all $SECONDS s"
[ $failed -eq 0 ] || say "  logs: $logs"
say "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
