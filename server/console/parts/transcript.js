// The transcript: messages, calls with their requests, notices, and replies that are being written.

import { aside, clock, copy, face, fill, h, note, plain, strong, tag, visible } from '../dom.js';
import { command, get, room as below, words } from '../api/client.js';
import { link } from '../router.js';
import { markdown } from '../markdown.js';
import { attachmentsOf } from './attachments.js';
import { forkDialog } from './fork.js';
import './call-card.js';
import './request.js';

const DRAWN = 60; // entries that are drawn at first
const STEP = 25; // and for each step back or forth
const DRAWN_MAX = 160; // at a time: a page of thousands is slow to lay out
const GONE = /** @type {Record<string, string>} */ ({ edited: 'edited this message; it goes on below', retracted: 'took this message back', regenerated: 'is asked again', gone: 'said something that went with what it answered' });

/** @typedef {import('../state/room.js').Entry} Entry @typedef {import('../state/room.js').Message} Message @typedef {import('../state/room.js').Call} Call */

export class Transcript extends HTMLElement {
  world = '';
  /** @type {any} */ who = null;
  /** @type {any} */ detail = null;
  /** @type {any} */ composer = null;
  /** @type {number | undefined} */ at = undefined;
  /** @type {import('../state/history.js').RoomHistory | any} */ history = null;
  /** @type {Map<string, HTMLElement>} by item */
  drawn = new Map();
  first = 0; // the number of the first entry that is drawn
  isReady = false;
  isBelow = true; // the newest is in sight
  frame = 0;
  isTail = true; // the newest is drawn
  /** @type {Map<string, { element: HTMLElement, text: HTMLElement, shown: string }>} by message */
  drafts = new Map();

  busy = '';
  /** @type {string | undefined} */ firstId = undefined;
  /** @type {string | undefined} */ lastId = undefined;
  top = h('div', { class: 'top' });
  log = h('div', { role: 'log', 'aria-label': 'Transcript' });
  now = h('div', { 'aria-live': 'off' });
  foot = h('p', { class: 'problem', role: 'alert' });
  column = h('div', { class: 'column' }, this.top, this.log, this.now, this.foot);
  scroller = h('div', { class: 'scroller', tabindex: '0', role: 'region', 'aria-label': 'Room', onscroll: () => this.scrolled() }, this.column);
  down = h('button', { class: 'down', hidden: true, onclick: () => this.follow() }, 'Newest ↓');
  places = '';
  still = /** @type {ReturnType<typeof setTimeout> | undefined} */ (undefined);
  sizes = new ResizeObserver(() => {
    this.moved();
    if (this.isBelow && !this.isHeld()) this.toBottom();
  });

  /** @param {any} history */
  begin(history) {
    this.history = history;
    fill(this, this.scroller, this.down);
    this.log.addEventListener('focusout', ({ relatedTarget }) => this.log.contains(/** @type {Node | null} */ (relatedTarget)) || this.scrolled());
    this.sizes.observe(this.column);
    this.sizes.observe(this.scroller);
    this.addEventListener('click', (event) => this.closeMenus(event.target));
    this.addEventListener('keydown', (event) => event.key === 'Escape' && this.closeMenus(null));
    fill(this.top, note('Reading…'));
  }

  disconnectedCallback() {
    this.sizes.disconnect();
    cancelAnimationFrame(this.frame);
  }

  /** All that was there has come. */
  ready() {
    if (this.isReady) return;
    this.isReady = true;
    this.changed();
    if (this.at !== undefined) requestAnimationFrame(() => this.reveal(/** @type {number} */ (this.at), false));
  }

  changed() {
    if (this.frame !== 0 || !this.isReady) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.draw();
    });
  }

  draw() {
    const { history: { room }, scroller } = this;
    // A field that somebody writes in stays where it is, and so does a request that somebody is about to decide.
    if (this.log.querySelector('input:focus, textarea:focus, select:focus') || this.isHeld()) this.isBelow = false;
    const edge = scroller.getBoundingClientRect().top;
    const anchor = this.isBelow ? undefined : [...this.drawn.values()].find((element) => element.getBoundingClientRect().bottom > edge);
    const before = anchor?.getBoundingClientRect().top ?? 0;
    this.drawPart(room);
    room.touched.clear();
    this.drawNow(room);
    this.drawTop(room);
    if (this.isBelow) {
      this.toBottom();
      this.history.trim();
    } else if (anchor?.isConnected) scroller.scrollTop += anchor.getBoundingClientRect().top - before;
    this.down.hidden = this.isBelow;
  }

  /** The number of an entry, or -1. @param {string | undefined} id @returns {number} */
  place(id) {
    return this.history.room.entries.findIndex((/** @type {Entry} */ entry) => entry.id === id);
  }

  /** The numbers of the first entry that is drawn, and of the one behind the last. @param {Entry[]} entries @returns {[number, number]} */
  drawnRange(entries) {
    const first = this.place(this.firstId);
    if (this.isBelow || first < 0) return [entries.length - first > DRAWN_MAX || first < 0 ? Math.max(0, entries.length - DRAWN) : first, entries.length];
    const last = this.place(this.lastId);
    return [first, this.isTail || last < 0 ? entries.length : last + 1];
  }

  /** Draws the part of the entries that is to be seen, and moves no element that stays. @param {any} room */
  drawPart(room) {
    const { log } = this;
    const { entries } = room;
    const [first, end] = this.drawnRange(entries);
    this.first = first;
    this.firstId = entries[first]?.id;
    this.lastId = entries[end - 1]?.id;
    this.isTail = end === entries.length;
    const known = this.drawn;
    this.drawn = new Map();
    for (let index = first; index < end; index++) {
      const entry = entries[index];
      const held = known.get(entry.id);
      this.drawn.set(entry.id, held && !room.touched.has(entry) ? held : this.element(entry, entries[index - 1], held));
    }
    const wanted = new Set(this.drawn.values());
    for (const element of known.values()) if (!wanted.has(element)) element.remove();
    let next = log.firstElementChild;
    for (const element of wanted) {
      if (element === next) next = element.nextElementSibling;
      else log.insertBefore(element, next);
    }
  }

  /** @param {any} room */
  drawTop(room) {
    const { top } = this;
    const hasMore = this.first > 0 || this.history.hasOlder;
    const key = `${hasMore} ${room.entries.length === 0}`;
    if (top.dataset.key === key) return;
    top.dataset.key = key;
    if (hasMore) fill(top, h('button', { class: 'quiet', onclick: () => this.older() }, 'Show earlier'));
    else if (room.entries.length === 0) fill(top, h('div', { class: 'empty' }, h('h2', {}, 'Nothing was said yet'), h('p', {}, 'Say something below. With @ you name the agent that is to answer.')));
    else fill(top, note('The room begins here.'));
  }

  /** @param {Entry} entry @param {Entry | undefined} before @param {HTMLElement} [held] @returns {HTMLElement} */
  element(entry, before, held) {
    if (entry.kind === 'call') return this.call(entry, held);
    return entry.kind === 'notice' ? this.notice(entry) : this.message(entry, before);
  }

  /** @param {import('../state/room.js').Notice} entry */
  notice(entry) {
    const code = typeof entry.notice === 'string' ? entry.notice : Object.keys(entry.notice ?? {})[0] ?? 'notice';
    return h('p', { class: 'notice', id: `at-${entry.at}` }, visible(entry.words || code.replaceAll('_', ' ')), ' ', clock(entry.time));
  }

  /** A call keeps its element: somebody may be writing in its request. @param {Call} entry @param {HTMLElement} [held] */
  call(entry, held) {
    const element = held ?? h('div', { class: 'slot call', id: `at-${entry.at}` });
    let card = /** @type {any} */ (element.querySelector('fm-call'));
    if (!card) element.append((card = document.createElement('fm-call')));
    card.world = this.world;
    card.call = entry;
    for (const asked of entry.requests) {
      const id = `at-${asked.request.request}`;
      let request = /** @type {any} */ (element.querySelector(`[data-request="${id}"]`));
      if (!request) {
        request = document.createElement('fm-request');
        request.setAttribute('data-request', id);
        element.append(request);
      }
      request.asked = { world: this.world, request: asked.request, decision: asked.decision };
    }
    return element;
  }

  /** @param {Message} entry @param {Entry | undefined} before */
  message(entry, before) {
    const isAgent = entry.who === 'agent';
    if (entry.gone !== '') {
      // A name must not read on as a sentence of the room.
      return h('p', { class: 'notice', id: `at-${entry.at}` }, face(entry.name, isAgent), strong(entry.name), h('span', {}, ` ${GONE[entry.gone]}. `), clock(entry.time));
    }
    const follows = before?.kind === 'message' && before.gone === '' && before.name === entry.name && before.who === entry.who && entry.replyTo === null && Date.parse(entry.time) - Date.parse(before.time) < 300_000;
    const body = entry.text === null ? h('p', { class: 'muted' }, 'These words were erased.') : h('div', { class: 'prose stack' }, markdown(entry.text));
    const kind = { service: 'program', agent: 'agent', world: 'the room', person: '' }[entry.who];
    return h('article', { class: follows ? 'slot message follows' : 'slot message', id: `at-${entry.at}`, 'data-message': entry.message, 'aria-label': plain(entry.name) },
      follows ? h('span', { class: 'gap' }) : face(entry.name, isAgent),
      h('div', { class: 'said' },
        !follows && h('header', { class: 'row' }, h('strong', { title: plain(entry.proof ?? '') }, visible(entry.name)), kind && tag(kind), clock(entry.time), entry.edited && aside('edited')),
        entry.replyTo !== null && this.quote(entry, before),
        body,
        entry.attachments.length > 0 && attachmentsOf(entry.attachments, this.world)),
      this.menu(entry));
  }

  /** The message that it answers, unless that stands right above. @param {Message} entry @param {Entry | undefined} before */
  quote(entry, before) {
    if (before?.kind === 'message' && before.message === entry.replyTo) return null;
    const answered = this.history.room.entries.findLast((/** @type {Entry} */ other) => other.kind === 'message' && other.message === entry.replyTo && other.gone === '');
    const gist = answered?.text ? `${answered.name}: ${answered.text.slice(0, 120)}` : 'an earlier message';
    return h('button', { class: 'quote', onclick: () => this.reveal(answered?.at ?? entry.replyTo, false) }, visible(gist));
  }

  /** @param {Message} entry */
  menu(entry) {
    const { may } = this.detail;
    const act = (/** @type {string} */ words, /** @type {(button: HTMLElement) => void} */ does) => h('button', { class: 'quiet', onclick: (/** @type {Event} */ event) => {
      const button = /** @type {HTMLElement} */ (event.currentTarget);
      if (words !== 'Copy link') this.closeMenus(null); // first: it gives the focus back, and a reply takes it on
      does(button);
    } }, words);
    const isOwn = entry.proof === this.who.who.key;
    const posts = may.includes('post');
    const path = below(this.world, `/messages/${entry.message}`);
    return h('details', { class: 'menu' }, h('summary', { 'aria-label': `Do something with the message of ${plain(entry.name)}` }, '⋯'), h('div', { class: 'items' },
      posts && act('Reply', () => this.composer.reply(entry)),
      posts && isOwn && act('Edit', () => this.composer.edit(entry)),
      posts && isOwn && act('Take back', () => this.order('DELETE', path)),
      posts && entry.who === 'agent' && act('Ask again', () => this.order('POST', `${path}/regenerate`)),
      act('Who answers, and why', () => this.why(entry)),
      act('Copy link', (button) => copy(button, new URL(link(['rooms', this.world], { at: entry.at }), location.href).href)),
      may.includes('operate') && act('Branch off here', () => forkDialog(this.world, isOwn ? entry.at - 1 : entry.at, isOwn ? entry.text ?? '' : '')),
      may.includes('operate') && h('a', { class: 'button quiet', href: link(['audit', this.world], { at: entry.at }) }, 'Show in the log')));
  }

  /** @param {EventTarget | null} target */
  closeMenus(target) {
    for (const menu of this.querySelectorAll('details.menu[open]')) {
      if (target instanceof Node && menu.contains(target)) continue;
      menu.removeAttribute('open');
      if (target === null) menu.querySelector('summary')?.focus();
    }
  }

  /** @param {string} method @param {string} path */
  async order(method, path) {
    try {
      await command(method, path);
    } catch (error) {
      this.complain(error);
    }
  }

  /** @param {unknown} error */
  complain(error) {
    fill(this.foot, words(error), ' ', h('button', { class: 'link', onclick: () => fill(this.foot) }, 'Close'));
    this.foot.scrollIntoView({ block: 'nearest' });
  }

  /** @param {Message} entry */
  async why(entry) {
    const element = this.drawn.get(entry.id);
    element?.querySelector('.why')?.remove();
    const said = h('div', { class: 'why small', role: 'status' }, 'Reading…');
    element?.querySelector('.said')?.append(said);
    try {
      const { agents } = await get(below(this.world, `/messages/${entry.message}/routing`));
      fill(said, agents.length === 0 ? 'No agent was asked.' : h('ul', {}, agents.map((/** @type {any} */ one) => h('li', {}, face(one.agent, true), ' ', strong(one.agent), ' ', visible(one.words)))));
    } catch (error) {
      fill(said, words(error));
    }
    said.append(h('button', { class: 'link', onclick: () => said.remove() }, 'Close'));
  }

  /** Drafts and the agents that work. @param {any} room */
  drawNow(room) {
    const { now } = this;
    for (const [message, held] of this.drafts) {
      if (room.drafts.has(message)) continue;
      held.element.remove();
      this.drafts.delete(message);
    }
    for (const [message, draft] of room.drafts) {
      let held = this.drafts.get(message);
      if (!held) {
        const text = h('div', { class: 'prose stack' });
        const element = h('article', { class: 'slot message draft', 'aria-busy': 'true', 'aria-label': `${plain(draft.agent)} is writing` }, face(draft.agent, true),
          h('div', { class: 'said' }, h('header', { class: 'row' }, strong(draft.agent), tag('agent'), aside('is writing')), text));
        held = { element, text, shown: '' };
        this.drafts.set(message, held);
        now.prepend(element);
      }
      if (held.shown === draft.text) continue;
      held.shown = draft.text;
      // Beyond this length it would take more than a frame to read all of it anew for each piece.
      fill(held.text, draft.text.length < 20_000 ? markdown(draft.text) : h('pre', {}, visible(draft.text)));
    }
    const others = new Set([...room.drafts.values()].map((draft) => draft.agent));
    for (const { request, decision } of room.requests.values()) if (decision === null) others.add(request.agent); // it waits
    const busy = [...room.working.keys()].filter((agent) => !others.has(agent));
    const key = busy.join();
    if (this.busy === key) return;
    this.busy = key;
    now.querySelector('.working')?.remove();
    if (busy.length > 0) now.append(h('p', { class: 'working muted small' }, h('span', { class: 'dot', 'aria-hidden': 'true' }), visible(busy.join(', ')), busy.length === 1 ? ' works' : ' work'));
  }

  /** A request that came under a pointer just now is not the one that somebody meant to press. */
  moved() {
    const places = [...this.log.querySelectorAll('fm-request .actions')].map((one) => Math.round(one.getBoundingClientRect().top)).join();
    if (places === this.places) return;
    this.places = places;
    this.classList.add('moving');
    clearTimeout(this.still);
    this.still = setTimeout(() => this.classList.remove('moving'), 500);
  }

  scrolled() {
    this.moved();
    const { scrollTop, scrollHeight, clientHeight } = this.scroller;
    const below = scrollHeight - scrollTop - clientHeight;
    this.isBelow = this.isTail && below < 40;
    this.down.hidden = this.isBelow;
    if (!this.isReady || this.frame !== 0) return;
    if (scrollTop < 800) this.older();
    else if (below < 800 && !this.isTail) this.newer();
  }

  /** Draws later entries in the place of the first. */
  newer() {
    const last = this.place(this.lastId);
    this.window(Math.max(this.first, last + STEP - DRAWN_MAX), last + STEP);
  }

  /** Draws the entries from `first` to `end` from now on. @param {number} first @param {number} end */
  window(first, end) {
    const { entries } = this.history.room;
    this.isBelow = false;
    this.isTail = end >= entries.length;
    this.firstId = entries[Math.max(0, first)]?.id;
    this.lastId = entries[Math.min(end, entries.length) - 1]?.id;
    this.changed();
  }

  /** Draws earlier entries, and brings them first if they are not here. */
  async older() {
    if (this.first === 0) {
      if (!this.history.hasOlder || this.history.isLoading) return;
      this.isBelow = false;
      try {
        await this.history.older();
      } catch (error) {
        return this.complain(error);
      }
    }
    const first = this.place(this.firstId) - STEP;
    this.window(first, Math.min(this.place(this.lastId) + 1, first + DRAWN_MAX));
  }

  isHeld() {
    return [...this.log.querySelectorAll('fm-request:hover, fm-request:focus-within')].some((card) => !(/** @type {any} */ (card).isOver));
  }

  toBottom() {
    this.scroller.scrollTop = this.scroller.scrollHeight;
  }

  follow() {
    this.isBelow = true;
    this.firstId = undefined;
    this.changed();
  }

  /** Shows what stands at a position, and what was there before it. @param {number} at @param {boolean} takesFocus */
  async reveal(at, takesFocus) {
    this.isBelow = false;
    const holds = (/** @type {Entry} */ entry) => entry.at === at || (entry.kind === 'message' && entry.message === at && entry.gone === '') || (entry.kind === 'call' && entry.requests.some(({ request }) => request.request === at));
    let entry = this.history.room.entries.find(holds);
    while (!entry && this.history.hasOlder && this.history.from >= at) {
      await this.history.older();
      entry = this.history.room.entries.find(holds);
    }
    entry ??= this.history.room.entries.find((/** @type {Entry} */ one) => one.at >= at);
    if (!entry) return;
    const index = this.history.room.entries.indexOf(entry);
    if (!this.drawn.has(entry.id)) this.window(index - STEP, index + STEP);
    this.isBelow = false;
    this.draw();
    const element = this.drawn.get(entry.id);
    const card = /** @type {HTMLElement | null} */ (element?.querySelector(`[data-request="at-${at}"]`) ?? element ?? null);
    card?.scrollIntoView({ block: 'center' });
    card?.classList.add('found');
    setTimeout(() => card?.classList.remove('found'), 2500);
    if (takesFocus) (/** @type {HTMLElement | null} */ (card?.querySelector('[tabindex="0"], button, input')) ?? card)?.focus();
  }
}

customElements.define('fm-transcript', Transcript);
