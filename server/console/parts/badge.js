// Whether a room's log is as it was written, as far as this server can tell, and how to find out without it.

import { aside, button, copier, fill, h, note, save, strong, tag, visible } from '../dom.js';
import { get, room, send } from '../api/client.js';
import { link } from '../router.js';
import { openDialog } from './dialog.js';
import { shown, spaced } from './answer.js';

const TONES = /** @type {Record<string, string>} */ ({ intact: 'good', damaged: 'bad' });

class Badge extends HTMLElement {
  world = '';
  button = button(null, () => this.open(), { title: 'Check the log, or drop an anchor file here' });
  result = h('div', { class: 'stack', 'aria-live': 'polite' });

  connectedCallback() {
    fill(this, this.button);
    this.drops(this);
    this.show('', 'not checked');
  }

  /** @param {string} tone @param {string} words */
  show(tone, words) {
    this.button.className = `badge ${tone}`;
    fill(this.button, h('span', { 'aria-hidden': 'true' }, tone === 'good' ? '✓' : tone === 'bad' ? '✕' : '◇'), h('span', {}, 'Integrity: ', visible(words)));
  }

  /** Lets a file be dropped on `element`. @param {HTMLElement} element */
  drops(element) {
    for (const name of ['dragover', 'dragleave', 'drop']) {
      element.addEventListener(name, (event) => {
        event.preventDefault();
        element.classList.toggle('dropping', name === 'dragover');
      });
    }
    element.addEventListener('drop', (event) => this.open(event.dataTransfer?.files[0]));
  }

  /** Checks, and shows what was found. @param {File} [anchor] */
  open(anchor) {
    if (!this.result.isConnected) this.dialog();
    shown(this.result, 'Checking…', () => this.check(anchor));
  }

  dialog() {
    const file = h('input', { type: 'file', 'aria-label': 'Anchor file', onchange: () => file.files?.[0] && this.open(file.files[0]) });
    const drop = h('label', { class: 'drop stack' }, h('span', {}, h('strong', {}, 'Check against an anchor'), ' that was kept elsewhere: drop its file here, or choose it.'), file);
    this.drops(drop);
    openDialog('Integrity', h('div', { class: 'stack' }, this.result, button('Keep an anchor', () => shown(this.result, 'Reading…', () => this.keep())), drop, commands(this.world)));
  }

  /** @param {File} [anchor] */
  async check(anchor) {
    const path = room(this.world, '/integrity');
    const { badge, checks } = anchor ? await (await send('POST', path, { body: anchor })).json() : await get(path);
    // Without an anchor all of it could have been written anew.
    const tone = badge.state === 'intact' && !badge.anchor ? '' : TONES[badge.state];
    this.show(tone, badge.words);
    return [h('p', { class: 'row' }, h('strong', { class: `verdict ${tone}` }, visible(badge.words)), anchor && aside('with ', visible(anchor.name))),
      h('ul', { class: 'stack checks' }, checks.map((/** @type {any} */ one) => this.found(one)))];
  }

  /** Saves the newest signed head. */
  async keep() {
    const { text } = await get(room(this.world, '/anchor'));
    if (!text) return note('No head of this log is signed yet: start the server with --key FILE, and rooms sign theirs when they are opened.');
    save(`${this.world}.anchor`, new Blob([text]));
    return note('Keep the file where whoever holds the store cannot change it.');
  }

  /** One check. Its verdict is a word, or `{ word: position }`. @param {any} check */
  found({ name, verdict, detail }) {
    const [word, at] = typeof verdict === 'object' ? Object.entries(verdict)[0] : [verdict];
    const tone = at ? 'bad' : TONES[word] ?? 'warn';
    return h('li', {}, h('div', { class: 'row' }, strong(name), tag(spaced(word), tone),
      at && h('a', { href: link(['audit', this.world], { at }) }, `See event ${at}`)), note(visible(detail)));
  }
}

/** @param {string} world */
function commands(world) {
  const line = (/** @type {string} */ words, /** @type {string} */ text) => [h('p', { class: 'small' }, words),
    h('div', { class: 'row tight' }, h('pre', { class: 'grow sunken' }, visible(text)), copier(text))];
  return h('section', { class: 'told' }, h('h3', {}, 'Prove it without this server'),
    h('p', { class: 'small' }, 'This page came from the server that holds the log, so its word is no proof. Only a program that did not come from this server can prove something about it.'),
    line('Where the store is, with an anchor and the public key that somebody else kept:', `folkmoot verify ${world} --against ${world}.anchor --trust room.pub`),
    line('Anywhere, with the bundle that Export gives:', `folkmoot check-bundle ${world}.bundle.json --against ${world}.anchor --trust room.pub`));
}

customElements.define('fm-badge', Badge);
