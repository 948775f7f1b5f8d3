// The causes of an event: from the event back to a person.

import { aside, clock, face, h, note, plain, visible } from '../dom.js';
import { get, room } from '../api/client.js';
import { Answer, event as to, spaced } from './answer.js';
import { facts } from './facts.js';
import { principal } from './inspector.js';
import { folded } from './text.js';

const SOME = 100; // of a chain; the rest is made when it is opened

class Causes extends Answer {
  /** @param {Record<string, any>} about @param {AbortSignal} signal @returns {Promise<any>} */
  async ask({ world, at }, signal) {
    const why = await get(room(world, `/why/${at}`), { signal });
    const nodes = new Map(why.nodes.map((/** @type {any} */ node) => [node.at, node]));
    const more = [['How the message was routed', why.routing], ['The turn', why.turn], ['The request for permission', why.approval]];
    return h('section', { class: 'stack' }, h('h2', {}, `Why event ${at.toLocaleString()} is there`),
      note('Each event is there because of the one below it.'),
      why.forbidden && h('p', { class: 'problem' }, visible(why.forbidden)),
      h('ol', { class: 'causes' }, this.chain(at, nodes, new Set())),
      why.is_cut && note('Older causes are left out.'),
      more.map(([words, value]) => value && folded(words, () => facts(value))));
  }

  /**
   * An event and its causes: a chain while each has one, and a branch for each where there are several.
   * @param {number | undefined} at @param {Map<number, any>} nodes @param {Set<number>} seen @returns {Node[]}
   */
  chain(at, nodes, seen) {
    const items = [];
    while (at !== undefined) {
      const node = nodes.get(at);
      if (!node || seen.has(at)) return [...items, h('li', { class: 'muted small' }, to(this.about.world, at), node ? ' as shown above' : ' is left out')];
      if (items.length === SOME) {
        const rest = at;
        return [...items, h('li', {}, folded('Earlier causes', () => h('ol', { class: 'causes' }, this.chain(rest, nodes, seen))))];
      }
      seen.add(at);
      const causes = /** @type {number[]} */ (node.because ?? []);
      items.push(this.node(node));
      if (causes.length > 1) items.push(h('li', { class: 'branches' }, causes.map((cause) => h('ol', { class: 'causes' }, this.chain(cause, nodes, seen)))));
      at = causes.length === 1 ? causes[0] : undefined;
    }
    return items;
  }

  /** @param {any} node */
  node(node) {
    const { world } = this.about;
    const actor = node.actor || principal(node.by);
    const woken = (node.woken_by ?? []).map((/** @type {any} */ wake) =>
      note('woken by ', to(world, wake.message), wake.from && [' of ', visible(principal(wake.from))], wake.reason && `: ${spaced(wake.reason)}`));
    return h('li', { class: 'cause' }, face(actor, !node.by?.person),
      h('div', { class: 'grow' }, h('div', { class: 'row' }, h('strong', {}, plain(node.kind)), to(world, node.at), aside(visible(actor)), clock(node.time)),
        node.gist && h('p', { class: 'small' }, visible(node.gist)), woken));
  }
}

customElements.define('fm-causes', Causes);
