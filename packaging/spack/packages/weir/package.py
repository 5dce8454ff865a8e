"""Spack recipe: spack repo add packaging/spack && spack install weir"""
import os

from spack.package import *

try:  # Spack 1.0 has moved them there
    from spack_repo.builtin.build_systems.cmake import CMakePackage, generator
    from spack_repo.builtin.build_systems.cuda import CudaPackage
except ImportError:
    pass


class Weir(CMakePackage, CudaPackage):
    """A testbed of implicit flow solvers with exchangeable sparse linear solvers, on CPUs and GPUs."""

    license("BSD-3-Clause")
    version("main")  # of the sources around this recipe: spack develop --path . weir@main

    variant("program", default=True, description="The program weir; without it the library alone")
    variant("mpi", default=True, description="Ranks")
    variant("petsc", default=False, when="+mpi", description="Compare with PETSc")
    variant("hypre", default=False, when="+mpi", description="Compare with hypre")
    variant("suitesparse", default=False, description="Compare with CHOLMOD and UMFPACK (GPL)")
    variant("shared", default=False, description="libweir.so, for programs in C, Fortran and Python")
    variant("eigen", default=True, description="Direct solves in diagnoses")
    variant("regions", default="none", values=("none", "nvtx", "caliper"), description="Timers' regions for profilers")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    for library in ("fmt", "tomlplusplus", "cli11", "nlohmann-json", "boost+context", "zlib-api", "fftw-api", "hdf5", "metis"):
        depends_on(library)
    depends_on("mpi", when="+mpi")
    depends_on("petsc", when="+petsc")
    depends_on("hypre", when="+hypre")
    depends_on("suite-sparse", when="+suitesparse")
    depends_on("eigen", when="+eigen")
    depends_on("caliper", when="regions=caliper")
    depends_on("cuda@12.8:", when="+cuda")
    depends_on("cuda", when="regions=nvtx")
    depends_on("python@3.9:", type="run")
    depends_on("py-numpy", type="run")

    generator("ninja")

    def cmake_args(self):
        args = [
            self.define("WEIR_NATIVE", False),  # Spack's wrapper names the target
            self.define("CMAKE_INSTALL_LIBDIR", "lib"),
            self.define("WEIR_TESTS", False),
            self.define("WEIR_BENCHMARKS", False),
            self.define("WEIR_DEVICE", "cuda" if self.spec.satisfies("+cuda") else "simt"),
            self.define_from_variant("WEIR_REGIONS", "regions"),
        ]
        for variant in ("program", "mpi", "petsc", "hypre", "suitesparse", "shared", "eigen"):
            args.append(self.define_from_variant("WEIR_" + variant.upper(), variant))
        for variant, package, option in (("petsc", "petsc", "PETSC_DIR"), ("hypre", "hypre", "HYPRE_DIR"),
                                         ("suitesparse", "suite-sparse", "SUITESPARSE_DIR")):
            if self.spec.satisfies("+" + variant):
                args.append(self.define(option, self.spec[package].prefix))
        if self.spec.satisfies("+cuda") and self.spec.variants["cuda_arch"].value[0] != "none":
            args.append(self.define("CMAKE_CUDA_ARCHITECTURES", ";".join(self.spec.variants["cuda_arch"].value)))
        return args

    def test_heat(self):
        """heat equation in C on the installed library, against the known solution"""
        if not self.spec.satisfies("+shared"):
            raise SkipTest("libweir.so is not installed: +shared")
        source = self.prefix.share.weir.inputs.examples.join("4_heat.c")
        libraries = ["-L" + self.prefix.lib, "-Wl,-rpath," + self.prefix.lib, "-lweir", "-lm"]
        Executable(os.environ["CC"])(source, "-I" + self.prefix.include, *libraries, "-o", "heat")
        check_outputs("largest error", Executable("./heat")(output=str))

    def test_program(self):
        """a small system by the installed program"""
        if not self.spec.satisfies("+program"):
            raise SkipTest("the program is not installed: +program")
        check_outputs("converged", Executable(self.prefix.bin.weir)("solve", "banded:1000:1", output=str))
