// Pictures of fields: cells of a grid or of a mesh, each one colour, with isolines, streamlines and a bar. place.x(v),
// place.y(v) bring coordinates to pixels of the canvas, place.box holds the frame in pixels.
'use strict';

const [NO_VALUE] = new Uint32Array(new Uint8Array([201, 206, 211, 255]).buffer), meshes = {};

// 256 colours, as the pixels of an image have them, from those at even distances that "rrggbb..." names.
function colourTable(map) {
  const points = map.match(/.{6}/g).map(c => [0, 2, 4].map(k => parseInt(c.slice(k, k + 2), 16))),
        table = new Uint8ClampedArray(4 * 256).fill(255);
  for (let i = 0; i < 256; ++i) {
    const at = i / 255 * (points.length - 1), first = Math.min(Math.floor(at), points.length - 2);
    for (let k = 0; k < 3; ++k)
      table[4 * i + k] = Math.round(points[first][k] + (at - first) * (points[first + 1][k] - points[first][k]));
  }
  return new Uint32Array(table.buffer);
}

// value -> its pixel.
function shader(mark) {
  const table = mark.table ??= colourTable(mark.map), scale = 256 / (mark.high - mark.low);
  return v => Number.isNaN(v) ? NO_VALUE : table[Math.max(0, Math.min(255, Math.floor(scale * (v - mark.low))))];
}

// The cell of each pixel along an axis; -1 outside.
function cellsAlong(faces, from, count, valueAt) {
  const found = new Int32Array(count).fill(-1);
  for (let i = 0; i < count; ++i) {
    const v = valueAt(from + i + 0.5);
    if (v < faces[0] || v > faces[faces.length - 1]) continue;
    let a = 0, b = faces.length - 1;
    while (b - a > 1) faces[(a + b) >> 1] <= v ? a = (a + b) >> 1 : b = (a + b) >> 1;
    found[i] = a;
  }
  return found;
}

function drawCells(c, mark, place) {
  const {left, top, width, height} = place.box, shade = shader(mark);
  const columns = cellsAlong(mark.x, left, width, place.xOf), rows = cellsAlong(mark.y, top, height, place.yOf);
  const image = c.createImageData(width, height), pixels = new Uint32Array(image.data.buffer), wide = mark.x.length - 1;
  for (let j = 0; j < height; ++j)
    for (let i = 0; i < width; ++i)
      if (rows[j] >= 0 && columns[i] >= 0) pixels[j * width + i] = shade(mark.values[rows[j] * wide + columns[i]]);
  c.putImageData(image, left, top);
  if (!mark.levels) return;
  const x = middles(mark.x), y = middles(mark.y), v = mark.values, n = x.length;
  c.beginPath();
  for (let j = 0; j + 1 < y.length; ++j)
    for (let i = 0; i + 1 < n; ++i) {
      const a = j * n + i;
      isolines(
        c, place, mark.levels, [x[i], y[j], v[a]], [x[i + 1], y[j], v[a + 1]], [x[i + 1], y[j + 1], v[a + n + 1]]);
      isolines(
        c, place, mark.levels, [x[i], y[j], v[a]], [x[i + 1], y[j + 1], v[a + n + 1]], [x[i], y[j + 1], v[a + n]]);
    }
  ink(c, place, 0.5, 0.5);
}

const middles = faces => Array.from({length: faces.length - 1}, (_, i) => 0.5 * (faces[i] + faces[i + 1]));

function ink(c, place, width, alpha) {
  c.lineWidth = width * place.ratio;
  c.strokeStyle = `rgba(0, 0, 0, ${alpha})`;
  c.stroke();
}

// Adds the lines of a triangle with corners [x, y, value] to the path.
function isolines(c, place, levels, p, q, r) {
  const low = Math.min(p[2], q[2], r[2]), high = Math.max(p[2], q[2], r[2]);
  if (!(high > low)) return;  // nor where a value is missing
  for (const level of levels) {
    if (level < low || level >= high) continue;
    let is_first = true;
    for (const [a, b] of [[p, q], [q, r], [r, p]]) {
      if ((a[2] <= level) === (b[2] <= level)) continue;
      const part = (level - a[2]) / (b[2] - a[2]), x = place.x(a[0] + part * (b[0] - a[0])),
            y = place.y(a[1] + part * (b[1] - a[1]));
      is_first ? c.moveTo(x, y) : c.lineTo(x, y);
      is_first = false;
    }
  }
}

// A pixel shows the cell that its middle lies in.
function drawMesh(c, mark, place) {
  const {nodes, corners} = meshOf(mark), {left, top, width, height} = place.box, shade = shader(mark), shown = [],
                thick = [];
  const px = new Float64Array(nodes.length / 2), py = new Float64Array(nodes.length / 2);
  for (let n = 0; n < px.length; ++n) px[n] = place.x(nodes[2 * n]) - left, py[n] = place.y(nodes[2 * n + 1]) - top;
  const image = c.createImageData(width, height), pixels = new Uint32Array(image.data.buffer);
  mark.cells = new Int32Array(width * height).fill(-1);
  for (let cell = 0; cell < corners.length / 4; ++cell) {
    const [p, q, r, s] = [corners[4 * cell], corners[4 * cell + 1], corners[4 * cell + 2], corners[4 * cell + 3]];
    const y0 = Math.min(py[p], py[q], py[r], py[s]), y1 = Math.max(py[p], py[q], py[r], py[s]);
    const x0 = Math.min(px[p], px[q], px[r], px[s]), x1 = Math.max(px[p], px[q], px[r], px[s]);
    if (x1 < 0 || x0 > width || y1 < 0 || y0 > height) continue;
    shown.push(cell);
    if (
      mark.edges &&
      Math.abs((px[r] - px[p]) * (py[s] - py[q]) - (px[s] - px[q]) * (py[r] - py[p])) >
        3.5 * place.ratio * Math.hypot(x1 - x0, y1 - y0))
      thick.push(cell);  // its edges can be seen
    const pixel = shade(mark.values[cell]);
    for (let j = Math.max(0, Math.ceil(y0 - 0.5)); j < height && j + 0.5 <= y1; ++j) {
      let from = Infinity, to = -Infinity;
      for (let k = 0, y = j + 0.5; k < 4; ++k) {
        const a = corners[4 * cell + k], b = corners[4 * cell + (k + 1) % 4];
        if ((py[a] <= y) === (py[b] <= y)) continue;
        const x = px[a] + (y - py[a]) / (py[b] - py[a]) * (px[b] - px[a]);
        from = Math.min(from, x), to = Math.max(to, x);
      }
      for (let i = Math.max(0, Math.ceil(from - 0.5)); i < width && i + 0.5 <= to; ++i)
        pixels[j * width + i] = pixel, mark.cells[j * width + i] = cell;
    }
  }
  c.putImageData(image, left, top);
  for (let first = 0; first < thick.length; first += 500) {  // one path of all takes far longer
    c.beginPath();
    for (const cell of thick.slice(first, first + 500)) {
      for (let k = 0; k < 4; ++k)
        c[k ? 'lineTo' : 'moveTo'](left + px[corners[4 * cell + k]], top + py[corners[4 * cell + k]]);
      c.closePath();
    }
    ink(c, place, 0.4, 0.5);
  }
  if (!mark.levels) return;
  const at = mark.at_nodes ??= nodeValues(nodes, corners, mark.values),
        point = n => [nodes[2 * n], nodes[2 * n + 1], at[n]];
  c.beginPath();
  for (const cell of shown) {
    const [p, q, r, s] = corners.subarray(4 * cell, 4 * cell + 4);
    if (mark.levels.every(
          level => (at[p] <= level) === (at[q] <= level) && (at[q] <= level) === (at[r] <= level) &&
            (at[r] <= level) === (at[s] <= level)))
      continue;
    isolines(c, place, mark.levels, point(p), point(q), point(r));
    if (s !== r) isolines(c, place, mark.levels, point(p), point(r), point(s));
  }
  ink(c, place, 0.5, 0.6);
}

// The first figure of some cells brings them.
const meshOf = mark => mark.nodes ? meshes[mark.mesh] = mark : meshes[mark.mesh];

// The mean of the cells around each node.
function nodeValues(nodes, corners, values) {
  const total = new Float64Array(nodes.length / 2), count = new Float64Array(nodes.length / 2);
  corners.forEach((n, i) => {
    if (i % 4 === 3 && n === corners[i - 1]) return;
    total[n] += values[i >> 2];
    ++count[n];
  });
  return total.map((v, n) => v / count[n]);
}

// The value of a picture at a point of the frame, x to the right and y down from its corner in pixels of the canvas;
// NaN: none.
function valueAt(mark, place, x, y) {
  if (mark.kind === 'mesh') return mark.values[mark.cells[Math.floor(y) * place.box.width + Math.floor(x)]] ?? NaN;
  const [i] = cellsAlong(mark.x, place.box.left + x - 0.5, 1, place.xOf),
        [j] = cellsAlong(mark.y, place.box.top + y - 0.5, 1, place.yOf);
  return i < 0 || j < 0 ? NaN : mark.values[j * (mark.x.length - 1) + i];
}

// Streamlines of about even distance in the frame: each starts in a free square of a raster, marks the squares that it
// passes, and ends where it meets a taken one (as matplotlib's).
function drawStream(c, mark, place) {
  const {left, top, width, height} = place.box, [x0, x1, y0, y1] = mark.box, [nx, ny] = mark.size;
  const across = 30, down = Math.max(8, Math.min(60, Math.round(30 * height / width))), square = width / across;
  const taken = new Int32Array(across * down), step = 0.25 * square;
  // Direction in pixels at a pixel; null at rest or outside.
  const flow = (px, py) => {
    const a = (place.xOf(px) - x0) / (x1 - x0) * (nx - 1), b = (place.yOf(py) - y0) / (y1 - y0) * (ny - 1);
    if (!(a >= 0 && b >= 0 && a <= nx - 1 && b <= ny - 1)) return null;
    const i = Math.min(Math.floor(a), nx - 2), j = Math.min(Math.floor(b), ny - 2), s = a - i, t = b - j,
          at = j * nx + i;
    const mean = f => (1 - t) * ((1 - s) * f[at] + s * f[at + 1]) + t * ((1 - s) * f[at + nx] + s * f[at + nx + 1]);
    const u = mean(mark.u) * place.perX, v = mean(mark.v) * place.perY, size = Math.hypot(u, v);
    return size > 0 ? [u / size, v / size] : null;
  };
  const squareOf = (px, py) => {
    const i = Math.floor((px - left) / square), j = Math.floor((py - top) / height * down);
    return i < 0 || j < 0 || i >= across || j >= down ? -1 : j * across + i;
  };
  const half = (px, py, sign, id) => {
    const line = [];
    let last = squareOf(px, py);
    for (let n = 0; n < 800; ++n) {
      const first = flow(px, py),
            middle = first && flow(px + 0.5 * sign * step * first[0], py + 0.5 * sign * step * first[1]);
      if (!middle) break;
      px += sign * step * middle[0], py += sign * step * middle[1];
      const at = squareOf(px, py);
      if (at < 0 || (at !== last && taken[at])) break;  // itself included: a spiral ends
      taken[last = at] = id;
      line.push([px, py]);
    }
    return line;
  };
  c.strokeStyle = c.fillStyle = 'rgba(255, 255, 255, 0.75)';
  c.lineWidth = 0.9 * place.ratio;
  const seeds = [...taken.keys()].sort((a, b) => edge(a) - edge(b));
  function edge(at) {
    return Math.min(at % across, across - 1 - at % across, Math.floor(at / across), down - 1 - Math.floor(at / across));
  }
  seeds.forEach((at, n) => {
    if (taken[at]) return;
    const px = left + (at % across + 0.5) * square, py = top + (Math.floor(at / across) + 0.5) * height / down,
          before = taken.slice();
    taken[at] = n + 1;
    const line = half(px, py, -1, n + 1).reverse().concat([[px, py]], half(px, py, 1, n + 1));
    if (line.length * step < 0.1 * width) return taken.set(before);
    c.beginPath();
    line.forEach(([a, b], k) => k ? c.lineTo(a, b) : c.moveTo(a, b));
    c.stroke();
    const k = line.length >> 1, [a, b] = line[k], [p, q] = line[Math.max(k - 2, 0)],
          size = 4 * place.ratio / (Math.hypot(a - p, b - q) || 1);
    const u = (a - p) * size, v = (b - q) * size;
    c.beginPath();
    c.moveTo(a + u, b + v);
    c.lineTo(a - u - 0.7 * v, b - v + 0.7 * u);
    c.lineTo(a - u + 0.7 * v, b - v - 0.7 * u);
    c.fill();
  });
}

// The bar below a picture; pointed where values lie beyond its ends.
function colourBar(bar) {
  const root = document.createElement('div'), canvas = root.appendChild(document.createElement('canvas')),
        c = canvas.getContext('2d');
  root.className = 'bar';
  canvas.width = 512;
  canvas.height = 12;
  const colours = colourTable(bar.map), image = c.createImageData(512, 12);
  new Uint32Array(image.data.buffer).forEach((_, i, pixels) => { pixels[i] = colours[(i % 512) >> 1]; });
  c.putImageData(image, 0, 0);
  c.fillStyle = '#fff';
  bar.beyond.forEach((is_beyond, end) => is_beyond && [0, 8].forEach(y => {
    c.beginPath();
    c.moveTo(end ? 512 : 0, y ? 12 : 0);
    c.lineTo(end ? 498 : 14, y ? 12 : 0);
    c.lineTo(end ? 512 : 0, 6);
    c.fill();
  }));
  const marks = root.appendChild(document.createElement('div')), axis = {kind: 'linear', ...bar};
  for (const v of ticksOf(axis, bar.low, bar.high, 6)) {
    const label = marks.appendChild(document.createElement('span'));
    label.textContent = nameOf(axis, v);
    label.style.left = 100 * (v - bar.low) / (bar.high - bar.low) + '%';
  }
  root.appendChild(document.createElement('p')).textContent = bar.label;
  return root;
}
