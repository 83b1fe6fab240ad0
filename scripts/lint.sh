#!/usr/bin/env bash
# Runs clang-tidy over the C++ files of the tree; every finding is an error.
#
#   scripts/lint.sh [GLOB]       e.g. scripts/lint.sh 'tokenizer*', scripts/lint.sh 'src/graph/*'
#
# Most of clang-tidy's time goes into the headers that a file includes. So the checks of style and
# bug patterns see the files of a folder together, up to ten in one unit that includes them (a unit
# whose files do not go together is taken apart again). The static analyser looks at main files
# only, so it runs file by file, and not over tests: it would walk every path of GoogleTest's macros
# for code that the sanitizers run anyway; nor over benchmarks, whose loops it takes for dead stores.
# Reads the compile commands of build/release, which it configures when needed.
set -euo pipefail
cd "$(dirname "$0")/.."
[[ -f build/release/compile_commands.json ]] || cmake --preset release >&2

# Only what is compiled can be analysed; headers are checked through the files that include them.
mapfile -t files < <(scripts/cpp_files.sh "${1:-*}" | grep '\.cpp$' | while read -r file; do
  grep -qF "/$file\"" build/release/compile_commands.json && echo "$file"
done)
if ((${#files[@]} == 0)); then
  echo "[lint] no compiled file matches '${1:-*}'" >&2
  exit 2
fi

unit_dir=$(mktemp -d)
trap 'rm -rf "$unit_dir"' EXIT
declare -A members=() # of the open unit of each folder
jobs_list=()
for file in "${files[@]}"; do
  [[ $file == *_test.cpp || $file == *_bench.cpp ]] || jobs_list+=("analyse $file")
  # Kernels are compiled once per instruction set with flags of their own.
  if [[ $file == */isa/* ]]; then
    jobs_list+=("check $file")
    continue
  fi
  group=$(dirname "$file")
  [[ $file == *_test.cpp ]] && group+=/tests
  unit=$unit_dir/${group//\//-}-$((${members[$group]:-0} / 10)).cpp
  members[$group]=$((${members[$group]:-0} + 1))
  [[ -f $unit ]] || jobs_list+=("unit $unit")
  echo "#include \"$PWD/$file\"" >>"$unit"
done

tidy() {
  clang-tidy --quiet --warnings-as-errors='*' --extra-arg=-Wno-unknown-warning-option "$@" 2>/dev/null
}

# One job: `analyse FILE`, `check FILE` or `unit FILE`. Prints findings and fails if there are any.
lint_job() {
  local what=${1%% *} file=${1#* } output status=0
  case $what in
    analyse)
      tidy -p build/release --checks='-*,clang-analyzer-*,-clang-analyzer-optin.performance.Padding' \
        "$file" || status=1
      ;;
    check)
      tidy -p build/release --checks='-clang-analyzer-*' "$file" || status=1
      ;;
    unit)
      output=$(tidy --checks='-clang-analyzer-*,-bugprone-suspicious-include' \
        --config-file=.clang-tidy --header-filter="$PWD/(include|src|tests|fuzz|bench|examples)/.*" \
        "$file" -- -std=c++20 -Iinclude -Isrc -I. -DDEEPINFER_SOURCE_DIR='""' \
        -DDEEPINFER_PROGRAM='""' -DDEEPINFER_VERSION='""') || status=1
      if grep -q clang-diagnostic-error <<<"$output"; then
        status=0
        while read -r member; do lint_job "check $member" || status=1; done \
          < <(sed -E 's/#include "(.*)"/\1/' "$file")
      elif ((status != 0)); then
        echo "$output"
      fi
      ;;
  esac
  return "$status"
}
export -f tidy lint_job
if printf '%s\0' "${jobs_list[@]}" |
  xargs -0 -n 1 -P "${LINT_JOBS:-$(nproc)}" bash -c 'lint_job "$1"' lint; then
  echo "[lint] ${#files[@]} files are clean"
else
  echo "[lint] findings in ${#files[@]} files, see above" >&2
  exit 1
fi
