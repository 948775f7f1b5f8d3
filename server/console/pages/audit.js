// The log of a room: `#/audit/WORLD?at=POSITION&kind=&agent=LANE&call=&tab=&from=`.

import { button, fill, h, make, plain, tell, visible } from '../dom.js';
import { get, part, Problem, room, words } from '../api/client.js';
import { here, link, replace } from '../router.js';
import { phrase } from '../state/forms.js';
import { first, Found, laneWords, MARKS, ordered, Outline } from '../state/outline.js';
import { line, token } from '../parts/timeline.js';
import '../parts/badge.js';
import '../parts/causes.js';
import '../parts/diff.js';
import '../parts/events.js';
import '../parts/export.js';
import '../parts/inspector.js';
import '../parts/prompt.js';
import '../parts/slider.js';
import '../parts/state.js';
import '../parts/usage.js';

const POLL_MS = 2000;
const TABS = new Map([['event', 'fm-inspector'], ['causes', 'fm-causes'], ['prompt', 'fm-prompt'], ['state', 'fm-state'], ['differences', 'fm-diff'], ['usage', 'fm-usage']]);
const KEYS = new Map([['r', 'refusal'], ['e', 'error'], ['q', 'request']]);
const ZOOMS = new Map([['+', 0.5], ['=', 0.5], ['-', 2], ['0', 1e9]]);

/** @param {string | null} text */
const position = (text) => (/^[1-9]\d{0,14}$/.test(text ?? '') ? Number(text) : null);

class AuditPage extends HTMLElement {
  world = here().path[1] ?? '';
  outline = new Outline();
  found = new Found(this.outline, {});
  /** @type {Map<string, string>} names of people by their key */
  people = new Map();
  /** The wishes in the address. `at` is `null` for now, `from` for the event before `at`. @type {{ at: number | null, from: number | null, tab: string, kind: string, agent: string, call: string }} */
  wish = { at: null, from: null, tab: 'event', kind: '', agent: '', call: '' };
  head = 0;
  /** @type {any} the element of the tab */
  shown = null;
  /** @type {any} */
  timer = undefined;
  /** @type {any} */
  pause = undefined;
  leave = new AbortController();
  timeline = make('fm-timeline', { people: this.people, found: this.found });
  list = make('fm-events', { people: this.people, found: this.found });
  slider = make('fm-slider', {});
  status = h('span', { class: 'muted small', role: 'status' });
  live = h('p', { class: 'visually-hidden', 'aria-live': 'polite' });
  none = h('p', { class: 'none muted', hidden: true }, 'No event fits. ', button('Show all', () => this.go({ kind: '', agent: '', call: '' }), { class: 'link' }));
  panel = h('div', { class: 'panel', role: 'tabpanel', tabindex: '0', id: 'audit-panel' });
  tabs = [...TABS.keys()].map((tab) => button(phrase(tab), () => this.go({ tab }), { role: 'tab', id: `tab-${tab}`, 'aria-controls': 'audit-panel' }));
  kinds = h('select', { onchange: this.change('kind') });
  lanes = h('select', { onchange: this.change('agent') });
  call = h('input', { size: 10, placeholder: 'any', autocomplete: 'off', spellcheck: 'false', onchange: this.change('call') });
  counts = MARKS.map(() => h('span', { class: 'muted' }));
  start = h('input', { type: 'number', min: 1, onchange: () => this.go({ from: position(this.start.value) }) });

  connectedCallback() {
    addEventListener('hashchange', () => here().path[1] === this.world && this.head > 0 && this.follow(), { signal: this.leave.signal });
    for (const one of [this.timeline, this.list]) one.addEventListener('keydown', (/** @type {KeyboardEvent} */ event) => this.press(event));
    for (const name of ['fm-select', 'fm-at']) this.addEventListener(name, (/** @type {any} */ event) => this.select(event.detail));
    this.addEventListener('fm-from', (/** @type {any} */ event) => this.go({ from: event.detail, tab: 'differences' }));
    this.begin();
  }

  disconnectedCallback() {
    this.leave.abort();
    clearTimeout(this.timer);
    clearTimeout(this.pause);
  }

  async begin() {
    fill(this, h('h1', {}, 'Audit'), h('p', { class: 'muted', role: 'status' }, 'Reading the log…'));
    try {
      const info = await get(room(this.world), { signal: this.leave.signal });
      if (!info.may.includes('operate')) throw new Problem(403, { detail: 'The log of a room is for people with the right “operate” in it. The owner of the room can give it.' });
      this.head = info.head;
      for (const { key, name } of info.people) this.people.set(key, name);
      this.timeline.known = info.agents.map((/** @type {string} */ agent) => `agent:${agent}`);
      this.build(info.labels.title ?? info.name);
    } catch (error) {
      return this.fail(error);
    }
    this.follow();
    this.load();
  }

  /** @param {unknown} error */
  fail(error) {
    if (this.leave.signal.aborted) return;
    fill(this, h('div', { class: 'empty', role: 'alert' }, h('h1', {}, 'The log does not load'), h('p', {}, plain(words(error))), h('a', { href: link([]) }, 'See your rooms')));
  }

  /** @param {string} title */
  build(title) {
    const { world } = this;
    dispatchEvent(new CustomEvent('fm-title', { detail: `Audit of ${title}` }));
    fill(this, h('header', { class: 'row' }, h('h1', { class: 'grow' }, 'Audit of ', visible(title)), this.status, h('a', { class: 'button', href: link(['rooms', world]) }, 'The room'), make('fm-badge', { world }), make('fm-export', { world })),
      this.filters(), h('section', { class: 'card', 'aria-label': 'Timeline' }, this.timeline, this.slider),
      h('div', { class: 'desk' }, h('section', { class: 'card pane', 'aria-label': 'Events' }, this.list, this.none), h('section', { class: 'card pane', 'aria-label': 'The selected event' },
        h('div', { class: 'tabs', role: 'tablist', 'aria-label': 'The selected event', onkeydown: (/** @type {KeyboardEvent} */ event) => this.turn(event) }, this.tabs), this.panel)), this.live);
  }

  /** @param {string} name */
  change(name) {
    return (/** @type {any} */ event) => this.go({ [name]: event.target.value.trim() });
  }

  filters() {
    const jump = (/** @type {string} */ key, /** @type {string} */ mark, /** @type {1 | -1} */ way) => {
      const title = `${way > 0 ? 'Next' : 'Previous'} ${mark}`;
      return button(way > 0 ? '›' : '‹', () => this.jump(mark, way), { class: 'quiet', 'aria-label': title, title: `${title} (${way > 0 ? '' : 'Shift '}${key})` });
    };
    return h('div', { class: 'row small sieve' }, h('label', {}, 'Kind', this.kinds), h('label', {}, 'Lane', this.lanes), h('label', {}, 'Call', this.call), h('span', { class: 'grow' }),
      [...KEYS].map(([key, mark], place) => h('span', { class: 'jump' }, jump(key, mark, -1), token(mark), `${phrase(mark)}s`, this.counts[place], jump(key, mark, 1))));
  }

  /** Goes elsewhere, by the address. @param {Partial<AuditPage['wish']>} wish */
  go(wish) {
    const { tab, ...rest } = { ...this.wish, ...wish };
    replace(link(['audit', this.world], { ...rest, tab: tab === 'event' ? '' : tab }));
    this.follow();
  }

  /** Does what the address says. */
  follow() {
    const { query } = here();
    const text = (/** @type {string} */ name) => query.get(name) ?? '';
    const before = this.wish;
    this.wish = { at: position(query.get('at')), from: position(query.get('from')), tab: TABS.has(text('tab')) ? text('tab') : 'event', kind: text('kind'), agent: text('agent'), call: text('call') };
    const { at, from, tab, kind, agent, call } = this.wish;
    if (kind !== before.kind || agent !== before.agent || call !== before.call) this.sieve();
    Object.assign(this.timeline, { at, from: tab === 'differences' ? from : null });
    this.list.at = at;
    this.slider.show({ at: at ?? 0 });
    this.timeline.reveal();
    this.list.reveal();
    clearTimeout(this.pause);
    // A key that is held asks the server once.
    if (tab !== before.tab || !this.shown) this.show();
    else this.pause = setTimeout(() => this.show(), 80);
    const entry = this.outline.find(at);
    if (entry && at !== before.at) this.live.textContent = line(entry, this.people);
  }

  /** @param {number} at */
  select(at) {
    if (at !== this.wish.at) this.go({ at });
  }

  /** Shows the tab. */
  show() {
    const { wish, panel, world, people } = this;
    const tag = TABS.get(wish.tab) ?? '';
    const at = wish.at ?? this.head;
    const entry = this.outline.find(wish.at);
    // Each attempt of a model call has a request of its own; other events name the first one.
    const call = entry?.kind === 'ModelCalled' ? entry.position : typeof entry?.call === 'number' ? entry.call : null;
    const { tab, from = this.earlier(at) } = { ...wish, from: wish.from ?? undefined };
    const about = { world, people, from, at: tab === 'prompt' ? call : tab === 'event' || tab === 'causes' ? wish.at : at };
    for (const one of this.tabs) {
      const isHere = one.id === `tab-${tab}`;
      one.setAttribute('aria-selected', String(isHere));
      one.tabIndex = isHere ? 0 : -1;
    }
    panel.setAttribute('aria-labelledby', `tab-${tab}`);
    this.start.value = String(from);
    if (this.shown?.localName !== tag) {
      this.shown = make(tag, {});
      fill(panel, tab === 'differences' && this.span(), this.shown);
    }
    this.shown.show(about);
  }

  /** The last event of an earlier time: those of one commit share theirs. @param {number} at */
  earlier(at) {
    const { entries } = this.outline;
    let place = first(entries, 'position', at);
    const time = entries[place]?.time;
    while (place > 0 && entries[place]?.time === time) place--;
    return entries[place]?.position ?? 1;
  }

  span() {
    return h('div', { class: 'row small span' }, h('label', { class: 'row' }, 'From event', this.start), 'to the selected one', button('Start at the selected one', () => this.go({ from: this.wish.at ?? this.head })));
  }

  /** Finds the events that fit. */
  async sieve() {
    const { kind, agent: lane, call } = this.wish;
    const wishes = { kind, lane, call };
    this.use(new Found(this.outline, wishes));
    if (!call) return;
    try {
      // An event that is about several calls names none in the outline: the server knows.
      const { events } = await get(room(this.world, `/events?outline=true&limit=5000&call=${part(call)}`), { signal: this.leave.signal });
      const also = new Set(events.map((/** @type {any} */ event) => event.position));
      if (this.found.wishes === wishes) this.use(new Found(this.outline, { ...wishes, also }));
    } catch (error) {
      this.live.textContent = words(error);
    }
  }

  /** @param {Found} found */
  use(found) {
    this.found = this.timeline.found = found;
    this.timeline.later();
    this.list.show(found);
    this.tell();
  }

  /** Reads on behind the last event that is here, and again from time to time. */
  async load() {
    const { signal } = this.leave;
    let problem = '';
    try {
      for (let more = true; more;) {
        const { events, next } = await get(room(this.world, `/events?outline=true&limit=5000&from=${this.outline.head + 1}`), { signal });
        if (events.length > 0) this.add(events);
        more = next !== undefined;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof Problem && [401, 403, 404].includes(error.status)) return this.fail(error);
      problem = `${words(error)} Trying again.`;
    }
    this.status.textContent = problem;
    this.timer = setTimeout(() => this.load(), document.hidden ? 10 * POLL_MS : POLL_MS);
  }

  /** @param {any[]} events */
  add(events) {
    const { at } = this.wish;
    const wasThere = this.outline.find(at);
    this.outline.add(events);
    this.found.extend();
    this.head = Math.max(this.head, this.outline.head);
    this.slider.show({ head: this.head });
    this.timeline.later();
    this.list.later();
    if (!wasThere && this.outline.find(at)) this.follow();
    this.status.textContent = this.outline.head < this.head ? `${this.outline.head.toLocaleString()} of ${this.head.toLocaleString()} events` : '';
    this.tell();
  }

  /** Shows what there is to choose, and how many there are. */
  tell() {
    const { kinds, lanes, call, found, outline, wish } = this;
    offer(kinds, 'All', [...outline.kinds].sort(), wish.kind, (kind) => kind);
    offer(lanes, 'All', ordered(outline.lanes), wish.agent, (lane) => laneWords(lane, this.people));
    if (document.activeElement !== call) call.value = wish.call;
    this.counts.forEach((count, place) => (count.textContent = found.counts[place].toLocaleString()));
    this.none.hidden = found.list.length > 0 || outline.head === 0;
  }

  /** @param {string} mark @param {1 | -1} way */
  jump(mark, way) {
    const next = this.found.next(this.wish.at, mark, way);
    if (next) this.select(next.position);
    else this.live.textContent = `There is no ${way > 0 ? 'later' : 'earlier'} ${mark}.`;
  }

  /** Keys of the timeline and of the list. @param {KeyboardEvent} event */
  press(event) {
    const { key, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || (target instanceof HTMLButtonElement)) return;
    const { page } = this.list;
    const by = new Map([['ArrowLeft', -1], ['ArrowUp', -1], ['ArrowRight', 1], ['ArrowDown', 1], ['PageUp', -page], ['PageDown', page], ['Home', -Infinity], ['End', Infinity]]).get(key);
    const mark = KEYS.get(key.toLowerCase());
    const zoom = ZOOMS.get(key);
    if (mark) this.jump(mark, event.shiftKey ? -1 : 1);
    else if (zoom) this.timeline.zoom(zoom);
    else if (by) this.select(this.found.step(this.wish.at, by)?.position ?? this.wish.at);
    else return;
    event.preventDefault();
  }

  /** Left and right on the tabs. @param {KeyboardEvent} event */
  turn(event) {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (by === 0) return;
    const place = this.tabs.findIndex((tab) => tab.tabIndex === 0);
    const next = this.tabs.at((place + by) % this.tabs.length);
    next?.click();
    next?.focus();
  }
}

/** The options of a filter. A wish stays though nothing fits. @param {HTMLSelectElement} select @param {string} all @param {string[]} values @param {string} wish @param {(value: string) => string} name */
function offer(select, all, values, wish, name) {
  const list = !wish || values.includes(wish) ? values : [...values, wish];
  if (select.options.length !== list.length + 1) fill(select, h('option', { value: '' }, all), list.map((value) => h('option', { value }, plain(name(value)))));
  select.value = wish;
}

customElements.define('fm-audit', AuditPage);
