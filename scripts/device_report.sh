#!/usr/bin/env bash
# What a plug-in does with DeepInfer, for a report: device_report.sh PLUGIN [FOLDER]
#
# Runs what docs/neuron.md lists, each step into a file of its own with its exit code, and packs the
# folder (device-report) into FOLDER.tar.gz. Sends nothing. Ends with 0 if every step did.
set -uo pipefail
cd "$(dirname "$0")/.."
plugin=${1:?usage: device_report.sh PLUGIN [FOLDER]}
folder=${2:-device-report}
program=${DEEPINFER:-build/release/deepinfer}
limit=${STEP_SECONDS:-3600} # a compile may take minutes
[[ -x $program ]] || { echo "[report] $program is not built: make pjrt && make build" >&2; exit 2; }
mkdir -p "$folder" || exit 2
failed=0

# step NAME COMMAND…
step() {
  local name=$1 code=0
  shift
  echo "[report] $name" >&2
  timeout "$limit" "$@" >"$folder/$name.out" 2>"$folder/$name.err" </dev/null || code=$?
  echo "$code" >"$folder/$name.exit"
  [[ $code -eq 0 ]] || { failed=1; echo "[report] $name ended with $code" >&2; }
}

{
  "$program" --version
  uname -srm
  python3 -m pip list 2>/dev/null | grep -iE '^(libneuronxla|neuronx-cc|libtpu|jax|nvidia)' || true
  env | grep '^NEURON_' | sort || true
} >"$folder/versions.out" 2>&1
command -v neuron-ls >/dev/null && step neuron-ls neuron-ls
command -v nvidia-smi >/dev/null && step nvidia-smi nvidia-smi

small=(--max-batch 1 --prefill-bucket 16 --max-context 256)
step machine "$program" inspect --machine --json --pjrt-plugin "$plugin"
for mode in eager regions whole; do
  step "modules-$mode" "$program" inspect --modules 16 --json --graph-mode "$mode" \
    --pjrt-plugin "$plugin" "${small[@]}"
done
for mode in eager regions whole; do
  step "run-$mode" "$program" run --backend pjrt --pjrt-plugin "$plugin" --graph-mode "$mode" \
    "${small[@]}" --region-timing true -n 12 -p "Alice was beginning to get very tired of"
done
for numerics in fp32 official; do # sums per layer: where they part is the op to look at
  for backend in pjrt cpu; do
    step "logits-$numerics-$backend" "$program" logits --backend "$backend" --graph-mode regions \
      --pjrt-plugin "$plugin" "${small[@]}" --numerics "$numerics" --tokens 5,6,7,8 --trace \
      --out "$folder/logits-$numerics-$backend.safetensors"
  done
done
for backend in pjrt cpu; do
  step "eval-$backend" "$program" eval --backend "$backend" --pjrt-plugin "$plugin" \
    --graph-mode regions --max-batch 1 --prefill-bucket 128 \
    --cases models/DeepInfer-V4.1-tiny/eval.json
done

tar -czf "$folder.tar.gz" -C "$(dirname "$folder")" "$(basename "$folder")"
echo "[report] $folder.tar.gz" >&2
exit "$failed"
