// Arguments of requests, as they are laid out, edited and constrained.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { escaped, escapedText, isKept, pretty } from '../../../server/console/parts/json.js';
import { places } from '../../../server/console/parts/reach.js';
import { blank } from '../../../server/console/parts/schema-form.js';

const without = (text) => text.replace(/"[^"\\]*(?:\\.[^"\\]*)*"|\s+/g, (part) => (part.startsWith('"') ? part : ''));

test('arguments are laid out on lines', () => {
  assert.equal(pretty('{"a":[1,{"b":[]}],"c":{}}'), '{\n  "a": [\n    1,\n    {\n      "b": []\n    }\n  ],\n  "c": {}\n}');
});

test('a layout keeps each number, escape and repeated key, and all of what is no JSON', () => {
  const kept = ['{"a":1.10,"a":12345678901234567890}', '["\\u202e","a b\\"c : d, {e}"]', '-0', '"x"', '[[],[[]]]', '[1e400]'];
  for (const text of kept) assert.equal(without(pretty(text)), text);
  for (const text of ['{"a":', 'rm -rf  /', '']) assert.equal(pretty(text), text);
});

test('a deep document has a layout that is not much larger', () => {
  const deep = '['.repeat(5000) + ']'.repeat(5000);
  assert.ok(pretty(deep).length < 100 * deep.length);
});

test('a form may edit what is written again as it was read, and nothing else', () => {
  for (const text of ['{"a": 1.5, "b": [true, null, "é"]}', ' [ ] ', '{"__proto__":1}']) assert.equal(isKept(text), true, text);
  for (const text of ['1.10', '12345678901234567890', '{"a":1,"a":2}', '"\\u0041"', '{"2":0,"1":0}', 'x']) assert.equal(isKept(text), false, text);
});

test('hidden characters are escaped, and say the same', () => {
  assert.equal(escaped({ a: '\u202eb\u{e0041}' }), '{"a":"\\u202eb\\udb40\\udc41"}');
  assert.equal(JSON.parse(escaped('\u200b\u{e0041}')), '\u200b\u{e0041}');
  assert.equal(escapedText('{"a":1.10,"b":"\u200b"}'), '{"a":1.10,"b":"\\u200b"}');
});

test('each place of a document has a pointer', () => {
  const pointers = places({ 'a/b': [{ '~': 1 }], c: null }).map(([path]) => path);
  assert.deepEqual(pointers, ['/a~1b', '/a~1b/0', '/a~1b/0/~0', '/c']);
});

test('a new value has what its schema requires', () => {
  const schema = { type: 'object', properties: { a: { type: 'string' }, b: { enum: [2, 3] }, c: { const: 'v' }, d: { type: 'array', items: {} }, e: { default: 7 }, f: {} }, required: ['a', 'b', 'c', 'd', 'e'] };
  assert.deepEqual(blank(schema), { a: '', b: 2, c: 'v', d: [], e: 7 });
  assert.equal(blank({ oneOf: [{ type: 'string' }] }), undefined);
});
