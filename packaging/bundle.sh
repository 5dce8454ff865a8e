#!/usr/bin/env bash
# Packs a build folder into one archive that runs on x86-64 Linux without root, packages or a compiler:
#
#   packaging/bundle.sh cpu|cuda BUILD_FOLDER [OUT.tar.xz]     default: weir-VERSION-cpu.tar.xz in the build folder
#
#   weir-VERSION-cpu/bin        weir, weir_bench, cpu: peer_run; the programs of tests that need nothing of the source tree
#                   lib         shared libraries of these, but for glibc's and those of a GPU's driver and toolkit
#                   share/weir  cases, reports, the Python package, the plugin's header
#                   go.sh       cuda: what a GPU shows in a few minutes (tests/gpu), with its lists
#                   licences    of Weir and of each library, by package
#                   MANIFEST    version, commit, compiler, flags, libraries, needed glibc
#
# A program finds its libraries by $ORIGIN: the folder may lie anywhere. Programs that BUILD_FOLDER lacks are left out, but for
# weir. WEIR_BUNDLE_PROGRAMS names other programs; WEIR_BUNDLE_XZ holds xz's options; WEIR_BUNDLE_HOST is the program
# weir of a CPU build, for a CUDA bundle's flows on the host.
set -euo pipefail
of_cpu="solvers_test linear_solver_test mesh_test incompressible_test compressible_test immersed_test"
case " $* " in *" cuda "*) tests="gpu_tests gpu_work gpu_check" ;; *) tests=$of_cpu ;; esac
tests=${WEIR_BUNDLE_PROGRAMS-$tests}
case " $* " in *" cuda "*) ;; *) tests="peer_run $tests" ;; esac  # the peers are compared on the host
[ "${1:-}" != programs ] || { echo weir weir_bench $tests; exit; }  # programs cpu|cuda: the targets to build
device=${1:-} build=$(realpath "${2:-build-bundle}")
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
case $device in cpu | cuda) ;; *) sed -n 2,4p "${BASH_SOURCE[0]}" >&2; exit 2 ;; esac
[ -x "$build/bin/weir" ] || { echo "bundle: $build/bin/weir is not built" >&2; exit 2; }
for needed in patchelf:patchelf xz:xz-utils objdump:binutils cmake:cmake; do
  command -v "${needed%:*}" >/dev/null || { echo "bundle: ${needed%:*} is missing (Debian package ${needed#*:})" >&2; exit 2; }
done

version=$(sed -n 's/^project(weir VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")
name=weir-$version-$device
out=$(realpath -m "${3:-$build/$name.tar.xz}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
at=$work/$name
cmake --install "$build" --component program --prefix "$at" >/dev/null
for program in weir_bench $tests; do
  [ ! -x "$build/bin/$program" ] || cp "$build/bin/$program" "$at/bin/"
done
if [ "$device" = cuda ]; then
  cp "$root"/tests/gpu/go.sh "$root"/tests/gpu/*.txt "$at/"
  [ -z "${WEIR_BUNDLE_HOST:-}" ] || cp "$WEIR_BUNDLE_HOST" "$at/bin/weir_host"
fi
strip "$at"/bin/*

# Of glibc and of the GPU's driver and toolkit, the machine's own are taken.
is_of_the_machine() {
  case $1 in
    ld-linux* | libc.so.* | libm.so.* | libmvec.so.* | libpthread.so.* | libdl.so.* | librt.so.* | libresolv.so.* | libutil.so.*) ;;
    libcuda.so* | libcublas* | libcusparse* | libnvJitLink*) ;;
    *) return 1 ;;
  esac
}
mkdir -p "$at/lib" "$at/licences"
# At build time: ldd of the unpatched programs, closure included.
for program in "$at"/bin/*; do ldd "$program" || true; done | awk '$2 == "=>" {print $1, $3}' | sort -u >"$work/libraries"
while read -r library path; do
  is_of_the_machine "$library" && continue
  [ "$path" != not ] || { echo "bundle: $library is not found on this machine" >&2; exit 1; }
  cp -L "$path" "$at/lib/$library"
done <"$work/libraries"
chmod u+w "$at"/lib/*
strip --strip-unneeded "$at"/lib/*
for file in "$at"/lib/*; do patchelf --set-rpath '$ORIGIN' "$file"; done
for file in "$at"/bin/*; do patchelf --set-rpath '$ORIGIN/../lib' "$file"; done

# dpkg knows some files of /usr/lib by their names in /lib.
package_of() {
  local path
  path=$(realpath "$1")
  { dpkg-query -S "$path" || dpkg-query -S "${path#/usr}" || echo "$path:"; } 2>/dev/null | head -n 1 | cut -d: -f1
}
# A licence a package: of the shared libraries, and of those that are compiled into the programs.
{
  while read -r library path; do
    is_of_the_machine "$library" || package_of "$path"
  done <"$work/libraries"
  printf '%s\n' libtomlplusplus-dev libcli11-dev nlohmann-json3-dev libeigen3-dev libboost1.74-dev libgtest-dev
} | sort -u | while read -r package; do
  text=/usr/share/doc/$package/copyright
  if [ -e "$text" ]; then cp -L "$text" "$at/licences/$package"; else echo "bundle: no licence text of $package" >&2; fi
done
cp "$root/LICENSE" "$at/licences/weir"
cp "$root/postproc/report/page/LICENSE.uPlot" "$at/licences/uPlot"

glibc=$(objdump -T "$at"/bin/* "$at"/lib/* | sed -n 's/.*GLIBC_\(2\.[0-9]*\).*/\1/p' | sort -Vu | tail -n 1)
{
  echo "$name: $device bundle for x86-64 Linux with glibc $glibc or newer"
  "$at/bin/weir" --version | grep -v "^processor"
  echo "programs: $(cd "$at/bin" && echo *)"
  echo "libraries: $(cd "$at/lib" && echo *)"
} >"$at/MANIFEST"
# One dictionary over all programs: they share most of their device code.
[ "$device" = cuda ] && xz_options="-T1 --lzma2=preset=6,dict=256MiB" || xz_options=-T0
tar -C "$work" --owner=0 --group=0 --sort=name -c "$name" | xz ${WEIR_BUNDLE_XZ:-$xz_options} >"$work/archive"
mv "$work/archive" "$out"
echo "$out: $(($(stat -c %s "$out") / 1000000)) MB, glibc $glibc or newer"
