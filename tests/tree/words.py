"""The language of pages, messages, comments and option descriptions: what `./weir lint words` and `all_words` find.

`ROOMS` is the list of what must be clean; `./weir lint all_words` prints the findings of the whole tree.
"""
import re

# Folders and files in which a finding is a fault. "" is everything.
ROOMS = [""]

# Files without rules: generated ones (their sources are checked) and the rules with their test.
EXEMPT = ["docs/reference/", "docs/results/peers.md", "postproc/report/page/uPlot", "tests/tree/words.py", "tests/tree/words_test.py"]

# Sources with at most 120 columns; clang-format keeps code there, but not comments.
NARROW = (".cpp", ".cu", ".cuh", ".hpp", ".h", ".js")

# (file or folder, text): findings that stay. Keep it short.
ALLOWED = []

COUNTED = r"(?:step|iteration|cell|row|solve|sweep|cycle|system|rank|level|unknown|line|thread|run|face|node|diameter|" \
          r"application|update|block|entry|component|direction|launch|warp|point|branch|candidate|solver|column|core|index|space|pass|colour|chunk)"
UNIT = r"(?:once|\d[\d,^]*(?:\.\d+)?|iterations?|launch(?:es)?|[kMG]?B|bytes|[mun]s|seconds?|values?|systems|" \
       r"cells|rows|one|waits?|messages?|sweeps?|products?|operations|flops?|halos?)"
BODIES = r"(?:(?:the|a|an|its|each) )?(?:\w+ )?(?:body|bodies|cylinders?|spheres?|shocks?|walls?|step|sides?|plate|aerofoil|" \
         r"ellipse|centre|slip|front|wave|edge|nose)\b"

# pattern -> what to say
PATTERNS = {
    r"\b(?:who|whom|whoever)\b": "programs are no people: the solver that, the candidate",
    r"\b(?:nobody|somebody|everybody|anybody|anyone|everyone|someone)\b": "none, one, all, any",
    r"\banew\b": "again, newly",
    r"\bso (?:many|much)\b": "at most N, this many",
    rf"\b{UNIT} (?-i:an?) {COUNTED}s?\b": "per step, per iteration, per cell",
    r"\bbeside\b": "compared with, next to, in addition to",
    rf"\bbehind (?!{BODIES})": "after, below",
    r"\b(?:told|learns?|gives? back|given back)\b": "is set, is reported, returns: programs do not act like people",
    r"\basks? (?!for\b)|\basked (?!for\b)": "calls, polls, requires",
    r"\b(?:crews?|contenders?|branch eyes?|rungs?)\b": "candidate solvers, candidate, branch observer, level of evidence",
    r"\bmended\b": "fixed",
    r"(?:^|\. )(?-i:What) [^?]{20,}$": "begin with the subject, not with a clause",
    r"\b(?:leaders?)(?:'s)?\b(?! again)": "reference solver; A/A control",
    r"\bflight recorder\b": "failure diagnostics",
    r"\btwin runs?\b": "paired A/B runs",
    r"\bby turns\b": "interleaved",
    r"\bby lot\b": "randomised",
    r"\bspread over (?:the )?ranks\b": "distributed",
    r"\bfresh(?:ly)? node\b": "freshly cleared node",
    r"\bwhat it (?:says|tells) of itself\b|\bas one rank has it\b|\bgets? the machine back\b": "say it plainly",
    r"\bthe ranks wake\b": "MPI is initialised",
    r"\b1/[0-9]+ of (?:PETSc|hypre|icoFoam|FVENS)\b": "times faster",
    r"\bmost iterations\b": "max_iterations",
    r"\bknows? (?:no|nothing|of)\b|\b(?:not|does) care\b|\bcares for\b": "has, contains, depends on, ignores",
    r"\b(?:weir|the program|it) said\b|\bsaid nothing\b": "output, no output",
    r"\bthe run choose": "the solver is selected during the run",
    r"\bas many again\b": "twice this number",
    r"\b(?:in|of) these units\b": "name the unit",
    r"\bcosts? \d[\d.]* %(?! (?:of|more|less))": "% of which quantity",
    r"\bmesh(?:es)? (?:made by others )?converges?\b": "iterations converge, meshes do not",
    r"\bpa(?:y|ys|id|ying) for\b": "costs, is included in the budget",
    r"\bruns twice\b(?! per\b)": "twice per repeat: say how often in all",
}
FOUND = re.compile("|".join(f"(?P<p{i}>{p})" for i, p in enumerate(PATTERNS)), re.I)
SAY = list(PATTERNS.values())

TEXT = r'"(?:[^"\\\n]|\\.)*"'
JOINED = rf"{TEXT}(?:\s*{TEXT})*"
# {"key", Option::type, default, "meaning", ...  and  add_option("--name", variable, "meaning"
OPTION = re.compile(rf'\{{\s*{TEXT}\s*,\s*Option::\w+\s*,\s*(?:{JOINED}|[^",{{}}]*)\s*,\s*({JOINED})')
FLAG = re.compile(rf'add_(?:option|flag)\(\s*{TEXT}\s*,\s*[^",]+,\s*({JOINED})')
# {"quantity or columns", "unit", "meaning"} and {"quantity", "unit", "meaning", "miniapp"}
QUANTITY = re.compile(rf'\{{\s*"[\w, ]+"\s*,\s*{TEXT}\s*,\s*({JOINED})\s*(?:,\s*{TEXT}\s*)?\}}')
FRAGMENT = re.compile(r"(?:of|that|as|what|who|where|whose|which|than|between|or|its|not) ", re.I)


def comment_of(line, mark):
    """The comment of a line, without marks inside strings."""
    bare = re.sub(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'", lambda m: " " * len(m[0]), line)
    return line[bare.find(mark) + len(mark):] if mark in bare else ""


def prose_of(path, text):
    """(line, text): a page without code, or the comments and the messages of a source."""
    if path.endswith(".md"):
        text = re.sub(r"^```.*?^```|^    .*?$", lambda m: "\n" * m[0].count("\n"), text, flags=re.M | re.S)
        for number, line in enumerate(text.split("\n"), 1):
            yield number, re.sub(r"`[^`]*`|\]\([^)]*\)|<!--.*?-->", "", line)
        return
    mark = "#" if path.endswith((".toml", ".py", ".sh", ".txt")) else "//"
    for number, line in enumerate(text.split("\n"), 1):
        said = [s for s in re.findall(r'"((?:[^"\\]|\\.)*)"', line) if " " in s and not line.startswith("#include")]
        comment = comment_of(line, mark).strip(" /<")
        yield number, re.sub(r"`[^`]*`", "", " | ".join(([comment] if comment else []) + said))


def too_wide(path, line):
    if not path.endswith(".md"):
        return path.endswith(NARROW) and len(line) > 120 and ("//" in line or path.endswith(".js"))
    can_break = not line.startswith(("|", "    ", "![", "- [")) and "](" not in line and "<!--" not in line
    return can_break and len(line) > 171


def faults_of(path, text):
    if any(path.startswith(e) for e in EXEMPT):
        return []
    faults = []
    for number, line in prose_of(path, text):
        for found in FOUND.finditer(line):
            faults.append((number, f"'{found[0].strip()}' -> {SAY[int(found.lastgroup[1:])]}"))
    if path.endswith((".cpp", ".cu", ".hpp")):
        for found in [*OPTION.finditer(text), *FLAG.finditer(text), *QUANTITY.finditer(text)]:
            meaning = "".join(s[1:-1] for s in re.findall(TEXT, found[1]))
            if FRAGMENT.match(meaning):
                faults.append((text.count("\n", 0, found.start(1)) + 1, f"'{meaning[:40]}' -> a description is a noun phrase"))
    faults += [(n, f"{len(line)} columns") for n, line in enumerate(text.split("\n"), 1) if too_wide(path, line)]
    return [f"{path}:{n}: {said}" for n, said in sorted(faults)
            if not any(path.startswith(where) and allowed in said for where, allowed in ALLOWED)]


def is_enforced(path):
    return any(path.startswith(room) for room in ROOMS)
