# Small helpers for the tests of the binary. A test runs a command, then says what it expects of status, output and errors.
set -u

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
checks=0

# run COMMAND…: keeps exit status, standard output and standard error.
run() {
  said="$*"
  "$@" >"$work/out" 2>"$work/err" </dev/null
  status=$?
}

# run_with INPUT COMMAND…: the same with a standard input.
run_with() {
  local input=$1
  shift
  said="$*"
  printf '%s' "$input" | "$@" >"$work/out" 2>"$work/err"
  status=$?
}

report() {
  failures=$((failures + 1))
  printf 'FAILED: %s\n  after: %s\n  out: %s\n  err: %s\n' "$1" "$said" "$(head -c 1500 "$work/out")" "$(head -c 1500 "$work/err")"
}

expect_status() {
  checks=$((checks + 1))
  [ "$status" = "$1" ] || report "exit status $1, was $status"
}
expect_out() {
  checks=$((checks + 1))
  grep -qF -- "$1" "$work/out" || report "in the output: $1"
}
expect_no_out() {
  checks=$((checks + 1))
  ! grep -qF -- "$1" "$work/out" || report "not in the output: $1"
}
expect_err() {
  checks=$((checks + 1))
  grep -qF -- "$1" "$work/err" || report "in the errors: $1"
}
expect_silent_out() {
  checks=$((checks + 1))
  [ ! -s "$work/out" ] || report "no output"
}
expect_silent_err() {
  checks=$((checks + 1))
  [ ! -s "$work/err" ] || report "no errors"
}

finish() {
  printf '%s checks, %s failed\n' "$checks" "$failures"
  [ "$failures" = 0 ]
}
