"""Starts the program `weir`: $WEIR, or the one on PATH. Errors become a WeirError with text and exit code."""
from __future__ import annotations

import json
import math
import os
import shutil
import signal
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from .rundir import Run

# docs/reference/results.md
EXIT_CODES = {1: "internal error", 2: "usage or case file", 3: "solver failed", 4: "not finite", 5: "[check] out of tolerance",
              6: "file I/O", 7: "out of memory", 8: "device unavailable", 9: "wall limit"}


class WeirError(RuntimeError):
    """The program has ended with another exit code than 0. text: its output; run: the run directory if one was
    written, else None."""

    def __init__(self, command: list[str], exit_code: int, text: str, log: str, run: Run | None = None) -> None:
        meaning = "signal %d" % (exit_code - 128) if exit_code > 128 else EXIT_CODES.get(exit_code, "unknown")
        output = text.strip() or "no output"
        super().__init__("%s\n(exit code %d: %s; command: %s)" % (output, exit_code, meaning, " ".join(command)))
        self.command, self.exit_code, self.text, self.log, self.run = command, exit_code, text, log, run


def find_program() -> str:
    """$WEIR, else `weir` on PATH."""
    named = os.environ.get("WEIR")
    found = shutil.which(named or "weir")
    if found is None:
        raise FileNotFoundError("$WEIR is '%s', which is no program" % named if named else
                                "no program weir on PATH: set WEIR to it, such as WEIR=/path/to/weir/build/bin/weir")
    return found


def call(*arguments: str | os.PathLike[str]) -> str:
    """Any verb: call("ab", "study.toml", "-o", "study"). Returns the standard output of the program."""
    command = [find_program(), *(os.fspath(word) for word in arguments)]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace") as process:
        try:
            log, text = process.communicate()
        except KeyboardInterrupt:  # the run writes a checkpoint before it ends
            process.send_signal(signal.SIGINT)
            process.communicate()
            raise
    code = process.returncode if process.returncode >= 0 else 128 - process.returncode
    if code:
        failed = [line for line in log.splitlines() if line.endswith("FAIL")]  # of [check]
        raise WeirError(command, code, text or "\n".join(failed or log.splitlines()[-10:]), log)
    return log


def run(case: str | os.PathLike[str], /, directory: str | os.PathLike[str] | None = None, *, threads: int | None = None, overwrite: bool = False,
        unset: Iterable[str] = (), arguments: Iterable[str] = (), raises: bool = True, **overrides: Any) -> Run:
    """Runs a case into `directory` (default: weir-runs/CASE) and reads it. overrides: keys of the case, as tables or dotted names:
    time={"end": 1.0}, **{"linear.pressure.method": "cg"}; None removes a key. arguments: other options of `weir run`.
    raises=False: a run with a non-zero exit code is returned if it has written records; see its exit_code and status."""
    name = Path(case).stem
    target = Path(directory) if directory is not None else Path("weir-runs") / name
    words = ["run", os.fspath(case), "-o", str(target), *arguments]
    words += ["--threads", str(threads)] if threads is not None else []
    words += ["--overwrite"] if overwrite else []
    for key, value in _flat("", overrides):
        words += ["--unset", key] if value is None else ["--set", "%s=%s" % (key, toml(value))]
    for key in unset:
        words += ["--unset", key]
    before = _stamp(target)
    try:
        call(*words)
    except WeirError as error:
        if _stamp(target) != before:  # else the directory belongs to an earlier run
            error.run = Run(target)
        if raises or error.run is None:
            raise
    return Run(target)


def _stamp(target: Path) -> int | None:
    try:
        return os.stat(target / "run.json").st_mtime_ns
    except OSError:
        return None


def _flat(prefix: str, table: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from _flat(prefix + key + ".", value)
        else:
            yield prefix + key, value


def toml(value: Any) -> str:
    """A value in TOML notation."""
    if hasattr(value, "tolist"):  # numpy's
        value = value.tolist()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else str(value)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, (str, os.PathLike)):
        return json.dumps(os.fspath(value), ensure_ascii=False)
    if isinstance(value, Mapping):
        return "{ %s }" % ", ".join("%s = %s" % (json.dumps(str(k)), toml(v)) for k, v in value.items())
    if isinstance(value, (list, tuple)):
        return "[%s]" % ", ".join(toml(v) for v in value)
    raise TypeError("%r: expected a number, a string, a list or a table" % (value,))
