#!/usr/bin/env bash
# Systems of real clients, dumped and studied: docs/results/foreign_systems.md.
#
#   tests/benchmarks/foreign/foreign_systems.sh OUT [replay's options, such as --threads 1]
#
# OpenFOAM: icoFoam's cavity tutorial on 128 x 128 cells, 60 pressure systems. Needs icoFoam, its tutorials and headers
#   (FOAM_SRC=OpenFOAM/src; Debian: apt-get install openfoam openfoam-examples; apt-get source openfoam).
# PETSc: its transient driven cavity (src/ts/tutorials/ex26.c), Newton systems. Needs PETSc for pkg-config and its
#   tutorials (PETSC_TUTORIALS=petsc/src; Debian: apt-get install petsc-dev libpetsc3.18-dev-examples).
# Missing codes are skipped with a message.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../.." && pwd)
weir=${WEIR:-$root/build/bin/weir}
[ $# -ge 1 ] || { sed -n '2,4p' "$0" >&2; exit 2; }
mkdir -p "$1"
out=$(cd "$1" && pwd)
shift

openfoam() {
  local case=${FOAM_CAVITY:-/usr/share/doc/openfoam-examples/examples/incompressible/icoFoam/cavity/cavity}
  command -v icoFoam >/dev/null || { echo "OpenFOAM: skipped, no icoFoam here"; return 0; }
  [ -d "$case" ] || { echo "OpenFOAM: skipped, no cavity tutorial at $case (FOAM_CAVITY)"; return 0; }
  [ -d "${FOAM_SRC:-}/OpenFOAM" ] || { echo "OpenFOAM: skipped, FOAM_SRC names no folder with OpenFOAM's headers"; return 0; }
  [ -f "$out/lib/libweirCapture.so" ] || "$root/inputs/clients/openfoam/build.sh" "$FOAM_SRC" "$out/lib"
  rm -rf "$out/openfoam"
  cp -r "$case" "$out/openfoam"
  cd "$out/openfoam"
  find . -name '*.gz' -exec gunzip {} +
  sed -i 's/(20 20 1)/(128 128 1)/' system/blockMeshDict
  sed -i 's/^endTime .*/endTime 0.015;/; s/^deltaT .*/deltaT 0.0005;/; s/^writeInterval .*/writeInterval 1000;/' system/controlDict
  echo 'libs ("libweirCapture.so");' >>system/controlDict
  # The tutorial's own solvers of p, inside the one that dumps: the last entry of a name holds.
  local own='inner { solver PCG; preconditioner DIC; tolerance 1e-06; relTol'
  cat >>system/fvSolution <<END
solvers
{
    p { solver weirCapture; folder "weir_p"; $own 0.05; } }
    pFinal { solver weirCapture; folder "weir_p"; $own 0; } }
}
END
  export WM_PROJECT_DIR=${WM_PROJECT_DIR:-/usr/share/openfoam}
  blockMesh >log.blockMesh
  LD_LIBRARY_PATH="$out/lib:${LD_LIBRARY_PATH:-}" icoFoam >log.icoFoam
  "$weir" replay weir_p --solvers "$here/openfoam.toml" -o "$out/study_openfoam" --overwrite "$@"
}

petsc() {
  local tutorials=${PETSC_TUTORIALS:-/usr/share/petsc/3.18/share/petsc/examples/src} flags
  flags=$(pkg-config --cflags --libs PETSc 2>/dev/null) || { echo "PETSc: skipped, pkg-config knows none"; return 0; }
  [ -f "$tutorials/ts/tutorials/ex26.c" ] || { echo "PETSc: skipped, no tutorials at $tutorials (PETSC_TUTORIALS)"; return 0; }
  rm -rf "$out/petsc"
  mkdir "$out/petsc"
  cd "$out/petsc"
  # shellcheck disable=SC2086
  mpicc -O1 "$tutorials/ts/tutorials/ex26.c" $flags ${PETSC_LINK:-} -lm -o ex26
  ./ex26 -da_grid_x 96 -da_grid_y 96 -lidvelocity 100 -ts_type beuler -ts_dt 0.001 -ts_max_steps 20 -ts_adapt_type none \
    -ksp_view_mat binary:A.bin::append -ksp_view_rhs binary:b.bin::append >log
  "$weir" import A.bin --rhs b.bin --system cavity -o systems
  "$weir" replay systems --solvers "$here/petsc.toml" -o "$out/study_petsc" --overwrite "$@"
}

(openfoam "$@")
(petsc "$@")
