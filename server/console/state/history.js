// The part of a room that a page holds: the newest items, and as many older ones as somebody scrolled back to.

import { between, Feed, place } from '../api/feed.js';
import { empty, reduce } from './room.js';

const FIRST = 400; // positions that are asked for at first
const STEP = 1000; // and for each step back
const HELD_MAX = 4000; // items; behind that, the oldest half goes while the newest is read

/**
 * @typedef {object} Listener
 * @property {() => void} changed the room has other entries, or others are in `touched`
 * @property {(connection: import('../api/feed.js').Connection, error?: unknown) => void} connection
 */

export class RoomHistory {
  room = empty();
  /** @type {any[]} items, without drafts */
  items = [];
  isLoading = false;

  /** @param {string} world @param {number} head the last position @param {Listener} listener @param {number} [at] a position to show */
  constructor(world, head, listener, at) {
    this.world = world;
    this.listener = listener;
    this.from = Math.max(0, Math.min(head, at ?? head) - FIRST);
    this.feed = new Feed(world, String(this.from), {
      items: (items) => this.take(items),
      state: (connection, error) => {
        // The server tells drafts that are open from their beginning. The end of others may have been missed.
        if (connection === 'behind') this.room.drafts.clear();
        this.listener.connection(connection, error);
      },
    });
  }

  stop() {
    this.feed.stop();
  }

  get hasOlder() {
    return this.from > 0;
  }

  /** @param {any[]} items */
  take(items) {
    for (const item of items) {
      if (item.id !== undefined) this.items.push(item);
      reduce(this.room, item);
    }
    this.listener.changed();
  }

  /** Brings older items. Those that come meanwhile are taken as ever. */
  async older() {
    if (this.isLoading || !this.hasOlder) return;
    this.isLoading = true;
    try {
      const from = Math.max(0, this.from - STEP);
      const items = await between(this.world, from, this.from);
      await this.#hold([...items, ...this.items], from);
    } finally {
      this.isLoading = false;
    }
  }

  /** Lets go of what stands far above. To be called while the newest is read. */
  async trim() {
    if (this.items.length <= HELD_MAX || this.isLoading) return;
    this.isLoading = true;
    const from = place(this.items[this.items.length - HELD_MAX / 2].id)[0] - 1;
    await this.#hold(this.items.filter((item) => place(item.id)[0] > from), from);
    this.isLoading = false;
  }

  /** Makes the state anew of `items` and of those that come meanwhile, a part at a time: there may be tens of thousands. @param {any[]} items @param {number} from */
  async #hold(items, from) {
    const known = this.items.length;
    const room = empty();
    for (let index = 0; ; index++) {
      if (index === items.length) items.push(...this.items.splice(known));
      if (index === items.length) break;
      reduce(room, items[index]);
      if (index % 1000 === 999) await new Promise((done) => setTimeout(done));
    }
    const { drafts, touched } = this.room;
    const ids = new Set([...touched].map((entry) => entry.id));
    room.touched = new Set(room.entries.filter((entry) => ids.has(entry.id)));
    room.drafts = drafts;
    Object.assign(this, { room, items, from });
    this.listener.changed();
  }
}
