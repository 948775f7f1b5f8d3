// The outline of a log, without a browser.

import assert from 'node:assert/strict';
import test from 'node:test';
import { bars, Found, laneWords, ordered, Outline, ticks } from '../../../server/console/state/outline.js';

const entry = (position, more = {}) => ({ position, time: 1000 + position, kind: 'ToolStarted', lane: 'agent:mira', ...more });
const outline = (...entries) => {
  const made = new Outline();
  made.add(entries);
  return made;
};

test('pages that overlap give each event once', () => {
  const log = outline(entry(1), entry(2));
  log.add([entry(2), entry(3)]);
  assert.deepEqual(log.entries.map((one) => one.position), [1, 2, 3]);
});

test('a clock that is set back does not fold the axis of time', () => {
  const log = outline(entry(1, { time: 50 }), entry(2, { time: 20 }), entry(3, { time: 60 }));
  assert.deepEqual(log.entries.map((one) => one.rising), [50, 50, 60]);
  assert.deepEqual(log.entries.map((one) => one.time), [50, 20, 60]);
});

test('an event is found by its position, also behind a gap', () => {
  const log = outline(entry(5), entry(9));
  assert.equal(log.find(9)?.position, 9);
  for (const nothing of [null, undefined, 0, 4, 7, 10]) assert.equal(log.find(nothing), undefined);
});

test('filters hold for events that come later', () => {
  const log = outline(entry(1), entry(2, { kind: 'Refused', lane: 'room', mark: 'refusal' }));
  const found = new Found(log, { kind: 'Refused' });
  log.add([entry(3), entry(4, { kind: 'Refused', lane: 'room', mark: 'refusal' })]);
  found.extend();
  assert.deepEqual(found.list.map((one) => one.position), [2, 4]);
  assert.deepEqual(found.counts, [2, 0, 0]);
});

test('a call finds its events by number, by text, and by what the server adds', () => {
  const log = outline(entry(1), entry(2, { call: 15 }), entry(3, { call: 'bb00' }));
  const positions = (wishes) => new Found(log, wishes).list.map((one) => one.position);
  assert.deepEqual(positions({ call: '15' }), [2]);
  assert.deepEqual(positions({ call: 'bb00', also: new Set([1]) }), [1, 3]);
});

test('steps go from event to event, and from between them', () => {
  const found = new Found(outline(entry(2), entry(4), entry(6)), {});
  const step = (position, count) => found.step(position, count)?.position;
  assert.deepEqual([step(null, 1), step(null, -1), step(4, 1), step(4, -1), step(6, 1), step(2, -1)], [2, 6, 6, 2, 6, 2]);
  assert.deepEqual([step(3, 1), step(3, -1), step(4, Infinity), step(4, -Infinity)], [4, 2, 6, 2]);
  assert.equal(new Found(outline(), {}).step(1, 1), undefined);
});

test('the next mark is found both ways, and not the selected one again', () => {
  const found = new Found(outline(entry(1, { mark: 'error' }), entry(2), entry(3, { mark: 'error' }), entry(4, { mark: 'request' })), {});
  const next = (...wish) => found.next(...wish)?.position;
  assert.deepEqual([next(null, 'error', 1), next(1, 'error', 1), next(3, 'error', 1)], [1, 3, undefined]);
  assert.deepEqual([next(null, 'error', -1), next(3, 'error', -1), next(1, 'error', -1)], [3, 1, undefined]);
});

test('near events are one bar that keeps its marks, and far ones stand alone', () => {
  const log = outline(...Array.from({ length: 1000 }, (_, place) => entry(place + 1, place === 500 ? { mark: 'error' } : {})));
  const far = bars(new Found(log, {}), 'position', 0.5, 1000.5, 100);
  const row = far.lanes.get('agent:mira') ?? [];
  assert.ok(row.length <= 27, `${row.length} bars in 100 pixels`);
  assert.equal(row.reduce((sum, bar) => sum + bar.count, 0), 1000);
  assert.equal(row.filter((bar) => bar.marks?.has('error')).length, 1);
  const near = bars(new Found(log, {}), 'position', 0.5, 10.5, 100).lanes.get('agent:mira') ?? [];
  assert.ok(near.every((bar) => bar.count === 1));
  assert.ok(near.length < 20, 'what is out of view is not drawn');
});

test('an axis has few marks, whatever its length', () => {
  for (const axis of ['position', 'rising']) {
    for (const span of [8, 1000, 123_456, 1e7, 1e12]) {
      const { found } = ticks(axis, 3, 3 + span, 1000);
      assert.ok(found.length <= 10, `${found.length} marks for ${span} of ${axis}`);
    }
  }
});

test('lanes stand in order, and people are named', () => {
  assert.deepEqual(ordered(['agent:b', 'service:x', 'room', 'agent:a', 'person:token:ada']), ['room', 'person:token:ada', 'service:x', 'agent:b', 'agent:a']);
  const people = new Map([['token:ada', 'Ada']]);
  assert.deepEqual(['room', 'person:token:ada', 'person:token:ben', 'agent:token:ada'].map((lane) => laneWords(lane, people)), ['Room', 'Ada', 'token:ben', 'token:ada']);
});
