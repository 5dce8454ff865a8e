#!/usr/bin/env bash
# Programs of others on Weir's library as it is installed: each example of inputs/examples is built outside of the tree
# against the installed package and must give its answer; a client that is built once must run with a later library.
#
#   tests/bare/clients.sh FOLDER [CMAKE_OPTION...]
#
# FOLDER takes the builds and the installations; the options go to the library's configuration. A program whose
# language or library is missing on this machine is named as such. tests/bare/bare.sh --clients runs this in a bare root.
set -euo pipefail
source_tree=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
[ $# -gt 0 ] || { sed -n 5,5p "${BASH_SOURCE[0]}" >&2; exit 2; }
work=$(realpath -m "$1")
shift
mkdir -p "$work"
export OMP_NUM_THREADS=2 OMP_WAIT_POLICY=passive OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_hwloc_base_binding_policy=none
[ -z "${CCACHE_DIR:-}" ] || export CCACHE_BASEDIR="$work"  # what was compiled in another folder is used
failed=0
fail() {
  printf 'FAILED  %s\n' "$*"
  failed=1
}
absent() { printf 'absent  %s\n' "$*"; }
# passes "WORDS" COMMAND...: it ends with 0 and says these words.
passes() {
  if "${@:2}" >"$work/said" 2>&1 && { [ -z "$1" ] || grep -Eq -- "$1" "$work/said"; }; then
    printf 'passed  %s\n' "${*:2}"
  else
    fail "${*:2}; expected words: $1"
    tail -n 30 "$work/said"
  fi
}

# The library from a copy of the sources, so that its version can be raised later; PREFIX takes it.
install_library() {
  cmake -S "$work/weir" -B "$work/weir/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DWEIR_SHARED=ON -DWEIR_PROGRAM=OFF \
    -DWEIR_TESTS=OFF -DWEIR_DEVICE=none -DWEIR_PETSC=OFF -DWEIR_HYPRE=OFF "${@:2}" >"$work/log"
  cmake --build "$work/weir/build" >>"$work/log" || { tail -n 40 "$work/log"; return 1; }
  cmake --install "$work/weir/build" --component library --prefix "$1" >>"$work/log"
}

c_and_cmake() {
  passes . cmake -S "$prefix/share/weir/inputs/examples" -B "$work/examples" -DCMAKE_PREFIX_PATH="$prefix"
  passes . cmake --build "$work/examples"
  printf '%s\n' '%%MatrixMarket matrix coordinate real symmetric' '3 3 5' '1 1 4' '2 2 4' '3 3 4' '2 1 -1' '3 2 -1' >"$work/three.mtx"
  passes converged "$work/examples/1_matrix_file" "$work/three.mtx"
  passes converged "$work/examples/2_matrix_free"
  passes . "$work/examples/3_time_loop"
  passes "largest error" "$work/examples/4_heat"
  export PKG_CONFIG_PATH="$prefix/lib/pkgconfig:${PKG_CONFIG_PATH:-}"
  # shellcheck disable=SC2046
  passes "" cc "$prefix/share/weir/inputs/examples/4_heat.c" $(pkg-config --cflags --libs weir) -lm -o "$work/heat"
  passes "largest error" env LD_LIBRARY_PATH="$prefix/lib" "$work/heat"
}

fortran() {
  [ -x "$work/examples/5_poisson" ] || { absent "5_poisson: no Fortran compiler"; return; }
  passes . "$work/examples/5_poisson"
  passes "" gfortran -J "$work" "$prefix/include/weir/weir.f90" "$source_tree/tests/solvers/c/bad_input.f90" -L"$prefix/lib" -lweir -o "$work/bad_input"
  passes "were refused" env LD_LIBRARY_PATH="$prefix/lib" "$work/bad_input"
  [ -x "$work/examples/7_cavity_mpi" ] || { absent "6_poisson_mpi, 7_cavity_mpi: no MPI for Fortran"; return; }
  for ranks in 1 2; do
    passes "$ranks ranks" mpirun --oversubscribe -n $ranks -x OMP_NUM_THREADS=1 "$work/examples/6_poisson_mpi"
    passes "$ranks ranks" mpirun --oversubscribe -n $ranks -x OMP_NUM_THREADS=1 "$work/examples/7_cavity_mpi"
  done
}

petsc() {
  [ -x "$work/examples/9_petsc_shell" ] || { absent "9_petsc_shell: no PETSc"; return; }
  passes "largest error" "$work/examples/9_petsc_shell"
  passes "largest error" mpirun --oversubscribe -n 2 -x OMP_NUM_THREADS=1 "$work/examples/9_petsc_shell"
}

python() {
  /usr/bin/python3 -c "import scipy.sparse" 2>/dev/null || { absent "8_convection.py, solver_test.py: no scipy"; return; }
  export PYTHONPATH="$prefix/share/weir/python" WEIR_LIBRARY=
  passes "largest error" /usr/bin/python3 "$prefix/share/weir/inputs/examples/8_convection.py"
  WEIR_LIBRARY="$prefix/lib/libweir.so.1" passes OK /usr/bin/python3 "$source_tree/tests/python/solver_test.py"
}

# Binaries that the first library was linked to, with the library of a later version.
old_binaries() {
  passes "" cc "$source_tree/tests/solvers/c/old_client.c" -L"$prefix/lib" -lweir -lm -o "$work/old_client"
  passes "" env LD_LIBRARY_PATH="$prefix/lib" "$work/old_client"
  local header="$work/weir/solvers/c/weir.h" version
  version=$(sed -nE 's/^project\(weir VERSION ([0-9.]+).*/\1/p' "$work/weir/CMakeLists.txt")
  sed -i -E "s/^(project\(weir VERSION [0-9]+\.[0-9]+\.)[0-9]+/\199/" "$work/weir/CMakeLists.txt"
  sed -i -E 's/^(#define WEIR_VERSION_PATCH) .*/\1 99/' "$header"
  install_library "$work/later" "$@" || fail "the library of a later version"
  passes "" env LD_LIBRARY_PATH="$work/later/lib" "$work/old_client"
  passes "Weir ${version%.*}.99" env LD_LIBRARY_PATH="$work/later/lib" "$work/heat"
}

rm -rf "$work/weir" "$work/prefix" "$work/later" "$work/examples"
git -c safe.directory='*' clone -q --no-hardlinks "file://$source_tree" "$work/weir"
prefix=$work/prefix
install_library "$prefix" "$@"
rm -rf "$work/moved" && mv "$prefix" "$work/moved" && prefix=$work/moved  # an installation may be moved
c_and_cmake
fortran
python
petsc
old_binaries "$@"
[ "$failed" = 0 ] && echo "clients: all right"
exit "$failed"
