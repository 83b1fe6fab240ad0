#!/usr/bin/env bash
# Builds the libFuzzer targets and runs each for FUZZ_SECONDS (60) seconds.
#
#   scripts/fuzz.sh [NAME…]      e.g. scripts/fuzz.sh config tokenizer_json
#
# Starts from fuzz/corpus/NAME; what it finds on the way is kept under build/fuzz/found/NAME, and an
# input that fails under build/fuzz/failures/NAME-… . Copy such an input into fuzz/corpus/NAME
# together with the repair: every test run then replays it.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/build.sh fuzz fuzzers

names=("$@")
if ((${#names[@]} == 0)); then
  for source in fuzz/*_fuzz.cpp; do
    name=$(basename "$source" _fuzz.cpp)
    names+=("$name")
  done
fi

failed=0
mkdir -p build/fuzz/failures
for name in "${names[@]}"; do
  mkdir -p "build/fuzz/found/$name"
  log="build/fuzz/$name.log"
  echo "[fuzz] $name, ${FUZZ_SECONDS:-60} s"
  if "build/fuzz/fuzz/${name}_fuzz" "build/fuzz/found/$name" "fuzz/corpus/$name" \
    -max_total_time="${FUZZ_SECONDS:-60}" -timeout=10 -rss_limit_mb=2048 -max_len=65536 \
    -artifact_prefix="build/fuzz/failures/$name-" -print_final_stats=1 </dev/null >"$log" 2>&1; then
    grep '^stat::number_of_executed_units' "$log"
  else
    failed=$((failed + 1))
    tail -40 "$log"
  fi
done
echo "$((${#names[@]} - failed)) passed, $failed failed, 0 skipped"
((failed == 0))
