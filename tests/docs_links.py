#!/usr/bin/env python3
"""Every relative link and picture in the Markdown files leads somewhere, headings included, and every picture is used.

    python3 tests/docs_links.py        exit code 1 and a line a fault
"""
import pathlib
import re
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parent.parent
files = subprocess.run(["git", "-C", str(root), "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True, check=True)
names = [n for n in files.stdout.splitlines() if (root / n).exists()]


def anchors(path):
    heads = re.findall(r"^#+ (.*)$", path.read_text(), re.M)
    return {re.sub(r"[^\w\- ]", "", re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", h)).strip().lower().replace(" ", "-") for h in heads}


faults, used = [], set()
for name in (n for n in names if n.endswith(".md")):
    text = re.sub(r"```.*?```", "", (root / name).read_text(), flags=re.S)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        at = (root / name).parent / path if path else root / name
        if not at.exists():
            faults.append(f"{name}: no such file: {target}")
        elif anchor and at.suffix == ".md" and anchor not in anchors(at):
            faults.append(f"{name}: no such heading: {target}")
        used.add(at.resolve())
for name in names:  # code, cases and scripts name pages too
    if not name.endswith((".md", ".png", ".csv", ".h5", ".stl")):
        text = (root / name).read_text(errors="replace")
        faults += [f"{name}: no such page: {p}" for p in set(re.findall(r"\bdocs/[\w/]+\.md\b", text)) if not (root / p).exists()]
faults += [f"{n}: no page shows this picture" for n in names if n.startswith("docs/pictures/") and (root / n).resolve() not in used]
print("\n".join(faults))
sys.exit(1 if faults else 0)
