// Two rooms side by side, from where they part.

import { button, clock, fill, h, note, tag, visible } from '../dom.js';
import { get, room } from '../api/client.js';
import { between } from '../api/feed.js';
import { here, link } from '../router.js';
import { replay } from '../state/room.js';
import { align } from '../state/differ.js';
import { event, failed, grid, number, said, section, shown, spaced, speaker } from '../parts/answer.js';
import { forkDialog } from '../parts/fork.js';
import { folded, renew } from '../parts/text.js';
import { viewOf } from '../parts/view.js';

const PAUSE_MS = 3000;
const EVENTS_MAX = 20_000; // of each room, to look through
const ENTRIES_MAX = 300; // of each room, to show

/** @typedef {{ at: number, time: string, name: string, isAgent: boolean, text: string | null, views?: any[], call?: any }} Line `call`: what makes two calls the same, without numbers */
/** @typedef {{ lines: Line[], isCut: boolean }} Found */

class ComparePage extends HTMLElement {
  form = h('form', { class: 'row compare-form', onsubmit: (/** @type {Event} */ event) => this.go(event) });
  body = h('div', { class: 'stack' });
  news = h('p', { class: 'visually-hidden', role: 'status' });
  /** All that both have. It stays open while that is the same. */
  common = h('div');
  abort = new AbortController();
  timer = 0;
  seen = '';

  connectedCallback() {
    fill(this, h('div', { class: 'stack compare' }, h('h1', {}, 'Compare'), this.form, this.news, this.body));
    addEventListener('hashchange', this.begin);
    this.begin();
  }

  disconnectedCallback() {
    removeEventListener('hashchange', this.begin);
    clearTimeout(this.timer);
    this.abort.abort();
  }

  begin = () => {
    const { path, query } = here();
    if (path[0] !== 'compare') return;
    const [a, b] = [query.get('a') ?? '', query.get('b') ?? ''];
    const field = (/** @type {string} */ name, /** @type {string} */ words, /** @type {string} */ value) => h('label', { class: 'row tight' }, words,
      h('input', { name, value, required: true, placeholder: 'room or room@event', autocomplete: 'off', spellcheck: 'false' }));
    fill(this.form, field('a', 'Room', a), field('b', 'with', b), h('button', { type: 'submit' }, 'Compare'));
    this.seen = '';
    if (a && b) this.show(a, b);
    else fill(this.body, h('div', { class: 'empty' }, h('h2', {}, 'Choose two rooms'), h('p', {}, 'A room and its fork, or any two that you look after.')));
  };

  /** @param {Event} event */
  go(event) {
    event.preventDefault();
    const wish = new FormData(this.form);
    location.hash = link(['compare'], { a: String(wish.get('a')).trim(), b: String(wish.get('b')).trim() });
  }

  /** Shows both, and again when one has gone on. @param {string} a @param {string} b */
  async show(a, b) {
    clearTimeout(this.timer);
    this.abort.abort();
    const { signal } = (this.abort = new AbortController());
    try {
      const rooms = await Promise.all([a, b].map((name) => get(room(name.split('@')[0]), { signal })));
      const seen = JSON.stringify(rooms.map(({ head, waiting, activity }) => [head, waiting, activity]));
      if (seen !== this.seen) {
        const diff = await get(`/diff?${new URLSearchParams({ a, b })}`, { signal });
        const found = await Promise.all([diff.one, diff.other].map(({ world, at }) => linesOf(world, diff.common, at)));
        const href = this.body.contains(document.activeElement) && document.activeElement?.getAttribute('href');
        renew(this.common, `${diff.one.world} ${diff.common}`, () => [shared(diff)]);
        fill(this.body, h('div', { class: 'card stack' }, this.common,
          diff.first ? both('First difference', [diff.first], diff) : note('Nothing differs in what was said, decided, called and routed.')),
        sides(diff, rooms, found), both('Decisions', diff.decisions, diff));
        if (href) [...this.body.querySelectorAll('a')].find((one) => one.getAttribute('href') === href)?.focus();
        fill(this.news, `Up to event ${diff.one.at}, and ${diff.other.at}`);
        this.seen = seen;
      }
    } catch (error) {
      if (!signal.aborted && !this.seen) fill(this.body, failed(error));
    }
    if (!signal.aborted) this.timer = Number(setTimeout(() => this.show(a, b), PAUSE_MS));
  }
}

/** All that both have, folded. @param {any} diff */
function shared({ common, one }) {
  if (common === 0) return h('p', {}, 'These rooms have no event in common.');
  return folded(`Both have events 1 to ${number(common)}`, () => {
    const place = h('div');
    shown(place, 'Loading…', async () => {
      const found = await linesOf(one.world, 0, common);
      return [cut(found), h('ol', { class: 'lines' }, found.lines.map((line) => h('li', {}, whose(one.world, line), content(one.world, line))))];
    });
    return place;
  });
}

/** Both transcripts: what both have stands in one row. @param {any} diff @param {any[]} rooms @param {Found[]} found */
function sides(diff, rooms, found) {
  const rows = packed(align(found[0].lines, found[1].lines, (line) => JSON.stringify([line.name, line.call ?? line.text, line.views])));
  return h('div', { class: 'sides' }, [diff.one, diff.other].map((side, n) => h('section', { class: 'side', 'aria-label': n === 0 ? 'First room' : 'Second room' },
    head(side, rooms[n], diff.common),
    h('div', { class: 'spot' }, cut(found[n]), found[n].lines.length === 0 && note('Nothing more was said.')),
    h('ol', {}, rows.map(({ row, isSame }, at) => {
      const line = row[n];
      if (!line) return null;
      const spot = h('li', { class: `thing spot ${isSame ? 'same' : ''}` }, !isSame && h('span', { class: 'visually-hidden' }, 'Only in this room: '), whose(side.world, line), content(side.world, line));
      spot.style.setProperty('--row', String(at + 3));
      return spot;
    })))));
}

/** Puts what one has alone beside what the other has alone. @template T @param {[T | null, T | null][]} rows */
function packed(rows) {
  /** @type {{ row: [T | null, T | null], isSame: boolean }[]} */
  const all = [];
  const next = [0, 0];
  for (const row of rows) {
    const isSame = row[0] !== null && row[1] !== null;
    const n = row[0] === null ? 1 : 0;
    if (isSame || next[n] === all.length) all.push({ row: isSame ? row : [null, null], isSame });
    if (isSame) next.fill(all.length);
    else all[next[n]++].row[n] = row[n];
  }
  return all;
}

/** All that people saw between two positions, oldest first: the beginning of it if that is a lot. @param {string} world @param {number} after @param {number} until @returns {Promise<Found>} */
async function linesOf(world, after, until) {
  const end = Math.min(until, after + EVENTS_MAX);
  const lines = after < end ? replay(await between(world, after, end)).entries.flatMap(lineOf) : [];
  return { lines: lines.slice(0, ENTRIES_MAX), isCut: end < until || lines.length > ENTRIES_MAX };
}

/** @param {import('../state/room.js').Entry} entry @returns {Line[]} */
function lineOf(entry) {
  const { at, time } = entry;
  if (entry.kind === 'message') return entry.gone ? [] : [{ at, time, name: entry.name, isAgent: entry.who === 'agent', text: entry.text }];
  if (entry.kind === 'notice') return [{ at, time, name: 'The room', isAgent: true, text: entry.words }];
  const { agent, tool, requests, words, views } = entry;
  const decided = requests.map(({ decision }) => (decision ? decision.words : 'waits for a person'));
  return [{ at, time, name: agent, isAgent: true, text: [`${tool ?? 'a call'} ${entry.arguments ?? ''}`, ...decided, words].filter((line) => line).join('\n'), views, call: [tool, entry.arguments, entry.status, requests.map(({ decision }) => decision?.how)] }];
}

/** @param {string} world @param {Line} line */
const content = (world, { text, views }) => [said(text), (views ?? []).map((view) => viewOf(view, world))];

/** @param {Found} found */
const cut = ({ isCut }) => isCut && note(`Only the first ${number(ENTRIES_MAX)} entries are shown.`);

/** @param {string} world @param {Line} line */
const whose = (world, { name, isAgent, at, time }) => speaker(name, isAgent, event(world, at), clock(time));

/** @param {any} side @param {any} detail @param {number} common */
const head = (side, detail, common) => h('header', { class: 'stack spot' },
  h('h2', { class: 'row' }, h('a', { href: link(['rooms', side.world]) }, visible(detail.labels.title ?? side.world)),
    tag(spaced(detail.activity)), detail.waiting > 0 && tag(`${detail.waiting} waiting`, 'warn')),
  h('p', { class: 'row muted small' }, h('span', { class: 'mono' }, visible(side.world)), h('span', {}, `up to event ${number(side.at)} · ${number(side.spent.calls)} model calls`),
    side.next && h('a', { href: link(['audit', side.world], { at: side.next.position }) }, 'See where they part'),
    button('Branch off again', () => forkDialog(side.world, common || null), { class: 'link small' })));

/** Lines of both rooms, side by side. @param {string} title @param {any[]} rows @param {any} diff */
function both(title, rows, { one, other }) {
  const of = (/** @type {'one' | 'other'} */ side) => rows.map((row) => row[side]).filter((line) => line !== undefined);
  const all = packed(align(of('one'), of('other'), (line) => line));
  const cell = (/** @type {string | null} */ line, /** @type {boolean} */ isSame) => h('span', { class: isSame || line === null ? 'muted' : 'only' }, line === null ? '–' : visible(line));
  return all.length > 0 && section(title, grid(title, [one.world, other.world], all.map(({ row, isSame }) => row.map((line) => cell(line, isSame))), ['half', 'half']));
}

customElements.define('fm-compare', ComparePage);
