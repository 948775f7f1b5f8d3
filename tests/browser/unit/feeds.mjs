// Feeds as a server sends them: drawn at random, and cut as a network cuts them.

// The modules of the console ask where they were loaded from, and who is signed in.
globalThis.document = /** @type {any} */ ({ baseURI: 'http://127.0.0.1:1/', hidden: false, addEventListener() {}, removeEventListener() {} });
globalThis.sessionStorage = /** @type {any} */ ({ getItem: () => 'token', setItem() {}, removeItem() {} });
globalThis.addEventListener ??= /** @type {any} */ (() => {});
globalThis.removeEventListener ??= /** @type {any} */ (() => {});

/** Numbers at random, the same for the same seed. @param {number} seed */
export function chance(seed) {
  let state = seed * 2654435761 + 1;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (/** @type {number} */ end) => Math.floor(next() * end);
  return { next, below, one: (/** @type {any[]} */ list) => list[below(list.length)], is: (/** @type {number} */ share) => next() < share };
}

const WORDS = ['ship', 'it', 'größer', '日本', '👩‍🚀', '\u202e', '<b>', '\n\n', 'data: x', '@worker', '…', ' '];
const AGENTS = ['planner', 'worker', '__proto__', 'constructor'];

/** A text of some words. @param {ReturnType<typeof chance>} draw */
const textOf = (draw) => Array.from({ length: 1 + draw.below(9) }, () => draw.one(WORDS)).join(' ');

/** The text in pieces, as drafts are sent: cut between characters. @param {ReturnType<typeof chance>} draw @param {string} text */
export function pieces(draw, text) {
  const found = [];
  let piece = '';
  for (const letter of text) {
    piece += letter;
    if (draw.is(0.3)) {
      found.push(piece);
      piece = '';
    }
  }
  return piece === '' ? found : [...found, piece];
}

const bytes = (/** @type {string} */ text) => Buffer.byteLength(text);

/**
 * The events of a room, in order: items with ids, and drafts between them.
 * @param {number} seed @param {number} length
 */
export function story(seed, length = 40) {
  const draw = chance(seed);
  const frames = [];
  let at = 0;
  let number = 0;
  const next = (type) => {
    // A message is an event of its own.
    if (at > 0 && type !== 'message' && draw.is(0.3)) number += 1;
    else [at, number] = [at + 1 + draw.below(3), 0];
    return number === 0 ? `${at}` : `${at}.${number}`;
  };
  const item = (type, more) => {
    const id = next(type);
    frames.push({ id, time: new Date(1e12 + at * 1000).toISOString(), type, ...more });
    return at;
  };
  const messages = [];
  const calls = [];
  const requests = [];
  const kinds = {
    message() {
      const text = textOf(draw);
      const message = at + 1000;
      messages.push({ message, at: item('message', { message, author: draw.is(0.5) ? { person: 'ada' } : { agent: draw.one(AGENTS) }, by: { method: 'token', subject: 'ada' }, text, episode: at }) });
    },
    written() {
      const agent = draw.one(AGENTS);
      const text = textOf(draw);
      const message = at + 2000;
      item('activity', { agent, activity: 'turn_opened', episode: at });
      let offset = 0;
      const isStopped = draw.is(0.3);
      for (const piece of pieces(draw, text)) {
        frames.push({ type: 'draft', agent, message, offset, text: piece });
        offset += bytes(piece);
        if (draw.is(0.1)) kinds.notice();
      }
      frames.push({ type: 'draft_end', message, ending: isStopped ? 'broken_off' : 'posted' });
      if (!isStopped) messages.push({ message, at: item('message', { message, author: { agent }, text, episode: at }) });
      item('activity', { agent, activity: { turn_closed: isStopped ? 'stopped' : 'answered' }, episode: at });
    },
    notice() {
      item('notice', { notice: { limit_reached: {} }, words: textOf(draw) });
    },
    call() {
      const call = `c${frames.length}`;
      const asks = draw.is(0.5);
      if (asks) requests.push({ call, request: item('request', { call, agent: 'worker', request: { request: frames.length, agent: 'worker', tool: 'run', arguments: '{}' } }), number: frames.length - 1 });
      else item('call_started', { call, tool: 'run', arguments: '{}', attempt: 1, effect: 'read', agent: 'worker' });
      calls.push(call);
    },
    decision() {
      const asked = requests.shift();
      if (!asked) return kinds.message();
      item('decision', { request: frames.find((frame) => frame.call === asked.call).request.request, call: asked.call, how: draw.one(['allow', 'deny', 'expired']), by: { method: 'token', subject: 'ben' }, arguments: draw.is(0.3) ? '{"a":1}' : undefined });
    },
    finished() {
      const call = calls.shift();
      if (!call) return kinds.message();
      if (draw.is(0.2)) item('call_replaced', { call, by: `${call}'` });
      else item('call_finished', { call, tool: 'run', status: 'done', text: textOf(draw), words: 'done' });
    },
    revised() {
      const one = messages.length > 0 && draw.one(messages);
      if (!one) return kinds.message();
      item('revised', { message: one.message, how: draw.one(['edited', 'retracted', 'regenerated']), gone: messages.filter((other) => other === one || draw.is(0.2)).map((other) => other.at) });
    },
    erased() {
      if (at < 3) return kinds.message();
      const from = 1 + draw.below(at);
      item('erased', { events: [{ from, to: from + draw.below(4) }] });
    },
    branched() {
      item('branched', {});
    },
  };
  const often = ['message', 'written', 'written', 'call', 'decision', 'finished', 'notice', 'revised', 'erased', 'branched'];
  while (frames.length < length) kinds[draw.one(often)]();
  return JSON.parse(JSON.stringify(frames)); // without what is undefined: so it comes
}

/** A state without what only says which entries are to be painted anew. @param {any} room */
export const told = ({ touched, ...room }) => room;

/**
 * A server that tells a story: each connection gets what is behind its place, then the drafts that are open, then what comes.
 * It ends after some bytes, but the last one.
 * @param {any[]} frames @param {ReturnType<typeof chance>} draw
 */
export class Teller {
  constructor(frames, draw, cuts = 8) {
    this.frames = frames;
    this.draw = draw;
    this.cuts = cuts;
    this.now = 0;
    this.connections = 0;
  }

  /** All that was sent is behind a connection that ends. @param {string} url */
  answer(url, signal) {
    this.connections += 1;
    const after = new URL(url).searchParams.get('after');
    const isLast = this.cuts-- <= 0;
    // The story goes on while nobody listens; the tape begins at what was there.
    this.now = isLast ? this.frames.length : Math.min(this.frames.length, this.now + this.draw.below(6));
    const present = this.frames.slice(0, this.now);
    const items = present.filter((frame) => frame.id !== undefined);
    const fresh = items.filter((frame) => after === null || isAfter(frame.id, after));
    // Some servers, and what stands between, tell again what was told.
    const again = this.draw.is(0.3) ? this.draw.below(4) : 0;
    const tape = items.slice(Math.max(0, items.length - fresh.length - again));
    tape.push({ type: 'caught_up', after });
    tape.push(...open(present, this.draw));
    const live = isLast ? [] : this.frames.slice(this.now, this.now + this.draw.below(12));
    this.now += live.length;
    const text = [...tape, ...live].map(sse).join('');
    return this.#body(Buffer.from(text), isLast, signal);
  }

  #body(all, isLast, signal) {
    const end = isLast ? all.length : this.draw.below(all.length + 1);
    const chunks = [];
    for (let from = 0; from < end;) {
      const to = Math.min(end, from + 1 + this.draw.below(200));
      chunks.push(all.subarray(from, to));
      from = to;
    }
    const stream = new ReadableStream({
      pull(controller) {
        const chunk = chunks.shift();
        if (chunk) controller.enqueue(new Uint8Array(chunk));
        else if (!isLast) controller.close();
        else return new Promise((done) => signal?.addEventListener('abort', () => done(controller.error(new Error('stopped')))));
      },
    });
    return new Response(stream, { status: 200, headers: { 'content-type': 'text/event-stream' } });
  }
}

/** True if `id` is behind `after`: said anew here, so that it is no copy of what is tested. */
function isAfter(id, after) {
  const [a, b] = [id, after].map((one) => one.split('.').map(Number));
  return a[0] !== b[0] ? a[0] > b[0] : (a[1] ?? 0) > (b[1] ?? 0);
}

/** The drafts that are open behind these frames, whole, in pieces of their own. */
function open(frames, draw) {
  const drafts = new Map();
  for (const frame of frames) {
    if (frame.type === 'draft') drafts.set(frame.message, { agent: frame.agent, text: (drafts.get(frame.message)?.text ?? '') + frame.text });
    if (frame.type === 'draft_end') drafts.delete(frame.message);
  }
  return [...drafts].flatMap(([message, { agent, text }]) => {
    let offset = 0;
    return pieces(draw, text).map((piece) => {
      const frame = { type: 'draft', agent, message, offset, text: piece };
      offset += bytes(piece);
      return frame;
    });
  });
}

const sse = (frame) => `${frame.id === undefined ? '' : `id: ${frame.id}\n`}event: ${frame.type}\ndata: ${JSON.stringify(frame)}\n\n${frame.type === 'notice' ? ':\n\n' : ''}`;
