"""No function that holds a WEIR_HD lambda is shared by object files of a CUDA build: check_lambdas.py BUILD_DIR

nvcc keeps the pointers that a host-device lambda needs on the host in each object's anonymous namespace and sets them where the
lambda is made. If two objects hold the same (weak) function, the linker keeps one, which reads its own object's pointers though the
lambda may have been made in the other: a null call. A `static` function, or one that a single source holds, is safe.
"""
import collections
import pathlib
import subprocess
import sys

build = pathlib.Path(sys.argv[1])
holders = collections.defaultdict(set)
objects = sorted(build.rglob("*.cu.o"))
if not objects:
    sys.exit(f"{build}: no object of a .cu file")
for path in objects:
    for line in subprocess.run(["nm", "-C", path], capture_output=True, text=True, check=True).stdout.splitlines():
        kind, _, name = line[17:].partition(" ")
        if kind in "WVu" and "__nv_hdl_wrapper_t" in name:
            holders[name].add(path.relative_to(build))
shared = {name: paths for name, paths in holders.items() if len(paths) > 1}
for name, paths in sorted(shared.items())[:20]:
    print(f"{name[:300]}\n    " + "\n    ".join(map(str, sorted(paths)[:4])))
print(f"{len(objects)} objects, {len(holders)} functions with host-device lambdas, {len(shared)} in more than one object")
sys.exit(bool(shared))
