#!/usr/bin/env bash
# Builds and runs the benchmarks of bench/, handing each the given options.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/build.sh release all -DDEEPINFER_BENCH=ON
for program in build/release/bench/*_bench; do
  [[ -x $program ]] && "$program" "$@"
done
