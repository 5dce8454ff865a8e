"""Every place of the sources that orders memory, and the test that fails without it: mutants.py.

    ordering.py       the places; 1 if one of them is not in PLACES, or has left the sources
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("base", "inputs", "mesh", "miniapps", "physics", "postproc", "solvers")
# Word -> what the interpreter leaves out (WEIR_PTX_MUTANT). Shuffles, votes and relaxed atomics order nothing.
WORDS = {"__syncthreads": "barrier", "__syncwarp": "warp", "__threadfence": "fence", "load_acquire": "acquire", "wait_until": "acquire",
         "store_release": "release"}
OTHERS = ("grid_sync", "memory_order_acquire", "memory_order_release", "memory_order_acq_rel", "memory_order_seq_cst", "atomic_thread_fence",
          "__ATOMIC_ACQUIRE", "__ATOMIC_RELEASE", "__ATOMIC_ACQ_REL", "__ATOMIC_SEQ_CST", "__NV_ATOMIC_ACQUIRE", "__NV_ATOMIC_RELEASE",
          "__NV_ATOMIC_ACQ_REL", "__NV_ATOMIC_SEQ_CST", r"__syncthreads_\w+", r"__threadfence_\w+", r"cuda::(?:atomic|barrier)\w*", "asm")
SEARCHED = re.compile(r"\b(" + "|".join((*WORDS, *OTHERS)) + r")\b")

TESTS = {  # name: program, filter
    "block": ("device_kernels_test", "Block.ReducesInThreeShapes"),
    "extrema": ("device_arrays_test", "ReductionsOnDevice.FindTheLeast*"),
    "gemm": ("solvers_test", "Gemm.MultipliesBatchesOnADeviceWithoutCublas"),
    "scan": ("solvers_test", "SampleSelectOf/device.PrefixSums*"),
    "approximate": ("solvers_test", "SampleSelectOf/device.ApproximateThresholds*"),
    "exact": ("solvers_test", "SampleSelectOf/device.OtherSeedsGiveTheSame"),
    "mesh_order": ("solvers_test", "CsrIlu0Of/device.EqualsTheTextbookInEveryOrderOfAMesh"),
    "csr_pivots": ("solvers_test", "CsrIlu0Of/device.PivotingInverts*"),
    "cubes": ("solvers_test", "BlockIlu0Of/device.EqualsTheTextbookOnCubes*"),
    "pivots": ("solvers_test", "BlockIlu0Of/device.PivotingInverts*"),
    "colours": ("solvers_test", "MulticolorOf/device.LargeColours*"),
    "colour_update": ("solvers_test", "MulticolorOf/device.AnUpdateEquals*"),
    "colour_sizes": ("solvers_test", "MulticolorOf/device.IsGaussSeidel*"),
    "coarsest": ("solvers_test", "MultigridMethod/*.AGridOfFewCells*"),
    "large_blocks": ("solvers_test", "ParIlutOf/device.LargeBlocksGive*"),
    "synchronous": ("solvers_test", "ParIlutOf/device.SynchronousSweepsRepeat*"),
    "fixed_point": ("solvers_test", "ParIlutOf/device.ExactFactorsAre*"),
    "thresholds": ("solvers_test", "ParIlutOnDevice.ThresholdsAddUp*"),
}

HOST = "threads of the host"
VOTE = ("a vote or shuffle next to it waits for the lanes, too, and orders nothing: fixed_point and "
        "mesh_order without all of a warp's barriers")
WORD_ITSELF = "the word itself: every place that uses it"
SINGULAR = ("a thread divides by what it has written itself; others test whether that is zero, and take another block's size where it is: the race "
            "build, which finds unordered accesses; the barrier after the pivot row")
# Per file, in the order of its text: (word, name of the test that fails without this place alone[, the first seed to try]), or (word,
# why none can tell, and what covers it).
PLACES = {
    "base/foreign/foreign_call.cpp": [("memory_order_release", f"{HOST} and its signal handler: foreign_call_test")] * 2,
    "solvers/device/block.hpp": [("__syncthreads", "block")] * 2,
    "solvers/device/cuda/backend/dialect.hpp": [(word, WORD_ITSELF) for word in (
        "load_acquire", "__NV_ATOMIC_ACQUIRE", "store_release", "__NV_ATOMIC_RELEASE", "wait_until", "load_acquire")],
    "solvers/device/cuda/backend/grid_sync.hpp": [("grid_sync", "the word itself: Grid.MeetsAtItsBarrier, without all barriers or acquires")],
    "solvers/device/cuda/backend/reduction.hpp": [("__threadfence", "extrema"), ("__syncthreads", "extrema"), ("__threadfence", "extrema", 5)],
    "solvers/device/gemm_plain.cu": [("__syncthreads", "gemm")] * 2,
    "solvers/device/wavefront.hpp": [("memory_order_acquire", f"{HOST}: BlockIlu0OnHost.*DoNotDependOnTheNumberOfThreads"),
                                     ("memory_order_release", f"{HOST}: the same")],
    "solvers/matrix/algorithms/ordered_solve.cu": [("__syncthreads", "synchronous")],
    "solvers/matrix/algorithms/prefix_sum.cu": [("__syncthreads", "scan")] * 2,
    "solvers/matrix/algorithms/sample_select_device.cu": [("__syncthreads", "approximate")] * 3 + [
        ("__syncthreads", "exact", 3), ("__syncthreads", "exact"), ("__syncthreads", "exact")],
    "solvers/matrix/algorithms/sample_sort.hpp": [("__syncthreads", "approximate")] * 2,
    "solvers/matrix/algorithms/triangular.hpp": [("memory_order_release", f"{HOST}: CsrIlu0OnHost.*DoNotDependOnTheNumberOfThreads"),
                                                 ("memory_order_acquire", f"{HOST}: the same")],
    "solvers/preconditioner/block_ilu0/block_ilu0_csr_device.cu": [
        ("__syncwarp", "mesh_order"), ("__syncwarp", "mesh_order"), ("__syncwarp", "csr_pivots"), ("load_acquire", "mesh_order", 5),
        ("wait_until", "mesh_order"), ("__syncwarp", "mesh_order"), ("__syncwarp", "mesh_order"), ("__syncwarp", "mesh_order"),
        ("store_release", "mesh_order"), ("__syncwarp", VOTE)],
    "solvers/preconditioner/block_ilu0/block_ilu0_workgroup.cu": [
        ("__syncthreads", "cubes"), *[("__syncthreads", "pivots")] * 9,
        ("__syncthreads", "pivots"), ("wait_until", "pivots"), ("__syncthreads", "pivots"), ("__syncthreads", "pivots"),
        ("store_release", "pivots")],
    "solvers/preconditioner/multicolor/multicolor_device.cu": [
        ("__syncthreads", "colours"), ("__syncthreads", "colour_sizes"), ("__syncwarp", "colour_update"),
        ("__syncwarp", "colour_update"), ("__syncwarp", "colour_update")],
    "solvers/preconditioner/multicolor/multicolor_warp_rows.cu": [("__syncthreads", "colour_update")],
    "solvers/preconditioner/multigrid/multigrid_coarsest.cu": [("__syncthreads", "coarsest")],
    "solvers/preconditioner/parilu/parilu_device.cu": [
        ("__syncthreads", "large_blocks"), ("__syncthreads", "large_blocks"), ("__syncthreads", SINGULAR), ("__syncthreads", SINGULAR),
        ("__syncthreads", "large_blocks"), ("__syncthreads", SINGULAR), ("__syncthreads", "large_blocks"), ("__syncthreads", SINGULAR)],
    "solvers/preconditioner/parilu/parilu_scalar_grow.cu": [("__syncwarp", VOTE)] * 2,
    "solvers/preconditioner/parilu/parilu_scalar_keep.cu": [
        ("__syncthreads", "thresholds"), ("__threadfence", "thresholds", 3), ("__threadfence", "thresholds"),
        *[("__syncthreads", "thresholds")] * 4],
    "solvers/preconditioner/parilu/parilu_scalar_sweep.cu": [("__syncwarp", VOTE)] * 2,
    "solvers/preconditioner/parilu/parilu_teams.hpp": [("__syncwarp", VOTE)],
}


def places():
    """(file, line, word) of each, in the order of the text; comments, includes and the emulator's inside do not count."""
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            name = path.relative_to(ROOT).as_posix()
            if path.suffix not in (".cu", ".cuh", ".hpp", ".cpp") or name.startswith("solvers/device/simt/"):
                continue
            for number, line in enumerate(path.read_text().splitlines(), 1):
                for found in () if line.startswith("#include") else SEARCHED.finditer(line.split("//")[0]):
                    yield name, number, found[1]


def mutants():
    """(test, kind@file:line, first seed) of each place with a test; exits with 1 where the list and the sources differ."""
    found, faults, wanted = {}, [], []
    for file, line, word in places():
        found.setdefault(file, []).append((line, word))
    for file in sorted(found.keys() | PLACES.keys()):
        there, listed = found.get(file, []), PLACES.get(file, [])
        if [word for _, word in there] != [entry[0] for entry in listed]:
            faults.append(f"{file}: orders memory by {', '.join(f'{word} in line {line}' for line, word in there) or 'nothing'}; "
                          f"listed: {', '.join(entry[0] for entry in listed) or 'nothing'}")
        for (line, word), (_, by, *seed) in zip(there, listed):
            if by in TESTS:
                wanted.append((by, f"{WORDS[word]}@{file}:{line}", seed[0] if seed else 1))
    if faults:
        sys.exit("\n".join(faults) + "\nordering: name each place in tests/ptx/ordering.py with a test that fails without it")
    return wanted


if __name__ == "__main__":
    print(f"{sum(len(of) for of in PLACES.values())} places, {len(mutants())} mutants of one place")
