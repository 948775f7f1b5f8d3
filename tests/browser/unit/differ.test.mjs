// Alignment and differences: laws that hold for lists drawn at random, and the pictures that people see.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { align, leaves, wordsDiff } from '../../../server/console/state/differ.js';
import { chance } from './feeds.mjs';

const same = (/** @type {string} */ word) => word;

test('each_list_comes_back_whole_and_rows_with_two_sides_are_equal', () => {
  for (let seed = 1; seed <= 300; seed++) {
    const draw = chance(seed);
    const list = () => Array.from({ length: draw.below(12) }, () => draw.one(['a', 'b', 'c', 'd']));
    const [one, other] = [list(), list()];
    const rows = align(one, other, same);
    assert.deepEqual(rows.map(([a]) => a).filter((a) => a !== null), one, `seed ${seed}`);
    assert.deepEqual(rows.map(([, b]) => b).filter((b) => b !== null), other, `seed ${seed}`);
    assert.ok(rows.every(([a, b]) => a === null || b === null || a === b), `seed ${seed}`);
    assert.equal(rows.filter(([a, b]) => a === b).length, longest(one, other), `seed ${seed}: as much as possible is shared`);
  }
});

/** The length of the longest list that both have, by trying all. @param {string[]} one @param {string[]} other @returns {number} */
function longest(one, other, known = new Map()) {
  if (one.length === 0 || other.length === 0) return 0;
  const key = `${one.length} ${other.length}`;
  if (!known.has(key)) {
    const [a, b] = [one.slice(1), other.slice(1)];
    known.set(key, one[0] === other[0] ? 1 + longest(a, b, known) : Math.max(longest(a, other, known), longest(one, b, known)));
  }
  return known.get(key);
}

test('lists_too_long_to_compare_share_their_beginning_alone', () => {
  const one = Array.from({ length: 5000 }, (_, n) => `x${n}`);
  const other = one.map((word, n) => (n === 2000 ? 'y' : word));
  const rows = align(one, other, same);
  assert.equal(rows.filter(([a, b]) => a === b).length, 2000);
});

test('words_that_went_out_and_came_in_are_told_apart', () => {
  assert.deepEqual(wordsDiff('read CHANGES.md now', 'read NOTES.md now'), [
    { how: 'same', text: 'read ' }, { how: 'out', text: 'CHANGES' }, { how: 'in', text: 'NOTES' }, { how: 'same', text: '.md now' },
  ]);
});

test('a_change_names_its_place_and_both_values', () => {
  assert.deepEqual(leaves({ a: { b: 1, c: [1, 2] }, same: 'x' }, { a: { b: 2, c: [1, 3] }, same: 'x', fresh: null }), [
    { path: 'a.b', before: 1, after: 2 }, { path: 'a.c.1', before: 2, after: 3 }, { path: 'fresh', before: undefined, after: null },
  ]);
});

test('names_of_the_language_are_names_like_others', () => {
  const odd = JSON.parse('{"__proto__": 1, "constructor": 2}');
  assert.deepEqual(leaves(odd, {}), [{ path: '__proto__', before: 1, after: undefined }, { path: 'constructor', before: 2, after: undefined }]);
});
