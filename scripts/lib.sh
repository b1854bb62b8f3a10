# SPDX-License-Identifier: Apache-2.0
# Shared by scripts/try and scripts/test: packages, builds, quiet commands. Sourced by bash.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
jobs=$(nproc)

# Debian 12 packages: to build, and further ones to test.
build_packages=(cmake g++ ninja-build pkg-config flatbuffers-compiler flatbuffers-compiler-dev
  libflatbuffers-dev libcli11-dev libsimdjson-dev libxxhash-dev libdeflate-dev python3)
test_packages=(clang-14 clang-format-14 clang-tidy-14 clang-tools-14 googletest libgtest-dev
  libgmock-dev libbenchmark-dev python3-venv)

# Runs a command with its output in a log that is shown only when it fails.
quietly() {
  mkdir -p build
  local log=build/log.txt
  "$@" > "$log" 2>&1 < /dev/null || {
    local code=$?
    echo "failed ($code): $*" >&2
    tail -n 150 "$log" >&2
    return "$code"
  }
}

# Installs those of the named Debian packages that are missing.
install_packages() {
  local missing=() package
  for package in "$@"; do
    [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2> /dev/null) == installed ]] ||
      missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  local sudo=()
  [ "$(id -u)" = 0 ] || sudo=(sudo)
  echo "installing ${missing[*]}"
  quietly "${sudo[@]}" apt-get update
  quietly "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y --no-install-recommends "${missing[@]}"
}

# build_tree DIR TARGETS CMAKE_OPTION...: configures and builds; TARGETS is "all" or names.
build_tree() {
  local dir=$1 targets=$2
  shift 2
  quietly cmake -G Ninja -S . -B "$dir" "$@"
  # shellcheck disable=SC2086  # words are wanted
  quietly cmake --build "$dir" --parallel "$jobs" --target $targets
}
