#!/usr/bin/env python3
"""Runs the code of a notebook, cell by cell, without Jupyter: run_notebook.py FILE. Prints what it prints and shows the last value of each
cell, as a notebook would; an error names its cell. Returns the variables to who imports it."""
import ast
import json
import sys


def run(path):
    with open(path, encoding="utf-8") as file:
        cells = [cell for cell in json.load(file)["cells"] if cell["cell_type"] == "code"]
    names = {"__name__": "__main__"}
    for number, cell in enumerate(cells, 1):
        body = ast.parse("".join(cell["source"]), "%s, code cell %d" % (path, number))
        last = body.body.pop() if body.body and isinstance(body.body[-1], ast.Expr) else None
        exec(compile(body, "%s, code cell %d" % (path, number), "exec"), names)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), "%s, code cell %d" % (path, number), "eval"), names)
            if hasattr(value, "_repr_html_"):
                print("[%s: %d characters of HTML]" % (type(value).__name__, len(value._repr_html_())))
            elif value is not None:
                print(repr(value))
    return names


if __name__ == "__main__":
    run(sys.argv[1])
