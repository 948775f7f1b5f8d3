// The time that is left. One timer serves all countdowns of the page.

import { make, tell } from '../dom.js';
import { server } from '../api/client.js';

/** @param {number} ms */
export function left(ms) {
  const seconds = Math.ceil(ms / 1000);
  const [days, hours, minutes] = [Math.floor(seconds / 86400), Math.floor(seconds / 3600) % 24, Math.floor(seconds / 60) % 60];
  if (days > 0) return `${days} d ${hours} h`;
  return hours > 0 ? `${hours} h ${minutes} min` : `${minutes}:${String(seconds % 60).padStart(2, '0')}`;
}

/** @type {Set<Countdown>} */
const running = new Set();
setInterval(() => running.forEach((one) => one.show()), 1000);

/** Says how long it is until `until`, by the server's clock, and then once `fm-expired`. */
class Countdown extends HTMLElement {
  until = '';

  connectedCallback() {
    this.setAttribute('role', 'timer');
    running.add(this);
    this.show();
  }

  disconnectedCallback() {
    running.delete(this);
  }

  show() {
    const ms = Date.parse(this.until) - server.now();
    this.textContent = ms > 0 ? `expires in ${left(ms)}` : 'expired';
    this.classList.toggle('soon', ms < 60_000);
    if (ms > 0) return;
    running.delete(this);
    queueMicrotask(() => tell(this, 'fm-expired'));
  }
}

customElements.define('fm-countdown', Countdown);

/** The time until `until`, which the API wrote. @param {string} until @returns {HTMLElement} */
export const countdown = (until) => make('fm-countdown', { until });
