#!/usr/bin/env python3
"""docs/reference/api.md: comments and declarations of the public headers of the installed library (cmake/install_headers.cmake),
without bodies, private parts and internals.

    tests/tree/api.py            prints the page
    tests/tree/api.py --write    writes it
"""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PAGE = "docs/reference/api.md"
CHAPTERS = [
    ("A solver for your systems", ["solvers/linear_solver.hpp", "solvers/studied_solver.hpp", "inputs/case.hpp", "base/table.hpp", "base/error.hpp"]),
    ("Methods and preconditioners", ["solvers/krylov/krylov.hpp", "solvers/preconditioner/preconditioner.hpp", "solvers/registry.hpp"]),
    ("Matrices", ["solvers/matrix/matrix.hpp", "solvers/matrix/block/block_csr.hpp", "solvers/matrix/block/block_stencil.hpp",
                  "solvers/matrix/stencil/banded.hpp", "solvers/matrix/stencil/separable_stencil.hpp", "solvers/matrix/facts.hpp",
                  "solvers/matrix/io/matrix_market.hpp"]),
    ("Memory and loops", ["solvers/device/space.hpp", "solvers/device/array.hpp", "solvers/device/for_each.hpp",
                          "solvers/device/reduce.hpp", "solvers/device/vector_ops.hpp"]),
    ("Ranks", ["solvers/parallel/communicator.hpp", "solvers/distributed/distributed_matrix.hpp"]),
    ("Graphs", ["mesh/graph/orderings.hpp", "mesh/graph/colouring.hpp"]),
]


def text_of(name):
    with open(os.path.join(ROOT, name)) as file:
        return file.read()


def closing(text, at):
    """Position after the bracket that closes the one at `at`; strings and comments are skipped."""
    depth = 0
    for token in re.compile(r'//[^\n]*|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|[][(){}]').finditer(text, at):
        depth += 1 if token[0] in "([{" else -1 if token[0] in ")]}" else 0
        if depth == 0:
            return token.end()
    raise ValueError("a bracket that is not closed")


def without_bodies(text):
    """A function's initialisers and its body become a semicolon."""
    done = ""
    head = re.compile(r"//[^\n]*|\)(?: const| noexcept| override| final)*(\s*:(?!:)|(?=\s*\{))")
    while (m := next((m for m in head.finditer(text) if m[1] is not None), None)):
        done += text[:m.start(1)] + ";"
        at = m.end()
        while m[1]:  # NAME(...) or NAME{...}, and on where a comma follows
            at = closing(text, re.compile(r"[({]").search(text, at).start())
            if text[at] != ",":
                break
        text = text[closing(text, text.index("{", at)):]
    return done + text


def public_part(body):
    """Of a class: what follows private: or protected: up to public: is left out."""
    return re.sub(r"\n *(?:private|protected):.*?(?=\n *public:|\n};)", "", body, flags=re.S)


def declarations(text):
    text = re.sub(r"^#(?!define WEIR_).*\n", "", text, flags=re.M)
    while (m := re.search(r"\n((//.*\n)*)namespace (detail|backend|\w+_products|\w+_kernels) \{", text)):
        text = text[:m.start()] + text[closing(text, m.end() - 1):].partition("\n")[2]
    text = re.sub(r"^(namespace weir \{|\}  // namespace weir|(?:template .*\n)?(?:class|struct) \w+;.*)\n", "", text, flags=re.M)
    text = without_bodies(text)
    text = re.sub(r"^(template class .*|template <class Space>\n.*\w<Space>::\w+\(.*\);)\n", "", text, flags=re.M)
    return re.sub(r"\n+(\n};|\n\n)", r"\1", public_part(text)).strip()


def entry(name):
    head, text = re.match(r"((?://[^\n]*\n)*)(.*)", text_of(name), re.S).groups()
    said = "\n".join(line[3:] for line in head.split("\n"))
    return f"### {name}\n[source](../../{name})\n\n```\n{said.strip()}\n```\n\n```cpp\n{declarations(text)}\n```\n"


def undocumented():
    """Groups of declarations, between blank lines, without any comment."""
    for name in (name for _, names in CHAPTERS for name in names):
        for group in re.split(r"\n\n(?=\S)", declarations(text_of(name).partition("#pragma once")[2])):
            if "//" not in group:
                yield f"{name}: no comment: {' '.join(group.split())[:90]}"


def page():
    parts = ["<!-- Written by tests/tree/api.py --write: do not edit. -->\n# Headers of the library\n"
             "Declarations in the headers of [an installed Weir](../howto/use_the_library.md): `#include <weir/NAME>`, namespace `weir`. "
             "Bodies and private parts are left out.\n"]
    for title, names in CHAPTERS:
        parts += [f"## {title}\n", *map(entry, names)]
    return "\n".join(parts)


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        with open(os.path.join(ROOT, PAGE), "w") as file:
            file.write(page())
    else:
        sys.stdout.write(page())
