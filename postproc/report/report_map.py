#!/usr/bin/env python3
"""The page of a map: report_map.py [--png] DIR writes DIR/report.html and DIR/plots from the files of `weir map`."""
import os
import sys

sys.dont_write_bytecode = True  # the program's folder may belong to another user

from plots import map, page  # noqa: E402


def body_of(directory):
    study = map.Map(directory)
    with open(os.path.join(directory, "map.txt")) as file:
        text = file.read()
    title, x, y = text.split("\n")[:3]
    is_closed = "leader again" in study.rows["configuration"]
    how = ("Branches (closed loop): one run per cell, with branches by each solver. Cost: time per progress. Noise band: A/A control of the "
           "reference solver." if is_closed else "Whole runs. Noise band: A/A control of the baseline in each cell.")
    body = "<h1>%s</h1>" % page.text(title) + page.verdict(
        "study", study.headline(), page.figures([map.diagram(study, x, y, os.path.join(directory, "plots"))]), page.items(study.sentences()),
        page.paragraph(how, soft=True))
    body += page.section("Every cell", map.table(study))
    body += page.section("Files", page.paragraph("map_cells.csv: one row per cell; map.csv: one row per cell and configuration; cells/: the runs; "
                                                 "study.toml: the study; plots/: the plot's data."))
    return title, body


if __name__ == "__main__":
    page.main(sys.argv[1:], body_of)
