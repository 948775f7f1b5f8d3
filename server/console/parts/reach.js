// Constraints on the arguments of calls to come: which values may stand at which place.

import { fill, h, note, plain } from '../dom.js';
import { FAULT, fieldOf, several } from './schema-form.js';

const WAYS = /** @type {Record<string, string>} */ ({ one_of: 'is one of', equals: 'is exactly', prefix: 'begins with', beneath: 'lies in the folder', range: 'is from … to …' });
const MAX = 16;

/** The places of a document, as JSON pointers, with what stands there. @param {any} value @param {string} [path] @param {[string, any][]} [found] */
export function places(value, path = '', found = []) {
  if (path !== '') found.push([path, value]);
  if (typeof value !== 'object' || value === null || found.length > 500) return found;
  for (const [name, one] of Object.entries(value)) places(one, `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, found);
  return found;
}

/** @param {any} value */
function waysOf(value) {
  if (typeof value === 'string') return ['one_of', 'prefix', 'beneath'];
  if (typeof value === 'number') return ['range', 'one_of'];
  return Array.isArray(value) ? ['prefix', 'equals'] : ['equals', 'one_of'];
}

/** A list of constraints to be edited. @param {any} document @returns {import('./schema-form.js').Field} */
export function reachForm(document) {
  const all = new Map(places(document));
  if (all.size === 0) return { element: note('There are no arguments that could differ.'), read: () => FAULT };
  const paths = [...all.keys()];
  const { add, elements, read } = several('place', (path) => row(all, path), (count) => paths[count] ?? paths[0], Math.min(all.size, MAX));
  add(paths[0]);
  return { element: h('div', { class: 'stack' }, elements), read };
}

/** The field for what may stand in the place of `value`. @param {string} way @param {any} value */
function fieldFor(way, value) {
  const schema = { type: typeof value };
  if (way === 'one_of') return fieldOf('Value', { type: 'array', items: schema }, [value]);
  if (way === 'range') return fieldOf('Range', { type: 'object', properties: { min: schema, max: schema } }, { min: value, max: value });
  return fieldOf('Value', schema, value);
}

/** @param {Map<string, any>} all @param {string} first @returns {import('./schema-form.js').Field} */
function row(all, first) {
  const place = h('select', { 'aria-label': 'Place', onchange: () => choose() }, [...all.keys()].map((path) => h('option', { value: path, selected: path === first }, plain(path))));
  const way = h('select', { 'aria-label': 'Allowed there', onchange: () => show() });
  const box = h('div', { class: 'values' });
  /** @type {import('./schema-form.js').Field} */
  let field;
  const choose = () => {
    fill(way, waysOf(all.get(place.value)).map((one) => h('option', { value: one }, WAYS[one])));
    show();
  };
  const show = () => {
    field = fieldFor(way.value, all.get(place.value));
    fill(box, field.element);
  };
  choose();
  return {
    element: h('fieldset', { class: 'row' }, h('legend', { class: 'visually-hidden' }, 'A place that may differ'), place, way, box),
    read() {
      const value = field.read();
      return value === FAULT ? FAULT : { path: place.value, [way.value]: value };
    },
  };
}
