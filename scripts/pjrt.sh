#!/usr/bin/env bash
# Fetches the PJRT plug-in for the CPU and the C header that comes with it, into build/pjrt/:
#
#   build/pjrt/include/pjrt_c_api.h    what the PJRT backend is compiled with
#   build/pjrt/xla_cpu_pjrt.so         what `--backend pjrt --pjrt-plugin` loads in tests
#
# The package and its hash are pinned (docs/dependencies.md). A second run does nothing. The build
# finds the header by itself: the next `make build` or `make test` configures anew.
set -euo pipefail
cd "$(dirname "$0")/.."
package=xla-cpu-pjrt version=0.0.1
sha256=55837b6b7b47daa717f2d9a5a03563ea0ceaa338d06a81a1e2d3f060d960decc
folder=build/pjrt
stamp=$folder/installed-$package-$version

[[ -f $stamp && -f $folder/include/pjrt_c_api.h && -f $folder/xla_cpu_pjrt.so ]] && exit 0
if [[ $(uname -s) != Linux || $(uname -m) != x86_64 ]]; then
  echo "[pjrt] $package is built for Linux on x86-64 only, got $(uname -sm)" >&2
  exit 1
fi
python3 -m pip --version >/dev/null 2>&1 || scripts/setup.sh pjrt

mkdir -p "$folder"
fetched=$(mktemp -d "$folder/fetch.XXXXXX")
trap 'rm -rf "$fetched"' EXIT
echo "[pjrt] fetching $package $version (63 MB, 259 MB unpacked)" >&2
if ! python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: \
  --dest "$fetched" "$package==$version" >&2; then
  echo "[pjrt] cannot fetch $package $version from the package index, see above" >&2
  exit 1
fi
wheels=("$fetched"/*.whl)
got=$(sha256sum "${wheels[0]}" | cut -d' ' -f1)
if [[ $got != "$sha256" ]]; then
  echo "[pjrt] ${wheels[0]##*/} is not the pinned file, expected sha256 $sha256, got $got" >&2
  exit 1
fi
python3 -m zipfile -e "${wheels[0]}" "$fetched/unpacked"

# Moved into place one by one; the stamp comes last, so that a run cut short is done again.
unpacked=$fetched/unpacked/xla_plugins/xla_cpu_pjrt
mkdir -p "$folder/include"
mv -f "$unpacked/xla_cpu_pjrt.so" "$folder/"
mv -f "$unpacked/include/pjrt_c_api.h" "$folder/include/"
touch "$stamp"
echo "[pjrt] $folder/xla_cpu_pjrt.so is ready" >&2
