// All rooms that the caller may read.

import { aside, clock, fill, h, tag, visible } from '../dom.js';
import { command, get, me, words } from '../api/client.js';
import { openDialog } from '../parts/dialog.js';
import { here, link, replace } from '../router.js';
import { many } from '../state/forms.js';

const POLL_MS = 3000;
const ACTIVITY = /** @type {Record<string, string>} */ ({ idle: '', running: 'running', parked: 'waits for people' });

class RoomsPage extends HTMLElement {
  /** @type {any[]} */
  worlds = [];
  /** @type {string | null | undefined} */
  next = null;
  pages = 1;
  /** @type {any} */
  who = null;
  shown = '';
  isLoaded = false;

  query = here().query;
  list = h('ul', { class: 'rooms', 'aria-busy': 'true' });
  said = h('p', { class: 'problem', role: 'alert' });
  more = h('button', { onclick: () => (this.pages++, this.load()), hidden: true }, 'Show more');
  open = h('button', { class: 'primary', onclick: () => this.ask(), hidden: true }, 'Open a room');
  round = 0;

  connectedCallback() {
    fill(this, h('div', { class: 'page' },
      h('div', { class: 'row head' }, h('h1', { class: 'grow' }, 'Rooms'), this.open),
      this.filters(), this.said, this.list, this.more));
    this.load();
    me().then((who) => {
      this.who = who;
      this.open.hidden = !who.create;
      this.show();
    }, () => {});
  }

  disconnectedCallback() {
    clearTimeout(this.timer);
    this.gone = true;
  }

  filters() {
    const { query } = this;
    const take = (/** @type {string} */ name) => (/** @type {Event} */ event) => {
      const field = /** @type {HTMLInputElement} */ (event.target);
      const value = field.type === 'checkbox' ? (field.checked ? 'true' : '') : field.value.trim();
      if (value) query.set(name, value);
      else query.delete(name);
      replace(link([], Object.fromEntries(query)));
      this.pages = 1;
      this.load();
    };
    const choice = (/** @type {string} */ name, /** @type {string} */ words, /** @type {[string, string][]} */ options) =>
      h('label', { class: 'row' }, words, h('select', { name, onchange: take(name) },
        ...options.map(([value, text]) => h('option', { value, selected: query.get(name) === value }, text))));
    return h('form', { class: 'row filters', role: 'search', onsubmit: (/** @type {Event} */ event) => event.preventDefault() },
      h('input', { type: 'search', name: 'q', 'aria-label': 'Search by name or title', placeholder: 'Search by name or title', value: query.get('q') ?? '', oninput: take('q') }),
      h('input', { name: 'label', 'aria-label': 'Label, as KEY:VALUE', placeholder: 'Label, key:value', value: query.get('label') ?? '', onchange: take('label') }),
      choice('owner', 'Owner', [['', 'anybody'], ['me', 'me']]),
      choice('activity', 'Activity', [['', 'any'], ['running', 'running'], ['idle', 'idle']]),
      h('label', { class: 'row' }, h('input', { type: 'checkbox', checked: query.has('waiting'), onchange: take('waiting') }), 'Waits for somebody'));
  }

  /** @param {string} [cursor] */
  async path(cursor) {
    const query = new URLSearchParams(this.query);
    if (query.get('owner') === 'me') query.set('owner', (await me()).who.key);
    if (cursor) query.set('cursor', cursor);
    query.set('limit', '50');
    return `/worlds?${query}`;
  }

  async load() {
    clearTimeout(this.timer);
    const round = ++this.round;
    try {
      const found = [];
      let next;
      for (let page = 0; page < this.pages && (page === 0 || next); page++) {
        const answer = await get(await this.path(next));
        found.push(...answer.worlds);
        next = answer.next;
      }
      if (round !== this.round || this.gone) return;
      // The server's pages are by name. People look for what waits for them, and then for what is new.
      this.worlds = found.sort((a, b) => Number(b.waiting > 0) - Number(a.waiting > 0) || Date.parse(b.time) - Date.parse(a.time));
      this.next = next;
      this.isLoaded = true;
      fill(this.said);
      this.show();
    } catch (error) {
      if (round !== this.round || this.gone) return;
      fill(this.said, words(error));
    }
    this.timer = setTimeout(() => this.load(), document.hidden ? 5 * POLL_MS : POLL_MS);
  }

  show() {
    const { list } = this;
    const shown = JSON.stringify([this.worlds, this.who?.create]);
    if (!this.isLoaded || shown === this.shown) return; // a poll that brings nothing new moves nothing
    this.shown = shown;
    list.setAttribute('aria-busy', 'false');
    const focused = /** @type {HTMLAnchorElement | null} */ (list.contains(document.activeElement) ? document.activeElement : null)?.href;
    fill(list, this.worlds.length === 0 ? this.nothing() : this.worlds.map((world) => this.row(world)));
    if (focused) [...list.querySelectorAll('a')].find((one) => one.href === focused)?.focus();
    this.more.hidden = !this.next;
  }

  nothing() {
    const isFiltered = this.query.size > 0;
    const [title, text] = isFiltered
      ? ['No room fits', 'Search for something else, or take a filter away.']
      : ['No rooms yet', this.who?.create ? 'Open one from a template: agents and people meet in it.' : 'Rooms that somebody lets you into stand here.'];
    return h('li', { class: 'empty' }, h('h2', {}, title), h('p', {}, text));
  }

  /** @param {any} world */
  row(world) {
    const labels = Object.entries(world.labels).filter(([name]) => name !== 'title');
    return h('li', {}, h('a', { href: link(['rooms', world.name]) },
      h('span', { class: 'grow' },
        h('span', { class: 'name' }, visible(world.title ?? world.name)),
        aside(world.title ? `${world.name} · ` : '', visible(world.owner ?? 'no owner')),
        labels.map(([name, value]) => tag(visible(`${name}: ${value}`)))),
      world.waiting > 0 && tag(many(world.waiting, 'request'), 'warn'),
      world.waiting === 0 && ACTIVITY[world.activity] && tag(ACTIVITY[world.activity], 'accent'),
      h('span', { class: 'when' }, clock(world.time), aside(many(world.head, 'event')))));
  }

  async ask() {
    let templates;
    try {
      ({ templates } = await get('/templates'));
    } catch (error) {
      return fill(this.said, words(error));
    }
    const said = h('p', { class: 'problem', role: 'alert' });
    const template = h('select', { id: 'template', required: true, autofocus: true }, ...templates.map((/** @type {string} */ name) => h('option', { value: name }, name)));
    const title = h('input', { id: 'title', maxlength: 200, placeholder: 'e.g. Release of Friday' });
    const submit = async (/** @type {Event} */ event) => {
      event.preventDefault();
      try {
        const wish = { template: template.value, ...(title.value.trim() && { title: title.value.trim() }) };
        const { world } = await command('POST', '/worlds', wish);
        dialog.close();
        location.hash = link(['rooms', world]);
      } catch (error) {
        fill(said, words(error));
      }
    };
    const none = h('p', {}, 'The server has no templates. Start it with ', h('code', {}, '--templates FOLDER'), ', a folder of world scripts.');
    const dialog = openDialog('Open a room', templates.length === 0 ? none : h('form', { class: 'stack', onsubmit: submit },
      h('div', { class: 'field' }, h('label', { for: 'template' }, 'Template'), template),
      h('div', { class: 'field' }, h('label', { for: 'title' }, 'Title'), title),
      said,
      h('div', { class: 'row end' }, h('button', { class: 'primary' }, 'Open'))));
  }
}

customElements.define('fm-rooms', RoomsPage);
