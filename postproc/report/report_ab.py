#!/usr/bin/env python3
"""Draws paired A/B runs: python3 report_ab.py [--png] DIR  writes DIR/report.html and the plots' data, with --png also DIR/plots/*.png, from the files of `weir ab`."""
import os
import sys

sys.dont_write_bytecode = True  # the program's own folder may belong to somebody else


def body_of(directory):
    from plots import ab, page
    summary = ab.read_summary(directory)
    folder = os.path.join(directory, "plots")
    with open(os.path.join(directory, "ab.txt")) as file:
        text = file.read()
    head = text.split("\n\n")[0].split("\n")
    title = head[0] if len(head) > 1 else "Paired A/B runs"
    words = '<p><strong class="word">%s</strong></p>' % page.text("Whole runs: " + ab.headline(summary))
    words += "".join(page.paragraph(s) for s in ab.verdict_words(summary))
    words += "".join(page.paragraph(line.strip()[0].upper() + line.strip()[1:] + ".", soft=True)
                     for line in text.split("\n") if line.startswith("  the baseline "))
    body = "<h1>%s</h1>%s" % (page.text(title), page.paragraph(head[-1], soft=True))
    body += '<section class="verdict">%s</section>' % words
    body += page.section("Whole runs compared", ab.summary_table(summary),
                         page.paragraph("total = steps × (iterations per step × ms per iteration + other ms per step), medians of the runs. The "
                                        "interval of the A/A pairs, the baseline against itself, is the noise floor.", soft=True),
                         page.figures(ab.interval_plot(summary, folder) + ab.split_plot(summary, folder)))
    body += page.section("Quantities of interest", ab.quantities_table(directory),
                         page.paragraph("Shown: differences larger than between any two runs of the baseline, and larger than 1e-6 of the quantity.", soft=True))
    body += ab.failures_table(directory)
    body += page.section("Files", page.paragraph("ab.csv: one row per run; ab_summary.csv, ab_quantities.csv: these tables; study.toml: the study; "
                                                 "runs/: the run directories; logs/: output of the runs; plots/: the plots' data."))
    return title, body


def main(arguments):
    with_png, directories = "--png" in arguments, [a for a in arguments if a != "--png"]
    if len(directories) != 1:
        sys.exit("usage: report_ab.py [--png] DIR")
    try:
        from plots import page
        page.make(os.path.join(directories[0], "report.html"), lambda: body_of(directories[0]), with_png)
    except ImportError as error:
        sys.exit("report_ab.py: %s" % error)


if __name__ == "__main__":
    main(sys.argv[1:])
