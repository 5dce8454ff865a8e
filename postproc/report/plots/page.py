"""The page: one HTML file with everything in it, for a screen, a phone and paper."""
import base64
import json
import os
import sys

from . import output

MOST_BYTES = 300000  # of a plot's data that the page itself carries

STYLE = """
:root { --ink: #1d2329; --soft: #5b6670; --line: #d9dee3; --paper: #ffffff; --shade: #f5f7f9;
  --good: #0a7d4f; --bad: #b3261e; --warn: #9a6700; --study: #0b5cad; }
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.5 system-ui, -apple-system, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif;
  color: var(--ink); background: var(--shade); -webkit-text-size-adjust: 100%; }
main { max-width: 1280px; margin: 0 auto; padding: 1.2rem 1rem 3rem; }
h1 { font-size: 1.55rem; margin: .2rem 0 .1rem; line-height: 1.25; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 0 0 .7rem; }
p, ul { margin: .3rem 0; overflow-wrap: anywhere; }
ul { padding-left: 1.2rem; }
.panels [tabindex]:focus-visible, button:focus-visible, a:focus-visible, summary:focus-visible { outline: 2px solid var(--study); outline-offset: 2px; }
.soft { color: var(--soft); }
section { background: var(--paper); border: 1px solid var(--line); border-radius: 8px; padding: 1rem 1.1rem; margin: 1rem 0; }
.verdict { border-left: 8px solid var(--soft); }
.verdict.good { border-left-color: var(--good); }
.verdict.bad { border-left-color: var(--bad); }
.verdict.warn { border-left-color: var(--warn); }
.verdict.study { border-left-color: var(--study); }
.verdict strong.word { font-size: 1.35rem; line-height: 1.3; display: block; }
.good strong.word, .pass { color: var(--good); } .bad strong.word, .fail { color: var(--bad); } .warn strong.word { color: var(--warn); }
.study strong.word { color: var(--study); }
.pass, .fail { font-weight: 700; }
.scroll { overflow-x: auto; }
.wide { margin-top: .9rem; }
table { border-collapse: collapse; font-size: .93rem; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .28rem .9rem .28rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th { font-weight: 600; color: var(--soft); white-space: nowrap; }
.wide th { white-space: normal; vertical-align: bottom; }
.wide td { overflow-wrap: break-word; }
.dense table { font-size: .8rem; } .dense th, .dense td { padding-right: .5rem; }
td.number, th.number { text-align: right; }
td.number, td:first-child, td .pass, td .fail { white-space: nowrap; }
.figures { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 26rem), 1fr)); gap: 1.3rem 1.6rem; align-items: start; }
.figures.three { grid-template-columns: repeat(auto-fill, minmax(min(100%, 20rem), 1fr)); }
.figures > * { min-width: 0; }
.figures + .figures { margin-top: 1.3rem; }
figure { margin: 0; break-inside: avoid; }
figure.plot > div { max-width: 40rem; }
figure.long { grid-column: 1 / -1; } figure.long > div { max-width: none; }
.panels { display: grid; }
.panels > div { min-width: 0; }
.panels h3 { font-size: .92rem; margin: .2rem 0; overflow-wrap: anywhere; }
.u-legend { margin: 0; text-align: left; font-size: .8rem; font-variant-numeric: tabular-nums; }
.u-legend th, .u-legend td { border: 0; font-weight: 400; white-space: nowrap; } .u-inline tr { margin-right: .6rem; }
.u-series > *, .keys span, .readout { padding: 1px 2px; }
.keys, .readout { font-size: .8rem; color: var(--soft); min-height: 1.5em; font-variant-numeric: tabular-nums; }
.keys span { margin-right: .9rem; white-space: nowrap; }
.keys i { display: inline-block; width: 1em; height: .8em; margin-right: .35em; }
.keys i.glyph { font-style: normal; height: auto; }
.keys i.line { height: 0; border-top: 2px solid; vertical-align: middle; }
.bar { display: block; width: 88%; margin: 0 auto; }
.bar canvas { display: block; width: 100%; height: 12px; border: 1px solid #888; }
.bar div { position: relative; height: 1.3em; font-size: .75rem; } .bar div span { position: absolute; transform: translateX(-50%); white-space: nowrap; }
.bar p { text-align: center; font-size: .8rem; margin: 0; }
figcaption { font-size: .87rem; color: var(--soft); margin-top: .15rem; }
a { color: var(--study); }
a.data { white-space: nowrap; }
button { font: inherit; font-size: .82rem; color: var(--study); background: none; border: 1px solid var(--line); border-radius: 5px;
  padding: .1rem .6rem; margin-top: .4rem; cursor: pointer; }
pre { font-size: .8rem; overflow-x: auto; background: var(--shade); padding: .7rem; border-radius: 6px; }
summary { cursor: pointer; font-weight: 600; }
code { font-size: .92em; }
@media (max-width: 40rem) { main { padding: .5rem .4rem 2rem; } section { padding: .8rem .75rem; margin: .7rem 0; }
  h1 { font-size: 1.25rem; padding: 0 .35rem; } .verdict strong.word { font-size: 1.15rem; } table { font-size: .86rem; }
  th, td { padding-right: .6rem; } tbody th { white-space: normal; } td { overflow-wrap: anywhere; }
  .wide td, .wide th { white-space: nowrap; } .wide td:first-child { position: sticky; left: 0; background: var(--paper); }
  .wide .scroll { background: linear-gradient(to left, var(--paper) 40%, transparent) right/2.5rem 100% no-repeat local,
    radial-gradient(farthest-side at 100% 50%, rgba(0, 0, 0, .35), transparent) right/.8rem 100% no-repeat scroll; } }
@media screen and (prefers-color-scheme: dark) { :root { color-scheme: dark; --ink: #e4e7ea; --soft: #a9b2bb; --line: #3a424a; --paper: #1b2026;
  --shade: #12161a; --good: #4cc38a; --bad: #ff8f85; --warn: #e0a83a; --study: #6cb2ff; } .u-select { background: rgba(255, 255, 255, .15); } }
@page { size: A4; margin: 14mm; }
@media print { body { background: #fff; font-size: 9.5pt; line-height: 1.4; } main { max-width: none; padding: 0; }
  h1 { font-size: 15pt; } h2 { font-size: 12pt; break-after: avoid; } .verdict strong.word { font-size: 13pt; }
  section { border: 0; border-radius: 0; padding: 0; margin: 0 0 7mm; }
  .verdict { padding-left: .8rem; border-left-style: solid; border-left-width: 6px; }
  .figures { grid-template-columns: 1fr 1fr; gap: 4mm 6mm; } .figures .figures { grid-template-columns: 1fr; } figure.long { grid-column: 1 / -1; }
  .uplot, .u-wrap { width: 100% !important; height: auto !important; } .uplot canvas { height: auto !important; }
  .u-over, .u-under, .readout, .hint, .u-value { display: none; } canvas { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  figcaption, .u-legend, .keys, .bar p, .bar div { font-size: 8pt; } .panels h3 { font-size: 9pt; } .u-legend tr:first-child { display: none; }
  .scroll { overflow: visible; } table { font-size: 7.6pt; } th, td { padding-right: .5rem; } th { white-space: normal; }
  tr { break-inside: avoid; } details, button, a.data { display: none; } a { color: inherit; } }
"""

# Puts a table on the clipboard as tab-separated lines, which spreadsheets and editors take.
SCRIPT = """
for (const button of document.querySelectorAll('button.copy')) button.onclick = () => {
  const rows = [...button.parentElement.querySelectorAll('tr')].map(r => [...r.cells].map(c => c.innerText.trim()).join('\\t'));
  const area = document.createElement('textarea');
  area.value = rows.join('\\n');
  document.body.append(area);
  area.select();
  const done = document.execCommand('copy');
  area.remove();
  button.replaceChildren(done ? 'Copied' : 'Not allowed here');
};
"""


def text(value):
    """Like html.escape, whose module loads a megabyte of entities."""
    value = str(value)
    for sign, name in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"), ("'", "&#x27;")):
        value = value.replace(sign, name)
    return value


class Markup(str):
    """HTML made by this program: a cell of this type is not escaped."""


def table(names, rows, numbers=()):
    """numbers: the columns that are aligned to the right."""
    def kind(i):
        return ' class="number"' if i in numbers else ""
    head = "".join("<th%s>%s</th>" % (kind(i), text(n)) for i, n in enumerate(names))
    body = "".join("<tr>%s</tr>" % "".join("<td%s>%s</td>" % (kind(i), cell if isinstance(cell, Markup) else text(cell))
                                            for i, cell in enumerate(row)) for row in rows)
    dense = " dense" if len(names) > 12 else ""
    return ('<div class="wide%s"><div class="scroll"><table><thead><tr>%s</tr></thead><tbody>%s</tbody></table></div>'
            '<button class="copy" type="button">Copy table</button></div>' % (dense, head, body))


def facts(rows):
    """Names and values; a long list in two columns if the screen is wide enough."""
    def part(some):
        body = "".join("<tr><th>%s</th><td>%s</td></tr>" % (text(name), text(value)) for name, value in some)
        return '<div class="scroll"><table><tbody>%s</tbody></table></div>' % body
    half = (len(rows) + 1) // 2
    return part(rows) if len(rows) < 8 else beside(part(rows[:half]), part(rows[half:]))


def beside(*parts):
    return '<div class="figures">%s</div>' % "".join("<div>%s</div>" % part for part in parts)


def _data_of(item):
    """A link that saves the plot's data; large ones are files in plots/ only."""
    path = item.path + ".csv"
    name = os.path.basename(path)
    if not os.path.exists(path):
        return ""
    if os.path.getsize(path) > MOST_BYTES:
        return ' <span class="soft">Data: plots/%s</span>' % text(name)
    with open(path, "rb") as file:
        data = base64.b64encode(file.read()).decode("ascii")
    return ' <a class="data" download="%s" href="data:text/csv;base64,%s">Data (CSV)</a>' % (text(name), data)


drawn = []  # the figures of the page so far


def _json(plot):
    """Arrays as {type: base64}. Cells of a mesh come with the first plot that has them."""
    known = {m["mesh"] for figure in drawn for axes in figure.plot["axes"] for m in axes["marks"] if m["kind"] == "mesh"}
    axes = [{**a, "marks": [{k: v for k, v in m.items() if k not in ("nodes", "corners") or m["mesh"] not in known} for m in a["marks"]]}
            for a in plot["axes"]]
    words = json.dumps({**plot, "axes": axes}, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_packed)
    return words.replace("<", "\\u003c")  # no name ends the element (</script>) or begins a comment (<!-- <script>)


def _packed(values):
    return {values.dtype.str[1:]: base64.b64encode(values.tobytes()).decode("ascii")}


def figures(items):
    """Figures in two columns, or in three if no figure is then alone in its row."""
    parts = []
    for item in items:
        plot = _json(item.plot)
        drawn.append(item)
        parts.append('<figure class="plot%s"><div role="img" aria-label="%s"></div><figcaption>%s%s</figcaption><script type="application/json">%s'
                     '</script></figure>' % (" long" if item.is_long else "", text(item.caption), text(item.caption), _data_of(item), plot))
    return '<div class="figures%s">%s</div>' % (" three" if len(items) % 3 == 0 and len(items) != 6 else "", "".join(parts))


def verdict(kind, headline, *parts):
    return '<section class="verdict %s"><p><strong class="word">%s</strong></p>%s</section>' % (kind, text(headline), "".join(parts))


def items(lines):
    return "<ul>%s</ul>" % "".join("<li>%s</li>" % text(line) for line in lines) if lines else ""


def section(title, *parts):
    return "<section><h2>%s</h2>%s</section>" % (text(title), "".join(parts))


def paragraph(words, soft=False):
    return '<p%s>%s</p>' % (' class="soft"' if soft else "", text(words))


def make(path, body, with_png):
    """Writes the page of body() -> (title, HTML). with_png: its plots also as PNG files."""
    if with_png:
        from . import paper  # a missing matplotlib is an error before anything is written
    drawn.clear()
    write(path, *body())
    for figure in drawn if with_png else ():
        paper.save(figure.plot, figure.path + ".png")
        if figure.write_more:
            figure.write_more()


def main(arguments, body_of):
    """The script of a page with body_of(DIR) -> (title, HTML): [--png] DIR."""
    script, with_png, directories = os.path.basename(sys.argv[0]), "--png" in arguments, [a for a in arguments if a != "--png"]
    if len(directories) != 1:
        sys.exit("usage: %s [--png] DIR" % script)
    try:
        make(os.path.join(directories[0], "report.html"), lambda: body_of(directories[0]), with_png)
    except ImportError as error:
        sys.exit("%s: %s" % (script, error))


def write(path, title, body):
    """Written aside and renamed: a reader never sees half a page."""
    with output.aside(path) as partial, open(partial, "w", encoding="utf-8") as file:
        file.write(_page(title, body))


def _beside(name):
    with open(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "page", name), encoding="utf-8") as file:
        return file.read()


def _page(title, body):
    scripts = ""
    if 'class="plot' in body:
        body = "<noscript><p>The plots need JavaScript. Their data are in plots/*.csv; weir report --png DIR draws pictures.</p></noscript>" + body
        scripts = "<script>/*\n%s*/</script>" % _beside("LICENSE.uPlot")  # required in every copy
        scripts += "".join("<script>%s</script>" % _beside(name) for name in ("uPlot.iife.min.js", "ticks.js", "field.js", "marks.js", "plots.js"))
    return ('<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
            '<title>%s</title><style>%s%s</style></head><body><main>%s</main><script>%s</script>%s</body></html>\n' % (
                text(title), _beside("uPlot.min.css") if scripts else "", STYLE, body, SCRIPT, scripts))
