// A table that is sorted, turned over page by page, and saved as CSV.

import { fill, h, note, plain, save, strong, visible } from '../dom.js';
import { many } from '../state/forms.js';
import { csv, isNumeric, sorted, textOf, widthOf } from '../state/rows.js';

/** @typedef {import('../state/rows.js').Table} Table */

const PAGE = 50;
const COLUMNS_MAX = 100;
const LETTERS_MAX = 500;

const count = (/** @type {number} */ number) => number.toLocaleString();

/** @param {any} value */
function short(value) {
  const text = textOf(value);
  return [visible(text.slice(0, LETTERS_MAX)), text.length > LETTERS_MAX && h('span', { class: 'muted' }, ` … ${count(text.length)} letters`)];
}

class TableView extends HTMLElement {
  table = /** @type {Table} */ ({ columns: [], rows: [] });
  rows = /** @type {any[][]} */ ([]);
  page = 0;
  column = -1;
  direction = /** @type {1 | -1} */ (1);
  numeric = /** @type {boolean[]} */ ([]);
  heads = /** @type {HTMLElement[]} */ ([]);
  body = h('tbody');
  said = h('span', { class: 'muted small grow', role: 'status' });
  turns = [-1, 1].map((by) => h('button', { class: 'quiet', onclick: () => this.turn(by) }, by < 0 ? 'Previous' : 'Next'));

  /** @param {Table} table */
  put(table) {
    const width = widthOf(table);
    const shown = Math.min(width, COLUMNS_MAX);
    const title = textOf(table.title).slice(0, 200);
    Object.assign(this, { table, rows: table.rows, numeric: Array.from({ length: shown }, (_, at) => isNumeric(table.rows, at)) });
    this.heads = this.numeric.map((isNumber, at) => h('th', { scope: 'col', class: isNumber && 'end' }, h('button', { class: 'quiet', onclick: () => this.sort(at) }, h('span', {}, short(table.columns[at] || '(no name)')))));
    this.frame = h('div', { class: 'scroll', role: 'group', 'aria-label': plain(title || 'Table'), tabindex: 0 }, h('table', { class: 'data' }, h('thead', {}, h('tr', {}, this.heads)), this.body));
    fill(this, title && h('p', { class: 'heading' }, strong(title)), this.frame,
      h('div', { class: 'row' }, this.said, table.rows.length > PAGE && this.turns, h('button', { class: 'quiet', onclick: () => this.export() }, 'Save as CSV')),
      width > shown && note(`The first ${shown} of ${count(width)} columns are shown. The CSV file has all.`));
    this.show();
  }

  /** Up, down, and as it came. @param {number} column */
  sort(column) {
    if (this.column !== column) [this.column, this.direction] = [column, 1];
    else if (this.direction === 1) this.direction = -1;
    else this.column = -1;
    this.rows = this.column < 0 ? this.table.rows : sorted(this.table.rows, column, this.direction);
    this.page = 0;
    this.show();
  }

  /** @param {number} by */
  turn(by) {
    this.page += by;
    this.frame?.scrollTo(0, 0);
    this.show();
    // A button that is disabled under the finger would lose the focus.
    const [back, on] = this.turns;
    if ((by < 0 ? back : on).disabled) (by < 0 ? on : back).focus();
  }

  show() {
    const from = this.page * PAGE;
    const rows = this.rows.slice(from, from + PAGE);
    const order = this.direction > 0 ? 'ascending' : 'descending';
    for (const [at, head] of this.heads.entries()) at === this.column ? head.setAttribute('aria-sort', order) : head.removeAttribute('aria-sort');
    fill(this.body, rows.map((row) => h('tr', {}, this.numeric.map((isNumber, at) => h('td', { class: isNumber && 'end' }, short(row[at]))))));
    const all = this.rows.length;
    this.said.textContent = all > PAGE ? `Rows ${count(from + 1)} to ${count(from + rows.length)} of ${count(all)}` : many(all, 'row');
    [this.turns[0].disabled, this.turns[1].disabled] = [from === 0, from + PAGE >= all];
  }

  export() {
    const { text, guarded } = csv({ ...this.table, rows: this.rows });
    save(`${textOf(this.table.title).slice(0, 80) || 'table'}.csv`, new Blob([text], { type: 'text/csv' }));
    this.said.textContent = `Saved ${many(this.rows.length, 'row')}.${guarded > 0 ? ` Cells that begin like a formula (= + - @) have a ' before them, so that no spreadsheet runs them: ${count(guarded)}.` : ''}`;
  }
}

customElements.define('fm-table', TableView);

/** @param {Table} table */
export function tableOf(table) {
  const element = /** @type {TableView} */ (document.createElement('fm-table'));
  element.put(table);
  return element;
}
