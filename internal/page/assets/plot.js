// A plot of curves on a canvas: numbers under the pointer or the arrow keys, a
// range by dragging, the same as a table, as CSV and as PNG.

import { button, download, h, replace, svg } from './dom.js';
import { csv, labels, logTicks, nearest, readings, short, smoothed, table, ticks, titled } from './series.js';

const dashes = [[], [7, 4], [2, 3], [10, 3, 2, 3], [14, 4], [4, 2, 1, 2]]; // as many as there are colours

/**
 * @typedef {{title: string, points: {x: number, y: number, margin?: number}[], color: number, dash?: number}} Curve
 * @typedef {{title: string, about?: string, xTitle: string, curves: Curve[], lines?: {y: number, title: string}[], marks?: {x: number, y: number, text: string}[], wide?: boolean,
 *   format?: (y: number) => string, low?: number, high?: number, range?: [number, number]|null,
 *   onRange?: (range: [number, number]|null) => void, onSeek?: (x: number) => void, at?: number, plain?: boolean, smooth?: number, log?: boolean, zooms?: boolean}} Spec
 *   smooth: the weight of what came before; log: a logarithmic axis, if all values are above 0; zooms: a click makes the plot large
 */

export class Plot {
  /** @param {Spec} spec */
  constructor(spec) {
    this.canvas = h('canvas', { tabIndex: 0, role: 'img' });
    this.legend = h('ul', { class: 'legend' });
    this.tableBox = h('div', { class: 'scroll', tabIndex: 0, role: 'region', hidden: true });
    const small = { class: 'button small' };
    this.largeButton = button(svg('svg', { viewBox: '0 0 20 20', 'aria-hidden': 'true' }, svg('path', { d: 'M12 3h5v5M17 3l-6 6M8 17H3v-5M3 17l6-6' })),
      () => this.enlarge(), { ...small, 'aria-pressed': 'false', title: 'Large' });
    this.tools = h('div', { class: 'tools' }, spec.zooms ? this.largeButton : null,
      this.tableButton = button('Table', () => this.toggleTable(), { ...small, 'aria-pressed': 'false' }),
      button('CSV', () => this.saveCSV(), small), button('PNG', () => this.savePNG(), small));
    this.heading = h('h2');
    this.about = h('p', { class: 'about' });
    this.element = h('figure', { class: 'plot' + (spec.plain ? '' : ' card') + (spec.wide ? ' wide' : '') },
      h('figcaption', {}, h('div', {}, this.heading, this.about), this.tools),
      this.legend, this.canvas, this.tableBox);
    this.hover = null; // x under the pointer
    this.drag = null;
    this.observer = new ResizeObserver(() => this.draw());
    this.redraw = () => this.draw();
    window.addEventListener('theme', this.redraw);
    this.observer.observe(this.canvas);
    this.listen();
    this.update(spec);
  }

  /** enlarge makes the plot as large as the window, or as it was. */
  enlarge() {
    const large = this.element.classList.toggle('large');
    this.largeButton.setAttribute('aria-pressed', String(large));
    this.element.scrollIntoView({ block: 'nearest' });
  }

  close() {
    this.observer.disconnect();
    window.removeEventListener('theme', this.redraw);
  }

  /** update shows other curves. @param {Spec} spec */
  update(spec) {
    this.spec = spec;
    this.format = spec.format || short;
    this.heading.textContent = spec.title;
    this.about.textContent = spec.about || '';
    this.canvas.classList.toggle('zooms', Boolean(spec.zooms));
    this.tableBox.setAttribute('aria-label', `${spec.title}, as a table`);
    for (const b of this.tools.children) b.setAttribute('aria-label', `${b.textContent || b.title} of ${spec.title}`);
    const said = spec.curves.filter((c) => c.points.length).map((c) => {
      const last = c.points[c.points.length - 1];
      return `${c.title} ${this.format(last.y)}${last.margin !== undefined ? ` ± ${this.format(last.margin)}` : ''} at ${spec.xTitle} ${short(last.x)}`;
    });
    this.canvas.setAttribute('aria-label', `${spec.title}. Now: ${said.join('; ') || 'nothing yet'}.`);
    if (!this.tableBox.hidden) this.fillTable();
    this.draw();
  }

  listen() {
    const c = this.canvas;
    const x = (e) => this.xOf(e.clientX - c.getBoundingClientRect().left);
    c.addEventListener('pointermove', (e) => {
      this.hover = x(e);
      if (this.drag) this.drag.to = this.hover;
      this.draw();
    });
    c.addEventListener('pointerleave', () => {
      this.hover = null;
      if (!this.drag) this.draw();
    });
    c.addEventListener('pointerdown', (e) => {
      if (e.button !== 0) return;
      c.setPointerCapture(e.pointerId);
      this.drag = { from: x(e), to: x(e), start: e.clientX };
    });
    c.addEventListener('pointerup', (e) => {
      if (!this.drag) return;
      const d = this.drag;
      this.drag = null;
      if (Math.abs(e.clientX - d.start) > 8 && this.spec.onRange) this.spec.onRange([Math.min(d.from, d.to), Math.max(d.from, d.to)]);
      else if (this.spec.onSeek) this.spec.onSeek(d.to);
      else if (this.spec.zooms && Math.abs(e.clientX - d.start) < 4) this.enlarge();
      this.draw();
    });
    c.addEventListener('pointercancel', () => { this.drag = null; this.draw(); });
    c.addEventListener('dblclick', () => this.spec.onRange && this.spec.onRange(null));
    c.addEventListener('blur', () => { this.hover = null; this.draw(); });
    c.addEventListener('keydown', (e) => {
      const all = [...new Set(this.spec.curves.flatMap((k) => k.points.map((p) => p.x)))].filter((v) => this.inside(v)).sort((a, b) => a - b);
      if (all.length === 0) return;
      const now = this.hover === null ? all.length - 1 : nearest(all.map((v) => ({ x: v })), this.hover);
      const to = { ArrowLeft: now - (this.hover === null ? 0 : 1), ArrowRight: now + 1, Home: 0, End: all.length - 1 }[e.key];
      if (to === undefined) {
        if (e.key === 'Escape' && this.spec.onRange) this.spec.onRange(null);
        if (e.key === 'Enter' && this.spec.onSeek && this.hover !== null) this.spec.onSeek(this.hover);
        return;
      }
      e.preventDefault();
      this.hover = all[Math.max(0, Math.min(all.length - 1, to))];
      this.draw();
    });
  }

  inside(x) {
    return !this.spec.range || (x >= this.spec.range[0] && x <= this.spec.range[1]);
  }

  xOf(px) {
    const s = this.scale;
    return s ? Math.max(s.x0, Math.min(s.x1, s.x0 + (px - s.left) / s.width * (s.x1 - s.x0))) : 0;
  }

  /** measure finds the scales of what is to be drawn. */
  measure(g, width, height) {
    const { curves, lines = [], range } = this.spec;
    const xs = [], ys = [];
    for (const c of curves) {
      for (const p of c.points) {
        if (!range) xs.push(p.x);
        if (this.inside(p.x)) {
          ys.push(p.y);
          if (p.margin !== undefined) ys.push(p.y - Math.min(p.margin, 400), p.y + Math.min(p.margin, 400));
        }
      }
    }
    let [x0, x1] = range || [xs.reduce((a, b) => Math.min(a, b), Infinity), xs.reduce((a, b) => Math.max(a, b), -Infinity)];
    let [y0, y1] = [ys.reduce((a, b) => Math.min(a, b), Infinity), ys.reduce((a, b) => Math.max(a, b), -Infinity)];
    if (!Number.isFinite(x0) || !Number.isFinite(y0)) return null;
    for (const l of lines) { y0 = Math.min(y0, l.y); y1 = Math.max(y1, l.y); }
    const log = Boolean(this.spec.log) && y0 > 0;
    if (log) [y0, y1] = [Math.log10(y0), Math.log10(y1)];
    else if (this.spec.low !== undefined) y0 = this.spec.low;
    if (this.spec.high !== undefined) y1 = log ? Math.log10(this.spec.high) : this.spec.high;
    if (x0 === x1) { x0 -= 1; x1 += 1; }
    if (y0 === y1 && log) { y0 -= 0.1; y1 += 0.1; } else if (y0 === y1) { y0 -= Math.abs(y0) * 0.1 || 1; y1 += Math.abs(y1) * 0.1 || 1; }
    const pad = (y1 - y0) * 0.06;
    if (log || this.spec.low === undefined) y0 -= pad;
    if (this.spec.high === undefined) y1 += pad;
    const [right, top, bottom] = [10, 8, 26];
    const inner = height - top - bottom;
    const yTicks = log ? logTicks(y0, y1, Math.max(2, inner / 45)) : ticks(y0, y1, Math.max(2, inner / 45));
    const yLabels = labels(yTicks, this.format);
    const left = Math.max(34, ...yLabels.map((t) => Math.ceil(g.measureText(t).width) + 12));
    return { x0, x1, y0, y1, log, yTicks, yLabels, left, top, width: width - left - right, height: inner };
  }

  draw() {
    this.fillLegend();
    const canvas = this.canvas;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (!width || !height) return;
    const ratio = window.devicePixelRatio || 1;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    const g = canvas.getContext('2d');
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.clearRect(0, 0, width, height);
    this.paint(g, width, height);
  }

  paint(g, width, height) {
    const style = getComputedStyle(document.documentElement);
    const color = (name) => style.getPropertyValue('--' + name).trim();
    g.font = `12px ${style.getPropertyValue('--sans')}`;
    const s = this.scale = this.measure(g, width, height);
    g.fillStyle = color('muted');
    if (!s) {
      g.fillText('Nothing measured yet', 12, 28);
      return;
    }
    const X = (x) => s.left + (x - s.x0) / (s.x1 - s.x0) * s.width;
    const Y = (y) => s.top + s.height - ((s.log ? Math.log10(Math.max(y, 1e-300)) : y) - s.y0) / (s.y1 - s.y0) * s.height;

    g.lineWidth = 1;
    g.textBaseline = 'middle';
    g.textAlign = 'right';
    for (const [i, t] of s.yTicks.entries()) {
      g.strokeStyle = color('line');
      g.beginPath(); g.moveTo(s.left, Math.round(Y(t)) + 0.5); g.lineTo(s.left + s.width, Math.round(Y(t)) + 0.5); g.stroke();
      g.fillText(s.yLabels[i], s.left - 7, Y(t));
    }
    g.textBaseline = 'alphabetic';
    g.textAlign = 'center';
    const whole = this.spec.curves.every((c) => c.points.every((p) => Number.isInteger(p.x)));
    const xTicks = ticks(s.x0, s.x1, Math.max(2, s.width / 75)).filter((v) => !whole || Number.isInteger(v));
    labels(xTicks, short).forEach((text, i) => g.fillText(text, X(xTicks[i]), s.top + s.height + 17));
    g.textAlign = 'right';

    g.save();
    g.beginPath(); g.rect(s.left, 0, s.width + 6, s.top + s.height + 1); g.clip();
    const lines = (this.spec.lines || []).map((l) => ({ ...l, y: Y(l.y) }));
    for (const l of lines) {
      g.strokeStyle = color('strong-line');
      g.setLineDash([3, 4]);
      g.beginPath(); g.moveTo(s.left, l.y); g.lineTo(s.left + s.width, l.y); g.stroke();
      g.setLineDash([]);
    }
    for (const l of titled(lines, 13)) g.fillText(l.title, s.left + s.width, l.y - 4);
    for (const c of this.spec.curves) {
      const stroke = color('s' + c.color);
      const list = c.points;
      if (list.some((p) => p.margin !== undefined)) {
        g.fillStyle = stroke;
        g.globalAlpha = 0.16;
        g.beginPath();
        list.forEach((p, i) => g[i ? 'lineTo' : 'moveTo'](X(p.x), Y(p.y + (p.margin || 0))));
        for (let i = list.length - 1; i >= 0; i--) g.lineTo(X(list[i].x), Y(list[i].y - (list[i].margin || 0)));
        g.fill();
        g.globalAlpha = 1;
      }
      g.strokeStyle = stroke;
      g.lineWidth = 2;
      g.lineJoin = 'round';
      g.setLineDash(dashes[(c.dash || 0) % dashes.length]);
      const smooth = this.spec.smooth > 0 && list.length > 2;
      for (const [points, alpha] of smooth ? [[list, 0.25], [smoothed(list, this.spec.smooth), 1]] : [[list, 1]]) {
        g.globalAlpha = alpha;
        g.beginPath();
        points.forEach((p, i) => g[i ? 'lineTo' : 'moveTo'](X(p.x), Y(p.y)));
        g.stroke();
      }
      g.setLineDash([]);
      if (list.length < 40 && !smooth) {
        g.fillStyle = stroke;
        for (const p of list) { g.beginPath(); g.arc(X(p.x), Y(p.y), list.length === 1 ? 3.5 : 2, 0, 7); g.fill(); }
      }
    }
    for (const m of this.spec.marks || []) {
      g.fillStyle = color('warn');
      g.beginPath(); g.arc(X(m.x), Y(m.y), 5, 0, 7); g.fill();
      g.textAlign = 'center';
      g.fillText(m.text, Math.min(X(m.x), s.left + s.width - 8), Y(m.y) > 26 ? Y(m.y) - 9 : Y(m.y) + 19);
    }
    g.restore();

    if (this.spec.at !== undefined) {
      g.strokeStyle = color('s2');
      g.lineWidth = 2;
      g.beginPath(); g.moveTo(X(this.spec.at), s.top); g.lineTo(X(this.spec.at), s.top + s.height); g.stroke();
    }
    if (this.drag && this.spec.onRange && Math.abs(X(this.drag.from) - X(this.drag.to)) > 3) {
      g.fillStyle = color('accent');
      g.globalAlpha = 0.15;
      g.fillRect(X(Math.min(this.drag.from, this.drag.to)), s.top, Math.abs(X(this.drag.from) - X(this.drag.to)), s.height);
      g.globalAlpha = 1;
    }
    if (this.hover !== null) {
      g.strokeStyle = color('strong-line');
      g.lineWidth = 1;
      g.beginPath(); g.moveTo(X(this.hover), s.top); g.lineTo(X(this.hover), s.top + s.height); g.stroke();
      for (const c of this.spec.curves) {
        const p = c.points[nearest(c.points, this.hover)];
        if (!p || !this.inside(p.x)) continue;
        g.fillStyle = color('s' + c.color);
        g.strokeStyle = color('surface');
        g.lineWidth = 2;
        g.beginPath(); g.arc(X(p.x), Y(p.y), 5, 0, 7); g.fill(); g.stroke();
      }
    }
  }

  /**
   * fillLegend shows the names, with the numbers at the pointer, at the marked place or at the end.
   * A number from another place than the one that is named says where it is from.
   */
  fillLegend() {
    const { curves, xTitle, plain } = this.spec;
    const shown = curves.map((c) => ({ ...c, points: c.points.filter((p) => this.inside(p.x)) })).filter((c) => c.points.length);
    const { x, found } = readings(shown.map((c) => c.points), this.hover ?? this.spec.at ?? null);
    const items = shown.map((c, i) => {
      const p = found[i];
      const dash = dashes[(c.dash || 0) % dashes.length].join(' ');
      return h('li', {},
        svg('svg', { viewBox: '0 0 26 8', 'aria-hidden': 'true' }, svg('path', { d: 'M1 4H25', class: 'stroke-' + c.color, 'stroke-dasharray': dash })),
        c.title, h('b', {}, this.format(p.y) + (p.margin !== undefined ? ` ± ${this.format(p.margin)}` : '')),
        x !== null && p.x !== x ? ` at ${short(p.x)}` : null);
    });
    if (x !== null && !plain) items.push(h('li', {}, `at ${xTitle} ${short(x)}`));
    replace(this.legend, items);
  }

  rows() {
    return table(this.spec.xTitle, this.spec.curves.map((c) => ({ ...c, points: c.points.filter((p) => this.inside(p.x)) })));
  }

  toggleTable() {
    const shown = this.tableBox.hidden;
    this.tableBox.hidden = !shown;
    this.canvas.hidden = shown;
    this.tableButton.setAttribute('aria-pressed', String(shown));
    if (shown) this.fillTable();
    else this.draw();
  }

  fillTable() {
    const [head, ...rows] = this.rows();
    const names = labels(rows.map(([x]) => x), short);
    replace(this.tableBox, h('table', {},
      h('caption', { class: 'visually-hidden' }, this.spec.title),
      h('thead', {}, h('tr', {}, head.map((t) => h('th', { scope: 'col' }, t)))),
      h('tbody', {}, rows.map((row, n) => h('tr', {}, row.map((v, i) => (i === 0
        ? h('th', { scope: 'row' }, names[n]) : h('td', {}, v === null || v === undefined ? '' : this.format(v)))))))));
  }

  file(ending) {
    return this.spec.title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-').replaceAll(/^-|-$/g, '') + '.' + ending;
  }

  saveCSV() {
    download(this.file('csv'), new Blob([csv(this.rows())], { type: 'text/csv' }));
  }

  /** savePNG draws the plot again, larger, on the page's background and with its title. */
  savePNG() {
    const [width, height, ratio] = [900, 480, 2];
    const canvas = h('canvas', { width: width * ratio, height: height * ratio });
    const g = canvas.getContext('2d');
    const style = getComputedStyle(document.documentElement);
    g.scale(ratio, ratio);
    g.fillStyle = style.getPropertyValue('--surface');
    g.fillRect(0, 0, width, height);
    g.fillStyle = style.getPropertyValue('--ink');
    g.font = `600 18px ${style.getPropertyValue('--serif')}`;
    g.fillText(`${this.spec.title}, by ${this.spec.xTitle}`, 16, 28);
    g.font = `13px ${style.getPropertyValue('--sans')}`;
    let [x, y] = [16, 47];
    for (const c of this.spec.curves) {
      const room = 50 + g.measureText(c.title).width;
      if (x > 16 && x + room > width) [x, y] = [16, y + 20];
      g.strokeStyle = style.getPropertyValue('--s' + c.color);
      g.lineWidth = 2;
      g.setLineDash(dashes[(c.dash || 0) % dashes.length]);
      g.beginPath(); g.moveTo(x, y); g.lineTo(x + 26, y); g.stroke();
      g.fillText(c.title, x + 32, y + 4);
      x += room;
    }
    g.setLineDash([]);
    const top = y + 17;
    g.translate(0, top);
    const scale = this.scale;
    this.paint(g, width, height - top);
    this.scale = scale;
    canvas.toBlob((blob) => blob && download(this.file('png'), blob));
  }
}
