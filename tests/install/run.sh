#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Installs the build tree into a directory of its own, moves it, and builds and runs a consumer of
# it, once through find_package and once through pkg-config.
#   run.sh CMAKE BUILD_DIR CXX CXX_FLAGS
set -euo pipefail
cmake=$1 build=$2 cxx=$3 flags=$4
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

expect() {  # expect WHAT ACTUAL WANTED
  [ "$2" = "$3" ] || { echo "$1: got '$2', wanted '$3'" >&2; exit 1; }
}

"$cmake" --install "$build" --prefix "$work/first" > "$work/log"
mv "$work/first" "$work/prefix"  # nothing may depend on where it was installed
prefix=$work/prefix
"$prefix/bin/tosac" --version
[ -f "$prefix/include/tosac/tools.h" ]

"$cmake" -S "$here" -B "$work/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CXX_COMPILER="$cxx" \
  -DCMAKE_CXX_FLAGS="$flags" > "$work/log" || { cat "$work/log"; exit 1; }
"$cmake" --build "$work/build" > "$work/log" || { cat "$work/log"; exit 1; }
expect "consumer through find_package" "$("$work/build/consumer")" 1

pc_dir=$(dirname "$(find "$prefix" -name tosac.pc)")
export PKG_CONFIG_PATH=$pc_dir
# shellcheck disable=SC2046,SC2086  # words are wanted
"$cxx" -std=c++20 $flags "$here/consumer.cc" -o "$work/consumer" $(pkg-config --cflags --libs tosac)
expect "consumer through pkg-config" \
  "$(LD_LIBRARY_PATH=$(pkg-config --variable=libdir tosac) "$work/consumer")" 1
expect "version of the package" "$(pkg-config --modversion tosac)" \
  "$("$prefix/bin/tosac" --version | sed 's/^tosac *//')"
