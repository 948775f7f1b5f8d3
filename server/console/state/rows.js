// Rows and columns without a page: their text, their order, and their file.

/** @typedef {{ title?: string | null, columns: string[], rows: any[][] }} Table */

/** A value as it is: a text without its quotes, nothing for `null`, all else as JSON. @param {any} value @returns {string} */
export const textOf = (value) => (value === null || value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value));

/** The number of columns: a row may be longer than the names. @param {Table} table */
export const widthOf = ({ columns, rows }) => rows.reduce((most, row) => Math.max(most, row.length), columns.length);

/** True if what has that form is a table. @param {any} data @returns {data is Table} */
export const isTable = (data) => Array.isArray(data?.columns) && Array.isArray(data.rows) && data.columns.length > 0
  && data.columns.every((/** @type {any} */ name) => typeof name === 'string') && data.rows.every(Array.isArray);

const NUMBER = /^[-+]?\d+(\.\d+)?([eE][-+]?\d+)?$/;
/** The number in a cell, also if it stands there as text. @param {any} cell */
export const numberOf = (cell) => (typeof cell === 'number' ? cell : typeof cell === 'string' && cell.length < 40 && NUMBER.test(cell.trim()) ? Number(cell) : null);

const isBlank = (/** @type {any} */ cell) => cell === null || cell === undefined || cell === '';

/** True if a column has numbers, and nothing else. @param {any[][]} rows @param {number} column */
export function isNumeric(rows, column) {
  const full = rows.filter((row) => !isBlank(row[column]));
  return full.length > 0 && full.every((row) => numberOf(row[column]) !== null);
}

const words = new Intl.Collator(undefined, { numeric: true });

/** The rows in the order of a column: numbers by size, words by the alphabet, blanks last. @param {any[][]} rows @param {number} column @param {1 | -1} direction */
export function sorted(rows, column, direction) {
  const full = rows.filter((row) => !isBlank(row[column]));
  const blank = rows.filter((row) => isBlank(row[column]));
  const keys = isNumeric(rows, column) ? full.map((row) => numberOf(row[column])) : full.map((row) => textOf(row[column]));
  const compare = (/** @type {any} */ a, /** @type {any} */ b) => (typeof a === 'number' ? a - b : words.compare(a, b));
  const order = full.map((_, at) => at).sort((a, b) => direction * compare(keys[a], keys[b]) || a - b);
  return [...order.map((at) => full[at]), ...blank];
}

// A spreadsheet takes such a text for a formula. The wide letters are those of East Asian keyboards.
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

/** The table as CSV (RFC 4180), and the number of texts that got a `'` before them, so that no spreadsheet runs them. @param {Table} table */
export function csv(table) {
  let guarded = 0;
  const cell = (/** @type {any} */ value) => {
    let text = textOf(value);
    if (typeof value !== 'number' && FORMULA.test(text)) {
      text = `'${text}`;
      guarded++;
    }
    // Quotes around every text: where `;` parts cells, one without them could begin another.
    return typeof value === 'number' ? text : `"${text.replaceAll('"', '""')}"`;
  };
  const width = widthOf(table);
  const line = (/** @type {any[]} */ row) => Array.from({ length: width }, (_, at) => cell(row[at])).join(',');
  return { text: [table.columns, ...table.rows].map((row) => `${line(row)}\r\n`).join(''), guarded };
}
