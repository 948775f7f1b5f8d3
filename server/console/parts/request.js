// A card for a request: who asks, exactly what for, and the ways to decide. It never changes under a decision unsaid.

import { aside, button, clock, face, fill, h, note, plain, strong, tag, tell, visible } from '../dom.js';
import { command, Problem, room, send, server, session, words } from '../api/client.js';
import { between } from '../api/feed.js';
import { waitingElsewhere } from '../state/waiting.js';
import { countdown } from './countdown.js';
import { difference, escapedText, exact, isKept } from './json.js';
import { helpOfKeys, isTyping } from './keys.js';
import { reachForm } from './reach.js';
import { blank, FAULT, fieldOf, seeFault, textField } from './schema-form.js';
import { folded, renew } from './text.js';

/**
 * @typedef {import('../dom.js').Child} Child
 *
 * The end of a request, as a feed tells it.
 * @typedef {object} End
 * @property {string} how
 * @property {any} [by] a party
 * @property {string} [words] of the server
 * @property {string} [time]
 * @property {any} [scope]
 * @property {string | null} [text] the reason, the answer or the result
 * @property {number[]} [options]
 * @property {string | null} [arguments]
 */

const ENDS = /** @type {Record<string, [words: string, tone: string]>} */ ({ allow: ['Allowed', 'good'], deny: ['Denied', 'bad'], answered: ['Answered', 'good'], expired: ['Expired: nobody decided in time', 'warn'] });
const SCOPES = /** @type {Record<string, string>} */ ({ once: 'once', turn: 'for the turn', world: 'for the room' });
const WANTS = /** @type {Record<string, string>} */ ({ approval: 'asks to run', question: 'asks you something in', outcome: 'does not know the outcome of' });
const TONES = /** @type {Record<string, string>} */ ({ destructive: 'bad', write: 'warn' });

/** The name of a party, and its proof if that says more. @param {any} by */
function nameOf(by) {
  const { display, method, subject } = by.service ?? by;
  const proof = `${method}:${subject}`;
  return !display ? proof : display === subject ? display : `${display} (${proof})`;
}

/** The wish of a request, in few words. @param {any} request */
export const wants = ({ asks, tool }) => `${WANTS[asks.kind]} ${tool ?? 'a tool'}`;

/** The end of a request in few words. @param {End} end */
export const endWords = ({ how, by, words }) => (Object.hasOwn(ENDS, how) ? `${ENDS[how][0]}${by ? ` by ${nameOf(by)}` : ''}` : words ?? '');

/** The words of a problem, with what is wrong at which place. @param {unknown} error */
const faults = (error) => [words(error), ...((error instanceof Problem && error.body.findings) || []).map((/** @type {any} */ { path, code }) => `${path}: ${code}`)].join(' ');

/** @param {string[] | undefined} all @param {string} [look] */
const list = (all, look) => all && all.length > 0 && h('ul', { class: look }, all.map((one) => h('li', {}, visible(one))));

/** @param {string} label @param {string} [value] */
function area(label, value = '') {
  const control = h('textarea', { rows: '2', value });
  return { control, element: h('label', { class: 'field' }, label, control) };
}

/** @param {string} type @param {string} name @param {string | number} value @param {string} label @param {Child[]} more */
const pick = (type, name, value, label, ...more) => h('label', { class: 'pick' }, h('input', { type, name, value: String(value) }), h('span', {}, visible(label), ...more));

/** @param {HTMLElement} set @returns {string[]} */
const picked = (set) => [...set.querySelectorAll('input:checked')].map((input) => /** @type {HTMLInputElement} */ (input).value);

let ids = 0;

/** `asked = { world, request, decision }` says what it shows. It tells of its end by `fm-settled`, and by `fm-move` that the next is wanted. */
export class RequestCard extends HTMLElement {
  /** @type {any} */
  #asked = null;
  /** @type {any} the request as it is shown */
  view = null;
  /** @type {End | null} */
  end = null;
  /** @type {'' | 'deny' | 'more' | 'edit' | 'ran'} the form that is open */
  open = '';
  error = '';
  isBusy = false;
  isChanged = false;
  isListed = false;
  /** @type {() => any} reads the open form: a body, or `FAULT` */
  read = () => FAULT;
  timer = /** @type {ReturnType<typeof setTimeout> | undefined} */ (undefined);
  name = `fm-request-${++ids}`;
  head = h('div', { class: 'row head' });
  body = h('div', { class: 'stack' });
  news = h('div', { role: 'status', class: 'news' });
  drawer = h('div', { oninput: () => this.later(), onchange: () => this.later() });
  foreseen = h('div', { class: 'preview sunken', role: 'status' });
  actions = h('div', { class: 'row actions' });
  fault = h('div', { role: 'alert' });

  get asked() {
    return this.#asked;
  }

  /** @param {{ world: string, request: any, decision: any }} asked */
  set asked(asked) {
    if (asked.request.name !== this.#asked?.request.name) Object.assign(this, { view: asked.request, end: null, open: '', error: '', isChanged: false, isListed: false });
    this.#asked = asked;
    this.update();
  }

  connectedCallback() {
    if (!this.firstChild) {
      this.tabIndex = 0;
      this.setAttribute('role', 'group');
      this.classList.add('card');
      this.append(this.head, this.body, this.news, this.drawer, this.actions, this.fault);
      this.addEventListener('keydown', (event) => this.key(event) && event.preventDefault());
      this.addEventListener('fm-expired', () => (this.update(), waitingElsewhere.ask()));
    }
    this.forget = waitingElsewhere.listen(() => this.update());
    this.update();
    if (!this.end && !this.isListed) waitingElsewhere.ask();
  }

  disconnectedCallback() {
    this.forget?.();
    clearTimeout(this.timer);
  }

  /** The end, also if only the clock tells it. @returns {End | null} */
  get over() {
    const isLate = Date.parse(this.view.asks.expires_at) <= server.now();
    return this.end ?? (isLate ? { how: 'expired' } : null);
  }

  /** True if nothing can be decided any more. */
  get isOver() {
    return this.over !== null;
  }

  get mayDeny() {
    return !this.isOver && this.view.you?.decide === true;
  }

  get mayAllow() {
    return this.mayDeny && this.view.you?.allow === true;
  }

  /** Takes what is known now, and shows what changed. The focus stays in the card if it was there. */
  update() {
    if (!this.#asked) return;
    this.take();
    if (!this.isConnected) return;
    const { view, over, open } = this;
    const had = this.contains(document.activeElement);
    this.setAttribute('aria-busy', String(this.isBusy));
    this.setAttribute('aria-label', plain(`${view.agent} ${wants(view)}`));
    this.classList.toggle('over', over !== null);
    const rights = JSON.stringify([view.asks, view.you, view.offers, over, open]);
    renew(this.head, JSON.stringify([view.effect, over]), () => (over ? [] : this.heading()));
    renew(this.body, JSON.stringify([view, over]), () => (over ? [this.question()] : this.content()));
    renew(this.news, JSON.stringify([over, this.isChanged]), () => (over ? this.result(over) : [this.isChanged && h('p', { class: 'changed sunken' }, 'The request has changed. This is what it asks now: read it again before you decide.')]));
    renew(this.actions, rights, () => this.choices());
    renew(this.drawer, rights, () => this.opened());
    renew(this.fault, this.error, () => [this.error && h('p', { class: 'problem' }, visible(this.error))]);
    if (had && !this.contains(document.activeElement)) this.focus({ preventScroll: true });
  }

  take() {
    const { request, decision } = this.#asked;
    if (decision) return this.finish(decision);
    if (this.end) return;
    const found = waitingElsewhere.requests.find(({ name }) => name === request.name);
    if (found) this.show(found);
    else if (this.isListed && session.token && !waitingElsewhere.error) this.seek();
    this.isListed ||= found !== undefined;
  }

  /** Shows `request` from now on, and says so if something else is asked than before. @param {any} request */
  show(request) {
    if (this.view.asks.shown !== request.asks.shown) Object.assign(this, { isChanged: true, open: '' });
    this.view = { ...this.#asked.request, ...request };
  }

  /** @param {End} end */
  finish(end) {
    const isNew = this.end?.how !== end.how;
    Object.assign(this, { end, open: '', error: '' });
    if (isNew) queueMicrotask(() => tell(this, 'fm-settled'));
  }

  /** Reads in the room how the request ended, if it did. A list of all rooms may lag behind. */
  async seek() {
    const { world, request: asked } = this.#asked;
    this.isListed = false;
    const items = await between(world, asked.request, Infinity).catch(() => []);
    const found = items.find(({ type, request }) => type === 'decision' && request === asked.request);
    if (!found || this.end || this.#asked.request.name !== asked.name) return;
    this.finish(found);
    this.update();
  }

  /** @returns {Child[]} */
  heading() {
    const { agent, effect, asks, tool } = this.view;
    return [face(agent, true), h('p', { class: 'grow' }, strong(agent), ` ${WANTS[asks.kind]} `, h('code', {}, visible(tool ?? 'a tool'))),
      effect && tag(visible(effect), TONES[effect] ?? ''), asks.expires_at && !this.isOver && countdown(asks.expires_at)];
  }

  question() {
    const { kind, question } = this.view.asks;
    return kind === 'question' && h('p', { class: 'question' }, question ? visible(question.text) : 'The question was erased.');
  }

  /** @returns {Child[]} */
  content() {
    const { asks, arguments: text, tool, warnings } = this.view;
    const question = this.question();
    const call = [exact(text, plain(`Arguments of ${tool ?? 'the call'}`)), asks.text !== undefined && folded(
      aside('The exact text that is asked about, with the digest ', h('code', {}, asks.shown.slice(0, 8))), () => h('pre', { class: 'exact sunken' }, visible(asks.text)))];
    return [question, list(warnings, 'warnings sunken'), question && text === '{}' ? null : call, this.deciders()];
  }

  /** Who may decide, and why this person may not. */
  deciders() {
    const { deciders, you } = this.view;
    if (!deciders) return null;
    const name = (/** @type {string} */ proof) => (Object.hasOwn(deciders.names ?? {}, proof) ? deciders.names[proof] : proof);
    const who = [...deciders.people.map(name), ...(deciders.others ? ['everybody else in the room'] : [])].join(', ') || 'nobody';
    const barred = deciders.all_but?.map(nameOf).join(', ');
    return note('May decide: ', visible(who), barred && [' (', visible(barred), ' began this, and may only deny)'],
      you?.why && h('strong', { class: 'because' }, visible(`For you: ${you.why}.`)));
  }

  /** A line that opens to the call, and the words of whoever decided. @param {End} end @returns {Child[]} */
  result(end) {
    const { asks, arguments: text } = this.view;
    const [, tone] = Object.hasOwn(ENDS, end.how) ? ENDS[end.how] : ['', 'warn'];
    const scope = end.how === 'allow' && (end.scope?.uses ? `${end.scope.uses} times` : SCOPES[end.scope ?? 'once']);
    const said = end.text || end.options?.map((at) => asks.question?.options[at] ?? `option ${at + 1}`).join(', ');
    const line = h('summary', {}, tag(visible(endWords(end)), tone), scope && ` ${scope}`, end.time && [' · ', clock(end.time)]);
    const call = h('div', { class: 'stack' }, h('div', { class: 'row head' }, this.heading()), end.arguments ? difference(text, end.arguments) : exact(text));
    return [h('details', {}, line, call), said && h('blockquote', {}, visible(said))];
  }

  /** The words of a way to allow, if there is that way. @param {string} kind @returns {string} */
  offer(kind) {
    if (kind === 'arguments' && this.view.arguments === null) return '';
    return (this.mayAllow && this.view.offers?.find((/** @type {any} */ offer) => offer.kind === kind)?.words) || '';
  }

  /** The ways to decide at once, or to open a form for it. @returns {{ words: string, act: () => void, key?: string, look?: string, title?: string }[]} */
  get ways() {
    const { asks } = this.view;
    if (!this.mayDeny || this.open || asks.kind === 'question') return [];
    const allow = (/** @type {string} */ kind, /** @type {any} */ way) => (this.offer(kind) ? [{ ...way, title: this.offer(kind) }] : []);
    if (asks.kind === 'outcome') {
      return [{ words: 'It ran…', act: () => this.unfold('ran') }, { words: 'It did not run', act: () => this.settle({ how: 'not_run' }) },
        ...(asks.is_open && this.mayAllow ? [{ words: 'Run it again', act: () => this.settle({ how: 'run_again' }), look: 'danger' }] : [])];
    }
    return [...allow('once', { words: 'Allow once', act: () => this.allow('once'), key: 'o', look: 'primary' }),
      ...allow('turn', { words: 'For the turn', act: () => this.allow('turn'), key: 't' }),
      ...allow('uses', { words: 'Allow more…', act: () => this.unfold('more') }),
      ...allow('arguments', { words: 'Edit…', act: () => this.unfold('edit'), key: 'e' }),
      { words: 'Deny…', act: () => this.unfold('deny'), key: 'd', look: 'danger' }];
  }

  choices() {
    return this.ways.map(({ words, act, key, look, title }) => button([words, key && h('kbd', { 'aria-hidden': 'true' }, key)], act, { class: look, title, 'aria-keyshortcuts': key }));
  }

  /** Opens a form of the card, and goes there. @param {typeof this.open} form */
  unfold(form) {
    Object.assign(this, { open: form, error: '' });
    this.update();
    const first = /** @type {HTMLElement | null} */ (this.drawer.querySelector('input:not([type=checkbox]), textarea, select'));
    (form ? first : this)?.focus();
  }

  /** @returns {Child[]} */
  opened() {
    clearTimeout(this.timer);
    this.read = () => FAULT;
    fill(this.foreseen);
    if (!this.mayDeny) return [];
    const { kind, question } = this.view.asks;
    if (kind === 'question') return question ? this.answering(question) : [];
    return { '': () => [], deny: () => this.denial(), more: () => this.wider(), edit: () => this.editor(), ran: () => this.outcome() }[this.open]();
  }

  /** @param {string} submit @param {string} look @param {() => void} act @param {Child[]} children */
  form(submit, look, act, ...children) {
    return [h('form', { class: 'stack', novalidate: true, onsubmit: (/** @type {Event} */ event) => (event.preventDefault(), act()) }, children,
      h('div', { class: 'row' }, h('button', { class: look }, submit), this.open && button('Cancel', () => this.unfold(''), { class: 'quiet' })))];
  }

  /** A form whose decision the server tells before it is taken. @param {string} submit @param {() => any} read @param {Child[]} children */
  foretold(submit, read, ...children) {
    this.read = read;
    this.timer = setTimeout(() => this.foresee(), 0);
    const act = () => {
      const body = read();
      if (body === FAULT) seeFault(this.drawer);
      else this.judge(body);
    };
    return this.form(submit, 'primary', act, ...children, this.foreseen);
  }

  denial() {
    const reason = area('Reason (if you want to give one)');
    const shares = h('input', { type: 'checkbox' });
    const act = () => this.judge({ verdict: 'deny', ...(reason.control.value.trim() && { reason: reason.control.value, share_reason: shares.checked }) });
    return this.form('Deny', 'danger', act, reason.element, h('label', { class: 'pick' }, shares, 'The agent may read the reason'));
  }

  wider() {
    const text = this.view.arguments;
    const reach = text !== null && isKept(text) && this.offer('where') ? reachForm(JSON.parse(text)) : null;
    const uses = h('input', { type: 'number', min: '1', max: '1000000', value: '2', 'aria-label': 'Number of times', onfocus: () => (/** @type {HTMLInputElement} */ (scopes.querySelector('[value=uses]')).checked = true) });
    /** @param {string} legend @param {[string, string, Child?][]} all */
    const choice = (legend, all) => {
      const set = h('fieldset', {}, h('legend', { class: 'label' }, legend), all.map(([value, offer, more]) => offer && pick('radio', `${this.name}-${legend}`, value, offer, more)));
      set.querySelectorAll('input')[0].checked = true;
      return set;
    };
    const scopes = choice('How long', [['turn', this.offer('turn')], ['uses', this.offer('uses'), uses], ['world', this.offer('world')]]);
    const wheres = choice('With which arguments', [['same', 'calls to come have the same arguments'], ['where', reach ? this.offer('where') : ''], ['any', this.offer('any_arguments')]]);
    const place = h('div', { hidden: true }, reach?.element);
    wheres.addEventListener('change', () => (place.hidden = !picked(wheres).includes('where')));
    return this.foretold('Allow', () => {
      const [[scope], [way]] = [picked(scopes), picked(wheres)];
      const where = way === 'where' ? reach?.read() : way === 'any' ? 'any' : undefined;
      return where === FAULT ? FAULT : { verdict: 'allow', scope: scope === 'uses' ? { uses: Math.max(1, Math.trunc(Number(uses.value))) } : scope, where };
    }, scopes, wheres, place);
  }

  editor() {
    const { arguments: text, schema } = this.view;
    const change = h('div');
    // Where a form would change something, JSON is typed. It is sent as it was typed, so that its numbers stay.
    const inForm = schema && isKept(text);
    const field = inForm ? fieldOf('Arguments', schema, JSON.parse(text)) : textField('Arguments as JSON', escapedText(text));
    return this.foretold('Allow with these arguments', () => {
      const value = field.read();
      const now = inForm && value !== FAULT ? JSON.stringify(value) : value;
      fill(change, now !== FAULT && difference(text, now));
      return now === FAULT ? FAULT : { verdict: 'allow', arguments: now };
    }, field.element, h('p', { class: 'label' }, 'Changes'), change);
  }

  outcome() {
    const result = area('Its result (if you know it)');
    return this.form('It ran', 'primary', () => this.settle({ how: 'ran', ...(result.control.value && { result: result.control.value }) }), result.element);
  }

  /** @param {any} question */
  answering({ options = [], choose, schema }) {
    const { min, max } = choose ?? { min: 1, max: 1 };
    const limits = min === max ? `Choose ${min === 1 ? 'one' : min}.` : `Choose ${min} to ${max}.`;
    if (options.length > 0) {
      const set = h('fieldset', {}, h('legend', { class: 'label' }, limits),
        options.map((/** @type {string} */ option, /** @type {number} */ at) => pick(max === 1 ? 'radio' : 'checkbox', this.name, at, option)));
      return this.form('Answer', 'primary', () => this.give('answer', { options: picked(set).map(Number) }), set);
    }
    const field = fieldOf('Your answer', schema ?? { type: 'string' }, schema ? blank(schema) : '');
    return this.form('Answer', 'primary', () => {
      const value = field.read();
      // A schema with another type than `string` has the answer read as JSON.
      const isText = typeof value === 'string' && (schema?.type ?? 'string') === 'string';
      if (value === FAULT) seeFault(this.drawer);
      else this.give('answer', { text: isText ? value : JSON.stringify(value) });
    }, field.element);
  }

  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.foresee(), 500);
  }

  /** Has the server say what the open form would decide. */
  async foresee() {
    const { read, view, foreseen } = this;
    const body = read();
    const say = (/** @type {Child[]} */ ...children) => this.read === read && fill(foreseen, children);
    if (body === FAULT) return say();
    try {
      const told = await (await send('POST', room(this.#asked.world, `/requests/${view.request}/preview`), { body: { ...body, shown: view.asks.shown } })).json();
      say(h('p', {}, visible(told.words)), list(told.constraints), list(told.warnings, 'warnings sunken'));
    } catch (error) {
      if (error instanceof Problem && [409, 422].includes(error.status)) say(h('p', { class: 'fault' }, visible(faults(error))));
      else say();
    }
  }

  /** @param {'once' | 'turn'} scope */
  allow(scope) {
    this.judge({ verdict: 'allow', scope });
  }

  /** @param {any} body a decision without what was shown */
  judge(body) {
    this.give('decision', { ...body, shown: this.view.asks.shown });
  }

  /** @param {any} body */
  settle(body) {
    this.give('settlement', body);
  }

  /** @param {'decision' | 'answer' | 'settlement'} path @param {any} body */
  async give(path, body) {
    if (this.isBusy || this.isOver) return;
    Object.assign(this, { isBusy: true, error: '' });
    this.update();
    try {
      await command('POST', room(this.#asked.world, `/requests/${this.view.request}/${path}`), body);
      await this.seek();
    } catch (error) {
      await this.fail(error);
    }
    this.isBusy = false;
    this.update();
    waitingElsewhere.ask();
  }

  /** @param {unknown} error */
  async fail(error) {
    const { code = '', body = {} } = /** @type {any} */ (error instanceof Problem ? error : {});
    if (code === 'already_decided' || code === 'expired') await this.seek();
    else if (code === 'shown_differs' && body.request) {
      this.show(body.request);
      this.focus({ preventScroll: true }); // not on a button: a second click or Enter must not decide
    } else this.error = faults(error);
  }

  /** Acts on a key; true if it did. @param {KeyboardEvent} event */
  key(event) {
    if (event.key === 'Escape' && this.open && !event.isComposing) return this.unfold(''), true;
    if (isTyping(event) || event.repeat || !this.view) return false;
    /** @type {Record<string, () => void>} */
    const moves = { j: () => this.move(1), k: () => this.move(-1), '?': () => helpOfKeys() };
    const act = Object.hasOwn(moves, event.key) ? moves[event.key] : this.ways.find(({ key }) => key === event.key && !(this.isChanged && 'ot'.includes(key)))?.act; // what changed is to be read first
    if (act) act();
    return Boolean(act);
  }

  /** Goes to the card before or behind, unless the page knows better. @param {1 | -1} step */
  move(step) {
    if (!tell(this, 'fm-move', step)) return;
    const cards = /** @type {RequestCard[]} */ ([...document.querySelectorAll('fm-request')]).filter((card) => card === this || !card.isOver);
    cards[cards.indexOf(this) + step]?.focus();
  }
}

customElements.define('fm-request', RequestCard);
