// The state of a room does not depend on how its feed came: in which pieces, how often, and over how many connections.

import test from 'node:test';
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { chance, pieces, story, Teller, told } from './feeds.mjs';

const console_ = new URL('../../../server/console/', import.meta.url);
const { empty, reduce, replay, waiting } = await import(new URL('state/room.js', console_).href);
const { RoomHistory } = await import(new URL('state/history.js', console_).href);
const { isBehind, place } = await import(new URL('api/feed.js', console_).href);

const SEEDS = Number(process.env.FOLKMOOT_FEEDS ?? 400);
// A real room: drafts, a reply that was made anew, a decision with other arguments, a denial, a stop, an edit, a message taken back.
const recorded = fs.readFileSync(new URL('recorded.jsonl', import.meta.url), 'utf8').trim().split('\n').map((line) => JSON.parse(line));
const storyOf = (/** @type {number} */ seed, /** @type {number} */ length) => (seed % 10 === 0 ? recorded : story(seed, length));
const wholeOf = (/** @type {any[]} */ frames) => told(frames.reduce(reduce, empty()));
const seeds = (/** @type {number} */ count) => Array.from({ length: count }, (_, seed) => seed + 1);

test('any split and any repetition of a feed gives the state of the whole', () => {
  for (const seed of seeds(SEEDS)) {
    const draw = chance(seed);
    const frames = storyOf(seed, 40);
    const items = frames.filter((frame) => frame.id !== undefined);
    const room = empty();
    let from = 0;
    while (from < items.length) {
      const to = Math.min(items.length, from + 1 + draw.below(7));
      for (const item of items.slice(from, to)) reduce(room, item);
      // Items that came already come again, from anywhere, before the rest.
      const back = draw.below(to + 1);
      if (draw.is(0.5)) for (const item of items.slice(back, to)) reduce(room, item);
      from = to;
    }
    assert.deepEqual(told(room), wholeOf(items), `seed ${seed}`);
    assert.deepEqual(told(replay(items)), wholeOf(items), `seed ${seed}`);
  }
});

test('whoever comes after a revision has the state of whoever was there', () => {
  for (const seed of seeds(SEEDS)) {
    const frames = storyOf(seed, 60).filter((frame) => frame.id !== undefined);
    const gone = new Set(frames.flatMap((frame) => (frame.type === 'revised' ? frame.gone : [])));
    // The server takes the words out of messages that are gone by then.
    const late = frames.map((frame) => (frame.type === 'message' && gone.has(place(frame.id)[0]) ? { ...frame, text: null, attachments: undefined, gone: true } : frame));
    assert.deepEqual(wholeOf(late), wholeOf(frames), `seed ${seed}`);
  }
});

test('drafts in any pieces, that overlap and repeat, give the text of the whole', () => {
  for (const seed of seeds(SEEDS)) {
    const draw = chance(seed);
    const text = Array.from({ length: 40 }, () => draw.one(['a', 'ß', '日', '👩‍🚀', '\u202e', ' '])).join('');
    const room = empty();
    let sent = [];
    let offset = 0;
    for (const piece of pieces(draw, text)) {
      sent.push({ type: 'draft', agent: 'worker', message: 7, offset, text: piece });
      offset += Buffer.byteLength(piece);
      reduce(room, sent.at(-1));
      if (draw.is(0.3)) for (const again of sent.slice(draw.below(sent.length))) reduce(room, again); // the same pieces
      if (draw.is(0.3)) { // all so far, in other pieces: they overlap with what is there
        let at = 0;
        const whole = sent.map((one) => one.text).join('');
        for (const other of pieces(draw, whole)) {
          reduce(room, { type: 'draft', agent: 'worker', message: 7, offset: at, text: other });
          at += Buffer.byteLength(other);
        }
      }
      assert.equal(room.drafts.get(7).text, sent.map((one) => one.text).join(''), `seed ${seed}`);
    }
    assert.equal(room.drafts.get(7).text, text, `seed ${seed}`);
    assert.equal(room.drafts.get(7).bytes, Buffer.byteLength(text), `seed ${seed}`);
  }
});

test('a piece with a gap before it is not put behind the text', () => {
  const room = empty();
  reduce(room, { type: 'draft', agent: 'worker', message: 7, offset: 0, text: 'one ' });
  reduce(room, { type: 'draft', agent: 'worker', message: 7, offset: 9, text: 'three' });
  assert.equal(room.drafts.get(7).text, 'one ');
});

/** A room that was followed to its end. @param {Teller} teller @param {number} head @param {(history: any) => Promise<void>} [then] */
async function follow(teller, head, then) {
  globalThis.fetch = /** @type {any} */ (async (url, { signal }) => teller.answer(String(url), signal));
  let history;
  let words = '';
  await new Promise((done, fail) => {
    const late = setTimeout(() => fail(new Error(`the feed does not come to its end: ${words}`)), 20_000);
    history = new RoomHistory('room', head, {
      changed() {},
      connection(state, error) {
        words = `${state} ${error ?? ''}`;
        // The last connection tells all that there is.
        if (state === 'connected' && teller.cuts < 0) setImmediate(() => { clearTimeout(late); done(undefined); });
      },
    });
  });
  await then?.(history);
  history.stop();
  return history;
}

/** The clock of the console runs a hundred times as fast here: it waits between two attempts. */
async function hastily(act) {
  const slow = globalThis.setTimeout;
  globalThis.setTimeout = /** @type {any} */ ((done, ms, ...more) => slow(done, ms >= 15_000 ? ms : ms / 100, ...more));
  try {
    await act();
  } finally {
    globalThis.setTimeout = slow;
  }
}

test('a connection that breaks at any byte, again and again, loses nothing and doubles nothing', () => hastily(async () => {
  for (const seed of seeds(Math.ceil(SEEDS / 4))) {
    const frames = storyOf(seed, 60);
    const teller = new Teller(frames, chance(seed), 6);
    const { room, items } = await follow(teller, 0);
    assert.ok(teller.connections > 6);
    assert.deepEqual(told(room), wholeOf(frames), `seed ${seed}`);
    assert.deepEqual(items, frames.filter((frame) => frame.id !== undefined), `seed ${seed}`);
  }
}));

test('a room that begins in the middle is the whole room once its older items came', () => hastily(async () => {
  for (const seed of seeds(Math.ceil(SEEDS / 40))) {
    const frames = story(seed, 900);
    const head = place(frames.findLast((frame) => frame.id !== undefined).id)[0];
    const { room } = await follow(new Teller(frames, chance(seed), 0), head, async (history) => {
      assert.ok(history.hasOlder);
      while (history.hasOlder) await history.older();
    });
    assert.deepEqual(told(room), wholeOf(frames), `seed ${seed}`);
  }
}));

test('a request waits until it is decided', () => {
  const room = empty();
  reduce(room, { id: '3', type: 'request', call: 'c', time: '', request: { request: 3, agent: 'worker', tool: 'run', arguments: '{}' } });
  assert.equal(waiting(room), 1);
  reduce(room, { id: '5', type: 'decision', call: 'c', request: 3, how: 'allow', time: '' });
  assert.equal(waiting(room), 0);
});

test('an id is behind another by its numbers, not by its letters', () => {
  assert.ok(isBehind('10', '9'));
  assert.ok(isBehind('10.10', '10.9'));
  assert.ok(isBehind('10.1', '10'));
  assert.ok(!isBehind('10', '10'));
  assert.ok(!isBehind('9.9', '10'));
  assert.ok(isBehind('1', null));
});
