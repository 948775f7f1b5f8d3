// A room as its feed tells it: a pure reducer. The same items, in any pieces and repeated, give the same state.

import { isBehind, place } from '../api/feed.js';

/**
 * @typedef {object} Message
 * @property {'message'} kind
 * @property {string} id the item
 * @property {number} at its position
 * @property {number} message
 * @property {string} name
 * @property {'person' | 'service' | 'agent' | 'world'} who
 * @property {string | null} proof of a person or a service
 * @property {string} time
 * @property {number | null} episode
 * @property {number | null} replyTo
 * @property {string | null} text `null` if it was erased, or is gone
 * @property {any[]} attachments
 * @property {boolean} edited
 * @property {'' | 'edited' | 'retracted' | 'regenerated' | 'gone'} gone
 *
 * @typedef {object} Call
 * @property {'call'} kind
 * @property {string} id
 * @property {number} at
 * @property {string} call
 * @property {string} agent
 * @property {string | null} tool
 * @property {string | null} arguments
 * @property {string | null} effect
 * @property {string} time when it was first heard of
 * @property {string | null} started
 * @property {string | null} finished
 * @property {any} status `null` while it runs or waits
 * @property {string} words of its end
 * @property {string | null} text
 * @property {any[]} views
 * @property {string | null} replacedBy
 * @property {Asked[]} requests about it, oldest first
 *
 * @typedef {object} Asked
 * @property {any} request as the feed shows it
 * @property {any} decision `null` while it waits
 *
 * @typedef {object} Notice
 * @property {'notice'} kind
 * @property {string} id
 * @property {number} at
 * @property {string} time
 * @property {string} words
 * @property {any} notice
 * @property {string | null} to
 *
 * @typedef {Message | Call | Notice} Entry
 *
 * @typedef {object} Room
 * @property {string | null} last the last item
 * @property {Entry[]} entries in the order of the log
 * @property {Map<string, Call>} calls
 * @property {Map<number, Asked & {call: string}>} requests by request
 * @property {Map<number, {agent: string, text: string, bytes: number}>} drafts by message
 * @property {Map<string, number | null>} working the agents that have a turn open, with their episode
 * @property {Set<Entry>} touched entries that changed since `settle`
 */

/** @returns {Room} */
export const empty = () => ({
  last: null, entries: [], calls: new Map(), requests: new Map(), drafts: new Map(), working: new Map(), touched: new Set(),
});

const bytesOf = new TextEncoder();
const textOf = new TextDecoder();

/** The name in an author. @param {any} author @returns {[Message['who'], string]} */
function authorOf(author) {
  if (typeof author === 'string') return ['world', 'The room'];
  const [[who, name]] = Object.entries(author);
  return [/** @type {any} */ (who), String(name)];
}

/** How somebody is proven, in one word. @param {any} by */
export function proofOf(by) {
  if (!by) return null;
  const party = by.service ?? by;
  return `${by.service ? 'service%:' : ''}${party.method}:${party.subject}`;
}

/** The state behind `item`: an item of the feed, or a piece of a draft. It changes `room`, and gives it back. @param {Room} room @param {any} item */
export function reduce(room, item) {
  if (item.type === 'draft') return draft(room, item);
  if (item.type === 'draft_end') return room.drafts.delete(item.message), room;
  if (item.id === undefined || !isBehind(item.id, room.last)) return room;
  room.last = item.id;
  KINDS[item.type]?.(room, item);
  return room;
}

/** @param {Room} room @param {any} item */
function draft(room, item) {
  const bytes = bytesOf.encode(item.text);
  const known = room.drafts.get(item.message) ?? { agent: item.agent, text: '', bytes: 0 };
  const had = known.bytes - item.offset;
  if (had < 0 || had >= bytes.length) return room;
  known.text += textOf.decode(bytes.subarray(had));
  known.bytes = item.offset + bytes.length;
  room.drafts.set(item.message, known);
  return room;
}

/** @param {Room} room @param {Entry} entry */
function add(room, entry) {
  room.entries.push(entry);
  room.touched.add(entry);
}

/** @param {Room} room @param {string} call @param {any} item @returns {Call} */
function callOf(room, call, item) {
  let found = room.calls.get(call);
  if (!found) {
    found = {
      kind: 'call', id: item.id, at: place(item.id)[0], call, agent: item.agent ?? '', tool: null, arguments: null, effect: null,
      time: item.time, started: null, finished: null, status: null, words: '', text: null, views: [], replacedBy: null, requests: [],
    };
    room.calls.set(call, found);
    room.entries.push(found);
  }
  room.touched.add(found);
  return found;
}

/** @type {Record<string, (room: Room, item: any) => void>} */
const KINDS = {
  message(room, item) {
    const [who, name] = authorOf(item.author);
    room.drafts.delete(item.message);
    add(room, {
      kind: 'message', id: item.id, at: place(item.id)[0], message: item.message, name, who, proof: proofOf(item.by), time: item.time,
      episode: item.episode ?? null, replyTo: item.reply_to ?? null, text: item.text, attachments: item.attachments ?? [],
      edited: item.edited ?? false, gone: item.gone ? 'gone' : '',
    });
  },
  notice(room, item) {
    add(room, { kind: 'notice', id: item.id, at: place(item.id)[0], time: item.time, words: item.words ?? '', notice: item.notice, to: item.to ?? null });
  },
  request(room, item) {
    const call = callOf(room, item.call, item);
    const { request } = item;
    call.agent ||= request.agent;
    call.tool ??= request.tool;
    call.arguments ??= request.arguments;
    const asked = { request, decision: null, call: item.call };
    call.requests.push(asked);
    room.requests.set(request.request, asked);
  },
  decision(room, item) {
    const asked = room.requests.get(item.request);
    if (!asked) return;
    asked.decision = item;
    const call = callOf(room, asked.call, item);
    if (item.arguments) call.arguments = item.arguments;
  },
  call_started(room, item) {
    const call = callOf(room, item.call, item);
    Object.assign(call, { tool: item.tool, arguments: item.arguments, effect: item.effect, started: item.time, agent: item.agent ?? call.agent });
  },
  call_finished(room, item) {
    const call = callOf(room, item.call, item);
    Object.assign(call, { tool: item.tool, status: item.status, finished: item.time, text: item.text ?? null, views: item.views ?? [], words: item.words ?? '' });
  },
  call_replaced(room, item) {
    const call = callOf(room, item.call, item);
    call.replacedBy = item.by;
    call.finished ??= item.time;
  },
  activity(room, item) {
    if (item.words) add(room, { kind: 'notice', id: item.id, at: place(item.id)[0], time: item.time, words: item.words, notice: item.activity, to: null });
    if (item.activity === 'turn_opened') room.working.set(item.agent, item.episode ?? null);
    else if (item.agent) room.working.delete(item.agent);
    else for (const [agent, episode] of room.working) if (episode === (item.episode ?? null)) room.working.delete(agent);
  },
  revised(room, item) {
    const gone = new Set(item.gone);
    for (const entry of room.entries) {
      if (entry.kind !== 'message' || !gone.has(entry.at)) continue;
      Object.assign(entry, { gone: entry.message === item.message ? item.how : 'gone', text: null, attachments: [] });
      room.touched.add(entry);
    }
  },
  branched(room) {
    room.working.clear();
    room.drafts.clear();
  },
  erased(room, item) {
    const isErased = (/** @type {Entry} */ { at }) => item.events.some((/** @type {any} */ span) => span.from <= at && at <= span.to);
    for (const entry of room.entries) {
      if (!isErased(entry)) continue;
      if (entry.kind === 'message') Object.assign(entry, { text: null, attachments: [] });
      if (entry.kind === 'call') Object.assign(entry, { arguments: null, text: null, views: [] });
      room.touched.add(entry);
    }
  },
};

/** The state of `older` items and of all that came behind them. @param {any[]} items in the order of the log, without drafts */
export const replay = (items) => items.reduce(reduce, empty());

/** The number of requests that wait. @param {Room} room */
export const waiting = (room) => [...room.requests.values()].filter((asked) => asked.decision === null).length;
