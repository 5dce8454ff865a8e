// Draws the page's plots with uPlot: drag to zoom, double click to go back, values at the cursor. Named lines are
// uPlot's series; all else (bars, rules, boxes, words, fields) is drawn on the same canvas in marks.js and
// field.js.
'use strict';

const KINDS = {f8: Float64Array, f4: Float32Array, u4: Uint32Array, u2: Uint16Array};
const UNDER = new Set(['cells', 'mesh', 'stream', 'span', 'bar', 'box']),
      FONT = '12px system-ui, "DejaVu Sans", sans-serif';

// Colours of lines and words that are dark on paper, for a dark page.
const DARK = {
  '#1d2329': '#e4e7ea',
  '#222222': '#e4e7ea',
  '#444': '#aab2ba',
  '#ddd': '#39414a',
  '#e3e6ea': '#39414a',
  '#5b6670': '#aab2ba',
  '#888888': '#aab2ba',
  '#5A5A5A': '#a6a6a6',
  '#0072B2': '#4aa3df',
  '#b3261e': '#ff8f85',
  '#4d4d4d': '#aab2ba',
  '#fff': '#1b2026'
};
const scheme = matchMedia('(prefers-color-scheme: dark)');
let is_printed = false;
const inkOf = colour => scheme.matches && !is_printed ? DARK[colour] ?? colour : colour;
const redraw = printed => (is_printed = printed, everyPlot.flat().forEach(u => u.redraw(false, true)));
scheme.addEventListener('change', () => redraw(false));
addEventListener('beforeprint', () => redraw(true));
addEventListener('afterprint', () => redraw(false));

function bytesOf(text) {
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  return bytes;
}

function unpack(mark) {
  for (const [key, value] of Object.entries(mark)) {
    const kind = value && typeof value === 'object' && Object.keys(value)[0];
    if (kind in KINDS) mark[key] = new KINDS[kind](bytesOf(atob(value[kind])).buffer);
  }
  return mark;
}

// One table for lines with positions of their own: [x, y of each line]; null: a gap, undefined: a position of another
// line. A position that a line has twice stands twice.
function joined(lines) {
  const most = new Map();
  for (const line of lines) {
    const count = new Map();
    for (const x of line.x) count.set(x, (count.get(x) ?? 0) + 1);
    for (const [x, n] of count) if (!Number.isNaN(x)) most.set(x, Math.max(most.get(x) ?? 0, n));
  }
  const xs = [], first = new Map();
  for (const x of [...most.keys()].sort((a, b) => a - b)) {
    first.set(x, xs.length);
    for (let n = most.get(x); n > 0; --n) xs.push(x);
  }
  return [xs, ...lines.map(line => {
    const ys = new Array(xs.length), used = new Map();
    line.x.forEach((x, i) => {
      if (Number.isNaN(x)) return;
      const n = used.get(x) ?? 0;
      used.set(x, n + 1);
      ys[first.get(x) + n] = Number.isFinite(line.y[i]) ? line.y[i] : null;
    });
    return ys;
  })];
}

// The nearest position where a series has a value.
function nearest(u, s, at, x) {
  const ys = u.data[s], xs = u.data[0];
  let a = at, b = at;
  while (a >= 0 && ys[a] == null) --a;
  while (b < ys.length && ys[b] == null) ++b;
  return a < 0 ? b < ys.length ? b : at : b >= ys.length || x - xs[a] < xs[b] - x ? a : b;
}

function scaleOf(axis) {
  const distribution = {linear: 1, log: 3, symlog: 4}[axis.kind];
  return {time: false, auto: false, distr: distribution, asinh: axis.threshold ?? 1, min: axis.low, max: axis.high,
          range: (u, low, high) => [low ?? axis.low, high ?? axis.high], dir: axis.down ? -1 : 1};
}

function axisOf(axis, scale, side) {
  const is_up = side % 2 === 1;
  return {
    scale,
    side,
    font: FONT,
    labelFont: FONT,
    stroke: () => inkOf('#444'),
    label: axis.label || undefined,
    labelSize: axis.label ? 20 : 0,
    gap: 4,
    filter: (_, splits) => splits,
    grid: {show: axis.grid && side !== 1, stroke: () => inkOf('#ddd'), width: 0.7},
    ticks: {stroke: () => inkOf('#444'), width: 0.8, size: 4},
    splits: (u, _, low, high) =>
      ticksOf(axis, low, high, Math.max(3, Math.round(is_up ? u.height / 50 : u.width / 85))),
    values: (_, splits) => splits.map(v => axis.bare ? '' : nameOf(axis, v)),
    rotate: axis.slanted ? -45 : 0,
    size: (u, values, i, cycle) => cycle > 1 ? u.axes[i]._size :
                                               Math.ceil(
                                                 13 +
                                                 Math.max(
                                                   axis.room ?? 0,
                                                   axis.bare      ? 0 :
                                                     is_up        ? longest(values) :
                                                     axis.slanted ? 0.75 * longest(values) + 8 :
                                                                    12)),
  };
}

function longest(words) {
  const c = document.createElement('canvas').getContext('2d');
  c.font = FONT;
  return Math.max(0, ...(words ?? []).map(w => c.measureText(w).width));
}

// ---- axes

function seriesOf(line, scale) {
  const point = line.point ? {
    show: true,
    size: 1.3 * line.point,
    width: line.hollow ? 1.3 : 0,
    fill: () => inkOf(line.hollow ? '#fff' : line.colour)
  } :
                             {show: false};
  return {
    label: line.name,
    scale,
    stroke: () => inkOf(line.colour),
    width: line.width,
    dash: line.dash,
    points: point,
    pxAlign: 0,
    paths: line.width ? undefined : () => null,
    value: (_, v) => tick(v, 5)
  };
}

// The value at the cursor where there is no series: that of a cell or a bar.
function readOut(u, marks, names) {
  const {left, top} = u.cursor;
  if (!(left >= 0 && top >= 0)) return '';
  const x = u.posToVal(left, 'x'), y = u.posToVal(top, 'y'),
        where = `${names.x.label || names.x.below || 'x'} ${tick(x, 4)}, ${names.y.label || 'y'} ${tick(y, 4)}`;
  const picture = marks.find(m => m.kind === 'cells' || m.kind === 'mesh');
  if (picture) return `${where}: ${tick(valueAt(picture, placeOf(u), left * uPlot.pxRatio, top * uPlot.pxRatio), 5)}`;
  const bar = marks.find(
    m => m.kind === 'bar' && x >= Math.min(m.box[0], m.box[1]) && x <= Math.max(m.box[0], m.box[1]) && y >= m.box[2] &&
      y <= m.box[3]);
  if (bar) return `${bar.name ?? ''} ${names.x.label || ''} ${tick(bar.box[1] - bar.box[0], 4)}`;
  return (names.x.names ? '' : `${names.x.label || names.x.below || 'x'} ${tick(x, 4)} `) +
    (names.y.names ? '' : `${names.y.label || 'y'} ${tick(y, 4)}`);
}

function plot(root, axes, height, others, share, is_titled) {
  const right = axes.right?.marks.map(unpack) ?? [], marks = axes.marks.map(unpack),
        is_line = m => m.kind === 'line' && m.name;
  const lines = marks.filter(is_line), seconds = right.filter(is_line), rest = marks.filter(m => !is_line(m));
  const named = [...lines, ...seconds];
  if (axes.title || is_titled) root.appendChild(document.createElement('h3')).textContent = axes.title || '\u00a0';
  const holder = root.appendChild(document.createElement('div')),
        said = root.appendChild(document.createElement('div'));
  said.className = 'readout';
  const options = {
    width: holder.clientWidth || 500,
    height,
    padding: [10, 14, 0, null],
    scales: {x: scaleOf(axes.x), y: scaleOf(axes.y)},
    axes: [axisOf(axes.x, 'x', 2), axisOf(axes.y, 'y', 3)],
    series: [
      {label: axes.x.label || axes.x.below || 'x', value: (_, v) => tick(v, 6)}, ...lines.map(l => seriesOf(l, 'y')),
      ...seconds.map(l => seriesOf(l, 'right'))
    ],
    legend: {show: named.length > 0, markers: {width: 0, fill: (_, i) => inkOf(named[i - 1]?.colour)}},
    cursor: {
      dataIdx: nearest,
      points: {size: 6},
      drag: {x: true, y: true, uni: 25, setScale: !axes.equal},
      focus: {prox: -1},
      bind: {dblclick: () => () => others.forEach(o => o.back())},
    },
    hooks: {
      drawAxes: [u => drawMarks(u, rest.filter(m => UNDER.has(m.kind)), 'y')],
      draw:
        [u =>
           (drawMarks(u, rest.filter(m => !UNDER.has(m.kind)), 'y'),
            right.length && drawMarks(u, right.filter(m => !is_line(m)), 'right'))],
      setCursor: [u => {
        said.textContent = lines.length ? '' : readOut(u, marks, axes);
      }],
      setSelect: [u => axes.equal && zoomEvenly(u)],
      setScale: [(u, s) => share.includes(s) && others.forEach(o => {
        const {min, max} = u.scales[s];
        if (o.scales[s].min !== min || o.scales[s].max !== max) o.setScale(s, {min, max});
      })],
    },
  };
  if (axes.right) {
    options.scales.right = scaleOf(axes.right.y);
    options.axes.push(axisOf(axes.right.y, 'right', 1));
  }
  const data = joined(named);
  if (!data[0].length) data[0] = [axes.x.low, axes.x.high];
  const u = new uPlot(options, data, holder);
  u.back = () => {
    for (const [s, axis] of [['x', axes.x], ['y', axes.y], ['right', axes.right?.y]])
      if (axis) u.setScale(s, {min: axis.low, max: axis.high});
  };
  if (lines.length) said.remove();
  holder.tabIndex = 0;
  holder.setAttribute('role', 'group');
  holder.setAttribute(
    'aria-label', `${axes.title || axes.y.label || 'Plot'}: plus and minus zoom, arrows move, 0 shows all`);
  holder.addEventListener('keydown', event => keyed(u, event, axes, others));
  return u;
}

// Zoom and motion by keys, in positions of the frame, so that any kind of axis will do.
function keyed(u, event, axes, others) {
  const [left, right, down, up] = {
    '+': [0.1, 0.9, 0.1, 0.9],
    '=': [0.1, 0.9, 0.1, 0.9],
    '-': [-0.125, 1.125, -0.125, 1.125],
    ArrowLeft: [-0.2, 0.8, 0, 1],
    ArrowRight: [0.2, 1.2, 0, 1],
    ArrowUp: [0, 1, 0.2, 1.2],
    ArrowDown: [0, 1, -0.2, 0.8]
  }[event.key] ??
    [];
  if (event.key === '0') others.forEach(o => o.back());
  else if (left === undefined) return;
  event.preventDefault();
  if (left === undefined) return;
  const wide = u.over.clientWidth, tall = u.over.clientHeight, x = [left, right].map(p => u.posToVal(p * wide, 'x')),
        y = [down, up].map(p => u.posToVal((1 - p) * tall, 'y'));
  u.setScale('x', {min: Math.min(...x), max: Math.max(...x)});
  u.setScale('y', {min: Math.min(...y), max: Math.max(...y)});
}

// A picture keeps its proportions: the frame that holds what was chosen.
function zoomEvenly(u) {
  const {left, top, width, height} = u.select, wide = u.over.clientWidth, tall = u.over.clientHeight;
  u.setSelect({left: 0, top: 0, width: 0, height: 0}, false);
  if (width < 5 && height < 5) return;
  const part = Math.max(width / wide, height / tall), x = left + 0.5 * width, y = top + 0.5 * height;
  u.setScale('x', {min: u.posToVal(x - 0.5 * part * wide, 'x'), max: u.posToVal(x + 0.5 * part * wide, 'x')});
  u.setScale('y', {min: u.posToVal(y + 0.5 * part * tall, 'y'), max: u.posToVal(y - 0.5 * part * tall, 'y')});
}

// ---- figures

function keys(legend) {
  const root = document.createElement('div');
  root.className = 'keys';
  for (const key of legend) {
    const one = root.appendChild(document.createElement('span')), sign = one.appendChild(document.createElement('i'));
    one.append(key.name);
    if (key.glyph) sign.className = 'glyph', sign.textContent = key.glyph, sign.style.color = inkOf(key.colour);
    else if (key.line)
      sign.className = 'line', sign.style.borderColor = inkOf(key.colour),
      sign.style.borderTopStyle = key.dashed ? 'dashed' : 'solid';
    else sign.style.background = inkOf(key.colour), sign.style.opacity = key.alpha ?? 1;
  }
  return root;
}

// Height of a plot: as designed for its share of the figure, or from the proportions of the picture in it.
function heightOf(axes, figure, row, width) {
  if (axes.equal) {
    const left = 75, below = 62;
    return Math.min((width - left) * (axes.y.high - axes.y.low) / (axes.x.high - axes.x.low) + below, 1.25 * width);
  }
  const shares = figure.height_ratios ?? new Array(figure.axes.length / figure.columns).fill(1);
  return Math.max(125, 92 * figure.size[1] * shares[row] / shares.reduce((a, b) => a + b) - 12);
}

const everyPlot = [];  // a list a figure

function drawFigure(element) {
  const script = element.querySelector('script'), figure = JSON.parse(script.textContent),
        root = element.querySelector('div');
  script.textContent = '';
  const panels = root.appendChild(document.createElement('div'));
  panels.className = 'panels';
  panels.style.gridTemplateColumns =
    (figure.width_ratios ?? new Array(figure.columns).fill(1)).map(r => `minmax(0, ${r}fr)`).join(' ');
  // The frames of plots of one row or column are aligned.
  const labels = axis => longest(ticksOf(axis, axis.low, axis.high, 5).map(v => nameOf(axis, v)));
  const own = axis => axis.label ? 20 : 0, most = d => Math.max(...figure.axes.map(a => (
    own(a[d]) + (d === 'y' ? labels(a.y) : a.x.slanted ? 0.75 * labels(a.x) + 8 : 12))));
  for (const [share, d] of [['x', 'y'], ['y', 'x']])
    if (figure.share.includes(share)) figure.axes.forEach(a => { a[d].room = most(d) - own(a[d]); });
  if (figure.share.includes('x')) figure.axes.forEach(a => { a.x.below = figure.axes.at(-1).x.label; });
  const cells = figure.axes.map(() => panels.appendChild(document.createElement('div'))), plots = [];
  everyPlot.push(plots);
  figure.axes.forEach((axes, i) => {
    const height = () => heightOf(axes, figure, Math.floor(i / figure.columns), cells[i].clientWidth);
    const u = plot(cells[i], axes, height(), plots, figure.share, figure.columns > 1 && figure.axes.some(a => a.title));
    plots.push(u);
    new ResizeObserver(
      () => cells[i].clientWidth && cells[i].clientWidth !== u.width &&
        u.setSize({width: cells[i].clientWidth, height: height()}))
      .observe(cells[i]);
  });
  if (figure.legend) root.append(keys(figure.legend));
  if (figure.bar) root.append(colourBar(figure.bar));
}

for (const element of document.querySelectorAll('figure.plot')) try {
  drawFigure(element);
} catch (error) {  // the others stand for themselves
  console.error(error);
  element.querySelector('div').textContent = 'This plot could not be drawn: ' + error.message;
}

const hint = document.createElement('p');
hint.className = 'soft hint';
hint.textContent =
  'In a plot: drag to zoom, double click to go back; or focus it and use + − arrows 0. Values are shown below it.';
(document.querySelector('section:not(.verdict) .figures') ?? document.querySelector('.figures')).before(hint);
