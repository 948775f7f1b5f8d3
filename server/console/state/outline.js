// The outline of a log: each event in short. It is quick to look through 100,000 of them. No DOM.

/** @typedef {{ position: number, time: number, kind: string, lane: string, call: number | string | undefined, mark: string | undefined, rising: number }} Entry `rising` is the time, but never falls */
/** @typedef {'position' | 'rising'} Axis */
/** @typedef {{ kind?: string, lane?: string, call?: string, also?: Set<number> }} Wishes */

export const MARKS = ['refusal', 'error', 'request'];

export class Outline {
  /** @type {Entry[]} */
  entries = [];
  /** @type {Set<string>} */
  lanes = new Set();
  /** @type {Set<string>} */
  kinds = new Set();

  get head() {
    return this.entries.at(-1)?.position ?? 0;
  }

  /** Adds the events behind the last one. @param {any[]} entries */
  add(entries) {
    let rising = this.entries.at(-1)?.rising ?? 0;
    for (const { position, time, kind, lane, call, mark } of entries) {
      if (position <= this.head) continue;
      rising = Math.max(time, rising);
      // All of one shape, which makes them quick to read.
      this.entries.push({ position, time, rising, kind, lane, call, mark });
      this.lanes.add(lane);
      this.kinds.add(kind);
    }
  }

  /** @param {number | null | undefined} position */
  find(position) {
    const entry = this.entries[first(this.entries, 'position', position ?? 0)];
    return entry?.position === position ? entry : undefined;
  }
}

/** The place of the first entry at or behind a value. @param {Entry[]} entries @param {Axis} axis @param {number} value */
export function first(entries, axis, value) {
  let low = 0;
  for (let high = entries.length; low < high;) {
    const middle = (low + high) >> 1;
    if (entries[middle][axis] >= value) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The events that fit, in order. They grow with the outline. */
export class Found {
  /** @type {Entry[]} */
  list = [];
  /** How many have each mark. */
  counts = MARKS.map(() => 0);
  seen = 0;

  /** @param {Outline} outline @param {Wishes} wishes */
  constructor(outline, wishes) {
    this.outline = outline;
    this.wishes = wishes;
    this.extend();
  }

  extend() {
    const { kind, lane, call, also } = this.wishes;
    const { entries } = this.outline;
    for (; this.seen < entries.length; this.seen++) {
      const entry = entries[this.seen];
      if ((kind && entry.kind !== kind) || (lane && entry.lane !== lane)) continue;
      if (call && String(entry.call) !== call && !also?.has(entry.position)) continue;
      this.list.push(entry);
      if (entry.mark) this.counts[MARKS.indexOf(entry.mark)]++;
    }
  }

  /** The event `count` on from a position, or the last one that way. @param {number | null} position @param {number} count */
  step(position, count) {
    const here = position === null ? (count > 0 ? 0 : this.list.length) : first(this.list, 'position', position);
    const between = count > 0 && this.list[here]?.position !== position ? 1 : 0;
    return this.list[Math.max(0, Math.min(here + count - between, this.list.length - 1))];
  }

  /** The next event with a mark, one way or the other. @param {number | null} position @param {string} mark @param {1 | -1} way */
  next(position, mark, way) {
    const here = position ?? (way > 0 ? 0 : Infinity);
    let place = first(this.list, 'position', way > 0 ? here + 1 : here) - (way > 0 ? 0 : 1);
    while (this.list[place] && this.list[place].mark !== mark) place += way;
    return this.list[place];
  }
}

const BAR = 4; // the least width of a bar with its gap, in pixels

/** @typedef {{ x: number, width: number, count: number, entry: Entry, marks: Set<string> | null }} Bar events of a lane, too near to be told apart; the first of them */

/**
 * The bars in view by lane, and the highest count.
 * @param {Found} found @param {Axis} axis @param {number} from @param {number} to @param {number} width in pixels
 */
export function bars({ list }, axis, from, to, width) {
  const scale = width / (to - from);
  const isSingle = axis === 'position' && scale >= BAR;
  const wide = isSingle ? Math.min(scale - 1, 16) : BAR - 1;
  const margin = 20 / scale;
  /** @type {Map<string, Bar[]>} */
  const lanes = new Map();
  let row = /** @type {Bar[]} */ ([]);
  let lane = '';
  let most = 2;
  for (let place = first(list, axis, from - margin); place < list.length && list[place][axis] <= to + margin; place++) {
    const entry = list[place];
    // Bars stand on a grid of the whole log, so that they do not flicker while the view moves.
    const x = isSingle ? (entry.position - from) * scale - wide / 2 : Math.round(Math.floor((entry[axis] * scale) / BAR) * BAR - from * scale);
    if (entry.lane !== lane) {
      lane = entry.lane;
      row = lanes.get(lane) ?? [];
      lanes.set(lane, row);
    }
    let bar = row[row.length - 1];
    if (bar?.x === x) most = Math.max(most, ++bar.count);
    else row.push((bar = { x, width: wide, count: 1, entry, marks: null }));
    if (entry.mark) (bar.marks ??= new Set()).add(entry.mark);
  }
  return { lanes, most };
}

const DAY = 864e5;
const TENS = [...Array(10).keys()].flatMap((power) => [1, 2, 5].map((digit) => digit * 10 ** power));
const STEPS = { position: TENS, rising: [...TENS.slice(0, 9), 1e3, 5e3, 15e3, 6e4, 3e5, 9e5, 36e5, 108e5, 432e5, ...TENS.map((count) => count * DAY)] };

/** Round places for the marks of an axis, about one in 110 pixels. @param {Axis} axis @param {number} from @param {number} to @param {number} width */
export function ticks(axis, from, to, width) {
  const wish = ((to - from) * 110) / width;
  const step = STEPS[axis].find((one) => one >= wish) ?? wish;
  const found = [];
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) found.push(at);
  return { step, found };
}

/** Lanes in their order: the room, people, services, agents; each as they first appear. @param {Iterable<string>} lanes */
export function ordered(lanes) {
  const rank = (/** @type {string} */ lane) => 'rpsa'.indexOf(lane[0]);
  return [...lanes].sort((one, other) => rank(one) - rank(other));
}

/** The words of a lane. @param {string} lane @param {Map<string, string>} people names by key */
export function laneWords(lane, people) {
  const name = lane.slice(lane.indexOf(':') + 1);
  return name === lane ? 'Room' : lane.startsWith('agent:') ? name : people.get(name) ?? name;
}
