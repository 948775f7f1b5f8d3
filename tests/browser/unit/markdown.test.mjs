// Markdown: the tree of a text, and the time that it takes.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { hostBehind, parse, spans } from '../../../server/console/markdown.js';

/** The tree in short: what is marked stands in brackets under its kind. */
const short = (all) => all.map((span) => {
  if (typeof span === 'string') return span;
  if (span.type === 'br') return '⏎';
  return `${span.type}(${span.children ? short(span.children) : span.text}${span.href ? ` → ${span.href}` : ''})`;
}).join('');

const depthOf = (node) => (node === null || typeof node !== 'object' ? 0 : 1 + Math.max(0, ...Object.values(node).map(depthOf)));

test('marks become emphasis where they pair', () => {
  const cases = [
    ['a **b *c* d**', 'a strong(b em(c) d)'],
    ['***both***', 'em(strong(both))'],
    ['snake_case_name and _em_', 'snake_case_name and em(em)'],
    ['~~gone~~ ~not~', 'del(gone) ~not~'],
    ['*a _b* c_', 'em(a _b) c_'],
    ['2 * 3 * 4', '2 * 3 * 4'],
    ['**open', '**open'],
    ['\\*not\\*', '*not*'],
    ['`a*b*` ``a`b`` `open', 'code(a*b*) code(a`b) `open'],
    ['one\ntwo', 'one⏎two'],
  ];
  for (const [text, tree] of cases) assert.equal(short(spans(text)), tree, text);
});

test('links have an address of the web or of mail, and everything else stays text', () => {
  const cases = [
    ['[w](https://x.y/a(b))', 'link(w → https://x.y/a(b))'],
    ['[**w**](https://x.y "title")', 'link(strong(w) → https://x.y/)'],
    ['*a [b* c](http://q.r)*', 'em(a link(b* c → http://q.r/))'],
    ['[[a](http://b.c)](http://d.e)', '[link(a → http://b.c/)](link(http://d.e → http://d.e/))'],
    ['![picture](https://i.j/p.png)', 'link(picture → https://i.j/p.png)'],
    ['(see https://x.y/a_(b)).', '(see link(https://x.y/a_(b) → https://x.y/a_(b))).'],
    ['<mailto:a@b.c>', 'link(mailto:a@b.c → mailto:a@b.c)'],
    ['[j](javascript:alert(1))', '[j](javascript:alert(1))'],
    ['[j](JaVaScRiPt&colon;x)', '[j](JaVaScRiPt&colon;x)'],
    ['[j](\u0001javascript:x)', '[j](\u0001javascript:x)'],
    ['[d](data:text/html,x) [f](file:///etc/passwd) [r](/relative) [b](blob:https://x.y/z)', '[d](data:text/html,x) [f](file:///etc/passwd) [r](/relative) [b](blob:link(https://x.y/z → https://x.y/z))'],
    ['<img src=x onerror=alert(1)>', '<img src=x onerror=alert(1)>'],
  ];
  for (const [text, tree] of cases) assert.equal(short(spans(text)), tree, text);
});

test('a link tells its host unless its words do', () => {
  const cases = [
    ['https://x.y/a', 'https://x.y/a', null], ['https://x.y/a', 'x.y', null], ['https://x.y/a', 'here', 'x.y'],
    ['https://x.y.evil.z/', 'https://x.y', 'x.y.evil.z'], ['https://x.y@evil.z/', 'https://x.y@evil.z/', 'evil.z'],
    ['https://xn--gogle-jye.com/', 'https://gоogle.com/', 'xn--gogle-jye.com'], ['mailto:a@b.c', 'write us', 'a@b.c'], ['mailto:a@b.c', 'a@b.c', null],
    ['https://x.y/evil', 'x.y/good', 'x.y'], ['http://bank.com/', 'https://bank.com/', 'bank.com'],
  ];
  for (const [href, words, host] of cases) assert.equal(hostBehind(href, words), host, words);
});

test('names behind an at sign are mentions, and addresses of mail are not', () => {
  assert.equal(short(spans('@mira: ask @ben-2. me@x.y')), 'mention(@mira): ask mention(@ben-2). me@x.y');
});

test('lines become blocks', () => {
  const kinds = (text) => parse(text).map(({ type }) => type).join(' ');
  assert.equal(kinds('# H #\ntext\n- a\n- b\n\n1. c\n> q\n\n---\n```\ncode\n```\n| a | b |\n|---|:-:|\n| 1 | 2 |'), 'h p list list quote hr code table');
  assert.deepEqual(parse('# H #')[0].spans, ['H']);
  const [list] = parse('- a\n  - b\n- [x] c\n- [ ] d');
  assert.deepEqual(list.items.map(({ task }) => task), [null, true, false]);
  assert.equal(list.items[0].blocks[1].type, 'list');
  const [table] = parse('| a | b |\n|---|--:|\n| 1 \\| 2 | 3 | 4 |\n| 5 |');
  assert.deepEqual([table.rows, table.aligns], [[[['a'], ['b']], [['1 | 2'], ['3']], [['5'], []]], ['', 'end']]);
  assert.equal(parse('```js\nopen *x*')[0].text, 'open *x*');
});

test('a table of 50,000 columns is cut, and says by how many', () => {
  const row = '|a'.repeat(50_000);
  const [table] = parse(`${row}\n${'|-'.repeat(50_000)}\n${row}`);
  assert.deepEqual([table.rows[0].length, table.cut], [100, 49_900]);
});

test('50,000 marks in one another make no deep tree', () => {
  for (const text of ['*a '.repeat(50_000) + 'a* '.repeat(50_000), '**a _b '.repeat(25_000) + 'c_ d** '.repeat(25_000), '> '.repeat(50_000), '- '.repeat(50_000), '['.repeat(50_000) + '](http://x.y)'.repeat(50_000)]) {
    const depth = depthOf(parse(text));
    assert.ok(depth < 120, `${text.slice(0, 8)} is ${depth} deep`);
  }
});

test('no text is lost behind the budget of marks', () => {
  const letters = (all) => all.map((span) => (typeof span === 'string' ? span : span.children ? letters(span.children) : (span.text ?? '\n'))).join('');
  assert.equal(letters(spans('*a* '.repeat(30_000))).replaceAll('*', ''), 'a '.repeat(30_000));
  const [last] = parse('a\n\n'.repeat(30_000)).slice(-1);
  assert.equal(last.type, 'raw');
});

const PIECES = [
  'a', '*a ', 'a* ', '*a _b ~~c ', '**', '*', '[', '](', '[a](', '[a](http://x.y ', '[a](http://x.y "', '](p](q)', '`', '` ``', '`a``b```c', '\\', '<', '<http://', 'http://a', 'http://)', '(', '> ', '- ', '1. ', '|', '|-', '| a ', '* * * ', '# ', '#', ' ',
  '\t', '\n', '\n\na', 'a\n', '- a\n', '> a\n', '> > > > > > > > > > a\n', ' - a\n', '|a|b|\n|-|-|\n', '|a\n|-\n', '@a', '@a.-.-', '![a](', '_a_ ', '~~a~~ ', '***a** b* ', '[[a]](http://x.y)', 'a\n=\n', '```\n', '~~~a\n', '\u202e', '    a\n', '[x](<http', '\\|', '*_*_', '[a](http://x.y)',
];

test('the time grows with the length of the text, whatever stands in it', () => {
  const time = (/** @type {string} */ text) => {
    const from = performance.now();
    parse(text);
    return performance.now() - from;
  };
  for (const piece of PIECES) {
    const text = piece.repeat(Math.ceil(1_000_000 / piece.length));
    // A step that looks at all that is behind or before it would take minutes for a megabyte.
    const ms = Math.min(time(text), time(text));
    assert.ok(ms < 5000, `${JSON.stringify(piece)} takes ${Math.round(ms)} ms`);
  }
});
