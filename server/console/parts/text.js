// Text and data of any size: what is long is folded, or comes piece by piece.

import { copier, fill, h, visible } from '../dom.js';
import { many, sizeOf } from '../state/forms.js';
import { textOf } from '../state/rows.js';

const STEP = 10_000; // letters, and a hundredth of it in entries

/** A text with its blanks and lines. The rest of a longer one comes on demand. @param {string} text @param {string} [kind] a class */
export function long(text, kind = 'words') {
  const all = h('div', { class: kind });
  const more = (/** @type {number} */ from) => {
    // No letter is cut in two.
    const to = from + STEP + (/[\ud800-\udbff]/.test(text[from + STEP - 1] ?? '') ? 1 : 0);
    all.append(h('pre', {}, visible(text.slice(from, to))));
    if (to >= text.length) return;
    const button = h('button', { class: 'link', onclick: () => (button.remove(), more(to)) }, `Show more: ${(text.length - to).toLocaleString()} letters are left`);
    all.append(button);
  };
  more(0);
  return all;
}

/** Something that is made when it is opened. @param {Node | string | (Node | string)[]} words @param {() => Node} make @param {boolean} [open] */
export function folded(words, make, open = false) {
  const inner = h('div');
  const details = h('details', { ontoggle: () => details.open && !inner.firstChild && inner.append(make()) }, h('summary', {}, words), inner);
  if (open) inner.append(make());
  details.open = open;
  return details;
}

/** A text, folded under its size if it is long. @param {string} text @param {string} [name] of what it is */
export function foldedText(text, name = 'Text') {
  const lines = text.split('\n').length;
  if (text.length <= 1200 && lines <= 16) return long(text);
  const size = sizeOf(new Blob([text]).size);
  return folded([`${name}: `, h('span', { class: 'muted' }, lines > 1 ? `${many(lines, 'line')}, ${size}` : size)], () => h('div', {}, copier(text), long(text)));
}

const isNested = (/** @type {any} */ value) => value !== null && typeof value === 'object';

/** A value that is no list and no object. @param {any} value */
function scalar(value) {
  const text = textOf(value);
  if (text.length > 500) return foldedText(text);
  const none = value === null ? 'none' : text === '' && 'empty';
  return none ? h('span', { class: 'muted' }, none) : h('span', { class: `v ${typeof value}` }, visible(text));
}

/** Data of any shape, as a tree that opens level by level. @param {any} value @param {number} [levels] that are open, if they are small @returns {HTMLElement} */
export function treeOf(value, levels = 2) {
  if (!isNested(value)) return scalar(value);
  const entries = Object.entries(value);
  const list = h('ul', { class: 'tree small' });
  const line = (/** @type {[string, any]} */ [name, one]) => {
    const key = h('span', { class: 'key' }, visible(name.slice(0, 200)));
    if (!isNested(one)) return h('li', {}, key, ' ', scalar(one));
    const size = Object.keys(one).length;
    const words = h('span', { class: 'muted' }, ` ${many(size, Array.isArray(one) ? 'item' : 'field')}`);
    return h('li', {}, size === 0 ? [key, words] : folded([key, words], () => treeOf(one, levels - 1), levels > 0 && size <= 6 && entries.length <= 12));
  };
  const more = (/** @type {number} */ from) => {
    const to = from + STEP / 100;
    list.append(...entries.slice(from, to).map(line));
    if (to >= entries.length) return;
    const button = h('button', { class: 'link', onclick: () => (item.remove(), more(to)) }, `Show more: ${(entries.length - to).toLocaleString()} are left`);
    const item = h('li', {}, button);
    list.append(item);
  };
  more(0);
  return entries.length === 0 ? h('span', { class: 'muted' }, 'nothing') : list;
}

/** Puts `children` in the place of what `element` holds, but for what is the same. @param {Element} element @param {string} key @param {() => import('../dom.js').Child[]} make */
export function renew(element, key, make) {
  if (/** @type {any} */ (element).made === key) return;
  /** @type {any} */ (element).made = key;
  fill(element, make());
}
