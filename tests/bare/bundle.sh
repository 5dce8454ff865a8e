#!/usr/bin/env bash
# A CPU bundle on a system without compiler and packages: flows of each miniapp, a study, a replay, a plugin that was compiled
# elsewhere, and the tests that the bundle contains.
#
#   tests/bare/bundle.sh ARCHIVE [SUITE]     the archive of ./weir bundle cpu; a Debian suite, bookworm (default) or trixie
#
# It needs root and mmdebstrap; the plugin is compiled on this machine. Exit code: 0 where each command ends as its page says.
set -euo pipefail

inside() {
  local weir
  cd /bundle/*/
  weir=$PWD/bin/weir
  export HOME=/root TMPDIR=/tmp OMP_WAIT_POLICY=passive  # threads that wait do not spin
  . /expect.sh
  for tool in cc g++ python3; do expect 0 "" sh -c "! command -v $tool"; done  # such a system it is
  expect 0 "compiler" "$weir" --version
  expect 0 "bundle for x86-64 Linux" cat MANIFEST
  local inputs=$PWD/share/weir/inputs
  expect 0 "stopped: --steps" "$weir" run "$inputs/incompressible/cavity_re100.toml" --steps 50 --set 'capture.when="steps:20"' -o /tmp/cavity
  expect 0 "check +error_density_l1 .* PASS" "$weir" run "$inputs/compressible/sod.toml" -o /tmp/sod
  expect 0 "stopped: --steps" "$weir" run "$inputs/compressible/naca0012_laminar.toml" --steps 5 -o /tmp/naca0012
  expect 0 "stopped: --steps" "$weir" run "$inputs/immersed/cylinder_re40.toml" --steps 5 -o /tmp/cylinder
  expect 0 "repeat the recorded iterations exactly" "$weir" replay /tmp/cavity
  expect 0 "capsules" sh -c "$weir doctor /tmp/cavity/capsules/pressure*20*.h5"
  printf '%s\n' '[study]' "cases = [\"$inputs/incompressible/cavity_re100.toml\"]" 'configurations = ["a", "b"]' 'repeats = 1' \
    '[configuration.a]' 'set = ["time.end=0.1"]' \
    '[configuration.b]' 'set = ["time.end=0.1", "linear.pressure.tolerance=1e-7"]' >/tmp/study.toml
  expect 0 "" "$weir" ab /tmp/study.toml -o /tmp/study
  expect 0 "stopped: --steps" "$weir" run /plugin/cavity.toml --steps 20 -o /tmp/with_plugin
  local program
  for program in bin/*_test; do expect 0 "PASSED  \] [1-9]" "$program" --gtest_brief=0; done
  return "$failed"
}

[ "${1:-}" != --inside ] || { inside; exit; }
archive=$(realpath "${1:?an archive of ./weir bundle cpu}") suite=${2:-bookworm}
[ "$(id -u)" -eq 0 ] || { echo "bundle: a root file system can be made by root alone" >&2; exit 77; }
command -v mmdebstrap >/dev/null || { echo "bundle: mmdebstrap is missing (Debian package mmdebstrap)" >&2; exit 77; }
work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT
apt-config dump | grep -iE '^Acquire::(https?::|ftp::|Retries|.*Proxy)' >"$work/apt.conf" || true
archives=$(apt-get indextargets --format '$(REPO_URI)|$(ORIGIN)|$(CREATED_BY)' | sed -nE 's/\|Debian\|Packages$//p' | sort -u | grep -v security | head -n 1)
mmdebstrap --quiet --variant=minbase --aptopt="$work/apt.conf" "$suite" "$work/root" "deb $archives $suite main"
mkdir "$work/root/bundle"
tar -C "$work/root/bundle" -xf "$archive"
"$work"/root/bundle/*/bin/weir new plugin "$work/root/plugin" >/dev/null
cmake -S "$work/root/plugin" -B "$work/root/plugin/build" >/dev/null
cmake --build "$work/root/plugin/build" >/dev/null
cp "${BASH_SOURCE[0]}" "$(dirname "${BASH_SOURCE[0]}")/expect.sh" "$work/root/"
export work
unshare --mount --pid --fork bash -euc '
  mount -t proc proc "$work/root/proc"
  mount --rbind /dev "$work/root/dev"
  exec chroot "$work/root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin /bin/bash /bundle.sh --inside'
