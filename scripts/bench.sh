#!/usr/bin/env bash
# Builds and runs the benchmarks of bench/, handing each the given options, then `deepinfer bench`.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/build.sh release all -DDEEPINFER_BENCH=ON
for program in build/release/bench/*_bench; do
  [[ -x $program ]] && "$program" "$@"
done
# The bundled model as a whole; `make slice` and `deepinfer bench -m build/slice`: released widths.
build/release/deepinfer bench --batch 1,4,16
