#!/usr/bin/env python3
"""weir corpus: built twice, resumed, damaged, ranked with a plugin, merged; folders of others stay. argv[1]: weir."""
import csv
import fcntl
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "../../..")
sys.path.insert(0, os.path.join(ROOT, "postproc/report"))

from plots import corpus, records  # noqa: E402

WEIR = os.path.abspath(sys.argv.pop(1))
SOLVERS = """
[jacobi]
method = "gmres"
preconditioner = { type = "jacobi" }
[block_ilu0]
method = "gmres"
preconditioner = { type = "block_ilu0" }
[hopeless]
method = "correction"
max_iterations = 1
preconditioner = { type = "jacobi" }
"""


def row(solver, sequence="a", step=1, ms=1.0, reference=1.0, reason="converged", processor="p"):
    return {**dict.fromkeys(("corpus", "manifest", "settings", "repeats", "iterations"), ""), "processor": processor,
            "threads": "1", "commit": "c", "solver": solver, "sequence": sequence, "step": str(step), "solve": "0",
            "setup_ms": "0", "solve_ms": str(ms), "reference_ms": str(reference), "reason": reason}


class RankingOfRows(unittest.TestCase):
    def test_a_failed_solve_and_a_time_that_is_no_number_count_as_failures(self):
        rows = [row(corpus.IN_USE, step=k) for k in (1, 2, 3)] + [row("good", step=k, ms=0.5) for k in (1, 2, 3)]
        rows += [row("slow", step=k, ms=1.5) for k in (1, 2, 3)]
        rows += [row("once", step=k, ms=0.1, reason="stagnated" if k == 2 else "converged") for k in (1, 2, 3)]
        rows += [row("nan", ms="nan"), row("zero", reference=0)]
        ranking = corpus.Ranking(rows)
        table = {r[0]: r[1:] for r in ranking.summary()}
        self.assertEqual([table[s][1] for s in ("good", "slow", "once", "nan", "zero")], [0, 0, 1, 1, 1])
        self.assertEqual([table[s][0] for s in ("good", "slow", "once", "nan", "zero")], [1, 1, 0, 0, 0])
        self.assertAlmostEqual(table["good"][4], 1)
        self.assertAlmostEqual(table["slow"][4], 3)
        self.assertEqual(ranking.cell(ranking.places[0], "once"), "failed")
        self.assertNotIn("nan", ranking.text().replace("nan ", ""))

    def test_a_sequence_that_nobody_solves_and_one_that_is_left_out(self):
        rows = [row(corpus.IN_USE, reason="not_finite", ms="nan"), row(corpus.CONTROL, reason="not_finite", ms="nan"),
                row("x", reason=corpus.LEFT_OUT + "x supports nothing")]
        ranking = corpus.Ranking(rows)
        self.assertIn("no A/A control", ranking.text())
        self.assertIn("x supports nothing", ranking.text())
        with tempfile.TemporaryDirectory() as folder:
            self.assertIn("left out", ranking.page(folder)[1])

    def test_the_interval_is_students_of_the_paired_differences(self):
        # Differences to the ratio 2: -1, 0, 1; their standard error over the mean 2 of the others: sqrt(2 / 6) / 2.
        ratio, low, high = corpus.Ranking.compare({1: 3.0, 2: 4.0, 3: 5.0}, {1: 2.0, 2: 2.0, 3: 2.0})
        self.assertAlmostEqual(ratio, 2)
        self.assertAlmostEqual(high / ratio, ratio / low)
        self.assertAlmostEqual(high, 2 * 2.718281828459045 ** (4.303 * (2 / 6) ** 0.5 / 2 / 2), 5)

    def test_machines_are_ranked_apart(self):
        rows = [row("x", ms=1), row("y", ms=2), row("x", ms=20, processor="q"), row("y", ms=10, processor="q")]
        self.assertEqual([[of[s][0] for s in "xy"] for of in corpus.Ranking(rows).ratios.values()], [[1, 2], [2, 1]])


@unittest.skipIf(records.tomllib is None, "no tomllib")
class Corpus(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.corpus = os.path.join(cls.folder, "flows")
        cls.first = cls.weir("build", cls.corpus, "--tier", "tiny", "--jobs", "1")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    @classmethod
    def weir(cls, *words):
        return subprocess.run([WEIR, "corpus", *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              cwd=cls.folder, check=False)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def read(self, *names):
        with open(self.path(*names), encoding="utf-8") as file:
            return file.read()

    def write(self, text, *names):
        os.makedirs(os.path.dirname(self.path(*names)), exist_ok=True)
        with open(self.path(*names), "w", encoding="utf-8") as file:
            file.write(text)

    def test_a_second_build_has_the_same_checksums_and_nothing_of_the_machine(self):
        self.assertEqual(self.first.returncode, 0, self.first.stdout)
        again = self.weir("build", "again", "--tier", "tiny")
        self.assertEqual(again.returncode, 0, again.stdout)
        self.assertEqual(self.read("again", "SHA256SUMS"), self.read("flows", "SHA256SUMS"))
        for name in ("cavity", "channel"):
            self.assertNotIn(self.folder, self.read("flows", "data", name, "case.toml"))
        check = subprocess.run(["sha256sum", "-c", "--quiet", "SHA256SUMS"], cwd=self.corpus, check=False)
        self.assertEqual(check.returncode, 0)

    def test_the_manifest_describes_each_sequence(self):
        manifest = json.loads(self.read("flows", "manifest.json"))
        of = {s["name"]: s for s in manifest["sequences"]}
        self.assertEqual(sorted(of), ["cavity.momentum", "cavity.pressure", "channel.flow"])
        pressure = of["cavity.pressure"]
        self.assertEqual([pressure[k] for k in ("unknowns", "block", "symmetric", "null_space", "dominant_rows")],
                         [256, 1, True, "constants", 1])
        self.assertEqual(of["channel.flow"]["block"], 4)
        self.assertTrue(all(isinstance(n, int) for n in pressure["iterations"].values()), pressure["iterations"])
        self.assertEqual(json.loads(self.read("flows", "schema.org.json"))["license"], manifest["licence_url"])
        rights = json.loads(self.read("flows", "datacite.json"))["data"]["attributes"]["rightsList"]
        self.assertEqual(rights[0]["rightsIdentifier"], manifest["licence"])
        self.assertIn("cavity.pressure", self.read("flows", "report.html"))

    def test_an_interrupted_build_continues_and_repairs(self):
        shutil.copytree(self.corpus, self.path("half"))
        manifest = json.loads(self.read("half", "manifest.json"))
        self.write(json.dumps({**{k: manifest[k] for k in ("format", "schema", "title", "tier", "seed", "weir")},
                               "is_finished": False}), "half", "manifest.json")
        shutil.rmtree(self.path("half", "data", "channel"))
        os.makedirs(self.path("half", "data", "channel.partial"))
        damaged = self.path("half", "data", "cavity", "pressure_00000003_0.h5")
        with open(damaged, "r+b") as file:
            file.seek(3000)
            file.write(b"x")
        folder = os.open(self.path("half"), os.O_RDONLY)
        fcntl.flock(folder, fcntl.LOCK_EX)
        self.assertIn("another weir corpus works in this folder", self.weir("build", "half", "--tier", "tiny").stdout)
        os.close(folder)
        self.write(SOLVERS, "solvers.toml")
        self.assertIn("half: is not finished", self.weir("run", "half", "--solvers", "solvers.toml").stdout)
        done = self.weir("build", "half", "--tier", "tiny")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("pressure_00000003_0.h5: is damaged", done.stdout)
        self.assertEqual(self.read("half", "SHA256SUMS"), self.read("flows", "SHA256SUMS"))
        kept = self.weir("build", "half", "--tier", "tiny")
        self.assertEqual(kept.stdout.count(": kept"), 2, kept.stdout)

    def test_a_folder_of_somebody_else_stays(self):
        self.write("mine", "home", "data", "cavity", "thesis.txt")
        for directory in ("home", "home/data"):
            refused = self.weir("build", directory, "--tier", "tiny")
            self.assertEqual(refused.returncode, 2, refused.stdout)
            self.assertIn("no manifest.json of a corpus", refused.stdout)
        refused = self.weir("build", "flows", "--tier", "tiny", "--seed", "7")
        self.assertIn("holds another corpus", refused.stdout)
        self.assertEqual(self.read("home", "data", "cavity", "thesis.txt"), "mine")

    def test_a_list_of_cases_that_is_none_is_refused(self):
        for text, words in (("[x]", "[[run]] 1: missing 'name'"), ('[[run]]\nname = "a"', "[[run]] 1: missing 'case'"),
                            ("[[run]", "no list of cases")):
            self.write(text, "list.toml")
            refused = self.weir("build", "unlisted", "--tier", "list.toml")
            self.assertEqual(refused.returncode, 2, refused.stdout)
            self.assertIn(words, refused.stdout)
        self.assertIn("expected tiny, small, medium", self.weir("build", "unlisted", "--tier", "huge").stdout)

    def test_a_damaged_file_is_named(self):
        shutil.copytree(self.corpus, self.path("damaged"))
        name = "data/channel/flow_00000003_0.h5"
        with open(self.path("damaged", name), "ab") as file:
            file.write(b"x")
        os.remove(self.path("damaged", "data/cavity/case.toml"))
        self.write(SOLVERS, "solvers.toml")
        done = self.weir("run", "damaged", "--solvers", "solvers.toml")
        self.assertEqual(done.returncode, 6, done.stdout)
        self.assertIn("damaged/" + name + ": is damaged", done.stdout)
        self.assertIn("damaged/data/cavity/case.toml: is missing", done.stdout)

    def test_the_held_out_tier_has_other_parameters(self):
        held = self.weir("build", "held", "--tier", "tiny", "--seed", "7")
        self.assertEqual(held.returncode, 0, held.stdout)
        a, b = (json.loads(self.read(d, "manifest.json"))["recipes"]["cavity"]["set"] for d in ("flows", "held"))
        self.assertNotEqual(a, b)
        self.assertIn("time.dt=0.02", b)

    def test_solvers_and_a_plugin_are_ranked_and_results_merged(self):
        solvers = SOLVERS
        if compiler := shutil.which("cc"):
            source = os.path.join(ROOT, "inputs/plugins/block_jacobi/block_jacobi.c")
            subprocess.run([compiler, "-O1", "-shared", "-fPIC", "-I", os.path.join(ROOT, "solvers/plugin"), source, "-o",
                            self.path("libmine.so"), "-lm"], check=True)
            solvers += '[mine]\nmethod = "gmres"\npreconditioner = { type = "plugin", library = "%s" }\n' % self.path("libmine.so")
        self.write(solvers, "ranked.toml")
        done = self.weir("run", "flows", "--solvers", "ranked.toml", "--repeat", "1", "-o", "results")
        self.assertEqual(done.returncode, 0, done.stdout)
        with open(self.path("results", "results.csv"), newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        reasons = {(r["solver"], r["sequence"]): r["reason"] for r in rows}
        self.assertEqual(reasons["block_ilu0", "channel.flow"], "converged")
        self.assertIn("supports banded, block stencil, block CSR", reasons["block_ilu0", "cavity.pressure"])
        self.assertNotEqual(reasons["hopeless", "channel.flow"], "converged")
        if compiler:
            self.assertEqual([reasons["mine", s] for s in ("cavity.pressure", "channel.flow")], ["converged"] * 2)
        self.assertIn("hopeless", self.read("results", "report.html"))
        again = self.weir("run", "flows", "--solvers", "ranked.toml", "--repeat", "1", "-o", "results")
        self.assertEqual(again.stdout, done.stdout)  # nothing is measured twice
        merged = self.weir("merge", "results", "results/results.csv", "-o", "merged")
        self.assertEqual(merged.returncode, 0, merged.stdout)
        self.assertEqual(self.read("merged", "results.csv"), self.read("results", "results.csv"))
        other = self.read("results", "results.csv").replace(rows[0]["manifest"], "0123456789abcdef")
        self.write(other, "other.csv")
        refused = self.weir("merge", "results", "other.csv", "-o", "mixed")
        self.assertIn("several corpora", refused.stdout)


if __name__ == "__main__":
    unittest.main()
