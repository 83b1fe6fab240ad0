#!/usr/bin/env bash
# Prints the hand-written C++ files of the tree, one per line.
#
#   scripts/cpp_files.sh [GLOB]      default: every *.h and *.cpp; with a slash it is about the path
#                                    ('src/graph/*'), else about the name ('*config*')
set -euo pipefail
cd "$(dirname "$0")/.."
roots=()
for folder in include src tests tools fuzz bench examples; do
  [[ -d $folder ]] && roots+=("$folder")
done
by=-name
[[ ${1:-} == */* ]] && by=-path
find "${roots[@]}" -path tests/data -prune -o -type f \
  \( -name '*.h' -o -name '*.cpp' \) "$by" "${1:-*}" -print | LC_ALL=C sort
