#!/usr/bin/env bash
# go.sh without a GPU, so that it works on the day that there is one: tests/gpu/dry_run.sh PTX_TREE WEIR WEIR_BENCH
#
# A folder with the layout of the CUDA bundle: the programs of PTX_TREE with the interpreter of PTX for a GPU, WEIR (of a build whose
# device is emulated) for the flows, stand-ins for nvidia-smi, ncu and compute-sanitizer. The script runs in it twice, with small
# sizes: killed in the middle, then to its end; where it may, with an empty folder in the place of the repository. `gpu-report` of
# WEIR_BENCH must make a page of both results, and a planted fault (a barrier that the interpreter leaves out) must be named in a third.
set -euo pipefail
tree=$(realpath "$1") weir=$(realpath "$2") bench=$(realpath "$3")
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bundle=$work/bundle
mkdir -p "$bundle"/{bin,lib,share/weir} "$work/stand_ins"
cp "$tree"/bin/{gpu_tests,gpu_work,gpu_check} "$weir" "$bundle/bin/"
cp -L "$tree"/ptx/lib*.so.* "$bundle/lib/"
cp -r "$root/inputs" "$bundle/share/weir/"
cp "$root/tests/gpu/go.sh" "$bundle/"
echo "dry run" >"$bundle/MANIFEST"

stand_in() { { echo '#!/usr/bin/env bash'; cat; } >"$work/stand_ins/$1"; chmod +x "$work/stand_ins/$1"; }
stand_in nvidia-smi <<<'echo "PTX interpreter, Driver Version: none"'
stand_in compute-sanitizer <<'END'
while [[ $1 == --* ]]; do case $1 in --tool | --report-api-errors | --error-exitcode) shift ;; esac; shift; done
exec "$@"
END
stand_in ncu <<'END'
echo '"ID","Kernel Name","gpu__time_duration.sum","sm__inst_executed.avg.per_cycle_active","dram__bytes.sum"'
echo '"","","ns","inst/cycle","byte"'
echo '"0","nothing(double *)","1,000","1.5","2,048"'
END
printf '%s\n' "triad 1" "launch 3" "graph-node 3" "v-cycle 8" "banded-product 8" "csr-ilu-solve 2 4" >"$bundle/works.txt"
echo "launch 1" >"$bundle/profiles.txt"
echo "Multicolor.*:RecordedWork*" >"$bundle/sanitized.txt"
echo "cavity_8 incompressible/cavity3d_re1000_short.toml --set grid.cells=[8,8,8] --steps 2 --unset probe" >"$bundle/flows.txt"

# go OUT SECONDS STAGES: in a mount namespace without the repository, where that may be made.
go() {
  local out=$1 seconds=$2 stages=$3 hide="true"
  if unshare -m true 2>/dev/null; then hide="mount -t tmpfs none '$root'"; fi
  local inside="$hide && cd / && exec bash '$bundle/go.sh' $seconds $stages"
  local run=(bash -c "$inside")
  [ "$hide" = true ] || run=(unshare -m bash -c "$inside")
  env -u LD_LIBRARY_PATH OUT="$out" PATH="$work/stand_ins:$PATH" WEIR_PTX_CACHE="$work/registers" WEIR_PTX_STEPS=1e9 \
    WEIR_GPU_SUITES="${suites:-^(RecordedWork|Block|Kernels)\.}" "${run[@]}"
}
report() {
  "$bench" gpu-report "$1" --csv "$1/work.csv" >"$1/page.md" || { cat "$1/page.md"; return 1; }
}
has() { grep -q -- "$2" "$1" || { echo "dry run: no '$2' in"; cat "$1"; exit 1; }; }

set -m
go "$work/cut" 100 ct >/dev/null 2>&1 &
for ((k = 0; k < 600; ++k)); do
  [ "$(cat "$work/cut/results.jsonl" 2>/dev/null | wc -l)" -ge 2 ] && break
  sleep 0.1
done
kill -KILL -- -$!
wait $! 2>/dev/null || true
set +m
report "$work/cut"
has "$work/cut/page.md" "was cut off"

go "$work/whole" 100 ctwfps >"$work/log" 2>&1 || { cat "$work/log" "$work/whole/tests.log" "$work/whole/check.txt"; exit 1; }
report "$work/whole"
for text in "No process failed" "| triad 1 |" "| csr-ilu-solve 2 4 |" "| cavity_8 | 512 | 2 |" "memcheck: 1 passed, 0 failed" '`nothing'; do
  has "$work/whole/page.md" "$text"
done
[ "$(wc -l <"$work/whole/work.csv")" -eq 7 ]

if suites='^Block' WEIR_PTX_ORDER=lanes WEIR_PTX_MUTANT=barrier go "$work/fault" 60 t >"$work/log" 2>&1; then
  echo "dry run: a kernel without barriers passed" && exit 1
fi
report "$work/fault"
has "$work/fault/page.md" "^Failed:"
echo "go.sh without a GPU: cut off, whole and with a fault; $(wc -l <"$work/whole/results.jsonl") processes"
