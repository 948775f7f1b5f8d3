// A tool call: who calls what with which arguments, how it goes, and what comes of it.

import { aside, face, fill, h, note, tag, visible } from '../dom.js';
import { fenced } from '../markdown.js';
import { phrase } from '../state/forms.js';
import { difference, pretty } from './json.js';
import { folded, foldedText, renew } from './text.js';
import { viewOf } from './view.js';

/** @typedef {import('../state/room.js').Call} Call */

const GOOD = new Set(['done', 'answered', 'handed_off', 'settled_ran']);
const PLAIN = new Set(['cancelled', 'superseded', 'settled_not_run', 'expired']);
const EFFECTS = new Map([['read', ''], ['write', 'warn'], ['destructive', 'bad']]);

/** The state of a call in a word or two, and its colour. @param {Call} call @returns {[words: string, kind: string]} */
function stateOf({ status, started, finished, replacedBy, requests }) {
  if (status !== null) {
    const [name, why] = typeof status === 'string' ? [status, null] : Object.entries(status)[0];
    const words = phrase(name) + (typeof why === 'string' ? `: ${phrase(why).toLowerCase()}` : '');
    return [words, GOOD.has(name) ? 'good' : PLAIN.has(name) ? '' : 'bad'];
  }
  if (replacedBy) return ['Replaced', ''];
  if (finished) return ['Over', ''];
  if (requests.some(({ decision }) => decision === null)) return ['Waits for a person', 'warn'];
  return started ? ['Runs', 'accent'] : ['Waits', ''];
}

/** A time span. @param {number} ms @param {boolean} isOver */
function spanOf(ms, isOver) {
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 60) return isOver && seconds < 10 ? `${seconds.toFixed(1)} s` : `${Math.floor(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min ${Math.floor(seconds % 60)} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

class CallCard extends HTMLElement {
  /** @type {Call | null} */
  #call = null;
  world = '';
  timer = /** @type {ReturnType<typeof setInterval> | undefined} */ (undefined);
  head = h('div', { class: 'row' });
  time = h('span', { class: 'muted small time' });
  sentence = h('div');
  changes = h('div');
  asked = h('div');
  result = h('div', { class: 'stack' });

  set call(/** @type {Call | null} */ call) {
    this.#call = call;
    if (this.isConnected) this.update();
  }

  connectedCallback() {
    if (!this.head.isConnected) fill(this, this.head, this.sentence, this.changes, this.asked, this.result);
    this.update();
  }

  disconnectedCallback() {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  /** Shows the call as it is by now. An open part stays open: it is made anew only if it says something else. */
  update() {
    const call = this.#call;
    if (!call) return;
    const [words, kind] = stateOf(call);
    renew(this.head, JSON.stringify([call.agent, call.tool, call.effect, words]), () => [
      face(call.agent || '?', true), h('span', { class: 'mono tool' }, visible(call.tool ?? 'a tool')),
      aside(visible(call.agent)),
      call.effect && tag(visible(call.effect), EFFECTS.get(call.effect) ?? 'bad'),
      h('span', { class: 'row state' }, this.time, tag([kind === 'accent' && h('span', { class: 'dot', 'aria-hidden': 'true' }), visible(words)], kind)),
    ]);
    const why = call.status?.invalid;
    renew(this.sentence, JSON.stringify([call.words, why]), () => [
      call.words && kind !== 'good' && note(visible(call.words)),
      Array.isArray(why) && h('ul', { class: 'bullets small' }, why.map((one) => h('li', {}, h('code', {}, visible(one.path || 'all of it')), ' ', visible(phrase(String(one.code)).toLowerCase())))),
    ]);
    renew(this.asked, JSON.stringify([call.arguments, call.started]), () => [this.arguments(call)]);
    renew(this.changes, JSON.stringify(call.requests.map(({ decision }) => decision?.arguments ?? null)), () => call.requests.map((one) => this.change(one)));
    renew(this.result, JSON.stringify([call.text, call.views, this.world]), () => (call.views.length > 0 ? call.views.map((view) => viewOf(view, this.world)) : [call.text && foldedText(call.text, 'Result')]));
    this.tick();
    const runs = call.started !== null && call.status === null && !call.finished;
    if (runs) this.timer ??= setInterval(() => this.tick(), 1000);
    else this.disconnectedCallback();
  }

  tick() {
    const { started, finished } = /** @type {Call} */ (this.#call);
    if (!started) return this.time.replaceChildren();
    const ms = (finished ? Date.parse(finished) : Date.now()) - Date.parse(started);
    this.time.textContent = spanOf(ms, finished !== null);
  }

  /** @param {Call} call */
  arguments(call) {
    const text = call.arguments;
    if (text === null) return call.started && note('Its arguments are erased.');
    if (/^\s*(\{\s*\})?\s*$/.test(text)) return null;
    return folded(h('span', { class: 'mono brief' }, visible(text.slice(0, 300))), () => fenced(text, 'Arguments', pretty(text)));
  }

  /** @param {import('../state/room.js').Asked} asked */
  change({ request, decision }) {
    const fresh = decision?.arguments;
    if (!fresh || !request.arguments || fresh === request.arguments) return null;
    return h('div', { class: 'stack' }, h('p', { class: 'small' }, 'A person changed the arguments:'), difference(request.arguments, fresh));
  }
}

customElements.define('fm-call', CallCard);
