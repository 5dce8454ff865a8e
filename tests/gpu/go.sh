#!/usr/bin/env bash
# Check of Weir on one GPU in a few minutes: correctness first, then speed. It is in the CUDA bundle next to bin/ and lib/ and needs only
# these, a driver and, for the profiles and sanitizers, ncu and compute-sanitizer where they are installed.
#
#   bash go.sh [SECONDS] [STAGES]     SECONDS: 470 by default, at least 60; STAGES: letters of the list below, all by default
#
#   c  check: loops, reductions, kernels, flags, grid barrier, error messages
#   t  tests: every suite with device code in a process of its own; the failed ones again test by test, waiting for each launch
#   w  work: times of the pieces that the device model predicts, and of what it takes as given (triad, launch, graph node, copies)
#   f  flows: cavity and aerofoil, on the device and on all cores of the host
#   p  profiles: ncu counters of eight pieces
#   s  sanitizers: memcheck, racecheck and synccheck of the suites whose threads wait for each other
#   r  repetition: the waiting protocols until the time is over
#
# Each result is appended to a file in $OUT (default: out/ next to this script) as soon as it is there, so that a cut-off loses nothing:
#   machine.txt  check.txt  results.jsonl (a line per process)  tests.log  work.jsonl (a line per piece)  ncu.csv  flows.jsonl
# `weir bench gpu-report $OUT` makes a page and a CSV of them. Exit code: 0 if everything passed, else 1.
set -u
here=$(cd "$(dirname "$0")" && pwd)
out=${OUT:-$here/out} budget=${1:-470} stages=${2:-ctwfpsr}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$out"

# cuBLAS and cuSPARSE of the machine: the CUDA toolkit's or those of Python packages.
cuda_libraries() {
  local folder
  for folder in /usr/local/cuda/lib64 /usr/local/cuda/targets/x86_64-linux/lib \
    $(python3 -c '
import glob, site, sysconfig
for p in {sysconfig.get_paths()["purelib"], *site.getsitepackages()}: print(*glob.glob(p + "/nvidia/*/lib"))' 2>/dev/null); do
    ls "$folder"/libcublas.so.* "$folder"/libcublasLt.so.* "$folder"/libcusparse.so.* "$folder"/libnvJitLink.so.* 2>/dev/null
  done | xargs -rn1 dirname | sort -u | paste -sd:
}
export LD_LIBRARY_PATH="${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$here/lib:$(cuda_libraries)"
export PATH="$PATH:/usr/local/cuda/bin" OMP_WAIT_POLICY=passive
cores=$(nproc)

began=$EPOCHSECONDS
elapsed() { echo $((EPOCHSECONDS - began)); }
left() { echo $((budget - EPOCHSECONDS + began)); }
does() { [[ $stages == *$1* ]]; }
say() { flock "$tmp/lock" bash -c 'printf "%s\n" "$1" >>"$2"; sync "$2"' _ "$2" "$out/$1"; }  # FILE LINE
note() { flock "$tmp/lock" bash -c 'cat >>"$1"; sync "$1"' _ "$out/$1"; }                        # FILE <text

# one FILTER SECONDS [COMMAND before the program]: a process of the tests. Its line goes to results.jsonl, its output to tests.log if
# it failed, its filter to the file `failed`.
one() {
  local filter=$1 limit=$2 begun rc output
  begun=$(elapsed)
  shift 2
  [ "$(left)" -gt 5 ] || return 0
  output=$tmp/$BASHPID
  GTEST_FILTER=$filter timeout -k 5 "$limit" "$@" "$here/bin/gpu_tests" --gtest_brief=1 >"$output" 2>&1
  rc=$?
  say results.jsonl "{\"filter\": \"$filter\", \"with\": \"${1:+$(basename "$1") ${3:-}}${WEIR_CUDA_SYNC:+sync}\", \"rc\": $rc, \"seconds\": $(($(elapsed) - begun)), \"at\": $begun}"
  if [ $rc -ne 0 ]; then
    { echo "=== $filter $* rc $rc"; grep -v '^\[  *\(OK\|RUN\|-----\)' "$output" | tail -c 5000; } | note tests.log
    echo "$filter" >>"$tmp/failed"
  fi
  rm -f "$output"
}
export -f one say note left elapsed
export here out tmp budget began
at_a_time() { xargs -d '\n' -P "$1" -I{} bash -c "one '{}' ${*:2}"; }
tests_of() { GTEST_FILTER=$1 "$here/bin/gpu_tests" --gtest_list_tests | sed 's/ *#.*//' | awk '/^[^ ]/{s=$1} /^ /{print s $1}'; }
# Of all suites, or of those that WEIR_GPU_SUITES (an expression of grep) names.
suites() { "$here/bin/gpu_tests" --gtest_list_tests | sed 's/ *#.*//' | awk '/^[^ ]/{print $1}' | grep -v '/host\.$\|OnHost\.$' | grep -E "${WEIR_GPU_SUITES:-.}"; }

{ date -u; nvidia-smi; nvidia-smi -q -d CLOCK,ECC,POWER | head -60; nvcc --version; ldd "$here/bin/gpu_tests"; lscpu | head -24; uname -a
  cat "$here/MANIFEST"; } >"$out/machine.txt" 2>&1

if does c; then
  OMP_NUM_THREADS=2 timeout 60 "$here/bin/gpu_check" faults >"$out/check.txt" 2>&1
  rc=$?
  say results.jsonl "{\"filter\": \"check\", \"with\": \"\", \"rc\": $rc, \"seconds\": $(elapsed), \"at\": 0}"
  [ $rc -eq 0 ] || echo check >>"$tmp/failed_in_all"
fi

# The riskiest first: a fault that stops a process shows while there is time to look at it.
if does t; then
  suites | sed 's/$/*/' >"$tmp/suites"
  { grep -E 'Recorded|Atomics|Flags|Grid|Kernels|Reduc|ParIl|Ilu0|AsyncIlu|Multicolor|Sgs|KrylovOnDevice' "$tmp/suites"
    cat "$tmp/suites"; } | awk '!seen[$0]++' | OMP_NUM_THREADS=2 at_a_time 8 60
  sort -u "$tmp/failed" 2>/dev/null >"$tmp/again"
  : >"$tmp/failed"
  while read -r filter; do tests_of "$filter"; done <"$tmp/again" | head -120 | OMP_NUM_THREADS=2 at_a_time 8 25
  cat "$tmp/failed" >>"$tmp/failed_in_all"
  sort -u "$tmp/failed" | head -24 | OMP_NUM_THREADS=2 WEIR_CUDA_SYNC=1 at_a_time 8 25
fi

# Alone on the card.
if does w; then
  while read -r work; do
    [ "$(left)" -gt 40 ] || break
    # shellcheck disable=SC2086 # the words of a piece
    OMP_NUM_THREADS=$cores WEIR_WORK_SECONDS=1 timeout 40 "$here/bin/gpu_work" $work 2>"$tmp/error" >"$tmp/line"
    rc=$?
    if [ $rc -eq 0 ]; then say work.jsonl "$(cat "$tmp/line")"; else
      say results.jsonl "{\"filter\": \"gpu_work $work\", \"with\": \"\", \"rc\": $rc, \"seconds\": 0, \"at\": $(elapsed)}"
      note tests.log <"$tmp/error"
      echo "$work" >>"$tmp/failed_in_all"
    fi
  done <"${WEIR_GPU_WORKS:-$here/works.txt}"
fi

# flow NAME SPACE CASE [OPTIONS]: a whole run; its line in flows.jsonl holds its run.json. On the host by the program of a CPU build,
# weir_host, where the bundle has it: nvcc calls the bodies of loops on the host through pointers.
flow() {
  local name=$1 space=$2 case=$3 program=$here/bin/weir rc
  shift 3
  [ "$space" = device ] || [ ! -x "${program}_host" ] || program=${program}_host
  [ "$(left)" -gt 40 ] || return 0
  rm -rf "$tmp/run"
  OMP_NUM_THREADS=$cores timeout 60 "$program" run "$here/share/weir/inputs/$case" --space "$space" --unset check \
    --set output.report=false -o "$tmp/run" "$@" >"$tmp/log" 2>&1
  rc=$?
  { printf '{"flow": "%s", "space": "%s", "rc": %s, "run": ' "$name" "$space" $rc
    if [ -s "$tmp/run/run.json" ]; then tr -d '\n' <"$tmp/run/run.json"; else printf '{}'; fi
    echo "}"; } | note flows.jsonl
  if [ $rc -ne 0 ]; then
    { echo "=== $name on the $space, exit code $rc"; tail -n 20 "$tmp/log"; } | note tests.log
    echo "flow $name on the $space" >>"$tmp/failed_in_all"
  fi
}
if does f; then
  for space in ${WEIR_GPU_SPACES:-device host}; do
    while read -r name case options; do
      # shellcheck disable=SC2086
      flow "$name" $space "$case" $options
    done <"${WEIR_GPU_FLOWS:-$here/flows.txt}"
  done
fi

if does p && command -v ncu >/dev/null; then
  while read -r work; do
    [ "$(left)" -gt 60 ] || break
    # shellcheck disable=SC2086
    OMP_NUM_THREADS=$cores timeout 60 ncu --clock-control none --profile-from-start off --csv --page raw --metrics \
gpu__time_duration.sum,sm__inst_executed.avg.per_cycle_active,sm__inst_executed.sum,sm__throughput.avg.pct_of_peak_sustained_elapsed,dram__bytes.sum,lts__t_sectors.sum,sm__warps_active.avg.pct_of_peak_sustained_active,launch__registers_per_thread,smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio,smsp__average_warps_issue_stalled_membar_per_issue_active.ratio,smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio \
      "$here/bin/gpu_work" $work 2>/dev/null | grep '^"' | sed "s/^/\"$work\",/" | note ncu.csv
  done <"${WEIR_GPU_PROFILES:-$here/profiles.txt}"
fi

if does s && command -v compute-sanitizer >/dev/null; then
  while read -r filter; do
    for tool in memcheck racecheck synccheck; do echo "$tool $filter"; done
  done <"${WEIR_GPU_SANITIZED:-$here/sanitized.txt}" >"$tmp/sanitized"
  : >"$tmp/failed"
  OMP_NUM_THREADS=2 xargs -a "$tmp/sanitized" -P 6 -L1 bash -c '
    [ "$(left)" -gt 30 ] && one "$1" 90 compute-sanitizer --tool "$0" --report-api-errors no --error-exitcode 99'
  cat "$tmp/failed" >>"$tmp/failed_in_all"
fi

if does r; then
  : >"$tmp/failed"
  while [ "$(left)" -gt 15 ]; do
    while read -r filter; do echo "$filter"; done <"${WEIR_GPU_SANITIZED:-$here/sanitized.txt}" | OMP_NUM_THREADS=2 at_a_time 4 30
  done
  cat "$tmp/failed" >>"$tmp/failed_in_all"
fi

say results.jsonl "{\"filter\": \"end\", \"with\": \"\", \"rc\": 0, \"seconds\": $(elapsed), \"at\": $(elapsed)}"
if [ -s "$tmp/failed_in_all" ]; then
  echo "FAILED after $(elapsed) s:"
  sort -u "$tmp/failed_in_all" | head -40
  exit 1
fi
echo "all passed ($(elapsed) s)"
