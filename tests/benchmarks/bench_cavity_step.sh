#!/usr/bin/env bash
# One time step of the lid-driven cavity (Re 1000, uniform grid): Weir beside OpenFOAM's icoFoam with GAMG, the same grid,
# time step and pressure tolerance, one core, in one run; then Weir on two threads. At 128^3 Weir alone: icoFoam takes minutes.
#   tests/benchmarks/bench_cavity_step.sh [BUILD_DIR] [STEPS]
# Seconds a step: the difference of two runs of different length, so that start-up, meshing and output drop out.
# Memory: the peak resident set of the process. icoFoam's rows are left out where it is not installed.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=${1:-$root/build}
steps=${2:-40}
# Debian's OpenFOAM wants to be told where its etc/ lies.
export WM_PROJECT_DIR=${WM_PROJECT_DIR:-/usr/share/openfoam}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Runs a command; prints "seconds peak_kB".
measure() {
  python3 - "$@" <<'PY'
import resource, subprocess, sys, time
start = time.perf_counter()
code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
seconds = time.perf_counter() - start
if code.returncode not in (0, 5):
    sys.exit(f"{' '.join(sys.argv[1:])} failed ({code.returncode}): {code.stderr.decode()[-400:]}")
print(seconds, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
PY
}

# per_step SHORT LONG STEPS: milliseconds a step and MB, from two "seconds peak" pairs.
per_step() { awk -v a="$1" -v b="$2" -v n="$3" 'BEGIN { split(a, s); split(b, l); printf "%.3f %.0f", 1e3 * (l[1] - s[1]) / n, l[2] / 1024 }'; }

ratio() { [ -z "$1" ] || awk -v f="$1" -v w="$2" 'BEGIN { split(f, a); split(w, b); printf "1/%.1f", a[1] / b[1] }'; }

foam_case() {  # dir cells_x cells_z dt
  local dir=$1 n=$2 nz=$3 dt=$4 z sides
  z=$([ "$nz" = 1 ] && echo 0.1 || echo 1)
  sides=$([ "$nz" = 1 ] && echo "sides { type empty; faces ((0 3 2 1) (4 5 6 7)); }" || echo "sides { type wall; faces ((0 3 2 1) (4 5 6 7)); }")
  local side_u=$([ "$nz" = 1 ] && echo "type empty;" || echo "type noSlip;")
  local side_p=$([ "$nz" = 1 ] && echo "type empty;" || echo "type zeroGradient;")
  mkdir -p "$dir"/{0,constant,system}
  header() { echo "FoamFile { version 2.0; format ascii; class $1; object $2; }"; }
  { header dictionary blockMeshDict
    echo "scale 1; vertices ((0 0 0) (1 0 0) (1 1 0) (0 1 0) (0 0 $z) (1 0 $z) (1 1 $z) (0 1 $z));"
    echo "blocks (hex (0 1 2 3 4 5 6 7) ($n $n $nz) simpleGrading (1 1 1)); edges ();"
    echo "boundary (lid { type wall; faces ((3 7 6 2)); } walls { type wall; faces ((0 4 7 3) (2 6 5 1) (1 5 4 0)); } $sides ); mergePatchPairs ();"
  } >"$dir/system/blockMeshDict"
  { header dictionary fvSchemes
    echo "ddtSchemes { default Euler; } gradSchemes { default Gauss linear; } divSchemes { default none; div(phi,U) Gauss linear; }"
    echo "laplacianSchemes { default Gauss linear orthogonal; } interpolationSchemes { default linear; } snGradSchemes { default orthogonal; }"
  } >"$dir/system/fvSchemes"
  { header dictionary fvSolution
    echo "solvers { p { solver GAMG; smoother GaussSeidel; tolerance 1e-06; relTol 0.05; } pFinal { \$p; relTol 0; }"
    echo "U { solver smoothSolver; smoother symGaussSeidel; tolerance 1e-05; relTol 0; } }"
    echo "PISO { nCorrectors 2; nNonOrthogonalCorrectors 0; pRefCell 0; pRefValue 0; }"
  } >"$dir/system/fvSolution"
  { header dictionary transportProperties; echo "nu 0.001;"; } >"$dir/constant/transportProperties"
  { header volVectorField U
    echo "dimensions [0 1 -1 0 0 0 0]; internalField uniform (0 0 0);"
    echo "boundaryField { lid { type fixedValue; value uniform (1 0 0); } walls { type noSlip; } sides { $side_u } }"
  } >"$dir/0/U"
  { header volScalarField p
    echo "dimensions [0 2 -2 0 0 0 0]; internalField uniform 0;"
    echo "boundaryField { lid { type zeroGradient; } walls { type zeroGradient; } sides { $side_p } }"
  } >"$dir/0/p"
  foam_control "$dir" "$dt" 1
  blockMesh -case "$dir" >/dev/null
}
foam_control() {  # dir dt steps
  { echo "FoamFile { version 2.0; format ascii; class dictionary; object controlDict; }"
    echo "application icoFoam; startFrom startTime; startTime 0; stopAt endTime; endTime $(awk -v d="$2" -v n="$3" 'BEGIN { print d * n }'); deltaT $2;"
    echo "writeControl timeStep; writeInterval 1000000; runTimeModifiable false; timePrecision 10;"
  } >"$1/system/controlDict"
}

weir_case() {  # file cells_x cells_z dt
  local walls="" face z
  z=$([ "$3" = 1 ] && echo 0.1 || echo 1)
  for face in x_min x_max y_min; do walls+="$face = { type = \"wall\" }"$'\n'; done
  if [ "$3" != 1 ]; then walls+=$'z_min = { type = "wall" }\nz_max = { type = "wall" }\n'; fi
  cat >"$1" <<TOML
[case]
miniapp = "incompressible"
title = "one step of the cavity"
[grid]
cells = [$2, $2, $3]
length = [1.0, 1.0, $z]
[flow]
viscosity = 0.001
[boundary]
$walls
y_max = { type = "wall", velocity = [1.0, 0.0, 0.0] }
[time]
dt = $4
end = 1000.0
[output]
log_every = 1000000
report = false
TOML
}

printf '%-34s %12s %12s %12s\n' "case" "ms a step" "peak MB" "ratio"
for size in "128 1 0.0025" "64 64 0.005" "128 128 0.0025"; do
  read -r n nz dt <<<"$size"
  name=$([ "$nz" = 1 ] && echo "${n}^2" || echo "${n}^3")
  foam=""
  if [ "$nz" != 128 ] && command -v icoFoam >/dev/null && command -v blockMesh >/dev/null; then
    foam_case "$work/foam" "$n" "$nz" "$dt"
    foam_control "$work/foam" "$dt" 5
    short=$(measure icoFoam -case "$work/foam")
    foam_control "$work/foam" "$dt" $((5 + steps))
    long=$(measure icoFoam -case "$work/foam")
    rm -rf "$work/foam"
    foam=$(per_step "$short" "$long" "$steps")
    printf '%-34s %12s %12s %12s\n' "$name icoFoam GAMG" ${foam} 1
  fi
  weir_case "$work/cavity.toml" "$n" "$nz" "$dt"
  case $nz in 1) scale=20 ;; 64) scale=2 ;; *) scale=1 ;; esac  # more steps where they are shorter
  for threads in 1 2; do
    run() { measure "$build/bin/weir" run "$work/cavity.toml" -o "$work/out" --overwrite --threads "$threads" --steps "$1"; }
    short=$(run 5)
    long=$(run $((5 + scale * steps)))
    ours=$(per_step "$short" "$long" $((scale * steps)))
    printf '%-34s %12s %12s %12s\n' "$name weir, $threads thread(s)" ${ours} "$(ratio "$foam" "$ours")"
  done
done
