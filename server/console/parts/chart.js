// A chart drawn as SVG, with its table as another way to read it.

import { fill, h, note, plain, svg, visible } from '../dom.js';
import { chartOf, scale } from '../state/chart.js';
import { tableOf } from './table.js';

/** @typedef {import('../state/chart.js').Chart} Chart */

const HEIGHT = 260;
const BASE = HEIGHT - 48;
const TOP = 26;
// Series differ by shape and dashes, not by colour alone.
const SHAPES = ['M-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0', 'M-3-3h6v6h-6z', 'M0-4L4 3H-4z', 'M0-4.2L4.2 0 0 4.2-4.2 0z', 'M0 4L4-3H-4z', 'M-1.2-4h2.4v8h-2.4zM-4-1.2h8v2.4h-8z'];
const DASHES = ['', '7 4', '2 3', '10 3 2 3', '4 2', '12 4'];
const FORMS = { line: 'Line chart', bar: 'Bar chart', scatter: 'Scatter chart' };

const clip = (/** @type {string} */ text, /** @type {number} */ most) => plain(text.length > most ? `${text.slice(0, most - 1)}…` : text);
const words = (/** @type {number} */ number) => number.toLocaleString(undefined, Math.abs(number) >= 1e5 ? { notation: 'compact', maximumSignificantDigits: 4 } : { maximumSignificantDigits: 6 });
const line = (/** @type {string} */ kind, /** @type {number} */ x1, /** @type {number} */ x2, /** @type {number} */ y1, y2 = y1) => svg('line', { class: kind, x1, x2, y1, y2 });
const colour = (/** @type {number} */ at) => `var(--series-${at + 1})`;
const shape = (/** @type {string} */ d, /** @type {number} */ x, /** @type {number} */ y) => svg('path', { class: 'mark', d, transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})` });

class ChartView extends HTMLElement {
  chart = /** @type {Chart} */ (/** @type {unknown} */ (null));
  width = 0;
  plot = h('div', { class: 'plot' });
  watch = new ResizeObserver(() => requestAnimationFrame(() => this.draw()));

  /** @param {any} data @param {Chart} chart */
  put(data, chart) {
    this.chart = chart;
    const legend = chart.series.map(({ name }, at) => h('span', { class: 'row' }, svg('svg', { color: colour(at), width: 22, height: 12, 'aria-hidden': 'true' },
      chart.form === 'line' ? svg('path', { class: 'stroke', d: 'M0 6h22', 'stroke-dasharray': DASHES[at] }) : shape(chart.form === 'bar' ? 'M-5-5h10v10h-10z' : SHAPES[at], 11, 6)), clip(name, 60)));
    const figure = h('div', {}, this.plot, chart.series.length > 1 && h('div', { class: 'row small legend' }, legend));
    const place = h('div', {}, figure);
    const table = tableOf({ columns: data.columns, rows: data.rows });
    const toggle = h('button', { class: 'quiet', 'aria-pressed': 'false', onclick: () => {
      const isTable = figure.isConnected;
      toggle.setAttribute('aria-pressed', String(isTable));
      fill(place, isTable ? table : figure);
    } }, 'Table');
    fill(this, h('div', { class: 'row' }, h('p', { class: 'heading grow' }, h('strong', {}, clip(chart.title || FORMS[chart.form], 200))), toggle), place, chart.notes.map((one) => note(one)));
  }

  connectedCallback() {
    this.watch.observe(this);
  }

  disconnectedCallback() {
    this.watch.disconnect();
  }

  draw() {
    const { chart, plot } = this;
    const width = Math.floor(plot.clientWidth);
    if (width < 80 || width === this.width) return;
    this.width = width;
    const { form, isNamed, xs, series, labels } = chart;
    const numbers = series.flatMap(({ values }) => values.filter((value) => value !== null));
    const ys = scale(form === 'bar' ? [0, ...numbers] : numbers, 5);
    const left = 16 + 7 * Math.max(...ys.ticks.map((tick) => words(tick).length));
    const room = width - left - 26;
    const isNumber = !isNamed && labels.every((label) => label === String(Number(label)));
    const across = isNumber ? scale(xs, Math.max(2, room / 90)) : isNamed ? { low: -0.5, high: xs.length - 0.5 } : { low: Math.min(...xs), high: Math.max(...xs) + 1 };
    const x = (/** @type {number} */ at) => left + ((at - across.low) / (across.high - across.low)) * room;
    const y = (/** @type {number} */ value) => BASE - ((value - ys.low) / (ys.high - ys.low)) * (BASE - TOP);
    const each = room / xs.length;
    const text = (/** @type {number} */ x, /** @type {number} */ y, /** @type {string} */ anchor, /** @type {string} */ words) => svg('text', { x, y, 'text-anchor': anchor }, words);
    const mark = (/** @type {number} */ at, /** @type {string} */ words) => [line('axis', x(at), x(at), BASE, BASE + 4), text(x(at), BASE + 17, 'middle', words)];
    // Names and times are those of rows, as far apart as their words need.
    let free = -Infinity;
    const marks = 'ticks' in across ? across.ticks.map((tick) => mark(tick, words(tick))) : xs.map((at, row) => {
      const words = clip(labels[row].replace('T', ' '), 16);
      if (x(at) < free || x(at) + 3.5 * words.length > width) return null;
      free = x(at) + 6.5 * words.length + 6;
      return mark(at, words);
    });
    const zero = y(Math.min(Math.max(0, ys.low), ys.high));

    const drawn = series.map(({ values }, number) => {
      const points = (/** @type {(at: number) => boolean} */ wanted) => values.map((value, at) => value !== null && wanted(at) && shape(SHAPES[number], x(xs[at]), y(value)));
      if (form === 'scatter') return points(() => true);
      if (form === 'bar') {
        const wide = Math.min(each * 0.8, 64 * series.length) / series.length;
        return values.map((value, at) => value !== null && svg('rect', {
          class: 'mark', x: x(at) + (number - series.length / 2) * wide, width: Math.max(0.5, wide - 1), y: Math.min(y(value), zero), height: Math.max(1, Math.abs(y(value) - zero)),
        }));
      }
      const isBlank = (/** @type {number} */ at) => values[at] === null || values[at] === undefined;
      const path = values.map((value, at) => (value === null ? '' : `${isBlank(at - 1) ? 'M' : 'L'}${x(xs[at]).toFixed(1)} ${y(value).toFixed(1)}`)).join('');
      // A number between blanks has no line: its point shows it.
      return [svg('path', { class: 'stroke', d: path, 'stroke-dasharray': DASHES[number] }), points((at) => values.length <= 40 || (isBlank(at - 1) && isBlank(at + 1)))];
    });
    fill(plot, svg('svg', { role: 'img', 'aria-label': this.words(), width, height: HEIGHT },
      ys.ticks.map((tick) => [line('grid', left, width - 26, y(tick)), text(left - 6, y(tick) + 4, 'end', words(tick))]),
      marks, line('axis', left, width - 26, zero), text(4, 12, 'start', clip(chart.yTitle, width / 8)), text(left + room / 2, HEIGHT - 8, 'middle', clip(chart.xTitle, room / 8)),
      drawn.map((all, at) => svg('g', { color: colour(at) }, all))));
  }

  /** The chart for who does not see it. */
  words() {
    const { form, title, series, labels, xTitle } = this.chart;
    const names = series.map(({ name, values }) => {
      const numbers = values.filter((value) => value !== null);
      return `${clip(name, 60)} from ${Math.min(...numbers).toLocaleString()} to ${Math.max(...numbers).toLocaleString()}`;
    });
    return `${FORMS[form]}: ${clip(title || xTitle, 200)}. ${names.join('; ')}; over ${clip(labels[0], 60)} to ${clip(labels[labels.length - 1], 60)}. The table has all numbers.`;
  }
}

customElements.define('fm-chart', ChartView);

/** A chart, or why the data is none. @param {any} data */
export function drawn(data) {
  const chart = chartOf(data);
  if (typeof chart === 'string') return chart;
  const element = /** @type {ChartView} */ (document.createElement('fm-chart'));
  element.put(data, chart);
  return element;
}
