// Values as people read them, without a page: the forms of a declared artifact, sizes and names.

import { textOf } from './rows.js';

const SIGNS = new Map([['USD', '$'], ['EUR', '€'], ['GBP', '£'], ['JPY', '¥']]);

/** @param {number} number @param {number} [digits] */
const counted = (number, digits) => number.toLocaleString('en-US', digits === undefined ? { maximumFractionDigits: 15 } : { minimumFractionDigits: digits, maximumFractionDigits: digits });

/** Amounts that stand together: if one is not whole, all are written to the cent. @param {string} currency @param {number[]} amounts */
function money(currency, amounts) {
  const digits = amounts.every((amount) => Math.round(amount * 100) % 100 === 0) ? 0 : 2;
  const sign = SIGNS.get(currency) ?? `${currency} `;
  return amounts.map((amount) => `${amount < 0 ? '-' : ''}${sign}${counted(Math.abs(amount), digits)}`);
}

/** An object with `min` and `max`, or one of them. @param {any} value @param {(ends: number[]) => string[]} write */
function range(value, write) {
  const [min, max] = [value?.min, value?.max];
  const [hasMin, hasMax] = [typeof min === 'number', typeof max === 'number'];
  if (hasMin && hasMax) return write(min === max ? [min] : [min, max]).join(' – ');
  return hasMin ? `from ${write([min])}` : hasMax ? `up to ${write([max])}` : null;
}

/** A value in the form that its field declares; as it is if it does not have that form. @param {any} value @param {any} [form] @returns {string} */
export function written(value, form) {
  const isNumber = typeof value === 'number';
  if (value === true) return 'yes';
  if (value === false) return 'no';
  if (form === 'percent' && isNumber) return `${counted(Number((value * 100).toPrecision(15)))}%`;
  const [[kind, of] = ['', null]] = form && typeof form === 'object' ? Object.entries(form) : [];
  const ends = (/** @type {number[]} */ all) => all.map((one) => counted(one));
  let text = null;
  if (kind === 'money' && isNumber) [text] = money(String(of), [value]);
  if (kind === 'money_range') text = range(value, (all) => money(String(of), all));
  if (kind === 'unit' && isNumber) text = `${counted(value)} ${of}`;
  if (kind === 'unit_range') text = range(value, ends)?.concat(` ${of}`) ?? null;
  return text ?? textOf(value);
}

/** The value at a JSON pointer (RFC 6901), or `undefined`. @param {any} data @param {string} pointer */
export function at(data, pointer) {
  let found = data;
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (found === null || typeof found !== 'object' || !Object.hasOwn(found, key)) return undefined;
    found = found[key];
  }
  return found;
}

/** A size for people. @param {number} bytes */
export function sizeOf(bytes) {
  const units = ['bytes', 'KB', 'MB', 'GB'];
  let [size, unit] = [bytes, 0];
  while (size >= 1000 && unit < 3) size /= 1000, unit++;
  return `${size.toLocaleString(undefined, { maximumFractionDigits: size < 10 && unit > 0 ? 1 : 0 })} ${units[unit]}`;
}

/** A number of things in words. @param {number} number @param {string} thing */
export const many = (number, thing) => `${number.toLocaleString()} ${thing}${number === 1 ? '' : 's'}`;

/** A name in a program as words: `rush_premium` is `Rush premium`. @param {string} name */
export function phrase(name) {
  const words = name.replaceAll(/[_-]+/g, ' ').trim();
  return words === '' ? name : words[0].toUpperCase() + words.slice(1);
}
