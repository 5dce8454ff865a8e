// Numbers as people read them, and where an axis has its marks; as style.py and paper.py have them.
'use strict';

// 0.25, 40000, 2·10⁻⁶
function tick(value, digits = 10) {
  if (value == null || Number.isNaN(value)) return '–';
  const size = Math.abs(value);
  let words = String(+value.toPrecision(digits));
  if (value !== 0 && !(size > 1e-4 && size < 1e5)) {
    let [mantissa, power] = value.toExponential(Math.min(digits - 1, 4)).split('e');
    mantissa = String(+mantissa);
    power = String(+power).replace(/[-\d]/g, c => c === '-' ? '⁻' : '⁰¹²³⁴⁵⁶⁷⁸⁹'[c]);
    words = (mantissa === '1' ? '' : mantissa === '-1' ? '-' : mantissa + '·') + '10' + power;
  }
  return words.replace(/-/g, '−');
}

// Even steps of 1, 2 or 5 times a power of ten, about `count` of them, three at least.
function evenTicks(low, high, count) {
  const power = 10 ** Math.floor(Math.log10((high - low) / count));
  const step = power * ([1, 2, 5, 10].find(s => s * power >= (high - low) / count) ?? 10);
  const found = [];
  for (let n = Math.ceil(low / step - 1e-9); n * step <= high + 1e-9 * step && found.length < 100; ++n)
    found.push(+(n * step).toPrecision(12));
  return found.length > 2 || count > 8 ? found : evenTicks(low, high, count + 1);
}

// Powers of ten; 1, 2 and 5 of each where there are few; even steps below a decade.
function logTicks(low, high, count) {
  if (high < 8 * low) return evenTicks(low, high, count).filter(v => v > 0);
  const first = Math.floor(Math.log10(low)), last = Math.ceil(Math.log10(high)),
        step = Math.ceil((last - first) / count), found = [];
  for (let n = Math.ceil(first / step) * step; n <= last; n += step)
    for (const s of high < 200 * low ? [1, 2, 5] : [1]) found.push(+`${s}e${n}`);
  return found.filter(v => v >= low * (1 - 1e-9) && v <= high * (1 + 1e-9));
}

// Even up to the threshold, powers of ten beyond; none that would touch the one before.
function ticksOf(axis, low, high, count) {
  if (axis.ticks) return axis.ticks.filter(v => v >= low && v <= high);
  if (axis.kind === 'log') return logTicks(low, high, count);
  if (axis.kind !== 'symlog' || high < 2 * axis.threshold) return evenTicks(low, high, count);
  const place = v => Math.asinh(v / axis.threshold), apart = (place(high) - place(low)) / (1.5 * count), found = [];
  for (const v of evenTicks(Math.max(low, 0), axis.threshold, 2).concat(logTicks(10 * axis.threshold, high, count - 2)))
    if (!found.length || place(v) - place(found.at(-1)) >= apart) found.push(v);
  return found;
}

function nameOf(axis, value) {
  const at = axis.names ? axis.ticks.indexOf(value) : -1;
  return at < 0 ? tick(value) : axis.names[at];
}
