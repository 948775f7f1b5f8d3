// The events as a list. Only the rows in view exist.

import { fill, h, plain, tell } from '../dom.js';
import { first, laneWords } from '../state/outline.js';
import { Drawing, token } from './timeline.js';

/** @import { Entry, Found } from '../state/outline.js' */

const ROW = 32;
const SPARE = 6; // rows above and below what is in view

const time = new Intl.DateTimeFormat([], { day: '2-digit', month: 'short', hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' });

class Events extends Drawing {
  resize = new ResizeObserver(() => this.reveal());

  spacer = h('div', { role: 'presentation' });
  box = h('div', { class: 'rows', role: 'listbox', tabindex: '0', 'aria-label': 'Events', onscroll: () => this.later(), onclick: (/** @type {any} */ event) => this.choose(event.target) }, this.spacer);

  connectedCallback() {
    fill(this, this.box);
    this.resize.observe(this.box);
  }

  /** @param {Found} found other events than before */
  show(found) {
    this.found = found;
    this.reveal();
  }

  /** How many rows a page is. */
  get page() {
    return Math.max(1, Math.floor(this.box.clientHeight / ROW) - 1);
  }

  /** Scrolls to the selected event, if it is not in view. */
  reveal() {
    const { box, found } = this;
    if (found && this.at !== null) {
      this.size(found);
      const top = first(found.list, 'position', this.at) * ROW;
      if (top < box.scrollTop || top + ROW > box.scrollTop + box.clientHeight) box.scrollTop = top - (box.clientHeight - ROW) / 2;
    }
    this.later();
  }

  /** @param {Found} found */
  size(found) {
    this.spacer.style.setProperty('height', `${found.list.length * ROW}px`);
  }

  /** @param {Found} found */
  draw(found) {
    const { box, spacer } = this;
    this.size(found);
    const from = Math.max(0, Math.floor(box.scrollTop / ROW) - SPARE);
    const to = Math.ceil((box.scrollTop + box.clientHeight) / ROW) + SPARE;
    box.removeAttribute('aria-activedescendant');
    fill(spacer, found.list.slice(from, to).map((entry, n) => this.row(entry, from + n, found.list.length)));
  }

  /** @param {Entry} entry @param {number} place @param {number} count */
  row({ position, time: at, kind, lane, mark }, place, count) {
    const id = `event-${position}`;
    const isHere = position === this.at;
    if (isHere) this.box.setAttribute('aria-activedescendant', id);
    const row = h('div', { class: 'event', role: 'option', id, 'aria-selected': String(isHere), 'aria-posinset': place + 1, 'aria-setsize': count, 'data-at': position },
      h('span', { class: 'mono' }, position.toLocaleString()), h('span', { class: 'muted moment' }, time.format(at)), h('span', {}, plain(kind)),
      h('span', { class: 'muted' }, plain(laneWords(lane, this.people))), mark && h('span', { title: mark }, token(mark), h('span', { class: 'visually-hidden' }, mark)));
    row.style.setProperty('top', `${place * ROW}px`);
    return row;
  }

  /** @param {Element} target */
  choose(target) {
    const row = target.closest('[data-at]');
    if (row) tell(this, 'fm-select', Number(row.getAttribute('data-at')));
  }
}

customElements.define('fm-events', Events);
