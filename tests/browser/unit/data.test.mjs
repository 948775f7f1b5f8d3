// Tables, charts and values, as they are read before they are shown.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { plain } from '../../../server/console/dom.js';
import { chartOf, scale } from '../../../server/console/state/chart.js';
import { at, written } from '../../../server/console/state/forms.js';
import { csv, isNumeric, isTable, sorted } from '../../../server/console/state/rows.js';

test('a csv file quotes what needs it', () => {
  const { text } = csv({ columns: ['a', 'b,c'], rows: [['x"y', 1], ['line\nline'], [null, true]] });
  assert.equal(text, '"a","b,c"\r\n"x""y",1\r\n"line\nline",""\r\n"","true"\r\n');
});

test('a text that a spreadsheet takes for a formula gets a quote, and a number does not', () => {
  const cells = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '＝1', '-1.5', -1.5, 'a=1', '', "'=1"];
  const { text, guarded } = csv({ columns: ['=c'], rows: cells.map((cell) => [cell]) });
  const guardedCells = ["'=c", "'=1+1", "'+1", "'-1", "'@SUM(A1)", "'\t=1", "'\r=1", "'＝1", "'-1.5"].map((one) => `"${one}"`);
  assert.equal(text, [...guardedCells, '-1.5', '"a=1"', '""', '"\'=1"', ''].join('\r\n'));
  assert.equal(guarded, 9);
});

test('a row that is longer than the names loses nothing', () => {
  assert.equal(csv({ columns: ['a'], rows: [[1, 2], [3]] }).text, '"a",""\r\n1,2\r\n3,""\r\n');
});

test('numbers are sorted by size, words by the alphabet, and blanks stand last', () => {
  const by = (cells, direction) => sorted(cells.map((cell) => [cell]), 0, direction).map(([cell]) => cell);
  assert.deepEqual(by([10, 9, null, '8', '', 1e3], 1), ['8', 9, 10, 1e3, null, '']);
  assert.deepEqual(by([10, 9, null, 1e3], -1), [1e3, 10, 9, null]);
  assert.deepEqual(by(['b', 'a10', 'a9', 'B'], 1), ['a9', 'a10', 'b', 'B']);
  assert.deepEqual(sorted([[1, 'x'], [1, 'y'], [0, 'z']], 0, -1).map(([, name]) => name), ['x', 'y', 'z']);
  assert.equal(isNumeric([['1'], ['x']], 0), false);
});

test('only columns and rows are a table', () => {
  assert.ok(isTable({ columns: ['a'], rows: [] }));
  for (const data of [null, 1, [], {}, { columns: [], rows: [] }, { columns: [1], rows: [] }, { columns: ['a'], rows: [1] }]) assert.ok(!isTable(data));
});

test('a chart takes the columns that its axes name', () => {
  const chart = chartOf({ form: 'line', columns: ['t', 'a', 'b'], rows: [['2026-02-01', 2, 'x'], ['2026-01-01', 1, 5]], axes: { x: 't', y: ['a', 'b'] } });
  assert.deepEqual(chart.series, [{ name: 'a', values: [1, 2] }, { name: 'b', values: [5, null] }]);
  assert.deepEqual(chart.labels, ['2026-01-01', '2026-02-01']);
  assert.deepEqual(chart.notes, ['1 values are no numbers, and are left out.']);
});

test('a chart that cannot be drawn says why', () => {
  const base = { form: 'bar', columns: ['a', 'b'], rows: [['x', 1]] };
  const cases = [
    [{}, /no table/], [{ ...base, form: 'pie' }, /form/], [{ ...base, axes: { x: 'z' } }, /not there/], [{ ...base, axes: { y: ['z'] } }, /not there/], [{ ...base, rows: [] }, /numbers/],
    [{ ...base, rows: [['x', 'y']] }, /numbers/], [{ ...base, rows: [['x', 1e308], ['y', -1e308]] }, /too large/], [{ ...base, axes: { y: ['a'] } }, /numbers/], [{ ...base, axes: { x: '__proto__' } }, /not there/],
  ];
  for (const [data, why] of cases) assert.match(String(chartOf(data)), why);
});

test('a chart draws at most 2,000 points and says so', () => {
  const rows = Array.from({ length: 50_000 }, (_, at) => [at, at, -at]);
  const chart = chartOf({ form: 'scatter', columns: ['x', 'a', 'b'], rows });
  assert.ok(chart.series.reduce((sum, { values }) => sum + values.length, 0) <= 2000);
  assert.match(chart.notes[0], /One of 50 rows is drawn/);
  assert.equal(chartOf({ form: 'bar', columns: ['x', 'a'], rows }).xs.length, 120);
});

test('a scale has round marks around all numbers', () => {
  for (const numbers of [[0, 1], [-3, 7], [5, 5], [0, 0], [1e-9, 3e-9], [-1e12, 1e12], [99.5, 100.5], [1e15, 1e15 + 1], [-5, -5]]) {
    const { low, high, ticks } = scale(numbers, 5);
    assert.ok(low <= Math.min(...numbers) && high >= Math.max(...numbers) && low < high, `${numbers}: ${low} to ${high}`);
    assert.ok(ticks.length >= 2 && ticks.length < 12, `${numbers}: ${ticks}`);
  }
  assert.deepEqual(scale([0, 93], 5).ticks, [0, 20, 40, 60, 80, 100]);
});

test('values are written in the forms of their fields', () => {
  const cases = [
    [1849.5, { money: 'USD' }, '$1,849.50'], [11400, { money: 'USD' }, '$11,400'], [-3, { money: 'CHF' }, '-CHF 3'], [{ min: 1, max: 2.5 }, { money_range: 'EUR' }, '€1.00 – €2.50'], [{ min: 4, max: 4 }, { money_range: 'EUR' }, '€4'],
    [{ max: 9 }, { unit_range: 'years' }, 'up to 9 years'], [{ min: 9 }, { unit_range: 'years' }, 'from 9 years'], [0.125, 'percent', '12.5%'], [0.07, 'percent', '7%'], [3.2, { unit: 'miles' }, '3.2 miles'],
    ['text', { money: 'USD' }, 'text'], [null, 'percent', ''], [true, undefined, 'yes'], [{ a: 1 }, { money_range: 'USD' }, '{"a":1}'],
  ];
  for (const [value, form, words] of cases) assert.equal(written(value, form), words);
});

test('a pointer finds own members alone', () => {
  assert.equal(at({ 'a/b': { '~c': [1, 2] } }, '/a~1b/~0c/1'), 2);
  for (const pointer of ['/constructor', '/x', '/a/toString', '/a/length']) assert.equal(at({ a: 1 }, pointer), undefined);
});

test('hidden characters are shown by their code points, and a long run by its first and their number', () => {
  assert.equal(plain('a\u202eb\u200b\u200bc\td\n'), 'aU+202EbU+200B U+200Bc\td\n');
  assert.equal(plain('\u202e'.repeat(8)), Array(8).fill('U+202E').join(' '));
  assert.equal(plain(`\u200b${'\u202e'.repeat(4999)}x`), `U+200B and ${(4999).toLocaleString()} morex`);
  assert.equal(plain('\u{e0041}'), 'U+E0041');
});
