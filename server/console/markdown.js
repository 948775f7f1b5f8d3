// Markdown in two steps: `parse` makes a tree of a text, without a page; `markdown` makes elements of the tree. HTML is text.
// Every step takes time in proportion to the text's length, whatever stands in it.

import { copier, h, visible } from './dom.js';
import { long } from './parts/text.js';

/**
 * @typedef {{ type: 'em' | 'strong' | 'del' | 'link', href?: string, children: Span[] }} Marked
 * @typedef {string | { type: 'br' } | { type: 'code' | 'mention', text: string } | Marked} Span
 * @typedef {{ type: 'run', mark: string, count: number, opens: boolean, closes: boolean, begun: string[], ended: number }} Run
 * @typedef {Span | Run | { type: 'open', href: string } | { type: 'close' }} Piece
 * @typedef {{ task: boolean | null, blocks: Block[] }} Item
 * @typedef {{ type: 'p' | 'h', spans: Span[] } | { type: 'hr' } | { type: 'raw', text: string } | { type: 'code', lang: string, text: string }
 *   | { type: 'quote', blocks: Block[] } | { type: 'list', start: number | null, items: Item[] }
 *   | { type: 'table', rows: Span[][][], aligns: string[], cut: number }} Block
 */

const DEPTH_MAX = 8; // of quotes and lists in one another
const MARKS_MAX = 12; // of emphasis in emphasis
const BUDGET = 3000; // of marks and blocks; behind them all is plain text: a page of such messages must not stall
let left = BUDGET;
const COLUMNS_MAX = 100;

const LINKS = new Set(['http:', 'https:', 'mailto:']);

/** The address, if it is one that a link may have. @param {string} text */
function addressOf(text) {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url && LINKS.has(url.protocol) ? url.href : null;
}

// ---- spans ----

const TOKEN = /\\[!-/:-@[-\x60{-~]|\x60+|\*+|_+|~~+|!?\[|\]|\n|<(?:https?:\/\/|mailto:)[^\s<>]+>|\bhttps?:\/\/[^\s<>\x60[\]]+|(?<![\p{L}\p{N}_./@])@[\p{L}\p{N}_][\p{L}\p{N}_.-]*/gu;

/** The spans of a text. @param {string} text @returns {Span[]} */
export function spans(text) {
  left = BUDGET;
  return inside(text);
}

/** @param {string} text */
const inside = (text) => tree(emphasised(pieces(text)));

/** Code, links, mentions, and runs of marks, in order. @param {string} text */
function pieces(text) {
  const found = /** @type {Piece[]} */ ([]);
  let brackets = /** @type {{ at: number, from: number }[]} */ ([]);
  const closing = backticks(text);
  let from = 0;
  let end = 0;
  /** @param {string} token @param {number} at @returns {Piece | null} */
  const read = (token, at) => {
    const first = token[0];
    if (first === '\\') return token[1];
    if (first === '\n') return { type: 'br' };
    if (first === '@') {
      const text = token.replace(/[.-]{1,9}$/, '');
      end = at + text.length;
      return { type: 'mention', text };
    }
    if (first === '\x60') {
      const close = closing(at, token.length);
      if (close === null) return null;
      const inner = text.slice(end, close).replaceAll('\n', ' ').replace(/^ (.*[^ ].*) $/, '$1');
      end = close + token.length;
      return { type: 'code', text: inner };
    }
    if (first === '<' || first === 'h') {
      const shown = first === '<' ? token.slice(1, -1) : bare(token);
      const href = addressOf(shown);
      if (first === 'h') end = at + shown.length;
      return href && { type: 'link', href, children: [shown] };
    }
    const count = token.length;
    return count > 3 || (first === '~' && count !== 2) ? null : run(first, count, text.slice(Math.max(0, at - 2), at), text.slice(end, end + 2));
  };
  TOKEN.lastIndex = 0;
  for (let match; left-- > 0 && (match = TOKEN.exec(text)); ) {
    const [token] = match;
    const at = match.index;
    end = at + token.length;
    const open = token === ']' ? brackets.pop() : undefined;
    const target = open && targetOf(text, end);
    const piece = target ? { type: /** @type {const} */ ('close') } : token === ']' ? null : token.endsWith('[') && token[0] !== '\\' ? token : read(token, at);
    if (piece === null) continue;
    if (at > from) found.push(text.slice(from, at));
    if (target && open) {
      if (open.from === at) found.push(target.href);
      found[open.at] = { type: 'open', href: target.href };
      brackets = []; // no link stands in a link
      end = target.end;
    } else if (piece === token) brackets.push({ at: found.length, from: end });
    found.push(piece);
    TOKEN.lastIndex = from = end;
  }
  if (from < text.length) found.push(text.slice(from));
  return found;
}

/** Finds the run of backticks that closes one, by its length. @param {string} text @returns {(at: number, length: number) => number | null} */
function backticks(text) {
  const runs = /** @type {Map<number, number[]>} */ (new Map());
  for (const { index, 0: run } of text.matchAll(/\x60+/g)) {
    const known = runs.get(run.length);
    known ? known.push(index) : runs.set(run.length, [index]);
  }
  for (const places of runs.values()) places.reverse();
  return (at, length) => {
    const places = runs.get(length) ?? [];
    while (places.length > 0 && places[places.length - 1] <= at) places.pop();
    return places[places.length - 1] ?? null;
  };
}

// Brackets in an address pair, and none is in another, so that no text is looked at more often.
const TARGET = /\(<?((?:[^\s()<>]|\([^\s()<>]*\)){0,2000})>?(?:\s+"[^"\n]{0,300}")?\s?\)/y;

/** The target in brackets at `at`: an address, and perhaps a title. @param {string} text @param {number} at */
function targetOf(text, at) {
  TARGET.lastIndex = at;
  const found = TARGET.exec(text);
  const href = found && addressOf(found[1]);
  return href ? { href, end: TARGET.lastIndex } : null;
}

/** An address in running text, without the marks that end a sentence. @param {string} token */
function bare(token) {
  let open = 0;
  for (const letter of token) open += letter === '(' ? 1 : letter === ')' ? -1 : 0;
  let end = token.length;
  for (; end > 0; end--) {
    const last = token[end - 1];
    if (last === ')' && open < 0) open++;
    else if (!'.,;:!?\'"*_~'.includes(last)) break;
  }
  return token.slice(0, end);
}

const isBlank = (/** @type {string} */ letter) => letter === '' || /\s/u.test(letter);
const isMark = (/** @type {string} */ letter) => /[\p{P}\p{S}]/u.test(letter);

/** @param {string} mark @param {number} count @param {string} before @param {string} behind @returns {Run} */
function run(mark, count, before, behind) {
  const last = [...before].at(-1) ?? '';
  const [next = ''] = [...behind];
  const isLeft = !isBlank(next) && (!isMark(next) || isBlank(last) || isMark(last));
  const isRight = !isBlank(last) && (!isMark(last) || isBlank(next) || isMark(next));
  return {
    type: 'run', mark, count, begun: [], ended: 0,
    opens: isLeft && (mark !== '_' || !isRight || isMark(last)), closes: isRight && (mark !== '_' || !isLeft || isMark(next)),
  };
}

// The runs that are looked through for a partner: those that find none must not add up.
const NEAR = 32;

/** Pairs the runs of marks. A run between two that pair stays as it is written. @param {Piece[]} pieces */
function emphasised(pieces) {
  let open = /** @type {Run[]} */ ([]);
  let outer = open;
  for (const piece of pieces) {
    if (typeof piece === 'string') continue;
    if (piece.type === 'open') [outer, open] = [open, []];
    if (piece.type === 'close') open = outer;
    if (piece.type !== 'run') continue;
    while (piece.closes && piece.count > 0) {
      const near = open.slice(-NEAR).findLastIndex(({ mark }) => mark === piece.mark);
      if (near < 0) break;
      open.length = Math.max(0, open.length - NEAR) + near + 1;
      const opener = open[open.length - 1];
      const count = Math.min(opener.count, piece.count, 2);
      opener.count -= count;
      piece.count -= count;
      opener.begun.unshift(piece.mark === '~' ? 'del' : count > 1 ? 'strong' : 'em');
      piece.ended++;
      if (opener.count === 0) open.pop();
    }
    if (piece.opens && piece.count > 0) open.push(piece);
  }
  return pieces;
}

/** @param {Piece[]} pieces */
function tree(pieces) {
  const stack = [/** @type {Span[]} */ ([])];
  let deeper = 0; // marks below the deepest that are shown
  const say = (/** @type {Span} */ span) => {
    const here = stack[stack.length - 1];
    const last = here.length - 1;
    if (typeof span === 'string' && typeof here[last] === 'string') here[last] += span;
    else here.push(span);
  };
  const begin = (/** @type {any} */ type, /** @type {string} */ href = '') => {
    if (stack.length > MARKS_MAX) return deeper++;
    const children = /** @type {Span[]} */ ([]);
    say(type === 'link' ? { type, href, children } : { type, children });
    stack.push(children);
  };
  const end = () => (deeper > 0 ? deeper-- : stack.pop());
  for (const piece of pieces) {
    if (typeof piece === 'string') say(piece);
    else if (piece.type === 'open') begin('link', piece.href);
    else if (piece.type === 'close') end();
    else if (piece.type === 'run') {
      for (; piece.ended > 0; piece.ended--) end();
      if (piece.count > 0) say(piece.mark.repeat(piece.count));
      for (const type of piece.begun) begin(type);
    } else say(piece);
  }
  return stack[0];
}

// ---- blocks ----

const FENCE = /^ {0,3}(`{3,}|~{3,})([^`]*)$/;
const HEADING = /^ {0,3}#{1,6}(?=[ \t]|$)/;
const RULE = /^ {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}$/;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])(?:[ \t]{1,4}(?=[^ \t])|[ \t]|$)/;

/** The tree of a text. @param {string} text @returns {Block[]} */
export function parse(text) {
  left = BUDGET;
  return blocks(text.replaceAll('\r\n', '\n').split('\n'), 0);
}

const isEmpty = (/** @type {string} */ line) => line.trim() === '';

/** @param {string[]} lines @param {number} depth @returns {Block[]} */
function blocks(lines, depth) {
  const found = /** @type {Block[]} */ ([]);
  for (let at = 0; at < lines.length; ) {
    if (isEmpty(lines[at])) {
      at++;
      continue;
    }
    if (left-- <= 0) return [...found, { type: 'raw', text: lines.slice(at).join('\n') }];
    const [block, next] = blockAt(lines, at, depth);
    found.push(block);
    at = next;
  }
  return found;
}

/** @param {string[]} lines @param {number} at @param {number} depth @returns {[Block, number]} */
function blockAt(lines, at, depth) {
  const line = lines[at];
  const fence = FENCE.exec(line);
  if (fence) return code(lines, at, fence);
  const heading = HEADING.exec(line);
  if (heading) return [{ type: 'h', spans: inside(line.slice(heading[0].length).trim().replace(/[ \t]#+$/, '')) }, at + 1];
  if (RULE.test(line)) return [{ type: 'hr' }, at + 1];
  if (depth < DEPTH_MAX && QUOTE.test(line)) {
    let end = at;
    while (end < lines.length && QUOTE.test(lines[end])) end++;
    return [{ type: 'quote', blocks: blocks(lines.slice(at, end).map((line) => line.replace(QUOTE, '')), depth + 1) }, end];
  }
  if (depth < DEPTH_MAX && ITEM.test(line)) return list(lines, at, depth);
  const aligns = alignsOf(lines, at);
  if (aligns) return table(lines, at, aligns);
  let end = at + 1;
  while (end < lines.length && !isEmpty(lines[end]) && !(begins(lines[end], depth) || alignsOf(lines, end))) end++;
  const text = lines.slice(at, end).map((line) => line.trim()).join('\n');
  return [{ type: 'p', spans: inside(text) }, end];
}

/** @param {string} line @param {number} depth */
const begins = (line, depth) => FENCE.test(line) || HEADING.test(line) || RULE.test(line) || (depth < DEPTH_MAX && (QUOTE.test(line) || ITEM.test(line)));

/** @param {string[]} lines @param {number} at @param {RegExpExecArray} fence @returns {[Block, number]} */
function code(lines, at, [line, mark, info]) {
  const indent = line.indexOf(mark);
  let end = at + 1;
  for (; end < lines.length; end++) {
    const close = lines[end].trim();
    if (close.length >= mark.length && close[0] === mark[0] && close === mark[0].repeat(close.length)) break;
  }
  const inner = lines.slice(at + 1, end).map((line) => (isEmpty(line.slice(0, indent)) ? line.slice(indent) : line));
  return [{ type: 'code', lang: info.trim(), text: inner.join('\n') }, end + 1];
}

const indentOf = (/** @type {string} */ line) => line.length - line.trimStart().length;

/** @param {string[]} lines @param {number} at @param {number} depth @returns {[Block, number]} */
function list(lines, at, depth) {
  const kind = (/** @type {RegExpExecArray} */ [, , mark]) => mark.slice(-1);
  const first = /** @type {RegExpExecArray} */ (ITEM.exec(lines[at]));
  const items = /** @type {Item[]} */ ([]);
  for (let item; at < lines.length && left-- > 0 && (item = ITEM.exec(lines[at])) && kind(item) === kind(first) && !RULE.test(lines[at]); ) {
    const width = item[0].length;
    const inner = [lines[at].slice(width)];
    for (at++; at < lines.length; at++) {
      const line = lines[at];
      const indent = indentOf(line);
      // Lines under the words belong to the item; so does a line that goes on with its sentence.
      const isInner = indent >= Math.min(width, item[1].length + 2);
      const goesOn = !isEmpty(inner[inner.length - 1]) && !begins(line, depth);
      if (!isEmpty(line) && !isInner && !goesOn) break;
      inner.push(line.slice(Math.min(indent, width)));
    }
    const task = /^\[([ xX])\] /.exec(inner[0]);
    if (task) inner[0] = inner[0].slice(4);
    items.push({ task: task ? task[1] !== ' ' : null, blocks: blocks(inner, depth + 1) });
  }
  const number = Number.parseInt(first[2], 10);
  return [{ type: 'list', start: Number.isNaN(number) ? null : number, items }, at];
}

/** The cells of a row. A bar behind a backslash is a letter. @param {string} line */
function cells(line) {
  const parts = line.trim().replace(/^\|/, '').split(/(?<!\\)\|/);
  if (parts.length > 1 && isEmpty(parts[parts.length - 1])) parts.pop();
  return parts.map((part) => part.trim().replaceAll('\\|', '|'));
}

/** The alignments that the line below a table's head gives, if there is a table. @param {string[]} lines @param {number} at */
function alignsOf(lines, at) {
  const [head, rule] = [lines[at], lines[at + 1]];
  if (!rule?.includes('-') || !head.includes('|') || !/^[-|: \t]+$/.test(rule)) return null;
  const parts = cells(rule);
  if (!parts.every((part) => /^:?-+:?$/.test(part)) || parts.length !== cells(head).length) return null;
  return parts.map((part) => (part.endsWith(':') ? (part.startsWith(':') ? 'center' : 'end') : ''));
}

/** @param {string[]} lines @param {number} at @param {string[]} aligns @returns {[Block, number]} */
function table(lines, at, aligns) {
  const shown = aligns.slice(0, COLUMNS_MAX);
  const row = (/** @type {string} */ line) => {
    const parts = cells(line);
    left -= shown.length;
    return shown.map((_, place) => inside(parts[place] ?? ''));
  };
  const rows = [row(lines[at])];
  let end = at + 2;
  for (; end < lines.length && left > 0 && lines[end].includes('|') && !isEmpty(lines[end]); end++) rows.push(row(lines[end]));
  return [{ type: 'table', rows, aligns: shown, cut: aligns.length - shown.length }, end];
}

// ---- elements ----

/** The text as elements. @param {string} text */
export const markdown = (text) => parse(text).map(blockOf);

/** The box before a task. @param {boolean | null} isDone */
const check = (isDone) => isDone !== null && h('span', { role: 'img', 'aria-label': isDone ? 'Done:' : 'To do:', class: 'check' }, isDone ? '☑' : '☐');

/** @param {Block} block @returns {Node} */
function blockOf(block) {
  switch (block.type) {
    case 'p': return h('p', {}, block.spans.map(spanOf));
    // No heading of the page: it would stand in the page's order of headings.
    case 'h': return h('p', { class: 'heading' }, h('strong', {}, block.spans.map(spanOf)));
    case 'hr': return h('hr');
    case 'raw': return long(block.text);
    case 'code': return fenced(block.text, block.lang);
    case 'quote': return h('blockquote', {}, block.blocks.map(blockOf));
    case 'list': {
      const items = block.items.map(({ task, blocks }) => h('li', { class: task !== null && 'task' }, check(task), blocks.length === 1 && blocks[0].type === 'p' ? blocks[0].spans.map(spanOf) : blocks.map(blockOf)));
      return block.start === null ? h('ul', {}, items) : h('ol', { start: block.start }, items);
    }
    case 'table': return h('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': 'Table' },
      h('table', {}, block.rows.map((row, at) => h('tr', {}, row.map((spans, place) => h(at === 0 ? 'th' : 'td', { class: block.aligns[place] }, spans.map(spanOf)))))),
      block.cut > 0 && h('p', { class: 'muted small' }, `${block.cut.toLocaleString()} more columns are not shown.`));
  }
}

/** Code with a button that copies it. @param {string} text @param {string} [name] @param {string} [shown] other words for it */
export function fenced(text, name = '', shown = text) {
  return h('div', { class: 'code' }, h('div', { class: 'row' }, h('span', { class: 'muted small grow' }, visible(name.slice(0, 40))), copier(text)), long(shown));
}

/** @param {Span} span @returns {Node} */
function spanOf(span) {
  if (typeof span === 'string') return visible(span);
  switch (span.type) {
    case 'br': return h('br');
    case 'code': return h('code', {}, visible(span.text));
    case 'mention': return h('span', { class: 'mention' }, visible(span.text));
    case 'link': {
      const { href = '', children } = span;
      const host = hostBehind(href, lettersOf(children));
      const link = h('a', { href, target: '_blank', rel: 'noreferrer noopener' }, children.map(spanOf));
      return host === null ? link : h('span', {}, link, h('bdi', { class: 'muted small' }, ' (', visible(host), ')'));
    }
    default: return h(span.type, {}, span.children.map(spanOf));
  }
}

/** @param {Span[]} spans @returns {string} */
const lettersOf = (spans) => spans.map((span) => (typeof span === 'string' ? span : 'children' in span ? lettersOf(span.children) : 'text' in span ? span.text : ' ')).join('');

/** Where a link leads, if its words do not say so. @param {string} href @param {string} words */
export function hostBehind(href, words) {
  const url = new URL(href);
  const place = url.protocol === 'mailto:' ? url.pathname + url.search : url.host;
  const said = words.trim();
  return (said === href && url.username === '') || said === place || `${said}/` === href ? null : place;
}
