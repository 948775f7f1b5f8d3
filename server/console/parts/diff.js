// The differences of a room between two positions.

import { fill, h, note, visible } from '../dom.js';
import { get, room } from '../api/client.js';
import { Answer, event, said, section, spaced } from './answer.js';
import { remembered } from './prompt.js';
import { LISTS, title } from './entries.js';
import { some } from './facts.js';
import { leaves, wordsDiff } from '../state/differ.js';

/** @typedef {import('../dom.js').Child} Child */
/** @typedef {import('./entries.js').Form} Form */

const SIGNS = { removed: '−', added: '+', changed: '±' };

class DiffView extends Answer {
  /** @param {any} about @param {AbortSignal} signal */
  async ask({ world, from, at }, signal) {
    const diff = await get(room(world, `/diff?from=${from}&to=${at}`), { signal });
    const { before, after } = diff.at;
    const parts = [
      ...LISTS.map(([name, words, form]) => section(words, changes(diff[name], form, world))),
      Object.entries(diff.memories).map(([agent, memory]) => memories(agent, memory, world)),
      ...[['activity', 'Work'], ['limits', 'Limits'], ['usage', 'Usage'], ['spec', 'Definition']].map(([name, title]) => section(title, diff[name] && values(diff[name]))),
    ];
    return h('div', { class: 'stack parts' },
      h('p', {}, 'From behind event ', event(world, before), ' to behind event ', event(world, after)),
      parts.flat().some((part) => part) ? parts : note(before === after ? 'Both positions are of one commit: there is nothing between them.' : 'The state is the same.'));
  }

}

/** @param {string} agent @param {any} memory @param {string} world */
function memories(agent, memory, world) {
  const items = (/** @type {any[]} */ list, /** @type {'removed' | 'added'} */ how) => some(list, (one) => change(how, null, remembered(one)));
  return section(`Memory of ${agent}`,
    ...items(memory.removed, 'removed'), ...items(memory.added, 'added'),
    section('Open calls', changes(memory.open_calls, { name: ({ tool }) => tool ?? '?', body: (one) => said(one.arguments) }, world)),
    section('Inbox', changes(memory.inbox, { name: () => 'Message', at: (at) => at }, world)),
    section('Note', memory.note && values(memory.note)));
}

/** @param {{ removed: any[], added: any[], changed: any[] }} list @param {Form} form @param {string} world */
function changes({ removed, added, changed }, form, world) {
  const all = [
    ...removed.map((entry) => /** @type {const} */ (['removed', entry, entry])), ...changed.map((pair) => /** @type {const} */ (['changed', pair.after, pair])),
    ...added.map((entry) => /** @type {const} */ (['added', entry, entry])),
  ];
  return all.length > 0 && some(all, ([how, entry, whole]) => change(how, title(form, entry, world), how === 'changed' ? values(whole) : form.body?.(entry)));
}

/** @param {'removed' | 'added' | 'changed'} how @param {Child} title @param {Child} body */
const change = (how, title, body) => h('div', { class: `thing change ${how}` },
  h('span', { class: 'how', 'aria-hidden': 'true' }, SIGNS[how]),
  h('div', { class: 'grow' }, h('span', { class: 'visually-hidden' }, `${how}: `), title, body));

/** The places at which a value changed. @param {{ before: any, after: any }} pair */
const values = ({ before, after }) => h('dl', { class: 'pairs' }, leaves(before, after).map((leaf) =>
  h('div', {}, leaf.path && h('dt', {}, visible(spaced(leaf.path))), h('dd', {}, between(leaf.before, leaf.after)))));

/** A value of JSON, in short. @param {any} value */
const short = (value) => (typeof value === 'string' ? value : value === undefined ? '–' : JSON.stringify(value));

/** @param {any} before @param {any} after */
function between(before, after) {
  const [one, other] = [short(before ?? undefined), short(after ?? undefined)].map((text) => text.replaceAll(/^(\w+)$/g, spaced));
  if (!/\s\S+\s/.test(one) || !/\s\S+\s/.test(other)) return [h('del', {}, visible(one)), ' → ', h('ins', {}, visible(other))];
  return marked(one, other);
}

/** A text with the words that went out and came in. @param {string} before @param {string} after */
function marked(before, after) {
  const tags = /** @type {const} */ ({ same: 'span', out: 'del', in: 'ins' });
  return fill(h('div', { class: 'quoted' }), ...wordsDiff(before, after).map(({ how, text }) => h(tags[how], {}, visible(text))));
}

customElements.define('fm-diff', DiffView);
