// The room as it was at a position.

import { clock, h, note, strong, tag, visible } from '../dom.js';
import { get, room } from '../api/client.js';
import { Answer, number, section, spaced } from './answer.js';
import { LISTS, title } from './entries.js';
import { facts, some } from './facts.js';

class StateView extends Answer {
  /** @param {any} about @param {AbortSignal} signal */
  async ask({ world, at }, signal) {
    const state = await get(room(world, `/state?at=${at}`), { signal });
    state.transcript.reverse();
    return h('div', { class: 'stack parts' },
      h('p', { class: 'row' }, h('strong', {}, `Behind event ${number(state.at)}`), clock(state.time), tag(spaced(state.activity))),
      state.transcript.length === 0 && note('Nobody has said anything yet.'),
      LISTS.map(([list, words, form]) => section(list === 'transcript' ? 'Messages, the newest first' : words,
        ...some(state[list], (one) => h('div', { class: 'thing' }, title(form, one, world), form.body?.(one))))),
      section('Deny rules that say nothing any more', state.outdated_rules?.map((/** @type {any} */ { tool, why }) => h('p', {}, strong(tool), ' ', visible(why.join(' '))))),
      section('Limits', facts(state.limits)));
  }
}

customElements.define('fm-state', StateView);
