#!/usr/bin/env bash
# playground_test.sh BINARY: 77 (skipped) if the page is not built into it, or there is no curl.
. "$(dirname "$0")/lib.sh"
pumice=$1

if ! "$pumice" version --output json | grep -q '"playground": true'; then
  run "$pumice" playground --port 0
  expect_status 2
  expect_err 'the page is not built into this program'
  finish || exit 1
  exit 77
fi
command -v curl >/dev/null || exit 77

start() { # sets server and url
  "$pumice" playground "$@" >"$work/server" 2>"$work/server.err" &
  server=$!
  for _ in $(seq 100); do
    url=$(grep -o 'http://127.0.0.1:[0-9]*' "$work/server")
    [ -n "$url" ] && return
    sleep 0.1
  done
  echo 'FAILED: the playground did not start'
  cat "$work/server.err"
  exit 1
}

start --port 0
run curl -si "$url/"
expect_out 'HTTP/1.1 200'
expect_out 'Content-Type: text/html; charset=utf-8'
expect_out "Content-Security-Policy: default-src 'none'"
expect_out "frame-ancestors 'none'"
expect_out 'X-Content-Type-Options: nosniff'
expect_out 'Cache-Control: no-cache'
expect_out '<div id="app">'
etag=$(sed -n 's/^ETag: //p' "$work/out" | tr -d '\r')
run curl -si -H "If-None-Match: $etag" "$url/"
expect_out 'HTTP/1.1 304'
expect_no_out '<div id="app">'
run curl -si "$url/index.html?x=1"
expect_out 'HTTP/1.1 200'
wasm=$(curl -s "$url/" | grep -o 'assets/[^"]*\.js' | head -n 1)
run curl -sI "$url/$wasm"
expect_out 'HTTP/1.1 200'
expect_out 'Content-Type: text/javascript; charset=utf-8'
expect_out 'immutable'
checks=$((checks + 1))
length=$(sed -n 's/^Content-Length: //p' "$work/out" | tr -d '\r')
[ "$length" = "$(curl -s "$url/$wasm" | wc -c)" ] || report 'HEAD tells the length of the file'
run curl -si "$url/no/such/file"
expect_out 'HTTP/1.1 404'
expect_out "Content-Security-Policy"
run curl -si "$url/../../etc/passwd" --path-as-is
expect_out 'HTTP/1.1 404'
run curl -si -X POST -d x=1 "$url/"
expect_no_out 'HTTP/1.1 200'
run curl -si -X DELETE "$url/"
expect_out 'HTTP/1.1 405'
expect_out 'Allow: GET, HEAD'
run curl -sv "$url/" "$url/"
expect_err 'Re-using existing connection'
run bash -c "exec 3<>/dev/tcp/127.0.0.1/${url##*:}; printf 'nonsense\r\n\r\n' >&3; timeout 5 cat <&3"
expect_out 'HTTP/1.1 400'

# Another one finds the next free port, and only this machine is listened to.
first=$server
taken=${url##*:}
start --port "$taken"
checks=$((checks + 1))
[ "${url##*:}" != "$taken" ] || report 'the next free port'
for signal in INT TERM; do
  if [ "$signal" = INT ]; then one=$server; else one=$first; fi
  kill "-$signal" "$one"
  wait "$one"
  status=$?
  said="kill -$signal"
  expect_status 0
done

finish
