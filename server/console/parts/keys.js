// Keys, and the help about them.

import { h, note } from '../dom.js';
import { openDialog } from './dialog.js';

/** @type {[string, string][]} */
const REQUEST_KEYS = [
  ['j', 'the next request'], ['k', 'the request before'], ['o', 'allow once'], ['t', 'allow for the turn'], ['d', 'deny, with a reason'],
  ['e', 'edit the arguments'], ['Esc', 'close what is open in a request'], ['?', 'this help'],
];

/** True if a key belongs to a field or a dialog, or to the browser. @param {KeyboardEvent} event */
export function isTyping(event) {
  const target = /** @type {any} */ (event.target);
  return event.ctrlKey || event.altKey || event.metaKey || event.isComposing || event.defaultPrevented || target.isContentEditable || Boolean(target.closest?.('input, select, textarea, dialog'));
}

/** Shows the keys in a dialog. @param {[string, string][]} [more] those of the page, before those of requests */
export function helpOfKeys(more = []) {
  if (document.querySelector('dialog[open]')) return;
  openDialog('Keys', note('Keys of a request act on the one that is marked, and never while you write.'),
    h('dl', { class: 'keys' }, [...more, ...REQUEST_KEYS].map(([key, words]) => [h('dt', {}, h('kbd', {}, key)), h('dd', {}, words)])));
}
