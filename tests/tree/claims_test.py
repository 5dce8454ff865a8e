#!/usr/bin/env python3
"""Claims in pages that claims.py finds, and those that it accepts."""
import claims

ROWS = {("poisson", "solve", "cg+multigrid"): {"ratio_median": "5.432", "ratio_min": "5.1", "ratio_max": "6"}}
MARK = "<!-- peers: poisson solve cg+multigrid -->"
HEAD = "# Speed\n`weir bench peers`\n\n"


def count(text):
    return len(claims.faults_of("page.md", text, ROWS))


assert count(HEAD + f"**5.4** (5.1 to 6.0) {MARK}") == 0
assert count(HEAD + f"5.43 {MARK} times faster than hypre") == 0
assert count(HEAD + f"**5.5** {MARK}") == 1, "another ratio"
assert count(HEAD + f"**5.4** (5.2 to 6.0) {MARK}") == 1, "another range"
assert count(HEAD + "**5.4** <!-- peers: poisson first cg+multigrid -->") == 1, "no such row"
assert count(HEAD + f"fast {MARK}") == 1, "no ratio before the mark"
assert count(f"# Speed\n**5.4** {MARK}") == 1, "no command"
assert count(HEAD + f"# Next\n**5.4** {MARK}") == 1, "the command stands in another section"
assert count("# Speed\n5.4 times faster than PETSc") == 1 and count("# Speed\n| cg | PETSc | **5.4** |") == 1, "no mark, no command"
assert count("# Speed\n`weir bench anzt-peers`\n\n| parilut | SuperLU | **6.7** |") == 0
