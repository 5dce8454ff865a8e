#!/usr/bin/env bash
# tests/run_on_gpu.sh without a GPU, so that it works on the day that there is one: tests/ptx/dry_run.sh PTX_TREE. Its own check.cu is
# built and runs under the interpreter; stand-ins for nvidia-smi, cmake, ctest and compute-sanitizer take what it asks of
# them: the tree is PTX_TREE's, ctest lists its tests, compute-sanitizer looks whether the program has tests of that filter.
set -euo pipefail
tree=$(realpath "$1")
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
mkdir "$out/stand_ins"
stand_in() { { echo '#!/usr/bin/env bash'; cat; } >"$out/stand_ins/$1"; chmod +x "$out/stand_ins/$1"; }
stand_in nvidia-smi <<'END'
case "$*" in
  *compute_cap*) echo 9.0 ;;
  *) echo "PTX interpreter, none, 81559 MiB" ;;
esac
END
stand_in cmake <<END
while [ \$# -gt 0 ]; do
  case "\$1" in
    -B) mkdir -p "\$2" && ln -sfn "$tree/bin" "\$2/bin" ;;
    --build) [ -d "\$2/bin" ] || exit 1 ;;
  esac
  shift
done
END
stand_in ctest <<END
exec "$(command -v ctest)" --test-dir "$tree" -N -L ptx_gate
END
stand_in compute-sanitizer <<'END'
while [[ $1 == --* ]]; do shift 2; done
"$1" --gtest_list_tests | grep -q '^  ' || { echo "no tests of ${GTEST_FILTER:-$1}"; exit 1; }
END
export PATH="$out/stand_ins:$PATH" LD_LIBRARY_PATH="$tree/ptx" NVCC_APPEND_FLAGS="-cudart shared --compress-mode=none"
"$root/tests/run_on_gpu.sh" "$out/build" >"$out/log" 2>&1 || { cat "$out/log"; exit 1; }
python3 - "$out/build/summary.json" <<'END'
import json, sys
summary = json.load(open(sys.argv[1]))
steps = {s["step"].strip(): s["result"] for s in summary["steps"]}
wanted = ["build check.cu", "check.cu", "build", "ctest", "racecheck device_arrays_test", "synccheck solvers_test Krylov*"]
missing = [s for s in wanted if steps.get(s) != "passed"]
if missing or "failed" in steps.values() or not summary["toolkit"] or "interpreter" not in summary["gpu"]:
    sys.exit(f"run_on_gpu.sh: {missing} did not pass: {summary}")
print(f"run_on_gpu.sh without a GPU: {sum(r == 'passed' for r in steps.values())} steps passed, "
      f"skipped: {[s for s, r in steps.items() if r == 'skipped']}")
END
