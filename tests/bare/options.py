#!/usr/bin/env python3
"""Weir without its optional libraries, each left out alone, then all at once: configured, built, linked, a short run.

    tests/bare/options.py [BUILD_FOLDER] [NAME...]     default: build-options; names: mpi, hdf5, ..., all; nothing named: each

One build folder is configured again for each, so that only what differs is compiled; at the end its options are as before.
What is missing must be named with its package: by `weir list libraries`, and by the command that needs it. A library that the
machine lacks is not tested: tests/bare/bare.sh --options runs this where each of Debian's is installed."""
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CAVITY = os.path.join(ROOT, "inputs/incompressible/cavity_re100.toml")
KOVASZNAY = os.path.join(ROOT, "inputs/incompressible/kovasznay.toml")
# Option without WEIR_: the library's name; its package; a command that needs it (arguments, environment, exit code).
SOLVE = ["solve", "banded:100:1", "--solver"]
LIBRARIES = {
    "mpi": ("MPI", "libopenmpi-dev", (["run", CAVITY], {"OMPI_COMM_WORLD_SIZE": "2"}, 2)),
    "hdf5": ("HDF5", "libhdf5-dev", (["run", CAVITY, "--set", "checkpoint.every=1"], {}, 2)),
    "muparser": ("muParser", "libmuparser-dev", (["run", KOVASZNAY], {}, 2)),
    "fftw": ("FFTW", "libfftw3-dev", None),
    "metis": ("METIS", "libmetis-dev", None),
    "zlib": ("zlib", "zlib1g-dev", (["solve", "gzipped.mtx.gz"], {}, 2)),
    "blas": ("", "", None),  # of a benchmark alone
    "eigen": ("Eigen", "libeigen3-dev", (SOLVE + ["eigen:sparse_lu"], {}, 2)),
    "petsc": ("PETSc", "petsc-dev", (SOLVE + ["petsc:-pc_type ilu"], {}, 2)),
    "hypre": ("hypre", "libhypre-dev", (SOLVE + ["hypre:cg+boomeramg"], {}, 2)),
    "suitesparse": ("SuiteSparse", "libsuitesparse-dev", (SOLVE + ["suitesparse:umfpack"], {}, 2)),
}


def run(command, folder, environment=None, code=0):
    """Its output; an AssertionError where it ends with another code."""
    done = subprocess.run(command, cwd=folder, env={**os.environ, **(environment or {})}, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    assert done.returncode == code, f"{' '.join(command)}: exit code {done.returncode}, not {code}\n{done.stdout[-4000:]}"
    return done.stdout


def switch(build, names, value):
    run(["cmake", *(f"-DWEIR_{name.upper()}={value}" for name in names), build], ROOT)


def check(build, names):
    switch(build, names, "OFF")
    run(["ninja", "all", "weir_bench", "peer_run"], build)
    weir = os.path.join(build, "bin/weir")
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "gzipped.mtx.gz"), "wb") as file:
            file.write(b"\x1f\x8b" + bytes(30))
        run([weir, "run", CAVITY, "--steps", "3", "--set", "output.report=false", "-o", "out"], folder)
        run([weir, "bench", "--help"], folder)
        table = {line.split()[0]: line for line in run([weir, "list", "libraries"], folder).splitlines()}
        for name in names:
            library, package, needed_by = LIBRARIES[name]
            if library:
                assert "missing" in table[library] and f"Debian package {package}" in table[library], table[library]
            if needed_by:
                arguments, environment, code = needed_by
                said = run([weir, *arguments, *(["-o", "other"] if arguments[0] == "run" else [])], folder, environment, code)
                assert f"this build lacks {library} (Debian package {package})" in said, said


def main():
    names = [a for a in sys.argv[1:] if a in LIBRARIES or a == "all"]
    folders = [a for a in sys.argv[1:] if a not in names]
    build = os.path.abspath(folders[0] if folders else os.path.join(ROOT, "build-options"))
    if not os.path.exists(os.path.join(build, "build.ninja")):
        run(["cmake", "--preset", "run", "-DWEIR_TESTS=ON", "-DWEIR_ONLY_CHECK=ON", "-B", build], ROOT)
    failed = []
    try:
        for name in names or [*LIBRARIES, "all"]:
            group = list(LIBRARIES) if name == "all" else [name]
            try:
                check(build, group)
                print(f"without {name}: passed", flush=True)
            except AssertionError as error:
                failed.append(name)
                print(f"without {name}: FAILED\n{error}", flush=True)
            switch(build, group, "ON")
    finally:
        switch(build, LIBRARIES, "ON")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
