#!/usr/bin/env bash
# Configures a preset when that is needed, then builds a target.
#
#   scripts/build.sh PRESET TARGET [CMAKE_OPTION…]
#
# A tree that is configured is handed straight to ninja (which notices changed CMake files itself),
# so a build with nothing to do takes a fraction of a second. Everything printed goes to stderr:
# the output of `make run` is the model's alone.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1 target=$2
shift 2

build_dir="build/$preset"
[[ $preset == ci ]] && build_dir=build/release

needs_configure=false
# The presets release and ci share a folder, and options given here are new every time.
[[ -f $build_dir/build.ninja && $preset != ci && $# -eq 0 ]] || needs_configure=true
# Configured before GoogleTest was installed: there are no tests in it yet.
[[ $target == all && ! -f $build_dir/CTestTestfile.cmake ]] && needs_configure=true

if $needs_configure; then
  cmake --preset "$preset" "$@" >&2
fi
ninja -C "$build_dir" -j "${BUILD_JOBS:-$(nproc)}" "$target" >&2
