// Files of messages and of tools. Their bytes are fetched with the token, and lie in the page as long as they are shown.

import { fill, h, note, plain, save, visible } from '../dom.js';
import { part, room, send, words } from '../api/client.js';
import { sizeOf } from '../state/forms.js';
import { long } from './text.js';

/** @typedef {{ blob: string, bytes: number, media_type: string, name?: string }} File */

// Only these are shown as pictures: they run nothing.
const PICTURES = new Map([['image/png', 'png'], ['image/jpeg', 'jpg'], ['image/gif', 'gif'], ['image/webp', 'webp']]);
const PICTURE_BYTES_MAX = 8 * 2 ** 20;
const PIXELS_MAX = 40_000_000; // a small file may unfold to more than a page can hold
const TEXT_BYTES_MAX = 2 ** 20;
const TEXT = /^(text\/|application\/(json|xml|yaml|x-yaml|toml|x-ndjson|jsonl|sql|javascript)\b)|\+(json|xml)$/;
const TEXT_NAME = /\.(txt|md|csv|tsv|json|jsonl|ya?ml|toml|xml|log|sql|rs|js|ts|py|go|c|h|cpp|java|sh|css|html|diff|patch)$/i;

const kindOf = (/** @type {File} */ file) => file.media_type.split(';')[0].trim().toLowerCase();

/** The bytes of a file. @param {string} world @param {File} file @param {string} type @param {AbortSignal} [signal] */
async function fetched(world, file, type, signal) {
  const response = await send('GET', room(world, `/blobs/${part(file.blob)}`), { signal });
  return new Blob([await response.blob()], { type });
}

/** A button that does something with a file, and says in `said` why it cannot. @param {string} what @param {string} name @param {HTMLElement} said @param {(button: HTMLElement) => Promise<void>} does */
function action(what, name, said, does) {
  const button = h('button', { class: 'quiet', 'aria-label': `${what} ${plain(name)}`, onclick: () => does(button).then(() => '', words).then((why) => fill(said, why)) }, what);
  return button;
}

/** @param {string} world @param {File} file @param {string} name @param {HTMLElement} said */
const saver = (world, file, name, said) => action('Save', name, said, async () => save(name, await fetched(world, file, 'application/octet-stream')));

/** A picture that is fetched when it comes near the window, and let go when it leaves the page. */
class Picture extends HTMLElement {
  #abort = new AbortController();
  #near = new IntersectionObserver((seen) => seen.some((one) => one.isIntersecting) && this.load(), { rootMargin: '400px' });
  #url = '';
  world = '';
  file = /** @type {File} */ (/** @type {unknown} */ (null));
  alt = '';

  connectedCallback() {
    this.#abort = new AbortController();
    fill(this);
    this.#near.observe(this);
  }

  disconnectedCallback() {
    this.#near.disconnect();
    this.#abort.abort();
    if (this.#url) URL.revokeObjectURL(this.#url);
    this.#url = '';
  }

  async load() {
    this.#near.disconnect();
    const { world, file, alt } = this;
    const { signal } = this.#abort;
    const kind = kindOf(file);
    if (!PICTURES.has(kind)) return this.say('This kind of picture is not shown.');
    if (file.bytes > PICTURE_BYTES_MAX) return this.say(`A picture of ${sizeOf(file.bytes)} is too large to show.`);
    try {
      const blob = await fetched(world, file, kind, signal);
      if (signal.aborted) return;
      this.#url = URL.createObjectURL(blob);
      const image = h('img', { src: this.#url, alt: plain(alt) });
      await new Promise((done, failed) => Object.assign(image, { onload: done, onerror: () => failed(new Error('The file is no picture that can be shown.')) }));
      if (signal.aborted) return;
      if (image.naturalWidth * image.naturalHeight > PIXELS_MAX) return this.say(`A picture of ${image.naturalWidth} × ${image.naturalHeight} points is too large to show.`);
      const button = h('button', { 'aria-pressed': 'false', title: 'Show it larger or smaller', onclick: () => button.setAttribute('aria-pressed', String(this.classList.toggle('whole'))) }, image);
      fill(this, button);
    } catch (error) {
      if (!signal.aborted) this.say(words(error));
    }
  }

  /** @param {string} why */
  say(why) {
    this.classList.add('unshown');
    fill(this, note(why));
  }
}

customElements.define('fm-picture', Picture);

/** @param {string} world @param {File} file @param {string} alt */
const pictureOf = (world, file, alt) => Object.assign(document.createElement('fm-picture'), { world, file, alt });

/** A picture of a tool, with its description. @param {string} world @param {File} file @param {string} alt */
export function figureOf(world, file, alt) {
  const said = h('span', { class: 'muted small', role: 'status' });
  const name = `${alt.slice(0, 60) || 'picture'}.${PICTURES.get(kindOf(file)) ?? 'bin'}`;
  return h('figure', {}, pictureOf(world, file, alt), h('figcaption', { class: 'row small' }, h('span', { class: 'muted' }, visible(alt.slice(0, 1000))), saver(world, file, name, said), said));
}

/** Cards of a message's files. @param {File[]} files @param {string} world */
export function attachmentsOf(files, world) {
  return h('ul', { class: 'files', 'aria-label': 'Files' }, files.map((file) => h('li', {}, cardOf(file, world))));
}

/** @param {File} file @param {string} world */
function cardOf(file, world) {
  const name = file.name ?? 'file';
  const kind = kindOf(file);
  const said = h('p', { class: 'small', role: 'status' });
  const shown = h('div');
  const isText = file.bytes <= TEXT_BYTES_MAX && (TEXT.test(kind) || TEXT_NAME.test(name));
  const reader = action('Read', name, said, async (button) => {
    const isOpen = shown.firstChild !== null;
    fill(shown, !isOpen && long(await (await fetched(world, file, kind)).text(), 'words exact'));
    button.setAttribute('aria-expanded', String(!isOpen));
  });
  reader.setAttribute('aria-expanded', 'false');
  return h('div', { class: 'file' }, PICTURES.has(kind) && pictureOf(world, file, `Picture ${name}`),
    h('div', { class: 'row' }, h('div', { class: 'grow' }, h('p', { class: 'name' }, visible(name)), note(visible(kind), ` · ${sizeOf(file.bytes)}`)),
      isText && reader, saver(world, file, name, said)), said, shown);
}
