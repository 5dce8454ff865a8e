#!/usr/bin/env python3
"""Every rule of words.py and every rule of includes finds what is planted, and lets plain sentences pass."""
import check
import words


def count(text, path="solvers/planted.cpp"):
    return len(words.faults_of(path, text))


PLANTED = ["the solver who leads", "read by nobody", "computed anew", "on at most so many ranks", "two iterations a step",
           "values beside the matrix", "the rows behind it", "the caller is told", "the flow asks a question",
           "each crew has one", "Mended: a crash", "What the flow does with a system that is too large.", "the leader's time",
           "the flight recorder", "a twin run", "measured by turns", "drawn by lot", "spread over the ranks", "a fresh node",
           "what it says of itself", "the ranks wake", "1/3 of hypre", "at most iterations",
           "a kernel that knows nothing of it", "weir said nothing", "let the run choose", "it may take as many again",
           "of radius 1 in these units", "NVTX costs 0.1 % (2026)", "three meshes converge by ten orders",
           "no first step to pay for", "the baseline runs twice, in all"]
for pattern, sentence in zip(words.PATTERNS, PLANTED, strict=True):
    assert count(f"// {sentence}\n") == 1, (pattern, sentence)
    assert count(f'  f("{sentence}");\n') == 1, sentence
    assert count(f"{sentence}\n", "planted.md") == 1, sentence
    assert count(f"`{sentence}`\n\n    {sentence}\n", "planted.md") == 0, sentence
assert count("// the wake behind the cylinder\n") == 0
assert count("// two iterations per step; it asks for a matrix\n") == 0
assert count('int who = 0;\n#include "who/anew.hpp"\n') == 0

for word in ("of", "that", "as", "what", "who", "where", "between", "its"):
    assert any("noun phrase" in f for f in words.faults_of("a.cpp", f'{{"seed", Option::integer, "0", "{word} it all"}}')), word
assert any("noun phrase" in f for f in words.faults_of("a.cpp", '{"x",\n Option::text, "",\n "of a "\n "step"}'))
assert any("noun phrase" in f for f in words.faults_of("a.cpp", 'verb.add_flag("-q", a.quiet, "that is so");'))
for entry in ('{"drag, lift", "", "of the body"}', '{"rate", "1/s", "of the flow", "immersed"}'):
    assert any("noun phrase" in f for f in words.faults_of("a.cpp", entry)), entry
assert any("noun phrase" in f for f in words.faults_of("a.cpp", '{"lift_max", "immersed", "as drag_max"},'))
assert count('{"seed", Option::integer, "0", "seed of all random numbers"}') == 0

assert count("// " + 118 * "x") == 1 and count("// " + 117 * "x") == 0, "120 columns"
assert count(172 * "x", "a.md") == 1 and count("| " + 200 * "x", "a.md") == 0, "171 columns in pages, tables as wide as they are"


assert not check.may_include("miniapps/compressible/run.cpp", "miniapps/study/facility.hpp")
assert not check.may_include("miniapps/structured/run.hpp", "miniapps/study/facility.hpp")
assert not check.may_include("miniapps/structured/run.hpp", "miniapps/incompressible/scheme.hpp")
assert check.may_include("miniapps/cli/run.cpp", "miniapps/study/facility.hpp")
assert check.may_include("miniapps/incompressible/run.cpp", "miniapps/structured/run.hpp")
