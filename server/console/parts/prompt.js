// The exact request of a model call, made anew from the log.

import { aside, copier, h, plain, strong, tag, visible } from '../dom.js';
import { get, room } from '../api/client.js';
import { Answer, pairs, section, spaced } from './answer.js';
import { fact, some } from './facts.js';
import { folded, foldedText, long } from './text.js';

class Prompt extends Answer {
  none = 'The selected event is part of no model call.';

  /** @param {Record<string, any>} about @param {AbortSignal} signal @returns {Promise<any>} */
  async ask({ world, at }, signal) {
    const prompt = await get(room(world, `/prompt/${at}`), { signal });
    const { request } = prompt;
    const raw = JSON.stringify(request, null, 2);
    return h('article', { class: 'stack' }, h('h2', {}, `The request of event ${at.toLocaleString()}`),
      prompt.is_same
        ? h('p', {}, tag('as recorded', 'good'), ' Made anew from the log, it has the recorded fingerprint.')
        : h('p', { class: 'problem' }, 'Made anew from the log, it has another fingerprint than the recorded one.', prompt.erased?.length > 0 && ` The content of these events is erased: ${prompt.erased.join(', ')}.`),
      pairs([['agent', visible(prompt.agent)], ['model', visible(`${prompt.model} (${request.model})`)], ['purpose', fact(prompt.purpose)], ['attempt', prompt.attempt],
        ['parameters', fact(request.parameters)], ['fingerprint', fact(prompt.recorded, 'fingerprint')]]),
      listed('Instructions', request.system, (layer) => boxed(item(layer.kind, '', foldedText(layer.text)))),
      listed('Conversation', request.items, (one) => boxed(remembered(one))),
      listed('Tools', request.tools, (tool) => folded(plain(tool.name), () => h('div', { class: 'stack' }, long(tool.description), long(JSON.stringify(tool.schema, null, 2))))),
      section('Raw JSON', h('div', {}, copier(raw, 'Copy the raw JSON')), folded('Show', () => long(raw))));
  }
}

/** @param {string} title @param {any[]} list @param {(one: any) => Node} make */
const listed = (title, list, make) => section(`${title} (${list.length.toLocaleString()})`, some(list, make));

/** @param {string} role @param {string} name @param {import('../dom.js').Child[]} body */
const item = (role, name, ...body) => [h('div', { class: 'row small' }, tag(spaced(role)), strong(name)), body];

/** @param {import('../dom.js').Child[]} children */
const boxed = (children) => h('div', { class: 'thing piece' }, children);

/** An item of the conversation: its role, and what it holds. @param {Record<string, any>} one */
export function remembered(one) {
  const [role, body] = Object.entries(one)[0] ?? ['', {}];
  const { text: words, from, label, parts, ...rest } = body;
  const hasMore = Object.values(rest).some((value) => value);
  return item(role, String(from ?? label ?? ''), typeof words === 'string' && foldedText(words), (parts ?? []).map(piece), hasMore && fact(rest));
}

/** A part of an answer. @param {any} part */
function piece(part) {
  const [type, body] = Object.entries(part)[0] ?? ['', ''];
  return h('div', {}, type !== 'text' && aside(plain(type)), typeof body === 'string' ? foldedText(body) : fact(body));
}

customElements.define('fm-prompt', Prompt);
