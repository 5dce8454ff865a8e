// Draws the marks of a plot that are not series of uPlot.
'use strict';

function placeOf(u, y = 'y') {
  const {left, top, width, height} = u.bbox, ratio = uPlot.pxRatio, [box] = [
    {left: Math.round(left), top: Math.round(top), width: Math.round(width), height: Math.round(height)}
  ];
  const at = (v, s) => u.valToPos(v, s, true);
  const place = {
    box,
    ratio,
    x: v => at(v, 'x'),
    y: v => at(v, y),
    xOf: p => u.posToVal((p - left) / ratio, 'x'),
    yOf: p => u.posToVal((p - top) / ratio, y)
  };
  const slope = (s, reach) =>
    (at(u.scales[s].max, s) - at(u.scales[s].min, s)) / (u.scales[s].max - u.scales[s].min) || reach;
  return Object.assign(place, {perX: slope('x', 1), perY: slope(y, 1)});
}

const DRAW = {
  cells: drawCells,
  mesh: drawMesh,
  stream: drawStream,
  span(c, mark, place) {
    c.fillStyle = inkOf(mark.colour);
    c.fillRect(place.x(mark.x0), place.box.top, place.x(mark.x1) - place.x(mark.x0), place.box.height);
  },
  rule(c, mark, place) {
    const {left, top, width, height} = place.box;
    const [x0, y0, x1, y1] = 'x' in mark ? [place.x(mark.x), top, place.x(mark.x), top + height] :
                                           [left, place.y(mark.y), left + width, place.y(mark.y)];
    strokeOf(c, mark, place, () => (c.moveTo(x0, y0), c.lineTo(x1, y1)));
  },
  bar(c, mark, place) {
    const [a, b] = [place.x(mark.box[0]), place.x(mark.box[1])], [p, q] = [place.y(mark.box[2]), place.y(mark.box[3])];
    const box = [Math.min(a, b), Math.min(p, q), Math.abs(b - a), Math.abs(q - p)];
    c.save();
    c.globalAlpha = mark.alpha ?? 1;
    c.fillStyle = inkOf(mark.colour);
    c.fillRect(...box);
    c.beginPath();
    c.rect(...box);
    c.clip();
    c.beginPath();
    if (mark.hatch)
      for (let d = 0; d < box[2] + box[3]; d += 9 * place.ratio)
        c.moveTo(box[0] + d, box[1]), c.lineTo(box[0] + d - box[3], box[1] + box[3]);
    c.strokeStyle = mark.edge ?? 'transparent';
    c.lineWidth = place.ratio;
    c.rect(...box);
    c.stroke();
    c.restore();
  },
  box(c, mark, place) {
    const x = place.x(mark.place), wide = Math.abs(place.x(mark.place + 0.5 * mark.wide) - x),
          [least, low, middle, high, most] = mark.five.map(place.y);
    strokeOf(
      c, {colour: '#444', width: 1}, place,
      () => (c.moveTo(x, least), c.lineTo(x, low), c.moveTo(x, high), c.lineTo(x, most)));
    c.fillStyle = inkOf(mark.colour);
    c.fillRect(x - wide, high, 2 * wide, Math.max(low - high, 3 * place.ratio));
    strokeOf(c, {colour: '#1d2329', width: 1.5}, place, () => (c.moveTo(x - wide, middle), c.lineTo(x + wide, middle)));
    c.fillStyle = inkOf('#1d2329');
    for (const v of mark.far) c.fillRect(x - place.ratio, place.y(v) - place.ratio, 2 * place.ratio, 2 * place.ratio);
  },
  line(c, mark, place) {
    const points = Array.from(mark.x, (x, i) => [place.x(x), place.y(mark.y[i])]).filter(p => p.every(Number.isFinite));
    if (mark.width) strokeOf(c, mark, place, () => points.forEach(([x, y], i) => i ? c.lineTo(x, y) : c.moveTo(x, y)));
    c.fillStyle = inkOf(mark.hollow ? '#fff' : mark.colour);
    if (mark.point)
      for (const [x, y] of points) {
        const r = 0.6 * mark.point * place.ratio;
        c.beginPath();
        if (mark.shape === 'square') c.rect(x - r, y - r, 2 * r, 2 * r);
        else if (mark.shape === 'diamond')
          [[0, -r], [r, 0], [0, r], [-r, 0]].forEach(([a, b]) => c.lineTo(x + 1.25 * a, y + 1.25 * b));
        else c.arc(x, y, r, 0, 7);
        c.fill();
        if (mark.hollow) strokeOf(c, {...mark, width: 1.3, dash: null}, place, () => c.arc(x, y, r, 0, 7));
      }
  },
  text(c, mark, place) {
    const [x, y] = [place.x(mark.at[0]), place.y(mark.at[1])], lines = mark.words.split('\n'),
              tall = 1.3 * mark.size * place.ratio;
    const {left, top, width, height} = place.box;
    if (y < top || y > top + height || x > left + width || x < left) return;
    c.font = `${1.25 * mark.size * place.ratio}px system-ui, "DejaVu Sans", sans-serif`;
    const widest = Math.max(...lines.map(l => c.measureText(l).width));
    if (mark.inside && widest > Math.abs(place.x(mark.inside[1]) - place.x(mark.inside[0]))) return;
    c.fillStyle = inkOf(mark.colour);
    c.textAlign = mark.ha;
    c.textBaseline = mark.va === 'center' ? 'middle' : 'bottom';
    const up = mark.va === 'center' ? 0.5 * (lines.length - 1) * tall : (lines.length - 1) * tall;
    lines.forEach(
      (l, i) =>
        c.fillText(l, x + 1.3 * mark.shift[0] * place.ratio, y - 1.3 * mark.shift[1] * place.ratio - up + i * tall));
  },
};

function strokeOf(c, mark, place, path) {
  c.beginPath();
  path();
  c.setLineDash((mark.dash ?? []).map(d => d * place.ratio));
  c.strokeStyle = inkOf(mark.colour);
  c.lineWidth = mark.width * place.ratio;
  c.stroke();
  c.setLineDash([]);
}

function drawMarks(u, marks, y) {
  const c = u.ctx, place = placeOf(u, y), {left, top, width, height} = place.box;
  for (const mark of marks) {
    c.save();
    if (mark.kind !== 'text') c.beginPath(), c.rect(left, top, width, height), c.clip();
    DRAW[mark.kind](c, mark, place);
    c.restore();
  }
}

