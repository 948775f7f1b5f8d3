// Values of JSON for people. Each name and text in them may be somebody's own.

import { button, copier, h, visible } from '../dom.js';
import { pairs, spaced } from './answer.js';
import { foldedText, treeOf } from './text.js';

const SOME = 100;

/** Elements for the first of a list, and for others on demand. @template T @param {T[]} list @param {(one: T) => Node} make @returns {Node[]} */
export function some(list, make) {
  const nodes = list.slice(0, SOME).map(make);
  const rest = list.slice(SOME);
  if (rest.length === 0) return nodes;
  const more = button(`Show more of ${rest.length.toLocaleString()}`, () => more.replaceWith(...some(rest, make)));
  return [...nodes, more];
}

/** @param {any} value @param {string} [name] its name, which says what a number is @returns {Node} */
export function fact(value, name = '') {
  if (typeof value === 'number' && /(_at|^time)$/.test(name) && value > 1e11) return h('span', { title: value }, new Date(value).toLocaleString());
  if (typeof value !== 'string') return value !== null && typeof value === 'object' ? treeOf(value) : h('code', {}, String(value));
  if (/^[0-9a-f]{32,}$/.test(value)) return h('span', {}, h('code', { title: value }, `${value.slice(0, 16)}…`), copier(value, 'Copy', `Copy: ${name}`));
  return value.length > 120 || value.includes('\n') ? foldedText(value) : h('span', {}, visible(value));
}

/** The fields of an object as labelled values. @param {any} value */
export const facts = (value) =>
  value === null || typeof value !== 'object' || Array.isArray(value) ? fact(value) : pairs(Object.entries(value).map(([name, one]) => [spaced(name), fact(one, name)]));
