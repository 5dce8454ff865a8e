"""ReFrame tests of an installed or built weir: WEIR=path/to/weir reframe -c packaging/weir_reframe.py -r"""
import os

import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.builtins import parameter, performance_function, run_after, sanity_function, variable

WEIR = os.environ.get("WEIR", "weir")


class WeirTest(rfm.RunOnlyRegressionTest):
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    executable = WEIR
    threads = variable(int, value=1)

    @run_after("init")
    def set_threads(self):
        self.num_cpus_per_task = self.threads
        self.env_vars["OMP_NUM_THREADS"] = str(self.threads)


@rfm.simple_test
class WeirCavity(WeirTest):
    """A second of the lid-driven cavity: it ends well, in both spaces; `seconds` is what to watch."""
    space = parameter(["host", "device"])
    keep_files = ["run/run.json"]

    @run_after("init")
    def set_case(self):
        self.descr = f"short lid-driven cavity, {self.space}"
        self.executable_opts = ["run", "inputs/incompressible/cavity_re100.toml", "-o", "run", "--space", self.space,
                                "--set", "grid.cells=[32,32]", "--set", "time.end=1.0", "--set", "check={}"]

    @sanity_function
    def ran_to_its_end(self):
        return sn.all([sn.assert_eq(self.job.exitcode, 0), sn.assert_found(r'"status": "finished"', "run/run.json")])

    @performance_function("s")
    def seconds(self):
        return sn.extractsingle(r'"wall_seconds": ([0-9.e+-]+)', "run/run.json", 1, float)


@rfm.simple_test
class WeirKernels(WeirTest):
    """Each kernel's share of the measured triad; set `reference` for a system of yours."""
    descr = "kernels compared with the triad"
    executable_opts = ["bench", "kernels", "--json", "kernels.json"]
    keep_files = ["kernels.json"]

    @sanity_function
    def has_all_rows(self):
        return sn.assert_ge(sn.count(sn.findall(r'"fraction_of_triad"', "kernels.json")), 18)

    @performance_function("fraction of triad")
    def worst(self):
        return sn.min(sn.extractall(r'"fraction_of_triad": ([0-9.e+-]+)', "kernels.json", 1, float))
