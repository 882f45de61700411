#!/usr/bin/env bash
# clang-tidy over the sources of the core and of the program, with the compile commands of build/dev (which must be built).
#
# What passed is remembered in the cache folder by the contents of the file, of every header of ours that it includes and of
# the rules, so that only what changed is looked at again. The last line is `N passed, N failed`, counted by file.
. "$(dirname "$0")/lib.sh"

build=$root/build/dev
[ -f "$build/compile_commands.json" ] || fail "$build is not built" "scripts/test.sh native"
passed_before=$PUMICE_CACHE/tidy
mkdir -p "$passed_before"
cd "$root"

# The headers of each source as the last build saw them, ours only: `source<TAB>header header …`.
headers_of_sources() {
  ninja -C "$build" -t deps | awk -v root="$root/" -v build="$build/" '
    function flush() { if (source != "") print source "\t" headers; source = headers = "" }
    /^[^ ].*#deps/ { flush(); next }
    /^ / {
      path = $1
      if (path !~ /^\//) path = build path
      while (sub(/[^\/]+\/\.\.\//, "", path)) { }
      if (index(path, root) != 1 || index(path, build) == 1) next
      path = substr(path, length(root) + 1)
      if (source == "") source = path; else headers = headers " " path
    }
    END { flush() }' | grep -E '^(core/src|host)/[^ ]*\.cc	'
}

rules=$(clang-tidy-"$llvm_version" --version | sha256sum; cat .clang-tidy)

one() {
  local source=$1 key
  shift
  # shellcheck disable=SC2048,SC2086
  key=$({ printf '%s' "$rules"; cat "$source" $*; } | sha256sum | cut -c1-32)
  if [ -e "$passed_before/$key" ]; then
    echo "passed before: $source"
    return 0
  fi
  local said status=0
  said=$(clang-tidy-"$llvm_version" -p "$build" --quiet "$source" 2>&1) || status=$?
  grep -vE '^[0-9]+ warnings? (generated|treated)' <<<"$said" || true
  if [ $status -eq 0 ]; then
    touch "$passed_before/$key"
    echo "passed: $source"
  else
    echo "failed: $source"
  fi
}

results=$(mktemp)
trap 'rm -f "$results"' EXIT
export -f one
export build passed_before rules llvm_version
headers_of_sources | tr '\t' ' ' | xargs -P "$jobs" -L 1 bash -c 'one "$@"' one | tee "$results"
good=$(grep -c '^passed' "$results" || true)
bad=$(grep -c '^failed' "$results" || true)
say "$good passed, $bad failed"
[ "$bad" -eq 0 ] && [ "$good" -gt 0 ]
