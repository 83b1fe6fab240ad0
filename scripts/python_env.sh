#!/usr/bin/env bash
# Makes the virtual environment .venv with the pinned packages of tools/requirements.txt, once, and
# runs a command in it.
#
#   scripts/python_env.sh python tools/make_tiny_checkpoint.py --help
#   REQUIREMENTS=tools/tiny_model/requirements.txt scripts/python_env.sh python …
#
# Building and running DeepInfer needs no Python: only the tools and the tests that use them do.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
requirements=${REQUIREMENTS:-$root/tools/requirements.txt}
stamp=$root/.venv/installed-$(cksum <"$requirements" | cut -d' ' -f1)

if [[ ! -f $stamp ]]; then
  if [[ ! -x $root/.venv/bin/python ]]; then
    if ! python3 -m venv "$root/.venv"; then
      echo "[python_env] cannot make .venv, python3 with venv is needed (Debian: python3-venv)" >&2
      exit 1
    fi
  fi
  "$root/.venv/bin/python" -m pip install --quiet --disable-pip-version-check \
    -r "$requirements" >&2
  touch "$stamp"
fi
export PATH=$root/.venv/bin:$PATH VIRTUAL_ENV=$root/.venv
(($# == 0)) || exec "$@"
