// The number of requests that wait for this person, in all rooms. It is asked for again and again, and faster by whoever knows better.

import { get, session } from '../api/client.js';

const PAUSE_MS = 1500;

/** @typedef {(requests: any[]) => void} Listener */

class Waiting {
  /** @type {any[]} */
  requests = [];
  /** @type {Set<Listener>} */
  listeners = new Set();
  /** @type {unknown} the error of the last question; `null` if it was answered */
  error = null;
  /** @type {ReturnType<typeof setTimeout> | null | undefined} */
  timer = undefined;
  isAsking = false;
  isLate = false;

  /** The requests that the caller may decide, or that say nothing about it. */
  get count() {
    return this.requests.filter((request) => request.you?.decide !== false).length;
  }

  /** @param {Listener} listener */
  listen(listener) {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  start() {
    if (this.timer !== undefined) return;
    this.timer = null;
    this.ask();
  }

  stop() {
    clearTimeout(this.timer ?? undefined);
    this.timer = undefined;
    this.requests = [];
    this.listeners.forEach((listener) => listener([]));
  }

  /** Asks now, and then again from time to time. One question at a time: an old answer must not follow a new one. */
  async ask() {
    clearTimeout(this.timer ?? undefined);
    const { token } = session;
    if (this.timer === undefined || !token) return;
    this.timer = null;
    this.isLate = this.isAsking;
    if (this.isAsking) return;
    this.isAsking = true;
    const found = await all().catch((error) => ({ error }));
    this.isAsking = false;
    if (/** @type {any} */ (this.timer) === undefined) return;
    if (token === session.token) {
      if (Array.isArray(found)) this.requests = found;
      this.error = Array.isArray(found) ? null : found.error;
      this.listeners.forEach((listener) => listener(this.requests));
    }
    clearTimeout(this.timer ?? undefined);
    this.timer = setTimeout(() => this.ask(), this.isLate ? 0 : document.hidden ? 4 * PAUSE_MS : PAUSE_MS);
  }
}

async function all() {
  const found = [];
  for (let cursor = ''; ;) {
    const page = await get(`/requests?limit=200${cursor && `&cursor=${encodeURIComponent(cursor)}`}`, { signal: AbortSignal.timeout(30_000) });
    found.push(...page.requests);
    if (!page.next) return found;
    cursor = page.next;
  }
}

export const waitingElsewhere = new Waiting();
