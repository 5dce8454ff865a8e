#!/usr/bin/env python3
"""What a power cut leaves, at random points of a run and of a restart from an earlier step: content that was synced, with or
without a part of what came later, and names that were synced, with any of the changes after that. It restarts, to the same end.

    power_cut.py TOY short|long [SEED]
"""
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

CASE = """[case]
miniapp = "toy"
[time]
max_steps = 30
[output]
report = false
[checkpoint]
every = 3
[toy]
pictures_every = 4
"""


class Disk:
    """Names of files; content[id] = (what was synced, what was written in all), None of a folder."""
    def __init__(self, trace):
        self.trace = trace
        self.ops = [line.split("|")[:-1] for line in (trace / "trace").read_text().splitlines()]
        is_next = {}  # what comes into being by a rename is not there when it is announced
        for i in range(len(self.ops) - 1, -1, -1):
            op, path, *more = self.ops[i]
            if op == "make" and is_next.get(path) == "rename":
                self.ops[i][0] = "announce"
            is_next[more[0] if op == "rename" else path] = op

    def bytes_of(self, number):
        return (self.trace / number).read_bytes()

    def cut(self, at, rng, to):
        """Writes what is left after `at` operations; true where a checkpoint surely is."""
        live, disk, pending, content = {}, {}, [], {}  # names as the program sees them; surely on the disk; changes that may be

        def change(*names):
            pending.append(({os.path.dirname(path) for path, _ in names}, names))
            apply(live, names)

        def apply(names, changes):
            for path, number in changes:
                names.pop(path, None)
                names.update({path: number} if number is not None else {})

        def new(what):
            content[len(content)] = what
            return len(content) - 1

        for op, path, *more in self.ops[:at]:
            if op in ("make", "mkdir") and path not in live:
                change((path, new((b"", b"") if op == "make" else None)))
            elif op == "sync":
                if path not in live and path.endswith(".partial"):
                    live[path] = new(None)  # may stay: it is harmless
                elif path not in live:
                    change((path, new(None)))
                content[live[path]] = (self.bytes_of(more[0]),) * 2
            elif op == "rename":
                change((path, None), (more[0], live[path] if path in live else new((b"", self.bytes_of(more[1])))))
            elif op == "remove":
                change((path, None))
            elif op == "folder":  # a rename between two folders is one change of both
                for folders, names in pending:
                    if path in folders:
                        apply(disk, names)
                pending = [p for p in pending if path not in p[0]]
        is_safe = any(re.match(r"run/checkpoints/step_\d+.h5$", path) for path in disk)
        for op, path, *more in self.ops[at:]:  # what was written, but not synced yet
            if op == "sync" and path in live and content.get(live[path]):
                synced, written = content[live[path]]
                if written == synced:
                    content[live[path]] = (synced, self.bytes_of(more[0]))
        is_ordered, most = rng.random() < 0.5, rng.randint(0, len(pending))
        for i, (_, names) in enumerate(pending):  # journals keep the order; not every file system has one
            if i < most if is_ordered else rng.random() < 0.5:
                apply(disk, names)
        for path, number in sorted(disk.items()):
            target = to / path
            if content[number] is None:
                target.mkdir(exist_ok=True)
            elif target.parent.is_dir():
                synced, written = content[number]
                grown = written[len(synced):rng.randint(len(synced), max(len(synced), len(written)))] if written.startswith(synced) else b""
                target.write_bytes(synced + (grown if rng.random() < 0.7 else bytes(len(grown))))
        return is_safe


def run(toy, work, *arguments, trace=None):
    env = dict(os.environ, OMP_NUM_THREADS="1", **({"TOY_TRACE": str(trace)} if trace else {}))
    done = subprocess.run([toy, *arguments], cwd=work, env=env, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def judge(toy, work, is_safe, expected):
    """The words of what is wrong after the power is back."""
    code, out = run(toy, work, "restart", "run")
    if code in (2, 6) and not is_safe:
        code, out = run(toy, work, "run", "ring.toml", "-o", "run", "--overwrite")
    if code != 0:
        return "exit code %d: %s" % (code, out[-300:])
    end = json.loads((work / "run/run.json").read_text())
    if (end["state_hash"], end["steps"]) != expected:
        return "another end: %s" % end
    for name in ("history.csv", "solves.csv"):
        if [int(row.split(",")[0]) for row in (work / "run" / name).read_text().splitlines()[1:]] != list(range(1, expected[1] + 1)):
            return "%s has gaps or doubles" % name
    pictures = re.findall(r'file="([^"]*)"', (work / "run/vtk/ring.pvd").read_text())
    steps = [int(p[5:13]) for p in pictures]
    if steps != list(range(4, expected[1] + 1, 4)):
        return "pictures of the steps %s" % steps
    if not all((work / "run/vtk" / p).read_bytes().endswith(b"</VTKFile>\n") for p in pictures):
        return "half a picture"
    return ""


def main(toy, length, seed="1"):
    rng, failed = random.Random(int(seed)), 0
    with tempfile.TemporaryDirectory(prefix="weir_power_") as folder:
        root = pathlib.Path(folder)
        work, trace = root / "work", root / "trace"
        work.mkdir(), trace.mkdir()
        (work / "ring.toml").write_text(CASE)
        for arguments in (["run", "ring.toml", "-o", "run", "--set", "checkpoint.keep=4", "--steps", "19"],
                          ["restart", "run/checkpoints/step_00000012.h5", "--set", "checkpoint.keep=2"]):
            code, out = run(toy, work, *arguments, trace=trace)
            assert code == 0, out
        end = json.loads((work / "run/run.json").read_text())
        disk = Disk(trace)
        for point in range({"short": 20, "long": 200}[length]):
            shutil.rmtree(work)
            work.mkdir()
            (work / "ring.toml").write_text(CASE)
            at = rng.randint(0, len(disk.ops))
            is_safe = disk.cut(at, rng, work)
            wrong = judge(toy, work, is_safe, (end["state_hash"], end["steps"]))
            if wrong:
                failed += 1
                print("FAILED: a cut after %d of %d operations (%s): %s" % (at, len(disk.ops), disk.ops[at - 1], wrong), flush=True)
        print("%d cuts in %d operations, %d failed" % (point + 1, len(disk.ops), failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
