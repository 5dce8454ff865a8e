#!/usr/bin/env bash
# Checks Weir on a real GPU, within an hour on 16 cores:
#
#   tests/run_on_gpu.sh [BUILD_DIR]        default: build-gpu
#
#   1. tests/solvers/device/check.cu, built by one call of nvcc: loops, reductions, kernels, flags, grid barrier, errors, and the
#      speed of the memory. Needs nothing but a compiler and nvcc.
#   2. Everything, configured with WEIR_DEVICE=cuda for this GPU. Without GoogleTest (or another library that the tests
#      need) the product alone; without the product's libraries the solvers alone.
#   3. All tests in both spaces (ctest), where they were built.
#   4. compute-sanitizer: memcheck, racecheck and synccheck on the device tests (on check.cu where there are no tests),
#      memcheck and synccheck on those of kernels by hand. WEIR_CUDA_SYNC=1: an error carries its kernel's name.
#   5. The benchmarks: bin/weir bench.
#
# Each step has a time limit; what was skipped is said, and the last lines sum up, as does BUILD_DIR/summary.json: GPU, driver,
# toolkit, seconds and result of each step, what stands in BUILD_DIR/*.json of benchmarks. Exit code: 0 when all that ran
# passed, 8 without a GPU or nvcc, else 1. tests/ptx/dry_run.sh runs this script without a GPU.
set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$(realpath -m "${1:-$root/build-gpu}")
export OMP_WAIT_POLICY=passive
failed=() passed=() skipped=() rows=()

command -v nvcc >/dev/null || export PATH="/usr/local/cuda/bin:$PATH"
command -v nvcc >/dev/null || { echo "no nvcc"; exit 8; }
gpu=$(nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader) || { echo "no NVIDIA GPU"; exit 8; }
capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -n 1 | tr -d '. ')
toolkit=$(nvcc --version | sed -n 's/.*release.*, V//p')
printf '%s\nCUDA %s\n' "$gpu" "$toolkit"
mkdir -p "$build"

# step NAME SECONDS COMMAND...: runs it under a time limit, remembers how it ended.
step() {
  local name=$1 limit=$2 begun=$SECONDS
  shift 2
  printf '\n=== %s (%s s)\n' "$name" "$SECONDS"
  if timeout "$limit" "$@"; then
    passed+=("$name")
    note "$name" passed $((SECONDS - begun))
  else
    failed+=("$name")
    note "$name" failed $((SECONDS - begun))
    return 1
  fi
}
skip() { skipped+=("$1"); note "$1" skipped 0; }
quoted() { local text=${1//\\/\\\\}; printf '"%s"' "${text//\"/\\\"}"; }
note() { rows+=("{\"step\": $(quoted "$1"), \"result\": \"$2\", \"seconds\": $3}"); }

flags=(-std=c++20 --extended-lambda --expt-relaxed-constexpr -O3 -lineinfo "-arch=sm_$capability" -Xcompiler=-fopenmp
  -I"$root" -I"$root/solvers/device/cuda")
if step "build check.cu" 600 nvcc "${flags[@]}" "$root/tests/solvers/device/check.cu" "$root/solvers/device/array.cpp" \
  "$root/solvers/device/mapped_blocks.cpp" "$root/solvers/device/cuda/runtime.cpp" "$root/solvers/device/cuda/timer.cpp" \
  "$root/base/region/region_none.cpp" \
  -o "$build/check"; then
  step "check.cu" 60 "$build/check" faults
fi

generator="Unix Makefiles"
command -v ninja >/dev/null && generator=Ninja
configure() {
  rm -f "$build/tree/CMakeCache.txt"
  timeout 90 cmake -S "$root" -B "$build/tree" -G "$generator" -DCMAKE_BUILD_TYPE=Release -DWEIR_DEVICE=cuda \
    -DCMAKE_CUDA_ARCHITECTURES="$capability" "$@" >"$build/configure.log" 2>&1
}
printf '\n=== configure (%s s)\n' "$SECONDS"
if configure; then
  targets=(all weir_bench)
elif configure -DWEIR_TESTS=OFF; then
  targets=(all)
  skip "tests: $(grep -m 1 -A 1 'CMake Error' "$build/configure.log" | tr -d '\n'; echo not configured, see configure.log)"
else
  targets=()
  tail -n 20 "$build/configure.log"
  skip "everything but check.cu: the project's libraries are not all here"
fi

if [ ${#targets[@]} -gt 0 ]; then
  step "build" 1500 cmake --build "$build/tree" -j "$(nproc)" --target "${targets[@]}"
  if [ -x "$build/tree/bin/device_arrays_test" ]; then
    step "ctest" 900 ctest --test-dir "$build/tree" --output-on-failure -j 4 -LE long
  else
    skip "ctest: no tests were built"
  fi
fi

if command -v compute-sanitizer >/dev/null; then
  programs=("$build/tree/bin/device_arrays_test" "$build/tree/bin/device_kernels_test")
  [ -x "${programs[0]}" ] || programs=("$build/check")
  # The test that asks for too much memory means its failed allocation.
  sanitize() {
    [ ! -x "$2" ] || step "$1 $(basename "$2") ${GTEST_FILTER:-}" "$3" env WEIR_CUDA_SYNC=1 \
      compute-sanitizer --tool "$1" --report-api-errors no --error-exitcode 1 "$2"
  }
  for program in "${programs[@]}"; do
    for tool in memcheck racecheck synccheck; do sanitize "$tool" "$program" 60; done
  done
  for suites in '*Ilu0*:AsyncIlu*:Line*' 'Multicolor*' 'ParIlu*' 'Stencil*:Banded*' 'Krylov*'; do
    for tool in memcheck synccheck; do GTEST_FILTER=$suites sanitize "$tool" "$build/tree/bin/solvers_test" 300; done
  done
else
  skip "compute-sanitizer: not installed"
fi

if [ -x "$build/tree/bin/weir_bench" ]; then
  step "benchmarks" 120 "$build/tree/bin/weir" bench kernels --json "$build/kernels.json"
  step "Luo et al. 2015" 240 bash -c "for s in luo-table1 luo-tables luo-fig8 luo-fig9 luo-fig10; do '$build/tree/bin/weir' bench \$s -o '$build/bench' || exit 1; done"
else
  skip "benchmarks: weir_bench was not built"
fi

printf '\n=== summary (%s s)\n' "$SECONDS"
[ ${#passed[@]} -eq 0 ] || printf 'passed   %s\n' "${passed[@]}"
[ ${#skipped[@]} -eq 0 ] || printf 'skipped  %s\n' "${skipped[@]}"
[ ${#failed[@]} -eq 0 ] || printf 'FAILED   %s\n' "${failed[@]}"
{
  printf '{"gpu": %s, "toolkit": %s, "seconds": %s, "steps": [\n' "$(quoted "$(head -n 1 <<<"$gpu")")" "$(quoted "$toolkit")" "$SECONDS"
  for i in "${!rows[@]}"; do printf '%s%s\n' "${rows[i]}" "$([ "$i" -eq $((${#rows[@]} - 1)) ] || echo ,)"; done
  printf ']}\n'
} >"$build/summary.json"
[ ${#failed[@]} -eq 0 ]
