#!/usr/bin/env bash
# Builds and runs the kernel benchmarks of bench/, then `deepinfer bench` with the given options.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/build.sh release all -DDEEPINFER_BENCH=ON
for program in build/release/bench/*_bench; do
  [[ -x $program ]] && "$program"
done
exec build/release/deepinfer bench "$@"
