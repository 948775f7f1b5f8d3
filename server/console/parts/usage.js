// The usage of models and its cost, now and over time.

import { aside, h, visible } from '../dom.js';
import { get, room } from '../api/client.js';
import { drawn } from './chart.js';
import { Answer, event, grid, number, section } from './answer.js';

const MOMENTS = 12;
const LINES = 6;

/** The measures that a chart may show: `[name, of a row]`. @type {[string, (row: any) => number][]} */
const MEASURES = [
  ['Tokens', ({ tokens }) => tokens.input + tokens.output],
  ['Calls', ({ calls }) => calls],
  ['Cost', ({ spent }) => Number(spent.settled)],
];

class Usage extends Answer {
  /** @type {string | null} */
  measure = null;
  key = '';
  /** @type {{ at: number, usage: any[] }[]} */
  moments = [];

  /** @param {any} about @param {AbortSignal} signal */
  async ask({ world, at }, signal) {
    const [{ usage }, { head }] = await Promise.all([get(room(world, `/usage?at=${at}`), { signal }), get(room(world), { signal })]);
    await this.sample(world, head, signal);
    return h('div', { class: 'stack parts' }, h('p', {}, 'Up to event ', event(world, at)), table(usage), open(usage.at(-1)), this.chart());
  }

  /** Asks for the usage at some moments of the whole log: once for each length of it. @param {string} world @param {number} head @param {AbortSignal} signal */
  async sample(world, head, signal) {
    const key = `${world} ${head}`;
    if (this.key === key) return;
    const count = Math.min(MOMENTS, head);
    const places = [...Array(count)].map((_, n) => Math.max(1, Math.round((head * (n + 1)) / count)));
    const moments = [];
    for (const at of places) moments.push({ at, usage: (await get(room(world, `/usage?at=${at}`), { signal })).usage });
    [this.key, this.moments] = [key, moments];
  }

  chart() {
    const last = this.moments.at(-1)?.usage ?? [];
    const measures = MEASURES.filter(([, of]) => last.length > 0 && of(last.at(-1)) > 0);
    if (measures.length === 0) return null;
    const [name, of] = measures.find(([name]) => name === this.measure) ?? measures[0];
    const lines = last.slice(0, -1).toSorted((/** @type {any} */ a, /** @type {any} */ b) => of(b) - of(a)).slice(0, LINES);
    const titles = lines.map((/** @type {any} */ line) => (line.of === 'pair' ? `${line.agent} · ${line.model}` : 'others'));
    const valueOf = (/** @type {any[]} */ usage, /** @type {any} */ line) => {
      const row = usage.find((one) => one.of === line.of && one.agent === line.agent && one.model === line.model);
      return row ? of(row) : 0;
    };
    const rows = this.moments.map(({ at, usage }) => [at, ...lines.map((line) => valueOf(usage, line))]);
    const choice = h('select', { 'aria-label': 'Measure', onchange: () => { this.measure = choice.value; this.run(); } }, measures.map(([one]) => h('option', { selected: one === name }, one)));
    return section('Over time', h('div', { class: 'row' }, choice, aside('all of it up to each event')),
      drawn({ form: 'line', title: name, columns: ['Event', ...titles], rows: [[0, ...lines.map(() => 0)], ...rows], axes: { x: 'Event', y: titles } }));
  }
}

/** @param {any[]} usage */
function table(usage) {
  const rows = usage.map((row) => [row.of === 'pair' ? visible(row.agent) : h('strong', {}, row.of === 'others' ? 'Others' : 'All'), visible(row.model ?? ''),
    number(row.calls), visible(cost(row)), number(row.tokens.input), number(row.tokens.cached), number(row.tokens.output), number(row.failed + row.lost)]);
  return grid('Usage', ['Agent', 'Model', 'Calls', 'Cost', 'Input', 'of it cached', 'Output', 'Failed or lost'], rows, [null, null, ...Array(6).fill('end')]);
}

/** The known cost: a model without a price has one too, and nobody knows it. @param {any} row */
const cost = ({ unpriced, spent }) => (unpriced === 0 ? spent.settled : Number(spent.settled) === 0 ? 'unknown' : `${spent.settled} + unknown`);

/** All that the numbers leave open. @param {any} all */
const open = (all) => h('ul', { class: 'muted small' },
  all.unpriced > 0 && h('li', {}, `No price is given for the models of ${number(all.unpriced)} attempts: their cost is unknown.`),
  all.uncounted > 0 && h('li', {}, `Nobody counted the tokens of ${number(all.uncounted)} attempts: they may have cost ${Number(all.spent.possible) > 0 ? `up to ${all.spent.possible}` : 'something'}.`),
  Number(all.spent.reserved) > 0 && h('li', {}, `Attempts under way may cost up to ${all.spent.reserved}.`),
  all.limit && h('li', {}, `The limit of cost is ${all.limit}.`));

customElements.define('fm-usage', Usage);
