// A slider over the events of a room. It says where it stands by `fm-at`.

import { button, fill, h, tell } from '../dom.js';
import { number } from './answer.js';

const REST_MS = 120; // after a move, before it is said

class Slider extends HTMLElement {
  head = 1;
  at = 0; // 0 is the end
  rest = 0;
  range = h('input', { type: 'range', min: '1', 'aria-label': 'Moment', oninput: () => this.move(Number(this.range.value), REST_MS), onchange: () => this.move(Number(this.range.value)) });
  field = h('input', { type: 'number', min: '1', class: 'digits', 'aria-label': 'Event', onchange: () => this.move(Number(this.field.value)) });
  end = h('span', { class: 'muted small' });

  connectedCallback() {
    const step = (/** @type {string} */ sign, /** @type {string} */ title, /** @type {number} */ by) => button(sign, () => this.move(this.here + by), { class: 'quiet', 'aria-label': title, title });
    fill(this, h('div', { class: 'row slider', role: 'group', 'aria-label': 'Time' }, step('‹', 'One event back', -1), this.range, step('›', 'One event on', 1),
      h('label', { class: 'row tight' }, this.field, this.end)));
    this.show({});
  }

  disconnectedCallback() {
    clearTimeout(this.rest);
  }

  get here() {
    return Math.min(this.at || this.head, this.head);
  }

  /** @param {{ head?: number, at?: number }} news */
  show(news) {
    Object.assign(this, news);
    const { range, field, end, head, here } = this;
    range.max = field.max = String(head);
    range.value = field.value = String(here);
    range.setAttribute('aria-valuetext', `event ${number(here)} of ${number(head)}`);
    end.textContent = `of ${number(head)}`;
  }

  /** @param {number} to @param {number} [rest] */
  move(to, rest = 0) {
    const at = Math.min(this.head, Math.max(1, Math.round(to) || 1));
    this.show({ at });
    clearTimeout(this.rest);
    this.rest = Number(setTimeout(() => tell(this, 'fm-at', at), rest));
  }
}

customElements.define('fm-slider', Slider);
