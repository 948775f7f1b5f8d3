// A chart's data without a page: what is drawn, and the scales of its axes.

import { isNumeric, isTable, numberOf, textOf } from './rows.js';

/**
 * @typedef {object} Chart
 * @property {'line' | 'bar' | 'scatter'} form
 * @property {string} title
 * @property {string} xTitle
 * @property {string} yTitle
 * @property {boolean} isNamed the places have names, and no size
 * @property {number[]} xs the places: numbers, milliseconds, or a count from 0
 * @property {string[]} labels the places in words
 * @property {{ name: string, values: (number | null)[] }[]} series a value for each place
 * @property {string[]} notes what is not drawn, and why
 */

const POINTS_MAX = 2000;
const SERIES_MAX = 6;
const BARS_MAX = 120;
const DATE = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

/** The place of a cell on an axis with a size. @param {any} cell */
const sizeOf = (cell) => (typeof cell === 'number' ? cell : typeof cell === 'string' && DATE.test(cell) ? Date.parse(cell) : NaN);

/** The chart in the data, or why there is none. @param {any} data @returns {Chart | string} */
export function chartOf(data) {
  if (!isTable(data)) return 'Its columns and rows are no table.';
  const { form, title } = /** @type {any} */ (data);
  const axes = /** @type {any} */ (data).axes ?? {};
  if (!['line', 'bar', 'scatter'].includes(form)) return 'Its form must be line, bar or scatter.';
  const place = (/** @type {any} */ name) => data.columns.indexOf(name);
  const x = axes.x === undefined ? 0 : place(axes.x);
  const wanted = [axes.y ?? data.columns.filter((_, at) => at !== x && isNumeric(data.rows, at))].flat();
  if (x < 0 || wanted.some((name) => place(name) < 0)) return 'A column of its axes is not there.';
  if (wanted.length === 0) return 'No column has numbers alone.';
  const names = wanted.slice(0, SERIES_MAX);
  const count = (/** @type {number} */ number) => number.toLocaleString();
  const notes = wanted.length > SERIES_MAX ? [`The first ${SERIES_MAX} of ${count(wanted.length)} columns are drawn.`] : [];

  const isNamed = form === 'bar' || data.rows.some((row) => Number.isNaN(sizeOf(row[x])));
  let rows = form === 'line' && !isNamed ? data.rows.toSorted((a, b) => sizeOf(a[x]) - sizeOf(b[x])) : data.rows;
  const step = Math.ceil(rows.length / Math.floor(POINTS_MAX / names.length));
  if (form === 'bar' && rows.length > BARS_MAX) {
    notes.push(`The first ${BARS_MAX} of ${count(rows.length)} rows are drawn.`);
    rows = rows.slice(0, BARS_MAX);
  } else if (step > 1) {
    notes.push(`One of ${count(step)} rows is drawn, of ${count(rows.length)}: a chart has at most ${count(POINTS_MAX)} points.`);
    rows = rows.filter((_, at) => at % step === 0);
  }
  const series = names.map((name) => ({ name, values: rows.map((row) => numberOf(row[place(name)])) }));
  const cells = names.flatMap((name) => rows.map((row) => row[place(name)]));
  const others = cells.filter((cell) => textOf(cell) !== '' && numberOf(cell) === null).length;
  if (others > 0) notes.push(`${count(others)} values are no numbers, and are left out.`);
  const numbers = series.flatMap(({ values }) => values.filter((value) => value !== null));
  const xs = rows.map((row, at) => (isNamed ? at : sizeOf(row[x])));
  if (numbers.length === 0) return 'It has no numbers.';
  if ([...xs, ...numbers].some((number) => !(Math.abs(number) < 1e300))) return 'A number is too large to draw.';
  const words = (/** @type {any} */ text, /** @type {string} */ other) => (typeof text === 'string' && text !== '' ? text : other);
  return {
    form, isNamed, xs, series, notes, labels: rows.map((row) => textOf(row[x])), title: words(title, ''),
    xTitle: words(axes.x_title, data.columns[x]), yTitle: words(axes.y_title, names.length === 1 ? names[0] : ''),
  };
}

/** A scale over the numbers, with round marks. @param {number[]} numbers @param {number} wanted marks */
export function scale(numbers, wanted) {
  let low = numbers.reduce((a, b) => Math.min(a, b));
  let high = numbers.reduce((a, b) => Math.max(a, b));
  if (low === high) [low, high] = low === 0 ? [0, 1] : [low - Math.abs(low) / 2, high + Math.abs(high) / 2];
  const power = 10 ** Math.floor(Math.log10((high - low) / wanted));
  const step = power * ([1, 2, 2.5, 5].find((times) => times * power >= ((high - low) / wanted) * 0.999) ?? 10);
  const first = Math.floor(low / step + 1e-9);
  const last = Math.ceil(high / step - 1e-9);
  const ticks = last - first < 100 ? Array.from({ length: last - first + 1 }, (_, at) => Number(((first + at) * step).toPrecision(15))) : [];
  // Numbers that differ in their last digits alone have no round marks around them.
  if (!(ticks[0] <= low && ticks[ticks.length - 1] >= high)) ticks.splice(0, Infinity, low, high);
  return { low: ticks[0], high: ticks[ticks.length - 1], ticks };
}
