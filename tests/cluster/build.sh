#!/usr/bin/env bash
# build.sh [--is-built]: the API server and etcd of go.mod, built once into the cache folder. Prints the folder.
# With --is-built nothing is built: the exit status tells.
#
# A first build takes 20 minutes or so on two cores and fetches about 200 MB through Go's module proxy.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cache=${PUMICE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/pumice}
key=$(cat "$here/go.mod" "$here/go.sum" | sha256sum | cut -c1-12)
folder=$cache/cluster-$key
is_built() { [ -x "$folder/kube-apiserver" ] && [ -x "$folder/etcd" ]; }
if [ "${1:-}" = --is-built ]; then
  is_built
  exit
fi
if ! is_built; then
  mkdir -p "$folder"
  cd "$here"
  export CGO_ENABLED=0 GOWORK=off
  for entry in etcd=go.etcd.io/etcd/server/v3 kube-apiserver=k8s.io/kubernetes/cmd/kube-apiserver; do
    # Written aside and renamed: a build that is interrupted leaves nothing that looks whole.
    go build -mod=readonly -trimpath -p "${PUMICE_JOBS:-$(nproc)}" -ldflags '-s -w' -o "$folder/${entry%%=*}.part" "${entry#*=}" >&2
    mv "$folder/${entry%%=*}.part" "$folder/${entry%%=*}"
  done
fi
printf '%s\n' "$folder"
