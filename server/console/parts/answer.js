// The base of elements that show what the server answers about a room, and the forms that they share.

import { face, fill, h, note, plain, strong, visible } from '../dom.js';
import { words } from '../api/client.js';
import { link } from '../router.js';

/** @typedef {import('../dom.js').Child} Child */

/** An element that asks again when it is about something else. The older answer stays on screen until the newer one is there. */
export class Answer extends HTMLElement {
  /** @type {Record<string, any>} */
  about = {};
  abort = new AbortController();
  none = 'Select an event in the timeline or in the list.';

  disconnectedCallback() {
    this.abort.abort();
  }

  /** @param {Record<string, any>} about the room, the event `at`, and more */
  show(about) {
    if (JSON.stringify(about) === JSON.stringify(this.about)) return;
    this.about = about;
    this.run();
  }

  async run() {
    this.abort.abort();
    const { signal } = (this.abort = new AbortController());
    this.setAttribute('aria-busy', 'true');
    if (!this.firstChild) fill(this, note('Loading…'));
    const shown = await (this.about.at ? this.ask(this.about, signal).catch(failed) : note(this.none));
    if (signal.aborted) return;
    fill(this, shown);
    this.removeAttribute('aria-busy');
  }

  /** @param {any} _about @param {AbortSignal} _signal @returns {Promise<Child>} */
  async ask(_about, _signal) {
    return null;
  }
}

/** @param {unknown} error */
export const failed = (error) => h('p', { class: 'problem', role: 'alert' }, visible(words(error)));

/** Shows what `work` gives in `place`, or its problem, and `words` meanwhile. @param {HTMLElement} place @param {string} words @param {() => Promise<Child>} work */
export async function shown(place, words, work) {
  fill(place, note(words));
  fill(place, await work().catch(failed));
}

/** A part with a heading; nothing if there is nothing in it. @param {string} title @param {Child[]} children */
export function section(title, ...children) {
  const isEmpty = children.flat().every((child) => !child);
  return isEmpty ? null : h('section', { class: 'told' }, h('h2', {}, title), ...children);
}

/** A table in a frame of its own that scrolls. @param {string} name @param {string[]} heads @param {Child[][]} rows @param {(string | null)[]} [looks] of each column: `end` for numbers, `half` for a half */
export const grid = (name, heads, rows, looks = []) => h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': name }, h('table', {},
  h('thead', {}, h('tr', {}, heads.map((head, n) => h('th', { scope: 'col', class: looks[n] }, visible(head))))),
  h('tbody', {}, rows.map((row) => h('tr', {}, row.map((cell, n) => h('td', { class: looks[n] }, cell)))))));

/** Labelled values. @param {[string, Child][]} rows */
export const pairs = (rows) => h('dl', { class: 'pairs' }, rows.map(([name, value]) => h('div', {}, h('dt', {}, visible(name)), h('dd', {}, value))));

/** A word of the log as people write it. @param {unknown} word */
export const spaced = (word) => plain(String(word)).replaceAll('_', ' ');

/** Text of somebody; `null` was erased. @param {string | null | undefined} text */
export const said = (text) => h('div', { class: 'quoted' }, typeof text === 'string' ? visible(text) : h('em', { class: 'muted' }, 'erased'));

/** @param {number} n */
export const number = (n) => n.toLocaleString('en-US');

/** The link to an event of a room. @param {string} world @param {number} at */
export const event = (world, at) => h('a', { class: 'mono mark-at', href: link(['audit', world], { at }), 'aria-label': `Event ${at}` }, `#${at}`);

/** Who said something, and where it stands. @param {string} name @param {boolean} isAgent @param {Child[]} more */
export const speaker = (name, isAgent, ...more) => h('div', { class: 'row speaker' }, face(name, isAgent), strong(name), ...more);
