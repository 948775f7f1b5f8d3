// Domain artifacts: each kind in the form that its room declares.

import { get, room } from '../api/client.js';
import { aside, fill, h, note, strong, tag, visible } from '../dom.js';
import { at, phrase, written } from '../state/forms.js';
import { isTable } from '../state/rows.js';
import { pairs } from './answer.js';
import { drawn } from './chart.js';
import { tableOf } from './table.js';
import { folded, long, treeOf } from './text.js';

/** @typedef {{ title: string, fields: { path: string, label: string, as?: any }[] }} Spec */

/** The kinds that rooms declare. @type {Map<string, Record<string, Spec>>} */
const known = new Map();
/** Rooms that are asked for theirs. @type {Map<string, Promise<unknown>>} */
const asked = new Map();

/** @param {string} world */
function ask(world) {
  const answer = asked.get(world) ?? get(room(world)).then(({ kinds }) => known.set(world, kinds ?? {}), () => asked.delete(world)); // the next artifact asks again
  asked.set(world, answer);
  return answer;
}

class Artifact extends HTMLElement {
  world = '';
  artifact = { kind: '', data: /** @type {any} */ (null) };

  connectedCallback() {
    if (this.firstChild) return;
    this.show();
    if (!known.has(this.world)) ask(this.world).then(() => this.show());
  }

  show() {
    const { world, artifact: { kind, data } } = this;
    const kinds = known.get(world) ?? {};
    const spec = Object.hasOwn(kinds, kind) ? kinds[kind] : null;
    const chart = kind === 'chart' ? drawn(data) : null;
    if (chart instanceof Node) return fill(this, chart);
    fill(this, h('div', { class: 'row' }, h('p', { class: 'heading grow' }, strong(spec?.title ?? phrase(kind))), tag(visible(kind))),
      chart && note(`This chart cannot be drawn. ${chart}`),
      isTable(data) ? tableOf(data) : spec ? [declared(data, spec), folded(aside('All data'), () => treeOf(data))] : treeOf(data));
  }
}

customElements.define('fm-artifact', Artifact);

/** An artifact under its heading. @param {{ kind: string, data: any }} artifact @param {string} world */
export const artifactOf = (artifact, world) => Object.assign(/** @type {Artifact} */ (document.createElement('fm-artifact')), { artifact, world });

/** The fields that are there. @param {any} data @param {Spec} spec */
function declared(data, { fields }) {
  const there = fields.map((field) => ({ ...field, value: at(data, field.path) })).filter(({ value }) => value !== undefined);
  return pairs(there.map(({ label, as, value }) => [label, fieldOf(value, as)]));
}

/** @param {any} value @param {any} form */
function fieldOf(value, form) {
  if (Array.isArray(value) && form?.table) {
    const columns = /** @type {{ path: string, label: string, as: any }[]} */ (form.table);
    return tableOf({ columns: columns.map(({ label }) => label), rows: value.map((row) => columns.map(({ path, as }) => written(at(row, path), as))) });
  }
  if (form !== 'bullets' || !Array.isArray(value)) return long(written(value, form));
  return value.length > 200 ? treeOf(value) : h('ul', { class: 'bullets' }, value.map((item) => h('li', {}, visible(written(item).slice(0, 2000)))));
}
