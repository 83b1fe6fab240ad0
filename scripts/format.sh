#!/usr/bin/env bash
# Formats every C++ file in place; with --check only says which files are not formatted.
set -euo pipefail
cd "$(dirname "$0")/.."
mapfile -t files < <(scripts/cpp_files.sh)
if [[ ${1:-} == --check ]]; then
  clang-format --dry-run --Werror "${files[@]}"
  echo "[format] ${#files[@]} files are formatted"
else
  clang-format -i "${files[@]}"
fi
