#!/usr/bin/env bash
# Builds Weir for the GPU of this machine and runs tests/gpu/go.sh on it:
#
#   tests/run_on_gpu.sh [BUILD_DIR [SECONDS [STAGES]]]     default: build-gpu, 900 seconds, all stages
#
# It needs nvcc and the packages of the CPU build. A machine without them takes a bundle that another machine has made
# (./weir bundle cuda): unpack it there and run `bash go.sh`. Results: BUILD_DIR/out, and what `weir bench gpu-report` makes of them.
# Exit code: that of go.sh; 8 without a GPU or nvcc.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$(realpath -m "${1:-$root/build-gpu}")
command -v nvcc >/dev/null || export PATH="/usr/local/cuda/bin:$PATH"
command -v nvcc >/dev/null || { echo "no nvcc" >&2; exit 8; }
nvidia-smi >/dev/null || { echo "no NVIDIA GPU" >&2; exit 8; }
capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -n 1 | tr -d '. ')

cmake -S "$root" -B "$build" -G "$(command -v ninja >/dev/null && echo Ninja || echo 'Unix Makefiles')" \
  -DCMAKE_BUILD_TYPE=Release -DWEIR_DEVICE=cuda -DCMAKE_CUDA_ARCHITECTURES="$capability"
cmake --build "$build" -j "$(nproc)" --target weir weir_bench gpu_programs
mkdir -p "$build/gpu/share"
ln -sfn "$build/bin" "$build/gpu/bin"
ln -sfn "$root" "$build/gpu/share/weir"
git -C "$root" describe --always --dirty >"$build/gpu/MANIFEST" || true
cp "$root"/tests/gpu/go.sh "$root"/tests/gpu/*.txt "$build/gpu/"
code=0
OUT=$build/out bash "$build/gpu/go.sh" "${2:-900}" "${3:-ctwfpsr}" || code=$?
"$build/bin/weir" bench gpu-report "$build/out" --csv "$build/out/work.csv" | tee "$build/out/page.md"
exit $code
