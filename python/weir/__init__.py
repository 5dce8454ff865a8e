"""Weir's runs, studies and captured systems in Python.

    run = weir.run("inputs/incompressible/cavity_re1000.toml", threads=1, time={"end": 0.5})   # or weir.read("weir-runs/cavity_re1000")
    run.history["kinetic_energy"], run.solves.where(system="pressure")["iterations"]           # numpy; .to_frame(): pandas
    run.fields().cells["velocity"]                                                             # of the last time written
    run.shadow.headline, run.shadow.verdicts                                                   # of a study
    weir.systems("weir-runs/captured")[0].matrix                                               # scipy.sparse, with rhs and guess
    x, result = weir.Solver(A, 'method = "cg"').solve(b)                                        # A x = b in this process
    weir.plots.study(run)                                                                      # the report's plots (matplotlib)
"""
from . import plots
from .fields import Fields, StructuredFields, UnstructuredFields, read_fields
from .program import WeirError, call, find_program, run
from .rundir import Check, Picture, Probe, Run, read
from .solver import Solver, SolveResult, SolverError
from .study import Ab, Interval, Relay, Shadow, read_ab
from .systems import System, Systems, read_system, systems
from .table import Table, read_csv

__version__ = "0.3.0"
__all__ = ["Ab", "Check", "Fields", "Interval", "Picture", "Probe", "Relay", "Run", "Shadow", "SolveResult", "Solver", "SolverError",
           "StructuredFields", "System", "Systems",
           "Table", "UnstructuredFields", "WeirError", "call", "find_program", "plots", "read", "read_ab", "read_csv", "read_fields",
           "read_system", "run", "systems"]
