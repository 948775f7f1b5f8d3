// The log as a picture: a lane for each agent and person. Only what is in view is drawn, and near events are one bar.

import { button, face, fill, h, plain, svg, tell } from '../dom.js';
import { renew } from './text.js';
import { bars, laneWords, MARKS, ordered, ticks } from '../state/outline.js';

/** @import { Axis, Bar, Entry, Found } from '../state/outline.js' */

const LANE = 30;
const LANES_MAX = 8; // more are scrolled
const LEAST = { position: 8, rising: 4 }; // the least that is in view
const REACH = 30; // pixels within which a pointer finds a bar

/** @type {Record<string, string>} */
const SHAPES = { refusal: 'm-5 0l5 -5l5 5l-5 5z', error: 'm-5 4.5l5 -9.5l5 9.5z', request: 'm-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0z' };

/** The sign of a mark, as in the timeline. @param {string} mark */
export const token = (mark) => svg('svg', { class: `token ${mark}`, width: 12, height: 12, 'aria-hidden': 'true' }, svg('path', { d: `M6 6${SHAPES[mark] ?? ''}` }));

const format = (/** @type {Intl.DateTimeFormatOptions} */ more) => new Intl.DateTimeFormat([], { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', ...more });
const second = format({ second: '2-digit' });
export const exact = format({ second: '2-digit', fractionalSecondDigits: 3 });
const day = format({ day: 'numeric', month: 'short' });

/** An event in a line. @param {Entry} entry @param {Map<string, string>} people */
export const line = (entry, people) =>
  plain([entry.position.toLocaleString(), entry.kind, laneWords(entry.lane, people), exact.format(entry.time), entry.mark].filter(Boolean).join(' · '));

/** Draws in the next frame, once, however often it is asked. */
export class Drawing extends HTMLElement {
  /** @type {Found | null} */
  found = null;
  /** @type {number | null} the selected event */
  at = null;
  /** @type {Map<string, string>} */
  people = new Map();
  frame = 0;
  resize = new ResizeObserver(() => this.later());

  disconnectedCallback() {
    this.resize.disconnect();
  }

  later() {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      if (this.found && this.isConnected) this.draw(this.found);
    });
  }

  /** @param {Found} _found */
  draw(_found) {}
}

class Timeline extends Drawing {
  /** @type {number | null} the event to compare with */
  from = null;
  /** @type {string[]} lanes without an event, so far */
  known = [];
  /** @type {Axis} */
  axis = 'position';
  /** @type {[number, number] | null} `null` for all */
  view = null;
  /** @type {string[]} lanes in view */
  seen = [];
  /** @type {ReturnType<typeof bars>} */
  drawn = { lanes: new Map(), most: 2 };
  width = 0;
  shift = 0;
  /** @type {{ x: number, from: number, to: number, moved?: boolean } | null} where a pointer went down */
  held = null;

  names = h('div', { class: 'names', 'aria-hidden': 'true' });
  paper = svg('svg', {
    class: 'paper', 'aria-hidden': 'true', onpointerdown: (/** @type {any} */ event) => this.hold(event), onpointermove: (/** @type {any} */ event) => this.drag(event),
    onpointerup: (/** @type {any} */ event) => this.drop(event), onpointercancel: () => (this.held = null), onpointerleave: () => this.say(),
  });
  ruler = svg('svg', { class: 'ruler', height: 20, 'aria-hidden': 'true' });
  stage = h('div', { class: 'stage' }, this.names, this.paper);
  spacer = h('div', {}, this.stage);
  lanes = h('div', { class: 'lanes', role: 'slider', tabindex: '0', 'aria-label': 'Timeline', 'aria-describedby': 'timeline-keys', onscroll: () => this.later() }, this.spacer);
  caption = h('span', { class: 'small muted grow caption' });
  byTime = button('By time', () => this.turn(), { class: 'quiet', 'aria-pressed': 'false' });

  connectedCallback() {
    this.lanes.addEventListener('wheel', (event) => this.wheel(event), { passive: false });
    const control = (/** @type {string} */ words, /** @type {string} */ title, /** @type {() => void} */ act) => button(words, act, { class: 'quiet', 'aria-label': title, title });
    fill(this, h('div', { class: 'row' }, this.caption, this.byTime, control('−', 'Zoom out (−)', () => this.zoom(2)), control('+', 'Zoom in (+)', () => this.zoom(0.5)), control('Fit', 'Show the whole log (0)', () => this.fit())),
      this.lanes, this.ruler,
      h('p', { class: 'visually-hidden', id: 'timeline-keys' }, 'Left and Right: previous and next event. Home and End: first and last. +, − and 0: zoom. r, e and q: next refusal, error and request; with Shift, previous.'));
    this.resize.observe(this.paper);
  }

  /** The other axis. */
  turn() {
    this.axis = this.axis === 'position' ? 'rising' : 'position';
    this.byTime.setAttribute('aria-pressed', String(this.axis === 'rising'));
    this.fit();
  }

  /** All of the axis. @returns {[number, number]} */
  whole() {
    const entries = this.found?.outline.entries ?? [];
    const from = entries[0]?.[this.axis] ?? 0;
    const to = Math.max(entries.at(-1)?.[this.axis] ?? 1, from + LEAST[this.axis]);
    const margin = this.axis === 'position' ? 0.5 : (to - from) * 0.01;
    return [from - margin, to + margin];
  }

  fit() {
    this.view = null;
    this.later();
  }

  /** @param {number} factor below 1 to see less of more @param {number} [around] on the axis */
  zoom(factor, around) {
    const [from, to] = this.view ?? this.whole();
    const here = around ?? this.here() ?? NaN;
    const center = here >= from && here <= to ? here : (from + to) / 2;
    this.show(center - (center - from) * factor, center + (to - center) * factor);
  }

  /** The place of the selected event on the axis. */
  here() {
    return this.found?.outline.find(this.at)?.[this.axis];
  }

  /** Shows a part, within the log. @param {number} from @param {number} to */
  show(from, to) {
    const [least, most] = this.whole();
    const span = Math.min(Math.max(to - from, LEAST[this.axis]), most - least);
    const start = Math.min(Math.max((from + to - span) / 2, least), most - span);
    this.view = span < most - least ? [start, start + span] : null;
    this.later();
  }

  /** Brings the selected event into view. */
  reveal() {
    const here = this.here();
    if (here !== undefined && this.view) {
      const [from, to] = this.view;
      if (here < from || here > to) this.show(here - (to - from) / 2, here + (to - from) / 2);
    }
    const row = this.order().indexOf(this.found?.outline.find(this.at)?.lane ?? '');
    if (row >= 0) this.lanes.scrollTop = Math.min(Math.max(this.lanes.scrollTop, (row + 1) * LANE - this.lanes.clientHeight), row * LANE);
    this.later();
  }

  order() {
    return ordered(new Set(['room', ...this.known, ...(this.found?.outline.lanes ?? [])]));
  }

  /** @param {Found} found */
  draw(found) {
    const { lanes, stage, paper, spacer } = this;
    const order = this.order();
    const height = Math.min(order.length, LANES_MAX) * LANE;
    for (const [element, size] of /** @type {[HTMLElement, number][]} */ ([[lanes, height + 1], [stage, height], [spacer, order.length * LANE]])) element.style.setProperty('height', `${size}px`);
    this.width = paper.getBoundingClientRect().width;
    if (this.width <= 0) return;
    const [from, to] = this.view ?? this.whole();
    this.drawn = bars(found, this.axis, from, to, this.width);
    const top = Math.floor(lanes.scrollTop / LANE);
    this.shift = top * LANE - lanes.scrollTop;
    this.seen = order.slice(top, top + LANES_MAX + 1);
    const x = (/** @type {number} */ value) => ((value - from) / (to - from)) * this.width;
    const start = found.outline.find(this.from)?.[this.axis];
    const here = this.here();
    fill(paper, start !== undefined && svg('path', { class: 'start', d: `M${x(start)} 0V${height}` }), here !== undefined && svg('path', { class: 'here', d: `M${x(here)} 0V${height}` }),
      this.seen.map((lane, row) => this.lane(lane, row * LANE + this.shift + LANE / 2)),
      here !== undefined && svg('rect', { class: 'ring', x: x(here) - 10, y: this.seen.indexOf(found.outline.find(this.at)?.lane ?? '') * LANE + this.shift + 2, width: 20, height: LANE - 4, rx: 5 }));
    this.label();
    this.rule(from, to, x);
    this.say();
  }

  /** @param {string} lane @param {number} y its middle */
  lane(lane, y) {
    let path = '';
    /** @type {Map<string, string>} */
    const marks = new Map();
    for (const { x, width, count, marks: some } of this.drawn.lanes.get(lane) ?? []) {
      const tall = 8 + 14 * (Math.log(count) / Math.log(this.drawn.most));
      path += `M${x} ${y - tall / 2}h${width}v${tall}h${-width}z`;
      some?.forEach((mark) => marks.set(mark, `${marks.get(mark) ?? ''}M${x + width / 2} ${y}${SHAPES[mark] ?? ''}`));
    }
    return [svg('path', { class: 'ground', d: `M0 ${y}H${this.width}` }), svg('path', { class: lane.startsWith('agent:') ? 'bars agent' : 'bars', d: path }),
      MARKS.map((mark) => marks.has(mark) && svg('path', { class: `token ${mark}`, d: marks.get(mark) }))];
  }

  /** The names of the lanes in view. */
  label() {
    const { names, seen, people } = this;
    names.style.setProperty('--shift', `${this.shift}px`);
    renew(names, JSON.stringify([seen, ...people]), () => seen.map((lane) => {
      const words = plain(laneWords(lane, people));
      return h('div', { class: 'lane-name', title: words }, lane !== 'room' && face(words, lane.startsWith('agent:')), h('span', {}, words));
    }));
  }

  /** @param {number} from @param {number} to @param {(value: number) => number} x */
  rule(from, to, x) {
    const { step, found } = ticks(this.axis, from, to, this.width);
    const words = this.axis === 'position' ? new Intl.NumberFormat() : step < 1000 ? exact : to - from < 864e5 ? second : day;
    fill(this.ruler, found.map((at) => [svg('path', { d: `M${x(at)} 0v5` }), x(at) > 40 && x(at) < this.width - 40 && svg('text', { x: x(at), y: 16, 'text-anchor': 'middle' }, words.format(at))]));
  }

  /** Says which event is selected, or is under the pointer. @param {Entry} [under] */
  say(under) {
    const { found, lanes, caption, people } = this;
    if (!found) return;
    const here = found.outline.find(this.at);
    const words = here ? line(here, people) : `${found.list.length.toLocaleString()} events`;
    caption.textContent = under ? line(under, people) : words;
    lanes.setAttribute('aria-valuemax', String(found.outline.head));
    lanes.setAttribute('aria-valuenow', String(this.at ?? 0));
    lanes.setAttribute('aria-valuetext', words);
  }

  /** @param {PointerEvent} event */
  hold(event) {
    const [from, to] = this.view ?? this.whole();
    if (event.button === 0) this.held = { x: event.clientX, from, to };
  }

  /** @param {PointerEvent} event */
  drag(event) {
    const { held } = this;
    if (!held) return this.say(this.under(event));
    const by = held.x - event.clientX;
    if (!held.moved && Math.abs(by) < 5) return;
    if (!held.moved) this.paper.setPointerCapture(event.pointerId);
    held.moved = true;
    this.move(held.from, held.to, by);
  }

  /** A click selects; with Shift it is where to compare from. @param {PointerEvent} event */
  drop(event) {
    const under = this.held && !this.held.moved ? this.under(event) : undefined;
    this.held = null;
    if (under) tell(this, event.shiftKey ? 'fm-from' : 'fm-select', under.position);
  }

  /** @param {number} from @param {number} to @param {number} by pixels */
  move(from, to, by) {
    const share = (by * (to - from)) / this.width;
    this.show(from + share, to + share);
  }

  /** @param {WheelEvent} event */
  wheel(event) {
    const [from, to] = this.view ?? this.whole();
    const by = event.deltaX || (event.shiftKey ? event.deltaY : 0);
    if (event.ctrlKey || event.metaKey) {
      const x = event.clientX - this.paper.getBoundingClientRect().left;
      this.zoom(Math.exp(Math.max(-100, Math.min(100, event.deltaY)) / 200), from + (x / this.width) * (to - from));
    } else if (by !== 0 && this.view) this.move(from, to, by);
    else return;
    event.preventDefault();
  }

  /** The nearest event: of the lane under the pointer, or of any. @param {PointerEvent} event */
  under(event) {
    const box = this.paper.getBoundingClientRect();
    const x = event.clientX - box.left;
    const lane = this.seen[Math.floor((event.clientY - box.top - this.shift) / LANE)];
    const distance = (/** @type {Bar} */ bar) => Math.abs(bar.x + bar.width / 2 - x);
    for (const some of [this.drawn.lanes.get(lane) ?? [], [...this.drawn.lanes.values()].flat()]) {
      const bar = some.reduce((/** @type {Bar | null} */ best, one) => (best && distance(best) <= distance(one) ? best : one), null);
      if (bar && distance(bar) <= REACH) return bar.entry;
    }
    return undefined;
  }
}

customElements.define('fm-timeline', Timeline);
