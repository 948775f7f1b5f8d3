// One room: its transcript, what waits there, and the composer.

import { face, fill, h, note, plain, tag, visible } from '../dom.js';
import { command, get, me, Problem, room as below, words } from '../api/client.js';
import { here, link } from '../router.js';
import { many } from '../state/forms.js';
import { RoomHistory } from '../state/history.js';
import { waitingElsewhere } from '../state/waiting.js';
import '../parts/transcript.js';
import '../parts/composer.js';
import { aboutDialog } from '../parts/about.js';
import { helpOfKeys, isTyping } from '../parts/keys.js';

const CONNECTION = /** @type {Record<string, string>} */ ({
  connecting: 'Connecting…', behind: 'Catching up…', connected: '', offline: 'The server does not answer. Trying again…',
});

class RoomPage extends HTMLElement {
  world = '';
  /** @type {any} */ detail = null;
  /** @type {any} */ who = null;
  open = 0;
  waitKey = '';
  head = h('div', { class: 'room-head' });
  line = h('p', { class: 'connection', role: 'status' });
  wait = h('div', { class: 'waits', hidden: true });

  connectedCallback() {
    this.world = here().path[1] ?? '';
    this.addEventListener('keydown', (event) => {
      if (event.key !== '?' || isTyping(event)) return;
      event.preventDefault();
      helpOfKeys();
    });
    this.begin();
  }

  disconnectedCallback() {
    this.gone = true;
    this.history?.stop();
    this.unlisten?.();
    clearTimeout(this.timer);
  }

  async begin() {
    try {
      [this.detail, this.who] = await Promise.all([get(below(this.world)), me()]);
    } catch (error) {
      return this.refuse(error);
    }
    if (this.gone) return;
    this.header();
    const at = Number(here().query.get('at')) || undefined;
    const context = { world: this.world, who: this.who, detail: this.detail };
    this.transcript = /** @type {any} */ (document.createElement('fm-transcript'));
    this.composer = /** @type {any} */ (document.createElement('fm-composer'));
    Object.assign(this.transcript, context, { composer: this.composer, at });
    Object.assign(this.composer, context);
    fill(this, this.head, this.line,
      h('div', { class: 'room-body' }, this.transcript, this.detail.may.includes('post') ? this.composer : h('p', { class: 'muted reader' }, 'You may read here, and not post.')),
      this.wait);
    this.history = new RoomHistory(this.world, this.detail.head, {
      changed: () => this.changed(),
      connection: (connection, error) => this.connection(connection, error),
    }, at);
    this.transcript.begin(this.history);
    this.composer.addEventListener('fm-sent', () => this.transcript.follow());
    if (at === undefined && matchMedia('(hover: hover)').matches) this.composer.text.focus();
    this.unlisten = waitingElsewhere.listen(() => this.waits());
    this.waits();
  }

  header() {
    const { title, name, agents, may, forked_from: from } = this.detail;
    dispatchEvent(new CustomEvent('fm-title', { detail: title ?? name }));
    this.stopper = h('button', { class: 'danger', hidden: true, onclick: () => this.stop() }, 'Stop');
    fill(this.head,
      h('div', { class: 'grow' },
        h('h1', {}, visible(title ?? name)),
        note(title ? `${plain(name)} · ` : '', many(agents.length, 'agent'),
          from && [' · branched off ', h('a', { href: link(['rooms', from.world], { at: from.at }) }, plain(from.world)), ` at ${from.at}`])),
      h('span', { class: 'faces', role: 'img', 'aria-label': `Agents: ${agents.map(plain).join(', ')}` }, agents.slice(0, 5).map((/** @type {string} */ agent) => face(agent, true))),
      this.stopper,
      may.includes('operate') && h('a', { class: 'button', href: link(['audit', name]) }, 'Audit'),
      h('button', { onclick: () => aboutDialog(this.detail, this.who, () => this.again()) }, 'About'));
  }

  /** Asks anew for the title and the rights. */
  async again() {
    this.detail = await get(below(this.world));
    this.header();
    this.changed();
  }

  changed() {
    const { room } = /** @type {RoomHistory} */ (this.history);
    this.transcript.changed();
    if (this.stopper) this.stopper.hidden = room.working.size === 0 || !this.detail.may.includes('post');
    const open = [...room.requests.values()].filter((asked) => asked.decision === null).length;
    if (open !== this.open) waitingElsewhere.ask(); // the count of the tab follows at once
    this.open = open;
  }

  /** @param {import('../api/feed.js').Connection} connection @param {unknown} [error] */
  connection(connection, error) {
    if (connection === 'refused') return this.refuse(error);
    const { line } = this;
    // A feed that is there at once says nothing: a line that comes and goes would only disturb.
    clearTimeout(this.timer);
    const say = () => {
      line.textContent = CONNECTION[connection] ?? '';
      line.dataset.state = connection;
    };
    if (connection === 'behind' || connection === 'connecting') this.timer = setTimeout(say, 400);
    else say();
    if (connection === 'connected') this.transcript.ready();
  }

  /** @param {unknown} error */
  refuse(error) {
    this.history?.stop();
    const isUnknown = error instanceof Problem && error.status === 404;
    fill(this, h('div', { class: 'empty' },
      h('h1', {}, isUnknown ? 'There is no such room, or you may not read it' : 'This room cannot be shown'),
      h('p', {}, isUnknown ? 'Ask its owner to let you in, by your key.' : words(error)),
      h('div', { class: 'row' }, !isUnknown && h('button', { class: 'primary', onclick: () => this.begin() }, 'Try again'), h('a', { class: 'button', href: link([]) }, 'See your rooms'))));
  }

  /** Requests that wait in this room, above the composer: their cards may stand far up. */
  waits() {
    const { wait } = this;
    const own = waitingElsewhere.requests.filter((request) => request.name?.startsWith(`${this.world}#`));
    wait.hidden = own.length === 0;
    const key = own.map((request) => request.name).join();
    if (key === this.waitKey) return;
    this.waitKey = key;
    fill(wait, tag(own.length === 1 ? '1 request waits' : `${own.length} requests wait`, 'warn'),
      own.slice(0, 3).map((request) => h('button', { class: 'link', onclick: () => this.transcript.reveal(request.request, true) }, `${plain(request.agent)}: ${plain(request.tool ?? 'a tool')}`)),
      own.length > 3 && h('a', { href: link(['inbox']) }, 'All in the inbox'));
  }

  async stop() {
    const stopper = /** @type {HTMLButtonElement} */ (this.stopper);
    stopper.disabled = true;
    try {
      await command('POST', below(this.world, '/stop'), {});
    } catch (error) {
      this.transcript.complain(error);
    }
    stopper.disabled = false;
  }
}

customElements.define('fm-room', RoomPage);
