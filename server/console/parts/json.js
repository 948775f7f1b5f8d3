// JSON as text: laid out, compared and escaped without a loss.

import { h, note, plain, visible } from '../dom.js';
import { align } from '../state/differ.js';

const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

const DEPTH_MAX = 30; // of indentation

/** @param {() => boolean} test it may throw */
function holds(test) {
  try {
    return test();
  } catch {
    return false;
  }
}

/** @param {string} text */
const isJson = (text) => holds(() => (JSON.parse(text), true));

/** JSON on lines of its own. Its tokens stay letter by letter: numbers, escapes and repeated keys. Other text stays. @param {string} text */
export function pretty(text) {
  if (!isJson(text)) return text;
  const tokens = text.match(TOKENS) ?? [];
  const opens = (/** @type {string | undefined} */ token) => token === '{' || token === '[';
  const line = (/** @type {number} */ depth) => `\n${'  '.repeat(Math.min(depth, DEPTH_MAX))}`;
  let out = '';
  let depth = 0;
  tokens.forEach((token, at) => {
    const before = tokens[at - 1];
    const closes = token === '}' || token === ']';
    if (closes) depth -= 1;
    if (before === ':') out += ' ';
    else if (before === ',' || closes !== opens(before)) out += line(depth);
    out += token;
    if (opens(token)) depth += 1;
  });
  return out;
}

/** True if a value read from `text` and written again says the same, so that a form may change parts of it. @param {string} text */
export const isKept = (text) => holds(() => JSON.stringify(JSON.parse(text)) === (text.match(TOKENS) ?? []).join(''));

/** JSON in which hidden characters are escaped: they stand in strings alone. @param {string} text */
export const escapedText = (text) => [...text].map((one) => (plain(one) === one ? one : one.split('').map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''))).join('');

/** A value as JSON in which hidden characters are escaped. @param {any} value @param {number} [indent] */
export const escaped = (value, indent) => escapedText(JSON.stringify(value, null, indent) ?? '');

/** Whole text in letters of one width, which a keyboard can scroll. @param {string} label @param {...import('../dom.js').Child} children */
const region = (label, ...children) => h('pre', { class: 'exact sunken', tabindex: '0', role: 'group', 'aria-label': label }, ...children);

/** Arguments as they are. @param {string | null} text @param {string} [label] */
export const exact = (text, label = 'Arguments') => (text === null ? note('They were erased.') : region(label, visible(pretty(text))));

/** Two arguments, line by line, and how they differ. @param {string | null} before @param {string} after */
export function difference(before, after) {
  const lines = align(pretty(before ?? '').split('\n'), pretty(after).split('\n'), (line) => line);
  if (lines.every(([one, other]) => one === other)) return note('The arguments are the same as those asked about.');
  return region('The difference', lines.map(([one, other]) =>
    h(other === null ? 'del' : one === null ? 'ins' : 'span', { class: 'line' }, other === null ? '- ' : one === null ? '+ ' : '  ', visible(one ?? other ?? ''), '\n')));
}
