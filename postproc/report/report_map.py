#!/usr/bin/env python3
"""Draws a map: python3 report_map.py [--png] DIR  writes DIR/report.html and the plots' data, with --png also DIR/plots/*.png, from the files of `weir map`."""
import os
import sys

sys.dont_write_bytecode = True  # the program's own folder may belong to somebody else


def body_of(directory):
    from plots import map, page
    study = map.Map(directory)
    with open(os.path.join(directory, "map.txt")) as file:
        text = file.read()
    title, x, y = text.split("\n")[:3]
    is_closed = ", closed loop: who takes least" in text
    body = '<h1>%s</h1><section class="verdict"><p><strong class="word">%s</strong></p>%s</section>' % (
        page.text(title), page.text(study.headline()),
        page.paragraph("Closed loop: a run a cell, on whose branches each solver leads; cost: time over progress. The reference's double is the "
                       "measure of chance." if is_closed else "Whole runs; the baseline's double in each cell is the measure of chance."))
    body += page.section("Phase diagram", page.figures([map.diagram(study, x, y, os.path.join(directory, "plots"))]))
    body += page.section("Every cell", map.table(study))
    body += page.section("Files", page.paragraph("map_cells.csv: a row a cell; map.csv: a row a cell and configuration; cells/: the runs; "
                                                 "study.toml: the study; plots/: the plot's data."))
    return title, body


def main(arguments):
    with_png, directories = "--png" in arguments, [a for a in arguments if a != "--png"]
    if len(directories) != 1:
        sys.exit("usage: report_map.py [--png] DIR")
    try:
        from plots import page
        page.make(os.path.join(directories[0], "report.html"), lambda: body_of(directories[0]), with_png)
    except ImportError as error:
        sys.exit("report_map.py: %s" % error)


if __name__ == "__main__":
    main(sys.argv[1:])
