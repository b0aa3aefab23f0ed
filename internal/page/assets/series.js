// The series of runs: rows by step, columns by name.

/**
 * @typedef {{name: string, verdict: string, mixed?: boolean, steps: number[], times: number[], values: Record<string, (number|null)[]>}} Columns
 */

/** merge lays the rows of newer, which continues older, over those of older. @returns {Columns} */
export function merge(older, newer) {
  const n = older.steps.indexOf(newer.steps[0]);
  const values = {};
  for (const name of new Set([...Object.keys(older.values), ...Object.keys(newer.values)])) {
    values[name] = [
      ...(older.values[name] || new Array(older.steps.length).fill(null)).slice(0, n),
      ...(newer.values[name] || new Array(newer.steps.length).fill(null)),
    ];
  }
  return { ...older, ...pick(newer), steps: [...older.steps.slice(0, n), ...newer.steps], times: [...older.times.slice(0, n), ...newer.times], values };
}

/**
 * continues says whether newer begins with a row of older. If not, it is of another run, which trains at the same
 * address by now, or of a run that was resumed.
 */
export function continues(older, newer) {
  const row = older.steps.indexOf(newer.steps[0]);
  return row >= 0 && older.times[row] === newer.times[0];
}

const pick = ({ name, verdict, ratings, mixed }) => ({ name, verdict, ratings, mixed });

/** together returns a function that calls f once, the given milliseconds later, for all its calls until then. */
export function together(f, wait) {
  let timer;
  return () => {
    timer ||= setTimeout(() => {
      timer = undefined;
      f();
    }, wait);
  };
}

/** Axes are what the curves can be drawn over. */
export const axes = [
  { id: 'generation', title: 'generation', column: null, scale: 1 },
  { id: 'games', title: 'games', column: 'total/games', scale: 1 },
  { id: 'samples', title: 'samples', column: 'total/samples', scale: 1 },
  { id: 'hours', title: 'hours', column: 'total/minutes', scale: 1 / 60 },
];

/** positions returns where the rows lie on an axis. Rows without a value lie where the one before them does. */
export function positions(columns, axis) {
  if (!axis.column) return columns.steps;
  const column = columns.values[axis.column];
  if (!column) return columns.steps.map(() => null);
  let last = 0;
  return column.map((v) => {
    if (v !== null) last = v * axis.scale;
    return last;
  });
}

/** points returns the points of a name, without the rows that lack it. */
export function points(columns, name, xs, missing = null) {
  const column = columns.values[name];
  const list = [];
  if (!column) return list;
  column.forEach((v, i) => {
    const y = v === null ? missing && missing(i) : v;
    if (y !== null && y !== undefined && xs[i] !== null) list.push({ x: xs[i], y, row: i });
  });
  return list;
}

/**
 * smoothed returns points whose y is a moving average: of each y its share is 1 - weight, and that
 * of those before it the rest. It begins with the first y, not with 0.
 */
export function smoothed(list, weight) {
  let [sum, of] = [0, 0];
  return list.map((p) => {
    sum = weight * sum + p.y;
    of = weight * of + 1;
    return { ...p, y: sum / of, margin: undefined };
  });
}

/** logTicks returns round numbers for a logarithmic axis between two powers of ten. */
export function logTicks(low, high, n) {
  const list = [];
  const every = high - low > n ? [1] : high - low > n / 3 ? [1, 3] : [1, 2, 5];
  for (let power = Math.floor(low); power <= Math.ceil(high); power++) {
    for (const m of every) {
      const v = Math.log10(m) + power;
      if (v >= low && v <= high) list.push(m * 10 ** power);
    }
  }
  return list.length > 1 ? list : ticks(10 ** low, 10 ** high, n);
}

/** csv writes rows of cells. A text that has a comma, a quote or a line's end is quoted. */
export function csv(rows) {
  return rows.map((row) => row.map((cell) => {
    const text = cell === null || cell === undefined ? '' : String(cell);
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  }).join(',')).join('\r\n') + '\r\n';
}

/** table lays curves side by side: one row for every x. */
export function table(xTitle, curves) {
  const xs = [...new Set(curves.flatMap((c) => c.points.map((p) => p.x)))].sort((a, b) => a - b);
  const byX = curves.map((c) => new Map(c.points.map((p) => [p.x, p])));
  const wide = curves.map((c) => c.points.some((p) => p.margin !== undefined));
  const head = [xTitle];
  curves.forEach((c, i) => head.push(c.title, ...(wide[i] ? [`${c.title} ±`] : [])));
  const rows = xs.map((x) => {
    const row = [x];
    curves.forEach((_, i) => {
      const p = byX[i].get(x);
      row.push(p ? p.y : null);
      if (wide[i]) row.push(p ? p.margin : null);
    });
    return row;
  });
  return [head, ...rows];
}

/** ticks returns round numbers that divide an interval, about n of them. */
export function ticks(low, high, n) {
  const span = high - low;
  if (!(span > 0)) return [low];
  const rough = span / n;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((m) => m * power >= rough * 0.999) || 10);
  const list = [];
  for (let v = Math.ceil(low / step - 1e-9) * step; v <= high + step * 1e-9; v += step) list.push(Math.abs(v) < step * 1e-9 ? 0 : v);
  return list;
}

/** titled returns the titles of lines at heights in pixels. Titles within a text's height of each other become one. */
export function titled(lines, textHeight) {
  const list = [];
  for (const l of [...lines].sort((a, b) => a.y - b.y)) {
    const last = list.at(-1);
    if (last && l.y - last.y < textHeight) last.title += `, ${l.title}`;
    else list.push({ y: l.y, title: l.title });
  }
  return list;
}

/** labels writes rising numbers with as many digits as tell them apart. */
export function labels(list, format) {
  const texts = list.map(format);
  if (new Set(texts).size === texts.length || list.length < 2) return texts;
  const gap = list.slice(1).reduce((least, t, i) => Math.min(least, t - list[i]), Infinity);
  const digits = Math.min(9, Math.max(0, Math.ceil(-Math.log10(gap) - 1e-6)));
  return list.map((t) => t.toFixed(digits));
}

/** short writes a number for an axis or a legend. */
export function short(v) {
  const a = Math.abs(v);
  if (v === 0) return '0';
  if (a >= 1e6) return trim(v / 1e6, 2) + 'M';
  if (a >= 1e4) return trim(v / 1e3, 1) + 'k';
  if (a >= 100) return v.toFixed(0);
  if (a >= 10) return trim(v, 1);
  if (a >= 1) return trim(v, 2);
  return trim(v, a < 0.01 ? 5 : 3);
}

const trim = (v, digits) => String(Number(v.toFixed(digits)));

/** nearest returns the index of the point whose x is nearest, or -1. Points are in order of x. */
export function nearest(list, x) {
  if (list.length === 0) return -1;
  let [low, high] = [0, list.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle].x < x) low = middle + 1;
    else high = middle;
  }
  return low > 0 && x - list[low - 1].x <= list[low].x - x ? low - 1 : low;
}

/**
 * readings returns the point of each list that is nearest to a place, and the x of the nearest
 * of them all: not every list has a point there. Without a place they are the last points.
 */
export function readings(lists, here) {
  if (here === null) return { x: null, found: lists.map((list) => list[list.length - 1]) };
  const found = lists.map((list) => list[nearest(list, here)]);
  const first = [...found].sort((a, b) => Math.abs(a.x - here) - Math.abs(b.x - here))[0];
  return { x: first ? first.x : null, found };
}
