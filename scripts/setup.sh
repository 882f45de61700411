#!/usr/bin/env bash
# Installs what building, running and testing Pumice need. run.sh, test.sh and bench.sh do this themselves.
. "$(dirname "$0")/lib.sh"

case "${1:-all}" in
  run) set_up native sources node emscripten web ;;
  test | all) set_up native sources node emscripten web analysis fuzz chromium ;;
  bench) set_up native sources ;;
  *)
    say "usage: scripts/setup.sh [run|test|bench|all]"
    say "Installs what scripts/run.sh, scripts/test.sh or scripts/bench.sh need; all of it by default."
    say "Packages come from the system's own release; newer things go to \$PUMICE_CACHE (now $PUMICE_CACHE)."
    [ "${1:-}" = --help ] || [ "${1:-}" = -h ] || exit 2
    ;;
esac
