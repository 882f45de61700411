#!/usr/bin/env bash
# Builds the release program with the playground inside, shows one explained simulation, and serves the playground.
. "$(dirname "$0")/lib.sh"

usage() {
  say "usage: scripts/run.sh [--no-serve] [--port N]"
  say "  --no-serve  build and simulate, but do not serve"
  say "  --port N    port on 127.0.0.1 (8080; the next free one if it is taken)"
}

serve=yes
port=8080
while [ $# -gt 0 ]; do
  case $1 in
    --no-serve) serve=no ;;
    --port)
      [ $# -ge 2 ] || fail "--port needs a number"
      port=$2
      shift
      ;;
    --port=*) port=${1#*=} ;;
    -h | --help)
      usage
      exit 0
      ;;
    *)
      usage >&2
      exit 2
      ;;
  esac
  shift
done
case $port in
  '' | *[!0-9]*) fail "--port needs a number, not \`$port\`" ;;
esac

set_up native sources node emscripten web

title "Build"
step "wasm module" "read the log named above" configure_and_build wasm pumice_wasm_engine
step "page" "read the log named above" npm --prefix "$root/web" run build
step "program" "read the log named above" configure_and_build release pumice "$(page_option)"

pumice=$root/build/release/bin/pumice
sample=policies/samples/evicted.yaml

title "A simulation"
cd "$root"
say "  \$ pumice simulate $sample --auto --explain short"
say
"$pumice" simulate "$sample" --auto --explain short
say
say "The program: build/release/bin/pumice   (try: build/release/bin/pumice --help)"
[ "$serve" = yes ] || exit 0

title "Playground"
exec "$pumice" playground --port "$port"
