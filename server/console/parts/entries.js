// The things that a room holds at a position, each in a few lines.

import { h, strong } from '../dom.js';
import { event, said, spaced } from './answer.js';
import { facts } from './facts.js';

/** @typedef {import('../dom.js').Child} Child */
/** @typedef {{ name: (one: any) => string, at?: (one: any) => number, body?: (one: any) => Child }} Form its name, its event, and what it says */

/** The lists of a state: their names there, their titles, and the form of what is in them. @type {[string, string, Form][]} */
export const LISTS = [
  ['transcript', 'Messages', { name: ({ from }) => from, at: ({ at }) => at, body: ({ text }) => said(text) }],
  ['pending', 'Requests that wait', { name: ({ agent, tool }) => `${agent}: ${tool ?? 'asks'}`, at: ({ request }) => request, body: ({ asks, words }) => said(asks.text ?? words) }],
  ['grants', 'Grants', { name: ({ agent, tool }) => `${agent}: ${tool}`, at: ({ grant }) => grant, body: ({ agent, tool, grant, ...rest }) => facts(rest) }],
  ['agents', 'Agents', { name: ({ name, display }) => display ?? name, body: ({ doing, model, tools }) => said([spaced(doing), model ?? 'in code', ...tools].join(' · ')) }],
  ['people', 'People', { name: ({ display }) => display, body: ({ method, subject }) => said(`${method}:${subject}`) }],
  ['episodes', 'Episodes with open work', { name: ({ author }) => author ?? 'nobody', at: ({ episode }) => episode, body: ({ model_calls: calls, open }) => facts({ calls, open }) }],
];

/** @param {Form} form @param {any} one @param {string} world */
export const title = (form, one, world) => h('div', { class: 'row' }, strong(form.name(one)), form.at && event(world, form.at(one)));
