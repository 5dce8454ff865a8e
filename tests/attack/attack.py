#!/usr/bin/env python3
"""Runs that are killed, and whose calls of the system fail, end with a documented code and a message; restarted, they end as one
that nothing happened to: same state, records without gaps, pictures that are there, nothing half written.

    attack.py WEIR INPUTS FAILING_CALLS short|long [SEED]
"""
import errno
import json
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SMALL = ["output.report=false", "output.fields_every_steps=4", "checkpoint.every=3"]
CASES = {  # file, overrides, and solvers of its systems to choose from
    "fractional step": ("incompressible/taylor_green_2d.toml", ["grid.cells=[8,8]", "time.end=0.4"],
                        [["linear.pressure.preconditioner.type=\"%s\"" % p, "linear.pressure.method=\"cg\""] for p in ("jacobi", "multigrid", "sgs")]),
    "coupled": ("incompressible/taylor_green_2d_coupled.toml", ["grid.cells=[8,8]", "time.end=0.3"], [[]]),
    "body": ("immersed/oscillating_inline_kc5.toml", ["time.end=0.24", "output.average_from=0.0"], [[]]),
    "steady": ("compressible/naca0012_laminar.toml", ["mesh.generator.refinement=0.4", "pseudo_time.tolerance=1e-2"],
               [["linear.flow.preconditioner={type=\"%s\"}" % p] for p in ("block_ilu0", "line", "aggregation", "block_jacobi")]),
    "unsteady": ("compressible/sod.toml", ["mesh.generator.cells=[40,2]", "time.end=0.01"],
                 [["linear.flow.preconditioner={type=\"%s\"}" % p] for p in ("block_ilu0", "aggregation")]),
}
CALLS = ["write", "pwrite", "fsync", "rename", "mkdir", "ftruncate", "close", "unlink"]
ENDED, DOCUMENTED = (0, 5), range(2, 10)
failures = []


class Attack:
    def __init__(self, weir, inputs, library, work, name, solver):
        self.weir, self.library, self.work, self.name = weir, library, work, name
        case, overrides, _ = CASES[name]
        self.case = [str(pathlib.Path(inputs) / case)] + [x for o in [*SMALL, *overrides, *solver] for x in ("--set", o)]
        self.directory = work / "run"
        start = time.time()
        code, out = self.run("run", *self.case, "-o", work / "whole", "--overwrite")
        self.seconds, self.expected = time.time() - start, json.loads((work / "whole/run.json").read_text())
        if code not in ENDED:
            self.fail("undisturbed", "ends with %s: %s" % (code, out[-300:]))

    def fail(self, what, why):
        failures.append("%s, %s: %s" % (self.name, what, why))
        print("FAILED", failures[-1], flush=True)

    def start(self, *arguments, env=None, limit=None):
        setup = (lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))) if limit else None
        return subprocess.Popen([self.weir, *map(str, arguments)], cwd=self.work, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                env=dict(os.environ, OMP_NUM_THREADS="1", **(env or {})), preexec_fn=setup)

    def run(self, *arguments, **how):
        process = self.start(*arguments, **how)
        try:
            out = process.communicate(timeout=100)[0].decode(errors="replace")
        except subprocess.TimeoutExpired:
            process.kill()
            return "a time-out", process.communicate()[0].decode(errors="replace")
        return process.returncode, out

    def begin(self):
        shutil.rmtree(self.directory, ignore_errors=True)
        return ["run", *self.case, "-o", self.directory]

    def kill(self, rng):
        process = self.start(*self.begin())
        for _ in range(rng.choice([1, 1, 2])):  # the restart may be killed, too
            try:
                process.communicate(timeout=rng.uniform(0.05, 1.05) * self.seconds)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                process.communicate()
            if not list(self.directory.glob("checkpoints/*.h5")):
                break
            process = self.start("restart", self.directory)
        process.communicate()
        self.go_on("killed")

    def refuse(self, rng):
        """One call fails, or every file that grows beyond a limit does."""
        call, number, reason = rng.choice(CALLS), rng.randint(1, 40), rng.choice([errno.ENOSPC, errno.EIO, errno.EINTR, 0])
        reason = reason if call in ("write", "pwrite") else reason or errno.EIO
        limit = rng.choice([None, None, None, int(10 ** rng.uniform(2, 5.5))])
        what = "files up to %d bytes" % limit if limit else "%s number %d fails with %s" % (call, number, errno.errorcode.get(reason, "half of it"))
        env = {} if limit else {"LD_PRELOAD": self.library, "FAIL_CALL": call, "FAIL_AT": str(number), "FAIL_ERRNO": str(reason), "FAIL_IN": str(self.directory)}
        code, out = self.run(*self.begin(), env=env, limit=limit)
        if code in ENDED:
            return self.check_end(what)
        if code not in DOCUMENTED:
            return self.fail(what, "ends with %s: %s" % (code, out[-300:]))
        if not re.search(r"weir: .*(cannot|No space|too large|Input/output)", out):
            self.fail(what, "says nothing of it: %s" % out[-300:])
        left = list(self.directory.rglob("*.partial"))
        if left and call != "unlink":
            self.fail(what, "leaves %s" % left)
        self.go_on(what)

    def go_on(self, what):
        code, out = self.run("restart", self.directory)
        if not list(self.directory.glob("checkpoints/*.h5")) and code in (2, 6):
            code, out = self.run("run", *self.case, "-o", self.directory, "--overwrite")
        if code not in ENDED:
            return self.fail(what, "then the restart ends with %s: %s" % (code, out[-300:]))
        self.check_end(what)

    def check_end(self, what):
        end = json.loads((self.directory / "run.json").read_text())
        for key in ("state_hash", "steps", "time", "exit_code"):
            if end[key] != self.expected[key]:
                return self.fail(what, "then %s is %s, not %s" % (key, end[key], self.expected[key]))
        for name in ("history.csv", "solves.csv"):
            steps = [[int(row.split(",")[0]) for row in (d / name).read_text().splitlines()[1:]] for d in (self.directory, self.work / "whole")]
            if steps[0] != steps[1]:
                self.fail(what, "%s has gaps or doubles" % name)
        for pvd in self.directory.rglob("*.pvd"):
            pictures = re.findall(r'file="([^"]*)"', pvd.read_text())
            if len(set(pictures)) < len(pictures) or not all((pvd.parent / p).exists() for p in pictures):
                self.fail(what, "%s names pictures twice, or that are not there" % pvd)
        if left := list(self.directory.rglob("*.partial")):
            self.fail(what, "leaves %s" % left)


def main(weir, inputs, library, length, seed="1"):
    rng = random.Random(int(seed))
    kills, refusals, solvers = {"short": (2, 5, 1), "long": (40, 60, 9)}[length]
    with tempfile.TemporaryDirectory(prefix="weir_attack_") as work:
        for name, (_, _, choice) in CASES.items():
            for solver in rng.sample(choice, min(solvers, len(choice))):
                attack = Attack(weir, inputs, library, pathlib.Path(work), name, solver)
                for _ in range(kills):
                    attack.kill(rng)
                for _ in range(refusals):
                    attack.refuse(rng)
                print("%s %s: %d kills, %d refused calls" % (name, solver, kills, refusals), flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
