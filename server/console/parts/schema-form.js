// A form made from a JSON Schema. It checks the form of values; the server checks the rest. Where a field would lose
// something, or the schema says more than a form can, JSON is typed.

import { button, fill, h, make, note, plain, visible } from '../dom.js';
import { escaped } from './json.js';

/** The value of a field that says what is wrong with it. */
export const FAULT = Symbol('fault');

/** @typedef {{ element: HTMLElement, read: () => any }} Field it reads the value, or `FAULT` */

const DEPTH_MAX = 5;
const FIELDS_MAX = 60;
const BEYOND = ['oneOf', 'anyOf', 'allOf', '$ref', 'if', 'not', 'prefixItems', 'patternProperties'];
let count = 0;

/**
 * Fields of which there may be more or fewer. `make` makes one, and `fresh` what a new one begins with.
 * @param {string} noun @param {(one: any, number: number) => Field} make @param {(count: number) => any} fresh @param {number} [most]
 */
export function several(noun, make, fresh, most = Infinity) {
  const fields = /** @type {Map<Element, Field>} */ (new Map());
  const list = h('div', { class: 'stack' });
  const changed = () => list.dispatchEvent(new Event('input', { bubbles: true }));
  const add = (/** @type {any} */ one) => {
    const field = make(one, fields.size + 1);
    const row = h('div', { class: 'one' }, field.element, button('Remove', () => {
      fields.delete(row);
      row.remove();
      more.focus();
      changed();
    }, { class: 'quiet', 'aria-label': `Remove ${noun} ${fields.size + 1}` }));
    fields.set(row, field);
    list.append(row);
    return row;
  };
  const more = button(`One more ${noun}`, () => {
    if (fields.size === most) return;
    /** @type {any} */ (add(fresh(fields.size)).querySelector('textarea, input, select'))?.focus();
    changed();
  });
  const read = () => {
    const found = [...fields.values()].map((field) => field.read());
    return found.includes(FAULT) ? FAULT : found;
  };
  return { add, elements: [list, h('div', {}, more)], read };
}

/** @param {any} value */
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
/** @param {any} map @param {string} name */
const own = (map, name) => (isObject(map) && Object.hasOwn(map, name) ? map[name] : undefined);
/** @param {any} a @param {any} b */
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
/** @param {any} schema @returns {string[]} */
const requiredOf = (schema) => (Array.isArray(schema.required) ? schema.required : []);

/** The kind of field for a schema. @param {any} schema @returns {string} */
function kindOf(schema) {
  if (own(schema, 'const') !== undefined) return 'const';
  if (Array.isArray(own(schema, 'enum')) && schema.enum.length > 0) return 'enum';
  const type = own(schema, 'type');
  if (BEYOND.some((key) => own(schema, key) !== undefined) || (type === 'object' && !isObject(schema.properties)) || (type === 'array' && !isObject(schema.items))) return 'json';
  return typeof type === 'string' && Object.hasOwn(KINDS, type) ? type : 'json';
}

/** True if a field of the kind shows the value without a loss. @param {string} kind @param {any} schema @param {any} value */
function shows(kind, schema, value) {
  if (kind === 'enum') return schema.enum.some((/** @type {any} */ one) => same(one, value));
  if (kind === 'const') return same(schema.const, value);
  if (kind === 'string') return typeof value === 'string' && plain(value) === value;
  if (kind === 'number' || kind === 'integer') return value === undefined || typeof value === 'number';
  if (kind === 'array') return Array.isArray(value) && value.length <= FIELDS_MAX;
  if (kind === 'object') return isObject(value) && Object.keys({ ...schema.properties, ...value }).length <= FIELDS_MAX;
  return kind === 'json' || typeof value === kind;
}

/** A value to begin with. @param {any} schema @returns {any} */
export function blank(schema) {
  const kind = kindOf(schema);
  if (own(schema, 'default') !== undefined) return schema.default;
  if (kind === 'const') return schema.const;
  if (kind === 'enum') return schema.enum[0];
  if (kind === 'object') return Object.fromEntries(requiredOf(schema).map((name) => [name, blank(own(schema.properties, name))]));
  return /** @type {Record<string, any>} */ ({ array: [], boolean: false, string: '' })[kind];
}

const LIMITS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minLength', 'maxLength', 'pattern', 'format', 'minItems', 'maxItems'];

/** The description of a schema, and the limits in it. @param {any} schema */
function hint(schema) {
  const limits = LIMITS.filter((key) => own(schema, key) !== undefined).map((key) => `${key.replace(/[A-Z]/, ' $&').toLowerCase()}: ${schema[key]}`);
  return [own(schema, 'description') ?? '', limits.join(', ')].filter(Boolean).join(' · ');
}

/** @param {string} words @returns {never} */
const wrong = (words) => {
  throw new Error(words);
};

/**
 * A control with its label, hint and fault. `parse` gives the value, or throws words.
 * @param {string} name @param {any} schema @param {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} control
 * @param {(text: string) => any} parse @returns {Field}
 */
function leaf(name, schema, control, parse) {
  const id = `fm-field-${++count}`;
  const help = hint(schema);
  const fault = h('p', { class: 'fault small', id: `${id}-fault` });
  const say = (/** @type {string} */ words) => {
    fault.textContent = words;
    control.setAttribute('aria-invalid', String(words !== ''));
  };
  const read = () => {
    try {
      const value = parse(control.value);
      say('');
      return value;
    } catch (error) {
      say(/** @type {Error} */ (error).message);
      return FAULT;
    }
  };
  control.id = id;
  control.setAttribute('aria-describedby', `${id}-hint ${id}-fault`);
  // Not when it loses the focus: the button that is being clicked would move away.
  control.addEventListener('input', () => fault.textContent && read());
  return { element: h('div', { class: 'field' }, h('label', { for: id }, visible(name)), control, h('p', { class: 'muted small', id: `${id}-hint` }, visible(help)), fault), read };
}

/** @param {string} text */
const area = (text) => h('textarea', { class: 'mono', rows: '1', spellcheck: 'false', value: text });

/** @param {string} text */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    return wrong(text.trim() === '' ? 'Write JSON, e.g. "text", 5, true or null.' : `This is no JSON: ${plain(/** @type {Error} */ (error).message)}`);
  }
}

/** A value that is typed as JSON. @param {string} name @param {any} schema @param {any} value @returns {Field} */
const jsonField = (name, schema, value) => leaf(name, schema, area(escaped(value, 2)), parsed);

/** JSON that stays as it is typed. @param {string} name @param {string} text @returns {Field} */
export const textField = (name, text) => leaf(name, null, area(text), (typed) => {
  parsed(typed);
  return typed;
});

/** @param {string} name @param {any} schema @param {any} value @returns {Field} */
function numberField(name, schema, value) {
  const isWhole = schema.type === 'integer';
  return leaf(name, schema, h('input', { inputmode: isWhole ? 'numeric' : 'decimal', autocomplete: 'off', value: String(value ?? '') }), (typed) => {
    const number = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(typed.trim()) ? Number(typed) : NaN;
    if (isWhole && !Number.isInteger(number)) wrong('Write a whole number.');
    if (!Number.isFinite(number)) wrong('Write a number, with a point for decimals.');
    return isWhole && !Number.isSafeInteger(number) ? wrong('The number is too large for this form.') : number;
  });
}

/** @param {string} name @param {any} schema @param {any[]} values @param {any} value @returns {Field} */
function choice(name, schema, values, value) {
  const options = values.map((one, at) => h('option', { value: String(at), selected: same(one, value) }, plain(typeof one === 'string' ? one : escaped(one))));
  return leaf(name, schema, h('select', {}, options), (at) => values[Number(at)]);
}

/** @type {Record<string, (name: string, schema: any, value: any, depth: number) => Field>} */
const KINDS = {
  json: jsonField,
  number: numberField,
  integer: numberField,
  boolean: (name, schema, value) => choice(name, schema, [true, false], value),
  enum: (name, schema, value) => choice(name, schema, schema.enum, value),
  const: (name, schema) => ({ element: h('div', { class: 'field' }, h('span', { class: 'label' }, visible(name)), h('code', {}, visible(escaped(schema.const)))), read: () => schema.const }),
  string: (name, schema, value) => leaf(name, schema, h('textarea', { rows: '1', value }), (text) => text),
  object(name, schema, value, depth) {
    const fields = Object.keys({ ...schema.properties, ...value }).map((one) => {
      const about = own(schema.properties, one);
      const isRequired = requiredOf(schema).includes(one);
      const known = isRequired && !Object.hasOwn(value, one) ? blank(about) : own(value, one);
      return { one, ...(isRequired ? fieldOf : maybe)(one, about, known, depth + 1) };
    });
    return {
      element: group(name, schema, depth, fields.map((field) => field.element)),
      read() {
        const found = fields.map((field) => [field.one, field.read()]);
        return found.some(([, one]) => one === FAULT) ? FAULT : Object.fromEntries(found.filter(([, one]) => one !== undefined));
      },
    };
  },
  array(name, schema, value, depth) {
    const all = several('entry', (one, number) => fieldOf(`${name} ${number}`, schema.items, one, depth + 1), () => blank(schema.items));
    value.forEach(all.add);
    return { element: group(name, schema, depth, all.elements), read: all.read };
  },
};

/** @param {string} name @param {any} schema @param {number} depth @param {HTMLElement[]} children */
const group = (name, schema, depth, children) => h('fieldset', { class: depth > 0 ? 'group stack' : 'stack' },
  h('legend', { class: depth > 0 ? 'label' : 'visually-hidden' }, visible(name)), note(visible(hint(schema))), children);

/** A field with a box that leaves it out. @param {string} name @param {any} schema @param {any} value @param {number} depth @returns {Field} */
function maybe(name, schema, value, depth) {
  /** @type {Field | null} */
  let field = null;
  const place = h('div', { class: 'grow' });
  const box = h('input', { type: 'checkbox', checked: value !== undefined, onchange: () => show(blank(schema)), 'aria-label': plain(`Give ${name}`) });
  const show = (/** @type {any} */ one) => {
    field = box.checked ? fieldOf(name, schema, one, depth) : null;
    fill(place, field?.element ?? note(visible(name), ' is left out'));
  };
  show(value);
  return { element: h('div', { class: 'one' }, h('span', { class: 'box' }, box), place), read: () => (field ? field.read() : undefined) };
}

/** A field for `value` as `schema` describes it. @param {string} name @param {any} schema @param {any} value @param {number} [depth] @returns {Field} */
export function fieldOf(name, schema, value, depth = 0) {
  const kind = kindOf(schema);
  return (depth <= DEPTH_MAX && shows(kind, schema, value) ? KINDS[kind] : jsonField)(name, schema, value, depth);
}

/** Goes to the first field that has a fault. @param {HTMLElement} form */
export const seeFault = (form) => /** @type {HTMLElement | null} */ (form.querySelector('[aria-invalid="true"]'))?.focus();
