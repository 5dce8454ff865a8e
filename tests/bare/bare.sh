#!/usr/bin/env bash
# Weir on a bare Debian: a minimal root, this repository cloned into it, the first command of README.md, then the other commands
# that README.md and docs/tutorial.md promise for such a machine.
#
#   tests/bare/bare.sh [--tests | --gate | --clients | --options] [--plant library | link | package] [FOLDER]
#
#   --tests     ./weir test too, the second command
#   --gate      the same with one program for both, that of ./weir test: the first stage of the gate
#   --clients   programs in C, C++, Fortran, Python and on PETSc that call the installed library (clients.sh)
#   --options   without each optional library (options.py), where all of Debian's are installed
#   --plant     a fault, which must make this script fail: a library that cmake/debian-packages.txt does not name, a program that
#               does not link, a package that is used and not installed
#   FOLDER      of the root, which is used again where it is there; default: a temporary one, removed at the end
#
# It needs root, mmdebstrap or debootstrap, and the machine's own apt configuration, which the new root takes over. Exit code: 0
# where each command ends as its page says, 77 where no root can be made here. A compiler cache that CCACHE_DIR names is used.
set -euo pipefail
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

# Inside of the new root: the commands.
inside() {
  local plant=$1 tests=$2 installs=$3
  local short=() small=() build=build-run
  cd /weir
  . tests/bare/expect.sh
  export HOME=/root TMPDIR=/tmp OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  case $plant in
    library) sed -i 's/libmuparser-dev//; s/libfmt-dev//' cmake/debian-packages.txt ;;
    link) sed -i 's/ plugin.cpp)/)/' solvers/adapters/CMakeLists.txt ;;
    package) sed -i 's/import_module("numpy")/import_module("pandas")/' postproc/report/report.py ;;
  esac
  if [ "$tests" = gate ]; then
    short=(--steps 1) small=(--quick) build=build
    expect 0 "$installs" ./weir setup tests
    show 0 ./weir build default all benchmarks
  else
    expect 0 "$installs" ./weir setup
  fi
  expect 0 "report.html" ./weir run inputs/incompressible/cavity_re1000.toml "${short[@]}"
  expect 0 "" test -s weir-runs/cavity_re1000/report.html
  [ "$failed" = 0 ] || return 1  # nothing else can pass
  expect 0 "report.html" ./weir run inputs/study/aerofoil_flow.toml "${short[@]}"
  expect 0 "missing in this build: .*PETSc, hypre" ./weir list
  expect 0 "hypre +missing .*Debian package libhypre-dev" ./weir list libraries
  expect 0 "cavity_re1000" ./weir list cases
  expect 0 "block_ilu0" ./weir list preconditioners
  expect 0 "unknowns" ./weir info inputs/incompressible/cavity_re1000.toml
  [ "$tests" = gate ] || expect 8 "./weir build default" build-run/bin/weir run inputs/incompressible/cavity_re1000.toml --space device -o /tmp/no_device
  expect 0 "report.html" ./weir run inputs/incompressible/cavity_re100.toml --steps 50 --set 'capture.when="steps:20"' -o /tmp/cavity
  expect 0 "capsules" ./weir doctor /tmp/cavity/capsules/pressure*20*.h5
  expect 0 "repeat the recorded iterations exactly" ./weir replay /tmp/cavity
  expect 0 "mtx" ./weir replay /tmp/cavity --export mtx
  expect 0 "converged" ./weir solve banded:1000:1
  expect 2 "this build lacks hypre \(Debian package libhypre-dev\)" ./weir solve banded:1000:1 --solver hypre:cg+boomeramg
  printf '%s\n' '[study]' 'cases = ["/weir/inputs/incompressible/cavity_re100.toml"]' 'configurations = ["a", "b"]' 'repeats = 1' \
    '[configuration.a]' 'set = ["time.end=0.1"]' \
    '[configuration.b]' 'set = ["time.end=0.1", "linear.pressure.tolerance=1e-7"]' >/tmp/study.toml
  expect 0 "report.html" ./weir ab /tmp/study.toml -o /tmp/study
  expect 0 "report.html" ./weir report /tmp/cavity
  expect 0 "cavity.toml" ./weir new plugin /tmp/mine
  expect 0 "." cmake -S /tmp/mine -B /tmp/mine/build
  expect 0 "." cmake --build /tmp/mine/build
  expect 0 "stopped: --steps" ./weir run /tmp/mine/cavity.toml --steps 20 -o /tmp/with_mine
  expect 0 "momentum +halo" mpirun --oversubscribe -n 2 $build/bin/weir run inputs/incompressible/cavity_re100.toml --steps 20 -o /tmp/ranks
  expect 0 "triad" ./weir bench kernels "${small[@]}"
  expect 0 "this build lacks hypre" ./weir bench peers --quick -o /tmp/peers
  expect 0 "." cmake --install $build --prefix /tmp/prefix
  expect 0 "." cmake -S /tmp/prefix/share/weir/inputs/examples -B /tmp/examples -DCMAKE_PREFIX_PATH=/tmp/prefix
  expect 0 "." cmake --build /tmp/examples
  expect 0 "converged" /tmp/examples/2_matrix_free
  expect 0 "report.html" env -C / /tmp/prefix/bin/weir run inputs/incompressible/cavity_re100.toml --steps 5 -o /tmp/installed
  expect 0 "." ./weir lint links words
  case $tests in
    yes) expect 0 "100% tests passed" ./weir test ;;
    gate) show 0 ./weir test -LE 'long|attack' ;;
    clients)
      expect 0 "." apt-get install -y --no-install-recommends gfortran python3-scipy petsc-dev
      expect 0 "clients: all right" tests/bare/clients.sh /tmp/clients
      ;;
    options)
      expect 0 "." apt-get install -y --no-install-recommends petsc-dev libhypre-dev libsuitesparse-dev
      expect 0 "without all: passed" tests/bare/options.py
      ;;
  esac
  return "$failed"
}

plant=none tests=no root=""
while [ $# -gt 0 ]; do
  case $1 in
    --inside) inside "$2" "$3" "$4"; exit ;;
    --tests) tests=yes ;;
    --gate) tests=gate ;;
    --clients) tests=clients ;;
    --options) tests=options ;;
    --plant) plant=$2; shift ;;
    -*) sed -n 5,5p "${BASH_SOURCE[0]}" >&2; exit 2 ;;
    *) root=$(realpath -m "$1") ;;
  esac
  shift
done

unable() { echo "bare: $*; this check was not made" >&2; exit 77; }
[ "$(id -u)" -eq 0 ] || unable "a root file system can be made by root alone"
work=$(mktemp -d -p "${TMPDIR:-/var/tmp}")  # some gigabytes: not where files are held in memory
trap 'rm -rf --one-file-system "$work"' EXIT
mkdir "$work/proc"
unshare --mount --pid --fork mount -t proc proc "$work/proc" 2>/dev/null || unable "this machine does not let root mount file systems (unshare)"
command -v mmdebstrap >/dev/null || command -v debootstrap >/dev/null ||
  apt-get install -y --no-install-recommends mmdebstrap >/dev/null 2>&1 || unable "mmdebstrap is missing (Debian package mmdebstrap)"
# The archives that this machine's apt takes from Debian (or Ubuntu) itself.
archives=$(apt-get indextargets --format 'deb $(REPO_URI) $(RELEASE) $(COMPONENT)|$(ORIGIN)|$(CREATED_BY)' |
  sed -nE 's/\|(Debian|Ubuntu)\|Packages$//p' | sort -u)
[ -n "$archives" ] || unable "apt has no archive of Debian (apt-get update)"

[ -n "$root" ] || root=$work/root
apt-config dump | grep -iE '^Acquire::(https?::|ftp::|Retries|.*Proxy)' >"$work/apt.conf" || true
begun=$SECONDS installs=""
if [ ! -e "$root/etc/apt" ]; then
  installs="installing [0-9]+ packages"
  suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
  if command -v mmdebstrap >/dev/null; then
    mmdebstrap --quiet --variant=minbase --aptopt="$work/apt.conf" --include=ca-certificates "$suite" "$root" - <<<"$archives" ||
      unable "mmdebstrap made no root"
  else
    debootstrap --variant=minbase --include=ca-certificates "$suite" "$root" "$(awk '{print $2; exit}' <<<"$archives")" >"$work/log" ||
      { tail -n 20 "$work/log" >&2; unable "debootstrap made no root"; }
    printf '%s\n' "$archives" >"$root/etc/apt/sources.list"
  fi
fi
cp "$work/apt.conf" "$root/etc/apt/apt.conf.d/99machine"
echo 'Acquire::Retries "3";' >"$root/etc/apt/apt.conf.d/99retries"
echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/99unsafe-io"  # this root need not survive a power failure
for file in /etc/resolv.conf /etc/hosts; do [ ! -e $file ] || cp -L --remove-destination $file "$root$file"; done
[ ! -d /usr/local/share/ca-certificates ] || cp -r /usr/local/share/ca-certificates "$root/usr/local/share/"
rm -rf "$root/weir" "$root"/tmp/*  # of an earlier run
git -c safe.directory='*' clone -q --no-hardlinks "file://$repository" "$root/weir" || unable "$repository cannot be cloned"
echo "bare: a root of $(du -sm --one-file-system "$root" | cut -f1) MB in $((SECONDS - begun)) s: $root"

export plant tests root installs
unshare --mount --pid --fork bash -euc '
  mount -t proc proc "$root/proc"
  mount --rbind /dev "$root/dev"
  mount -t tmpfs tmpfs "$root/dev/shm" 2>/dev/null || true
  if [ -n "${CCACHE_DIR:-}" ]; then
    mkdir -p "$root/ccache"
    mount --bind "$CCACHE_DIR" "$root/ccache"
    export CCACHE_DIR=/ccache
  fi
  exec chroot "$root" env -u TMPDIR PATH=/usr/sbin:/usr/bin:/sbin:/bin /weir/tests/bare/bare.sh --inside "$plant" "$tests" "$installs"'
