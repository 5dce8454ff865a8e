#!/usr/bin/env python3
"""The page of a study: what it says, that it is whole by itself, and, where there is a Chromium, that a browser opens it
without an error on a screen, on a telephone and on paper."""
import base64
import csv
import html.parser
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "../../../postproc/report")]

import fabricate_run  # noqa: E402
import report  # noqa: E402
from plots import page, paper, records, roofline, shadow, shadow_plots  # noqa: E402

paper.DPI = 40
VOID = {"meta", "img", "br", "hr", "link", "input"}
BROWSER = next((path for path in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if path), None)


def decode_png(data):
    """Width and height; raises where a chunk is damaged or the pixels do not unpack."""
    if data[:8] != b"\x89PNG\r\n\x1a\n":
        raise ValueError("no PNG")
    at, pixels = 8, b""
    while True:
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if zlib.crc32(kind + body) != struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0]:
            raise ValueError("damaged chunk")
        at += 12 + length
        if kind == b"IHDR":
            size = struct.unpack(">II", body[:8])
        pixels += body if kind == b"IDAT" else b""
        if kind == b"IEND":
            zlib.decompress(pixels)
            return size


class Reader(html.parser.HTMLParser):
    """Tags that close, plots, links, and what would be fetched from elsewhere."""

    def __init__(self, text):
        super().__init__()
        self.open, self.plots, self.data, self.outside, self.unbalanced = [], [], {}, [], []
        self.in_plot = False
        self.feed(text)
        self.close()
        self.unbalanced += self.open

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if tag not in VOID:
            self.open.append(tag)
        self.outside += [("img", "src", given)] if tag == "img" else []
        self.in_plot = given.get("type") == "application/json"
        self.words = given.get("aria-label", getattr(self, "words", None))
        for key in ("src", "href", "srcset", "action"):
            value = given.get(key)
            if value is not None and not value.startswith("data:"):
                self.outside.append((tag, key, value))
        if given.get("href", "").startswith("data:text/csv;base64,"):
            self.data[given.get("download")] = base64.b64decode(given["href"].split(",", 1)[1], validate=True).decode()

    def handle_data(self, data):
        if self.in_plot:
            self.plots.append((self.words, json.loads(data)))
            self.in_plot = False

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.unbalanced.append(tag)


class Study(unittest.TestCase):
    """The page is made once for all classes."""


def setUpModule():
    Study.scratch = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(Study.scratch.cleanup)
    Study.folder = os.path.join(Study.scratch.name, "run")
    fabricate_run.main(Study.folder, "study")
    made = report.Report(Study.folder)
    Study.path = os.path.join(Study.folder, "report.html")
    made.write(Study.path)
    Study.missing = made.run.missing
    with open(Study.path, encoding="utf-8") as file:
        Study.text = file.read()
    Study.reader = Reader(Study.text)


class Page(Study):
    def test_the_verdict_comes_first_and_says_what_the_intervals_allow(self):
        self.assertEqual(self.missing, [])
        body = self.text.split("<main>")[1]
        order = [body.index(words) for words in ("quick is faster than the reference solver, cg + multigrid, on the reference&#x27;s systems", "Solver comparison on the same systems", "Passed",
                                                 "Kernel performance", "What was run", "The flow")]
        self.assertEqual(order, sorted(order))
        for words in ("quick takes 0.495 to 0.506 times the reference&#x27;s time", "noise floor 0.6 %",
                      "slow missed the tolerance in 3 of 40 systems, which cost 1.2 of 6 ms a system", "no difference", "40 of 40",
                      "sum of the times / sum of the reference", "square is left out: it takes square matrices, not &quot;oblong&quot; ones."):
            self.assertIn(words, body)

    def test_without_a_verdict_beyond_the_noise_no_solver_is_called_faster(self):
        study = shadow.Study(records.RunDirectory(self.folder))
        study.summary["verdict"][study.names.index("quick")] = "no significant difference"
        self.assertTrue(shadow.headline(study).startswith("No candidate is shown to be faster than the reference solver"))
        for name in ("quick", "even"):
            study.summary["verdict"][study.names.index(name)] = "slower"
        self.assertEqual(shadow.headline(study), "All 3 candidates are slower than the reference solver, cg + multigrid, on the reference's systems")

    def test_the_win_map_names_the_winner_of_each_stretch_and_no_winner_by_chance(self):
        study = shadow.Study(records.RunDirectory(self.folder))
        self.assertEqual(set(shadow_plots.winners(study)), {"quick"})
        study.candidates.remove("quick")
        self.assertEqual(set(shadow_plots.winners(study)), {"undecided"})
        study.candidates.remove("even")
        self.assertEqual(set(shadow_plots.winners(study)), {"reference"})

    def test_every_plot_holds_what_it_draws_and_nothing_comes_from_elsewhere(self):
        self.assertEqual(self.reader.outside, [])
        self.assertEqual(self.reader.unbalanced, [])
        self.assertGreaterEqual(len(self.reader.plots), 18)
        for words, plot in self.reader.plots:
            self.assertTrue(words)
            for axes in plot["axes"]:
                self.assertTrue(axes["marks"], words)
                self.assertTrue(all(axes[d]["high"] > axes[d]["low"] for d in "xy"), words)

    def test_no_name_ends_a_plots_data_or_begins_a_comment_in_it(self):
        class Item:
            plot, caption, is_long, path = {"name": "a</script><!-- <script>b"}, "", False, ""
        written = page.figures([Item])
        self.assertEqual(written.count("<script"), 1)
        self.assertEqual(Reader(written).plots, [("", Item.plot)])

    def test_no_name_is_markup_in_a_table(self):
        name = "<script>alert(1)</script>"
        written = page.table([name], [[name, page.Markup("<b>ours</b>")]])
        self.assertNotIn("<script>", written)
        self.assertIn("<b>ours</b>", written)

    def test_numbers_reach_the_page_in_full(self):
        _, plot = next(p for p in self.reader.plots if p[0].startswith("Time of each solver over"))
        line = next(m for m in plot["axes"][0]["marks"] if m.get("name") == "quick")
        study = shadow.Study(records.RunDirectory(self.folder))
        self.assertEqual(base64.b64decode(line["y"]["f8"]), study.ratio("quick").astype("<f8").tobytes())

    def test_each_plot_is_drawn_on_paper_too(self):
        again = report.Report(self.folder)
        again.write(os.path.join(self.scratch.name, "again.html"), with_png=True)
        folder = os.path.join(self.folder, "plots")
        drawn = [name for name in os.listdir(folder) if name.endswith(".png")]
        self.assertEqual(len(drawn), len(self.reader.plots))
        for name in drawn:
            with open(os.path.join(folder, name), "rb") as file:
                width, height = decode_png(file.read())
            self.assertTrue(width > 100 and height > 40, name)

    def test_every_plot_of_the_study_carries_its_data(self):
        for name in ("shadow_intervals", "shadow_win_map", "shadow_ratio", "shadow_iterations", "shadow_split", "shadow_curves",
                     "roofline_rates", "roofline", "roofline_parts_0"):
            rows = list(csv.reader(self.reader.data[name + ".csv"].splitlines()))
            self.assertGreater(len(rows), 1, name)
            self.assertEqual({len(row) for row in rows}, {len(rows[0])}, name)
        first = self.reader.data["shadow_intervals.csv"].splitlines()
        self.assertEqual(first[2].split(",")[:4], ["quick", "0.5", "0.495", "0.506"])

    def test_rates_are_medians_over_the_steps(self):
        found = roofline.kernels(records.RunDirectory(self.folder))
        self.assertEqual([(k["kernel"], k["gb_per_s"], k["samples"]) for k in found[:2]], [("spmv", 8.0, 2), ("update", 9.0, 2)])

    def test_it_has_rules_for_telephones_and_for_paper(self):
        for words in ('name="viewport"', "@media print", "@media (max-width", "break-inside: avoid"):
            self.assertIn(words, self.text)


def led(name, verdict, closed, **more):
    row = {"name": name, "solver": "cg+" + name, "branches": 9, "ms_a_step": 2.0, "iterations": [5.0, 20.0], "closed": closed,
           "closed_interval": [closed, closed], "open": 0.5, "open_interval": [0.5, 0.5], "gain": 2 * closed,
           "gain_interval": [closed, None], "cut": 0, "failures": 0, "rejected": 0, "settled": True, "verdict": verdict, "why": ""}
    return dict(row, **more)


class Branches(unittest.TestCase):
    """Beside shadow solves that call `quick` faster, branches on which it is slower when it leads."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        folder = os.path.join(scratch.name, "run")
        fabricate_run.main(folder, "study")
        path = os.path.join(folder, "run.json")
        with open(path) as file:
            run = json.load(file)
        run["relay"] = {"branches": 9, "steps": 8, "progress": "physical time", "noise": 1.01, "solvers": [
            led("leader", "reference", 1.0, left=[0.1, 0.1]), led("leader again", "control", 1.0),
            led("quick", "slower", 4.0, cut=2, left=[0.98, 0.99], settled=False, why="when it leads quick costs 8.00 times what it does on the reference's systems")]}
        with open(path, "w") as file:
            json.dump(run, file)
        self.report = report.Report(folder)

    def test_the_headline_is_that_of_the_highest_rung(self):
        branches, study = self.report.branches(), self.report.study()
        self.assertIn('<strong class="word">Closed loop: quick is slower when it leads (4 times the cost): one application leaves 0.99 of a residual '
                      '(the reference&#x27;s 0.10), and what is left piles up; on the reference&#x27;s systems quick looked faster<', branches)
        for words in ("When it leads quick costs 8.00 times what it does on the reference&#x27;s systems.", "quick was cut off in 2 of 9 branches.",
                      "The cost of quick has not settled.", "4 to \u221e"):
            self.assertIn(words, branches)
        self.assertNotIn('class="word"', study)
        self.assertIn("<p>Open loop: quick is faster than the reference solver", study)

    def test_without_a_verdict_nobody_is_called_faster(self):
        solvers = self.report.run.run["relay"]["solvers"]
        solvers[2]["verdict"] = "not settled"
        self.assertIn("Closed loop: quick: not settled<", self.report.branches())
        solvers[2]["verdict"] = "faster"
        self.assertIn("Closed loop: quick is faster when it leads (4 times the cost)<", self.report.branches())

    def test_each_rung_of_the_ladder_has_a_row_of_the_labs_own_numbers(self):
        with open(self.report.run.file("relay.csv"), "w") as file:
            file.write("step,length,name,solves,iterations,not_converged,seconds\n3,8,quick,2,100,1,0.5\n3,8,quick,,,,0.25\n1,4,quick,9,9,9,9\n")
        whole = self.report.run.file("whole_runs")
        os.makedirs(whole)
        with open(os.path.join(whole, "ab_summary.csv"), "w") as file:
            file.write("case,configuration,runs,ratio,low,high,verdict,stopped\nc,default,1,,,,baseline,0\nc,quick,1,5,4.5,6,slower,1\n")
        with open(os.path.join(whole, "ab.csv"), "w") as file:
            file.write("configuration,solves,iterations,failed_solves,total_s\ndefault,68,517,0,1.22\nquick,30,3000,20,6.1\n")
        rows = {(row[0], row[1]): row[2:] for row in self.report.relay.evidence_table(self.report.run, self.report.relay.read(self.report.run))[1]}
        self.assertEqual(rows["quick", "closed loop, 8 steps, 2 of 9 cut off"], ["4.000", "4 to 4", "2", "50.0", "1", "0.75"])
        self.assertEqual(rows["reference", "whole runs"], ["1", "", "68", "7.6", "0", "1.22"])
        self.assertEqual(rows["quick", "whole runs, 1 of 1 stopped by the budget"], ["> 5.000", "4.5 or more", "30", "100.0", "20", "6.1"])
        self.assertIn("Whole runs: quick is slower when it leads (more than 5 times the cost)", self.report.branches())


WIDTHS = """<script>window.addEventListener('load', () => {
  const has_ink = c => new Set(new Uint32Array(c.getContext('2d').getImageData(0, 0, c.width, c.height).data.buffer)).size > 2;
  const frames = [...document.querySelectorAll('iframe')].map(f => {
    const d = f.contentDocument, pictures = [...d.querySelectorAll('figure.plot')];
    return f.width + ': ' + pictures.filter(p => p.querySelector('canvas') && [...p.querySelectorAll('canvas')].every(has_ink)).length + ' of ' + pictures.length +
      ' pictures, ' + Math.max(0, d.documentElement.scrollWidth - f.clientWidth) + ' too wide, ' + d.querySelectorAll('button.copy').length + ' tables, ' +
      [...d.querySelectorAll('.scroll')].filter(s => s.scrollWidth > s.clientWidth + 1).length + ' cut'; });
  document.body.append(frames.join('; ')); });</script>"""


ZOOM = """<script>{
  const send = (u, type, part) => (type === 'mouseup' ? document : u.over).dispatchEvent(new MouseEvent(type, {bubbles: true, movementX: 3, movementY: 3,
    clientX: u.over.getBoundingClientRect().left + part * u.over.clientWidth, clientY: u.over.getBoundingClientRect().top + part * u.over.clientHeight}));
  const width = u => [u.scales.x.min, u.scales.x.max].join(), plots = everyPlot.flat();
  setTimeout(() => {
    const before = plots.map(width), values = plots.map(u => {
      for (const [type, part] of [['mousemove', 0.4], ['mousedown', 0.4], ['mousemove', 0.7], ['mouseup', 0.7]]) send(u, type, part);
      return (u.root.querySelector('.u-legend') ?? u.root.parentElement.parentElement.querySelector('.readout')).innerText.replace(/\\s+/g, ' ');
    });
    setTimeout(() => {
      const zoomed = plots.map(width);
      plots.forEach(u => send(u, 'dblclick', 0.5));
      setTimeout(() => document.body.insertAdjacentHTML('beforeend', '<p id="said">' + plots.map((u, i) => (zoomed[i] !== before[i] ? 'zoomed, ' : '') +
        (width(u) === before[i] ? 'back: ' : '') + values[i]).join('; ') + '</p>'), 500);
    }, 500);
  }, 500);
}</script>"""


@unittest.skipUnless(BROWSER, "no Chromium on this machine")
class Browser(Study):
    def browse(self, *arguments):
        home = os.path.join(self.scratch.name, "home")
        command = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--enable-logging=stderr", "--v=0",
                   "--allow-file-access-from-files", "--virtual-time-budget=20000", "--user-data-dir=" + home]
        return subprocess.run(command + list(arguments), capture_output=True, text=True, timeout=240, env=dict(os.environ, HOME=home))

    def test_a_browser_draws_every_picture_and_reports_no_error(self):
        outer = os.path.join(self.folder, "frames.html")
        with open(outer, "w") as file:
            file.write("<html><body>%s%s</body></html>" % (WIDTHS, "".join(
                '<iframe src="report.html" width="%d" height="800"></iframe>' % width for width in (390, 1280))))
        done = self.browse("--dump-dom", "file://" + outer)
        said = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
        self.assertEqual(said, [])
        count = len(self.reader.plots)
        tables = self.text.count('<button class="copy"')
        for width in (390, 1280):
            self.assertIn("%d: %d of %d pictures, 0 too wide, %d tables" % (width, count, count, tables), done.stdout[-600:])
        self.assertIn(" tables, 0 cut", done.stdout[-600:].split("1280: ")[1])

    def test_a_plot_zooms_shows_its_values_and_goes_back(self):
        outer = os.path.join(self.folder, "zoom.html")
        with open(outer, "w", encoding="utf-8") as file:
            file.write(self.text.replace("</body>", ZOOM + "</body>"))
        said = re.search(r'<p id="said">(.*?)</p>', self.browse("--dump-dom", "file://" + outer).stdout)[1].split("; ")
        self.assertEqual(len(said), sum(len(plot["axes"]) for _, plot in self.reader.plots))
        for one in said:
            self.assertRegex(one, r"^zoomed, back: .*\d")

    def test_it_prints(self):
        paper = os.path.join(self.scratch.name, "page.pdf")
        self.browse("--print-to-pdf=" + paper, "--no-pdf-header-footer", "file://" + self.path)
        with open(paper, "rb") as file:
            data = file.read()
        self.assertTrue(data.startswith(b"%PDF"))
        self.assertTrue(3 <= len(re.findall(rb"/Type\s*/Page\b", data)) <= 15)


if __name__ == "__main__":
    unittest.main()
