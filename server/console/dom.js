// Elements, and the text of others in them. Nothing here parses HTML: text becomes text nodes.

/** @typedef {Node | string | number | null | undefined | false | Child[]} Child */

const isThere = (/** @type {any} */ value) => value !== null && value !== undefined && value !== false;

/** @param {Element} parent @param {any[]} children */
function append(parent, children) {
  for (const child of children.flat(Infinity)) if (isThere(child)) parent.append(child);
}

/**
 * An element. A function under `onclick` and its like listens; `true` sets an attribute, `false`, `null` and `undefined`
 * leave it out; `value`, `checked` and `selected` are properties of the element.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag @param {Record<string, any>} [props] @param {Child[]} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(tag, props, ...children) {
  const element = document.createElement(tag);
  dress(element, props ?? {});
  append(element, children);
  return element;
}

/** A button that sends no form. @param {Child} words @param {(event: any) => void} act @param {Record<string, any>} [props] */
export const button = (words, act, props) => h('button', { type: 'button', onclick: act, ...props }, words);

/** The text of somebody, set off. @param {string} text */
export const strong = (text) => h('strong', {}, visible(text));

/** A sentence beside the matter. @param {Child[]} words */
export const note = (...words) => h('p', { class: 'muted small' }, ...words);

/** Words beside others. @param {Child[]} words */
export const aside = (...words) => h('span', { class: 'muted small' }, ...words);

/** A word in a frame. @param {Child} word @param {string} [tone] `good`, `warn`, `bad` or `accent` */
export const tag = (word, tone = '') => h('span', { class: `tag ${tone}` }, word);

/** An element of ours with its properties. @param {string} name @param {Record<string, any>} [props] @returns {any} */
export const make = (name, props) => Object.assign(document.createElement(name), props);

/** Tells the elements around `element` of something; false if one of them has done what there is to do. @param {Element} element @param {string} name @param {any} [detail] */
export const tell = (element, name, detail) => element.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, cancelable: true }));

/** @param {string} tag @param {Record<string, any>} [props] @param {Child[]} children */
export function svg(tag, props, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  dress(element, props ?? {});
  append(element, children);
  return element;
}

const PROPERTIES = new Set(['value', 'checked', 'selected']);

/** @param {Element} element @param {Record<string, any>} props */
function dress(element, props) {
  for (const [name, value] of Object.entries(props)) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (PROPERTIES.has(name)) /** @type {any} */ (element)[name] = value;
    else if (isThere(value)) element.setAttribute(name, value === true ? '' : String(value));
  }
}

/** Puts `children` in the place of all that `element` holds. @param {Element} element @param {Child[]} children */
export function fill(element, ...children) {
  element.replaceChildren();
  append(element, children);
  return element;
}

// Characters that are not seen, or that change how others are seen, by Unicode's own words for them: controls but tab and line
// feed, formats, ignorable ones, and the two separators. U+FE0F stands in every other emoji.
const ODD = /(?:(?![\t\n\ufe0f])[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\ufff9-\uffff])+/gu;
const CODES_MAX = 8; // of a run
const MARKS_MAX = 500; // of a text: each takes its time to lay out

/** The code points of a run of hidden characters: the first alone if they are many. @param {string} run */
function codes(run) {
  const all = [...run];
  const code = (/** @type {string} */ one) => `U+${(one.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
  return all.length > CODES_MAX ? `${code(all[0])} and ${(all.length - 1).toLocaleString()} more` : all.map(code).join(' ');
}

/** The text with hidden characters as their code points, for titles and attributes. @param {string} text */
export const plain = (text) => text.replace(ODD, codes);

/** The text as nodes: each run of hidden characters is a mark of its own. @param {string} text @returns {DocumentFragment} */
export function visible(text) {
  const nodes = document.createDocumentFragment();
  let from = 0;
  for (const { index, 0: run } of text.matchAll(ODD)) {
    if (nodes.childElementCount === MARKS_MAX) break;
    nodes.append(text.slice(from, index), h('span', { class: 'odd', title: 'hidden characters' }, codes(run)));
    from = index + run.length;
  }
  nodes.append(plain(text.slice(from)));
  return nodes;
}

/** A round mark of a person, or a square one of an agent: two letters, and a colour from the name. @param {string} name @param {boolean} [isAgent] */
export function face(name, isAgent) {
  const letters = plain(name).match(/[\p{L}\p{N}]+/gu) ?? ['?'];
  const [first, second] = letters;
  const initials = [...first][0] + ([...(second ?? '')][0] ?? [...first][1] ?? '');
  let hue = 7;
  for (const letter of name) hue = (hue * 31 + (letter.codePointAt(0) ?? 0)) % 360;
  const mark = h('span', { class: isAgent ? 'face agent' : 'face', 'aria-hidden': 'true' }, initials.toUpperCase());
  mark.style.setProperty('--hue', String(hue));
  return mark;
}

// Formats are made once: making one takes longer than all else of a message.
const HOUR = new Intl.DateTimeFormat([], { hour: '2-digit', minute: '2-digit' });
const DAY = new Intl.DateTimeFormat([], { dateStyle: 'medium', timeStyle: 'short' });
const WHOLE = new Intl.DateTimeFormat([], { dateStyle: 'long', timeStyle: 'long' });

/** A time of day today, and a date before. @param {string | number} time */
export function clock(time) {
  const at = new Date(time);
  const today = at.toDateString() === new Date().toDateString();
  return h('time', { datetime: at.toISOString(), title: WHOLE.format(at), class: 'muted small' }, (today ? HOUR : DAY).format(at));
}

/** Gives text to the clipboard, and says so on `button`. @param {HTMLElement} button @param {string} text */
export async function copy(button, text) {
  const words = button.textContent;
  await navigator.clipboard.writeText(text);
  button.textContent = 'Copied';
  setTimeout(() => (button.textContent = words), 1500);
}

/** A button that copies a text. @param {string} text @param {string} [words] @param {string} [label] */
export const copier = (text, words = 'Copy', label) => button(words, ({ currentTarget }) => copy(currentTarget, text), { class: 'quiet', 'aria-label': label });

/** Saves a file. @param {string} name @param {Blob} file */
export function save(name, file) {
  const url = URL.createObjectURL(file);
  h('a', { href: url, download: plain(name) }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
