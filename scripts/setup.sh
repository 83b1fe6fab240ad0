#!/usr/bin/env bash
# Installs the Debian packages that are missing for what is about to be done.
#
#   scripts/setup.sh SET…        sets: build test lint fuzz bench pjrt ci
#
# Says which packages and why before it installs them. sudo is used only when not root; the package
# lists are fetched only when something is missing, so a second run costs a few milliseconds.
set -euo pipefail

declare -A reasons=(
  [g++]="compiles the C++20 sources"
  [cmake]="configures the build"
  [ninja-build]="runs the build"
  [make]="the targets of the Makefile"
  [nlohmann-json3-dev]="reads and writes JSON"
  [libcli11-dev]="command-line options"
  [libfmt-dev]="text formatting"
  [libutf8proc-dev]="Unicode tables for the tokenizer"
  [libgtest-dev]="the tests (GoogleTest)"
  [clang-tidy]="static analysis"
  [clang-format]="source format"
  [clang]="compiles the fuzz targets"
  [libclang-rt-14-dev]="libFuzzer and the sanitizer runtimes"
  [libbenchmark-dev]="kernel benchmarks (Google Benchmark)"
  [python3]="unpacks the PJRT plug-in"
  [python3-pip]="fetches the PJRT plug-in"
)
declare -A sets=(
  [build]="g++ cmake ninja-build nlohmann-json3-dev libcli11-dev libfmt-dev libutf8proc-dev"
  [test]="libgtest-dev"
  [lint]="clang-tidy clang-format"
  [fuzz]="clang libclang-rt-14-dev"
  [bench]="libbenchmark-dev"
  [pjrt]="python3 python3-pip"
  [ci]="make"
)

wanted=()
for set_name in "$@"; do
  if [[ -z "${sets[$set_name]:-}" ]]; then
    echo "[setup] unknown set '$set_name', expected one of: ${!sets[*]}" >&2
    exit 2
  fi
  read -ra packages <<<"${sets[$set_name]}"
  wanted+=("${packages[@]}")
done

if ! command -v dpkg-query >/dev/null; then
  echo "[setup] no dpkg on this system; needed here: ${wanted[*]} (Debian names)" >&2
  exit 0
fi

# dpkg-query fails when one name is unknown; what it prints about the others still counts.
installed=$(dpkg-query -W -f='${Package} ${db:Status-Status}\n' "${wanted[@]}" 2>/dev/null || true)
missing=()
for package in "${wanted[@]}"; do
  grep -qxF "$package installed" <<<"$installed" || missing+=("$package")
done
((${#missing[@]} == 0)) && exit 0

echo "[setup] installing what is missing:" >&2
for package in "${missing[@]}"; do
  printf '[setup]   %-20s %s\n' "$package" "${reasons[$package]}" >&2
done
as_root=()
if ((EUID != 0)); then
  if ! command -v sudo >/dev/null; then
    echo "[setup] neither root nor sudo here; run as root: apt-get install ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -q >&2
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install -y -q --no-install-recommends "${missing[@]}" </dev/null >&2
