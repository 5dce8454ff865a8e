#!/usr/bin/env python3
"""The pages of studies and flows: their data, that they need no other file, and, where there is a Chromium (Debian package
chromium), how a browser shows them: no console error, no request, nothing cut off at 400 and 1280 px, contrast on light and
dark ground, labels, zoom by mouse and keys, print."""
import base64
import csv
import html
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
import numpy as np  # noqa: E402
import report  # noqa: E402
from plots import evidence, page, paper, records, roofline, shadow, shadow_plots  # noqa: E402

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


def numbers(packed):
    (kind, text), = packed.items()
    return np.frombuffer(base64.b64decode(text), "<" + kind).tolist()


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
    def test_the_page_begins_with_the_picture_of_the_costs_then_a_sentence_per_candidate_then_numbers(self):
        self.assertEqual(self.missing, [])
        top = self.text.split("<main>")[1].split("</section>")[0]
        order = [top.index(part) for part in ('class="word"', "<figure", "<li>", "<table")]
        self.assertEqual(order, sorted(order))
        self.assertEqual(re.findall(r"<li>(\w+):", top), ["quick", "even", "slow"])  # the cheapest first
        titles = re.findall(r"<h2>(.*?)</h2>", self.text)
        self.assertEqual(titles[:2], ["Solver comparison on the same systems", "The flow"])

    def test_the_picture_has_a_row_and_a_mark_with_its_interval_for_each_candidate_and_the_noise_band(self):
        axes = self.reader.plots[0][1]["axes"][0]
        self.assertEqual((axes["x"]["kind"], axes["y"]["names"]), ("log", ["quick", "even", "slow"]))
        band = next(m for m in axes["marks"] if m["kind"] == "span")
        self.assertAlmostEqual(band["x1"], 1.006)
        lines = [[numbers(m[d]) for d in "xy"] for m in axes["marks"] if m["kind"] == "line"]
        self.assertEqual([line[0] for line in lines[:2]], [[0.495, 0.506], [0.5]])
        self.assertEqual(len(lines), 6)
        self.assertTrue(any("3 of 40" in m["words"] for m in axes["marks"] if m["kind"] == "text"))

    def test_costs_verdicts_and_failures_are_those_of_the_files(self):
        costs = {c.name: c for c in evidence.of_systems(shadow.Study(records.RunDirectory(self.folder)))}
        self.assertEqual({name: c.verdict for name, c in costs.items()}, {"reference": "reference", "quick": "faster", "even": "no difference", "slow": "slower"})
        self.assertEqual(costs["quick"][2:5], (0.5, 0.495, 0.506))
        self.assertIn("3 of 40", costs["slow"].note)
        self.assertEqual(self.study_left_out(), [("square", 'it takes square matrices, not "oblong" ones')])

    def study_left_out(self):
        return shadow.Study(records.RunDirectory(self.folder)).left_out

    def test_the_headline_names_no_solver_as_faster_without_a_verdict(self):
        costs = evidence.of_systems(shadow.Study(records.RunDirectory(self.folder)))
        self.assertIn("quick is faster", evidence.headline(costs))
        for verdict in ("no significant difference", "slower"):
            self.assertNotIn("faster", evidence.headline([c._replace(verdict=verdict) for c in costs]))

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
            plot, caption, is_long, path = {"name": "a</script><!-- <script>b", "axes": []}, "", False, ""
        written = page.figures([Item])
        self.assertEqual(written.count("<script"), 1)
        self.assertEqual(Reader(written).plots, [("", Item.plot)])

    def test_no_name_is_markup_in_a_table(self):
        name = "<script>alert(1)</script>"
        written = page.table([name], [[name, page.Markup("<b>ours</b>")]])
        self.assertNotIn("<script>", written)
        self.assertIn("<b>ours</b>", written)

    def test_numbers_reach_the_page_in_full(self):
        _, plot = next(p for p in self.reader.plots if p[0].startswith("Time of each solver relative to"))
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
        for name in ("evidence", "shadow_win_map", "shadow_ratio", "shadow_iterations", "shadow_split", "shadow_curves",
                     "roofline_rates", "roofline", "roofline_parts_0"):
            rows = list(csv.reader(self.reader.data[name + ".csv"].splitlines()))
            self.assertGreater(len(rows), 1, name)
            self.assertEqual({len(row) for row in rows}, {len(rows[0])}, name)
        self.assertEqual(self.reader.data["evidence.csv"].splitlines()[1], "quick,same systems,0.5,0.495,0.506")

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
    """Shadow solves on which `quick` is faster, and branches on which it is slower."""

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

    def costs(self):
        made = self.report
        return evidence.of_run(made.run, made.shadow.Study(made.run), made.relay.read(made.run))

    def test_the_headline_is_that_of_the_highest_level(self):
        said = evidence.headline(self.costs())
        self.assertTrue(said.startswith("Branches: quick is slower"), said)
        self.assertIn("quick looked faster", said)
        quick = self.costs()[-1]
        self.assertEqual((quick.level, quick.ratio, quick.low, quick.high, quick.verdict), ("branches", 4.0, 4.0, 4.0, "slower"))
        self.assertIn("2 of 9", quick.note)
        self.assertIn("8.00", " ".join(self.report.relay.notes(self.report.relay.read(self.report.run))))
        self.assertIn(evidence.headline(self.costs(), "the reference solver, cg + multigrid"), self.report.study())

    def test_only_the_verdict_names_a_solver_faster(self):
        solvers = self.report.run.run["relay"]["solvers"]
        for verdict, is_faster in (("not settled", False), ("faster", True)):
            solvers[2]["verdict"] = verdict
            self.assertEqual("quick is faster" in evidence.headline(self.costs()), is_faster)

    def test_each_level_of_evidence_has_a_row_and_a_mark(self):
        with open(self.report.run.file("relay.csv"), "w") as file:
            file.write("step,length,name,solves,iterations,not_converged,seconds\n3,8,quick,2,100,1,0.5\n3,8,quick,,,,0.25\n1,4,quick,9,9,9,9\n")
        whole = self.report.run.file("whole_runs")
        os.makedirs(whole)
        with open(os.path.join(whole, "ab_summary.csv"), "w") as file:
            file.write("case,configuration,runs,ratio,low,high,verdict,stopped\nc,default,1,,,,baseline,0\nc,quick,1,5,4.5,6,slower,1\n")
        with open(os.path.join(whole, "ab.csv"), "w") as file:
            file.write("configuration,solves,iterations,failed_solves,total_s\ndefault,68,517,0,1.22\nquick,30,3000,20,6.1\n")
        costs = self.costs()
        rows = {(row[0], row[1]): row[2:] for row in evidence.table(costs)[1]}
        self.assertEqual(rows["quick", "branches, 8 steps"][:6], ["4.000", "4 to 4", "2", "50.0", "1", "0.75"])
        self.assertEqual(rows["reference", "whole runs"][:6], ["1", "", "68", "7.6", "0", "1.22"])
        self.assertEqual(rows["quick", "whole runs"][:6], ["5.000", "4.5 to ∞", "30", "100.0", "20", "6.1"])
        self.assertTrue(evidence.headline(costs).startswith("Whole runs: quick is slower"))
        marks = evidence.picture(costs, 1.01, "", "evidence").plot["axes"][0]["marks"]
        self.assertEqual({m["shape"] for m in marks if "shape" in m}, {"circle", "diamond", "square"})


# Measures each page in a frame and writes the results as JSON into the element `said`.
LOOK = """<script>addEventListener('load', () => setTimeout(() => {
  const has_ink = c => new Set(new Uint32Array(c.getContext('2d').getImageData(0, 0, c.width, c.height).data.buffer)).size > 2;
  const light = ([r, g, b]) => [r, g, b].map(v => v / 255).map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const parts = colour => colour.match(/[0-9.]+/g).map(Number);
  const behind = e => { for (; e; e = e.parentElement) { const c = parts(getComputedStyle(e).backgroundColor); if (c[3] !== 0) return c; } return [255, 255, 255]; };
  const contrast = e => { const [a, b] = [light(parts(getComputedStyle(e).color)), light(behind(e))].sort((x, y) => y - x); return (a + 0.05) / (b + 0.05); };
  document.body.append(Object.assign(document.createElement('pre'), {id: 'said', textContent: JSON.stringify([...document.querySelectorAll('iframe')].map(f => {
    const d = f.contentDocument, plots = [...d.querySelectorAll('figure.plot')], words = [...d.querySelectorAll('h1, h2, h3, p, li, td, th, a, button, summary, figcaption')];
    const drawn = plots.length ? f.contentWindow.eval('everyPlot.flat()') : [];
    return {name: f.name, width: f.clientWidth, plots: plots.length, drawn: plots.filter(p => p.querySelector('canvas') && [...p.querySelectorAll('canvas')].every(has_ink)).length,
      too_wide: Math.max(0, d.documentElement.scrollWidth - f.clientWidth), cut: [...d.querySelectorAll('.scroll')].filter(s => s.scrollWidth > s.clientWidth + 1).length,
      requests: f.contentWindow.performance.getEntriesByType('resource').map(r => r.name), unlabelled: plots.filter(p => !p.querySelector('[role=img][aria-label]')).length +
      drawn.filter(u => u.root.parentElement.tabIndex !== 0 || !u.root.parentElement.ariaLabel).length + [...d.querySelectorAll('button')].filter(b => !b.textContent.trim()).length,
      contrast: Math.min(...words.filter(e => e.innerText?.trim() && e.offsetParent).map(contrast))};
  }))}));
}, 1500));</script>"""


KEYS = """<script>{
  const press = (u, key) => u.root.parentElement.dispatchEvent(new KeyboardEvent('keydown', {key})), ends = u => [u.scales.x.min, u.scales.x.max].join();
  const plots = everyPlot.flat(), said = [plots.map(ends)];
  plots.forEach(u => press(u, '+'));
  setTimeout(() => {
    said.push(plots.map(ends));
    plots.forEach(u => press(u, '0'));
    setTimeout(() => document.body.append(Object.assign(document.createElement('pre'), {id: 'said',
      textContent: JSON.stringify(plots.map((u, i) => [said[0][i], said[1][i], ends(u)]))})), 500);
  }, 500);
}</script>"""


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


@unittest.skipUnless(BROWSER, "no browser: install the Debian package chromium")
class Browser(Study):
    def browse(self, *arguments):
        home = os.path.join(self.scratch.name, "home")
        command = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--enable-logging=stderr", "--v=0",
                   "--allow-file-access-from-files", "--virtual-time-budget=20000", "--user-data-dir=" + home]
        return subprocess.run(command + list(arguments), capture_output=True, text=True, timeout=240, env=dict(os.environ, HOME=home))

    @classmethod
    def setUpClass(cls):
        """A flow in the plane and one in space, a study, paired A/B runs and a map."""
        cls.pages = {"study": cls.path}
        for kind, script in (("2d", "report"), ("3d", "report"), ("ab", "report_ab"), ("map", "report_map")):
            folder = os.path.join(cls.scratch.name, kind)
            fabricate_run.main(folder, kind)
            subprocess.run([sys.executable, "-B", os.path.join(os.path.dirname(report.__file__), script + ".py"), folder], check=True, capture_output=True)
            cls.pages[kind] = os.path.join(folder, "report.html")

    def look(self, *options):
        outer = os.path.join(self.scratch.name, "frames.html")
        with open(outer, "w") as file:
            file.write("<html><body>%s%s</body></html>" % (LOOK, "".join(
                '<iframe name="%s" src="%s" width="%d" height="800" frameborder="0"></iframe>' % (name, path, width)
                for name, path in self.pages.items() for width in (400, 1280))))
        done = self.browse(*options, "--dump-dom", "file://" + outer)
        self.assertEqual([line for line in done.stderr.splitlines() if "CONSOLE" in line], [])
        return json.loads(html.unescape(re.search(r'<pre id="said">(.*?)</pre>', done.stdout, re.DOTALL)[1]))

    def test_every_page_is_whole_at_two_widths_on_light_and_dark_ground(self):
        for options in ((), ("--blink-settings=preferredColorScheme=0",)):
            said = self.look(*options)
            self.assertEqual(len(said), 2 * len(self.pages))
            for one in said:
                self.assertEqual((one["drawn"], one["too_wide"], one["requests"], one["unlabelled"]), (one["plots"], 0, [], 0), one)
                self.assertGreater(one["plots"], 0, one)
                self.assertGreaterEqual(one["contrast"], 4.5, one)  # WCAG 2, level AA
                if one["width"] == 1280:
                    self.assertEqual(one["cut"], 0, one)

    def test_keys_zoom_and_show_all_again(self):
        outer = os.path.join(self.folder, "keys.html")
        with open(outer, "w", encoding="utf-8") as file:
            file.write(self.text.replace("</body>", KEYS + "</body>"))
        said = json.loads(re.search(r'<pre id="said">(.*?)</pre>', self.browse("--dump-dom", "file://" + outer).stdout)[1])
        self.assertEqual(len(said), sum(len(plot["axes"]) for _, plot in self.reader.plots))
        for before, zoomed, after in said:
            self.assertNotEqual(before, zoomed)
            self.assertEqual(before, after)

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
