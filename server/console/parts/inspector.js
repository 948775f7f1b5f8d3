// One event: facts, content, digests and links, and on demand a text that people do not see.

import { button, copier, h, note, plain, tag, visible } from '../dom.js';
import { command, get, room } from '../api/client.js';
import { link } from '../router.js';
import { laneWords } from '../state/outline.js';
import { Answer, event as to, pairs, section, shown } from './answer.js';
import { fact, facts } from './facts.js';
import { forkDialog } from './fork.js';
import { token } from './timeline.js';

/** A principal in words. @param {any} by */
export function principal(by) {
  const [type, who] = Object.entries(Object(by))[0] ?? [];
  return typeof by === 'object' && who ? `${who.display ?? who.subject ?? who} (${type})` : String(by);
}

const TAGS = new Map([['refusal', 'warn'], ['error', 'bad']]);

class Inspector extends Answer {
  /** @param {Record<string, any>} about @param {AbortSignal} signal @returns {Promise<any>} */
  async ask({ world, at, people }, signal) {
    const event = await get(room(world, `/events/${at}`), { signal });
    const { kind, mark, position, call, cause, request, within = [position, position] } = event;
    const chain = event.link ?? event.commit?.link;
    return h('article', { class: 'stack' },
      h('h2', { class: 'row' }, plain(kind), mark && tag([token(mark), ` ${plain(mark)}`], TAGS.get(mark) ?? 'accent')),
      event.words && h('p', {}, visible(event.words)),
      h('div', { class: 'row small' },
        h('a', { class: 'button', href: link(['rooms', world], { at }) }, 'Show in the room'),
        call !== undefined && h('a', { class: 'button', href: link(['audit', world], { at, call }) }, 'Only this call'),
        button('Branch off here…', () => forkDialog(world, position)),
        copier(JSON.stringify(event, null, 2), 'Copy as JSON')),
      told([
        ['event', position.toLocaleString()], ['time', `${new Date(event.time).toLocaleString()} (${new Date(event.time).toISOString()})`],
        ['lane', event.lane && visible(laneWords(event.lane, people))], ['by', visible(principal(event.principal))], ['command', event.command && visible(event.command)],
        ['cause', cause && to(world, cause)], ['request', request && to(world, request)], ['commit', within[1] > within[0] && `events ${within[0]} to ${within[1]}`]]),
      Object.keys(event.facts ?? {}).length > 0 && section('Facts', facts(event.facts)),
      event.erased !== undefined && section('Content, which was erased', facts(event.erased)),
      event.content !== undefined && section('Content', facts(event.content)),
      this.withheld(world, event),
      section('Digests and links', told([
        ['content', event.content_digest && fact(event.content_digest, 'content')], ['link', chain && fact(chain, 'link')],
        ['link before', event.previous && fact(event.previous, 'link before')], ['decider', event.commit && fact(event.commit.decider, 'decider')], ['version', event.version]])));
  }

  /** @param {string} world @param {any} event */
  withheld(world, event) {
    const kept = event.withheld?.by ?? (event.kind === 'ArtifactWithheld' && event.position);
    if (!kept) return null;
    const out = h('div', { 'aria-live': 'polite' }, button('Look at it', () =>
      shown(out, 'Looking…', async () => facts(await command('POST', room(world, `/withheld/${kept}`), {})))));
    return section('Withheld from people', note('People do not see this text of an agent. If you look at it, the log records that you did.'), out);
  }
}

/** Those of the labelled values that are there. @param {[string, any][]} rows */
const told = (rows) => pairs(rows.filter(([, value]) => value));

customElements.define('fm-inspector', Inspector);
