// Differences of two lists, and of the words of two texts. Pure.

const CELLS_MAX = 4_000_000;

/**
 * Rows that stand side by side: what both have in one row, the rest in order. Behind their common beginning, lists that are too
 * long for it are not compared.
 * @template T @param {T[]} one @param {T[]} other @param {(entry: T) => string} key @returns {[T | null, T | null][]}
 */
export function align(one, other, key) {
  const [a, b] = [one.map(key), other.map(key)];
  /** @type {[T | null, T | null][]} */
  const rows = [];
  while (rows.length < a.length && a[rows.length] === b[rows.length]) rows.push([one[rows.length], other[rows.length]]);
  let i = rows.length;
  let j = i;
  const width = b.length - i + 1;
  const cells = (a.length - i + 1) * width;
  // The length of the longest list that both have from here on, for each pair of places.
  const longest = new Uint32Array(cells > CELLS_MAX ? 0 : cells);
  const place = (/** @type {number} */ x, /** @type {number} */ y) => (x - rest) * width + y - rest;
  const rest = i;
  for (let x = a.length - 1; x >= rest && longest.length > 0; x--) {
    for (let y = b.length - 1; y >= rest; y--) {
      longest[place(x, y)] = a[x] === b[y] ? longest[place(x + 1, y + 1)] + 1 : Math.max(longest[place(x + 1, y)], longest[place(x, y + 1)]);
    }
  }
  while (i < a.length || j < b.length) {
    if (longest.length > 0 && i < a.length && j < b.length && a[i] === b[j]) rows.push([one[i++], other[j++]]);
    else if (j >= b.length || (i < a.length && (longest.length === 0 || longest[place(i + 1, j)] >= longest[place(i, j + 1)]))) rows.push([one[i++], null]);
    else rows.push([null, other[j++]]);
  }
  return rows;
}

/** @typedef {{ how: 'same' | 'out' | 'in', text: string }} Piece */

/** The pieces of two texts: what both have, what went out, what came in. @param {string} before @param {string} after */
export function wordsDiff(before, after) {
  const parts = (/** @type {string} */ text) => text.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [];
  /** @type {Piece[]} */
  const pieces = [];
  for (const [one, other] of align(parts(before), parts(after), (word) => word)) {
    const how = one === null ? 'in' : other === null ? 'out' : 'same';
    const last = pieces.at(-1);
    if (last?.how === how) last.text += one ?? other;
    else pieces.push({ how, text: /** @type {string} */ (one ?? other) });
  }
  return pieces;
}

/**
 * The places at which two values of JSON differ, each with both values; `undefined` where there is none.
 * @param {any} before @param {any} after @param {string} [path] @returns {{ path: string, before: any, after: any }[]}
 */
export function leaves(before, after, path = '') {
  if (Object.is(before, after)) return [];
  const isDeep = (/** @type {any} */ value) => typeof value === 'object' && value !== null;
  if (!isDeep(before) || !isDeep(after) || Array.isArray(before) !== Array.isArray(after)) return [{ path, before, after }];
  const own = (/** @type {any} */ value, /** @type {string} */ name) => (Object.hasOwn(value, name) ? value[name] : undefined);
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name) => leaves(own(before, name), own(after, name), path ? `${path}.${name}` : name));
}
