#!/usr/bin/env bash
# Runs clang-tidy over the C++ files of the tree; every finding is an error.
#
#   scripts/lint.sh [GLOB]       e.g. scripts/lint.sh 'tokenizer*'
#
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
# The static analyser walks every path of GoogleTest's macros, three quarters of a test file's time,
# for code that ASan and UBSan run anyway; test files get every other check.
lint_file() {
  local checks=
  [[ $1 != *_test.cpp ]] || checks='-clang-analyzer-*'
  clang-tidy -p build/release --quiet --checks="$checks" --warnings-as-errors='*' \
    --extra-arg=-Wno-unknown-warning-option "$1" 2>/dev/null || { echo "[lint] $1: findings" && false; }
}
export -f lint_file
printf '%s\0' "${files[@]}" |
  xargs -0 -n 1 -P "${LINT_JOBS:-$(nproc)}" bash -c 'lint_file "$1"' lint
echo "[lint] ${#files[@]} files are clean"
