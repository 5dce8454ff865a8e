#!/usr/bin/env python3
"""The page of paired A/B runs: report_ab.py [--png] DIR writes DIR/report.html and DIR/plots from the files of `weir ab`."""
import os
import sys

sys.dont_write_bytecode = True  # the program's folder may belong to another user

from plots import ab, evidence, page  # noqa: E402


def body_of(directory):
    summary = ab.read_summary(directory)
    folder = os.path.join(directory, "plots")
    with open(os.path.join(directory, "ab.txt")) as file:
        text = file.read()
    head = text.split("\n\n")[0].split("\n")
    title = head[0] if len(head) > 1 else "Paired A/B runs"
    costs, baseline = evidence.of_summary(summary), summary["configuration"][0]
    notes = [line.strip()[0].upper() + line.strip()[1:] + "." for line in text.split("\n") if line.startswith(("  the baseline ", "  all "))]
    body = "<h1>%s</h1>%s" % (page.text(title), page.paragraph(head[-1], soft=True))
    drawn = [evidence.picture(costs, ab.noise(summary), folder, "ab_ratio", "baseline's")] if evidence.candidates(costs) else []
    body += page.verdict("study", evidence.headline(costs, baseline), page.figures(drawn), page.items(evidence.sentences(costs, "baseline's")),
                         page.paragraph(" ".join(notes), soft=True))
    body += page.section("Whole runs compared", ab.summary_table(summary),
                         page.paragraph("total = steps × (iterations per step × ms per iteration + other ms per step), medians of the runs. "
                                        "Noise band: interval of the A/A pairs (baseline against itself).", soft=True),
                         page.figures(ab.split_plot(summary, folder)))
    body += page.section("Quantities of interest", ab.quantities_table(directory),
                         page.paragraph("The table shows a difference if it exceeds the difference of any two runs of the baseline and 1e-6 of the "
                                        "quantity.", soft=True))
    body += ab.failures_table(directory)
    body += page.section("Files", page.paragraph("ab.csv: one row per run; ab_summary.csv, ab_quantities.csv: these tables; study.toml: the study; "
                                                 "runs/: the run directories; logs/: output of the runs; plots/: the plots' data."))
    return title, body


if __name__ == "__main__":
    page.main(sys.argv[1:], body_of)
