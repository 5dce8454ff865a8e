#!/usr/bin/env python3
"""Draws twin runs: python3 report_ab.py DIR  writes DIR/report.html and DIR/plots/*.png with their data, from the files of `weir ab`."""
import os
import sys

sys.dont_write_bytecode = True  # the program's own folder may belong to somebody else


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: report_ab.py DIR")
    directory = sys.argv[1]
    from plots import ab, page
    summary = ab.read(directory, "ab_summary.csv")
    folder = os.path.join(directory, "plots")
    with open(os.path.join(directory, "ab.txt")) as file:
        text = file.read()
    head = text.split("\n\n")[0].split("\n")
    title = head[0] if len(head) > 1 else "Twin runs"
    words = '<p><strong class="word">%s</strong></p>' % page.text(ab.headline(summary))
    words += "".join(page.paragraph(s) for s in ab.verdict_words(summary))
    words += "".join(page.paragraph(line.strip()[0].upper() + line.strip()[1:] + ".", soft=True)
                     for line in text.split("\n") if line.startswith("  the baseline "))
    body = "<h1>%s</h1>%s" % (page.text(title), page.paragraph(head[-1], soft=True))
    body += '<section class="verdict">%s</section>' % words
    body += page.section("Whole runs compared", ab.summary_table(summary),
                         page.paragraph("total = steps × (iterations a step × ms an iteration + other ms a step), medians of the runs. The "
                                        "interval of the baseline against itself is the noise floor: what lies within it is no difference.", soft=True),
                         page.figures(ab.interval_plot(summary, folder) + ab.split_plot(summary, folder)))
    body += page.section("Quantities of interest", ab.quantities_table(directory),
                         page.paragraph("Shown are differences larger than any two runs of the baseline have, and larger than 1e-6 of the quantity.", soft=True))
    body += ab.failures_table(directory)
    body += page.section("Files", page.paragraph("ab.csv: a row a run; ab_summary.csv, ab_quantities.csv: these tables; study.toml: the study; "
                                                 "runs/: the run directories; logs/: what the runs printed; plots/: the data beside each plot."))
    path = os.path.join(directory, "report.html")
    with open(path + ".part", "w") as file:
        file.write(page.page(title, body))
    os.replace(path + ".part", path)


if __name__ == "__main__":
    main()
