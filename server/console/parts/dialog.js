// A dialog: modal, closed by Escape, its button or another page, and gone once it is closed.

import { h } from '../dom.js';

let count = 0;

/** @param {string} title @param {import('../dom.js').Child[]} children */
export function openDialog(title, ...children) {
  const id = `dialog-${++count}`;
  const close = h('button', { class: 'quiet', type: 'button', 'aria-label': 'Close', onclick: () => shown.close() }, '✕');
  const shown = h('dialog', { class: 'sheet', 'aria-labelledby': id, onclose: () => shown.remove() },
    h('div', { class: 'row sheet-head' }, h('h2', { id, class: 'grow' }, title), close), ...children);
  addEventListener('hashchange', () => shown.close(), { once: true });
  document.body.append(shown);
  shown.showModal();
  return shown;
}
