// A feed that resumes. Items come in order and once, however often the connection is lost.

import { send, room, Problem } from './client.js';

/** @typedef {'connecting' | 'connected' | 'behind' | 'offline' | 'refused'} Connection */

/**
 * @typedef {object} Listener
 * @property {(items: any[]) => void} items what came, in order
 * @property {(connection: Connection, error?: unknown) => void} state
 */

const SILENCE_MS = 45_000; // the server says something every 15 seconds

/** @param {string} id `POSITION`, `POSITION.K`, or `POSITION.end` behind all of it @returns {[number, number]} */
export const place = (id) => {
  const [at, number] = id.split('.');
  return [Number(at), number === 'end' ? Infinity : Number(number ?? 0)];
};

/** True if `a` stands behind `b`. @param {string} a @param {string | null} b */
export function isBehind(a, b) {
  if (b === null) return true;
  const [at, number] = place(a);
  const [last, lastNumber] = place(b);
  return at > last || (at === last && number > lastNumber);
}

/** Events of a stream, as their fields. @param {any} body of a response @param {() => void} heard */
async function* events(body, heard) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    heard();
    const parts = (text + value).split('\n\n');
    text = parts.pop() ?? '';
    const found = [];
    for (const one of parts) {
      /** @type {Record<string, string>} */
      const fields = {};
      for (const line of one.split('\n')) {
        const colon = line.indexOf(':');
        if (colon > 0) fields[line.slice(0, colon)] = line.slice(colon + 1).replace(/^ /, '');
      }
      if (fields.data) found.push(JSON.parse(fields.data));
    }
    if (found.length > 0) yield found;
  }
}

/**
 * Items of the feed behind `after`, until what was there has come, or one at or behind `until`.
 * @param {string} world @param {number} after @param {number} until @returns {Promise<any[]>}
 */
export async function between(world, after, until) {
  const abort = new AbortController();
  const response = await send('GET', room(world, `/feed?after=${after}`), { signal: abort.signal });
  const found = [];
  try {
    for await (const some of events(response.body, () => {})) {
      for (const item of some) {
        if (item.type === 'caught_up') return found;
        if (item.id === undefined) continue;
        if (place(item.id)[0] > until) return found;
        found.push(item);
      }
    }
    return found;
  } finally {
    abort.abort();
  }
}

/** Follows a room until it is stopped. A hidden tab lets go after a minute: a browser has few connections to a server. */
export class Feed {
  #abort = new AbortController();
  #stopped = false;
  #wake = () => {};
  hide = /** @type {ReturnType<typeof setTimeout> | undefined} */ (undefined);

  /** @param {string} world @param {string | null} last @param {Listener} listener */
  constructor(world, last, listener) {
    this.world = world;
    this.last = last;
    this.listener = listener;
    this.onVisible = () => {
      clearTimeout(this.hide);
      if (document.hidden) this.hide = setTimeout(() => this.#abort.abort(), 60_000);
      else this.#wake();
    };
    this.onOnline = () => this.#wake();
    document.addEventListener('visibilitychange', this.onVisible);
    addEventListener('online', this.onOnline);
    this.run();
  }

  stop() {
    this.#stopped = true;
    this.#abort.abort();
    this.#wake();
    clearTimeout(this.hide);
    document.removeEventListener('visibilitychange', this.onVisible);
    removeEventListener('online', this.onOnline);
  }

  async run() {
    let wait = 100;
    while (!this.#stopped) {
      this.#abort = new AbortController();
      try {
        await this.#once(() => (wait = 100));
      } catch (error) {
        if (this.#stopped) return;
        const isFinal = error instanceof Problem && [401, 403, 404].includes(error.status);
        this.listener.state(isFinal ? 'refused' : 'offline', error);
        if (isFinal) return;
      }
      if (this.#stopped) return;
      await this.#rest(document.hidden ? 2 ** 31 - 1 : wait * (0.5 + Math.random() / 2));
      wait = Math.min(2 * wait, 5000);
    }
  }

  /** Waits, at most until the tab is seen or the network is back. @param {number} ms */
  #rest(ms) {
    return new Promise((done) => {
      const timer = setTimeout(done, ms);
      this.#wake = () => {
        clearTimeout(timer);
        done(undefined);
      };
    });
  }

  /** @param {() => void} heard */
  async #once(heard) {
    const signal = this.#abort.signal;
    let silence = setTimeout(() => this.#abort.abort(), SILENCE_MS);
    const alive = () => {
      clearTimeout(silence);
      silence = setTimeout(() => this.#abort.abort(), SILENCE_MS);
    };
    try {
      const query = this.last === null ? '' : `?after=${this.last}`;
      const response = await send('GET', room(this.world, `/feed${query}`), { signal });
      this.listener.state('behind');
      heard();
      for await (const some of events(response.body, alive)) {
        if (this.#stopped) return;
        const fresh = some.filter((item) => item.id === undefined || isBehind(item.id, this.last));
        for (const item of fresh) if (item.id !== undefined) this.last = item.id;
        this.listener.items(fresh.filter((item) => item.type !== 'caught_up' && item.type !== 'bye'));
        if (some.some((item) => item.type === 'caught_up')) this.listener.state('connected');
      }
      this.listener.state('offline');
    } finally {
      clearTimeout(silence);
    }
  }
}
