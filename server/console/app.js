// The routes, and the shell around the pages.

import { copy, fill, h, plain } from './dom.js';
import { borrow, forget, me, send, session, words } from './api/client.js';
import { notify } from './state/notify.js';
import { waitingElsewhere } from './state/waiting.js';
import { here, link } from './router.js';
import './pages/login.js';
import './pages/rooms.js';
import './pages/room.js';
import './pages/inbox.js';
import './pages/audit.js';
import './pages/compare.js';

// `#/NAME…` of an address, with the element that shows it. A page reads its parameters by `here()`.
const PAGES = /** @type {Record<string, [tag: string, title: string]>} */ ({
  '': ['fm-rooms', 'Rooms'],
  rooms: ['fm-room', 'Room'],
  inbox: ['fm-inbox', 'Inbox'],
  audit: ['fm-audit', 'Audit'],
  compare: ['fm-compare', 'Compare'],
});

class Shell extends HTMLElement {
  key = '';
  words = '';

  connectedCallback() {
    this.main = h('main', { id: 'main', tabindex: '-1' });
    this.bar = h('header', { class: 'bar' });
    this.unsent = h('p', { class: 'connection', role: 'status', 'data-state': 'offline' });
    fill(this, h('a', { class: 'skip', href: '#main', onclick: (/** @type {Event} */ event) => this.skip(event) }, 'Skip to the content'), this.bar, this.unsent, this.main);
    addEventListener('hashchange', () => this.show());
    addEventListener('fm-signed-out', () => this.show());
    addEventListener('fm-signed-in', () => this.show());
    addEventListener('fm-title', (event) => this.name(/** @type {CustomEvent} */ (event).detail));
    waitingElsewhere.listen(() => this.count());
    addEventListener('fm-unsent', (event) => {
      const isUnsent = /** @type {CustomEvent} */ (event).detail;
      fill(/** @type {HTMLElement} */ (this.unsent), isUnsent && 'Not sent yet. This page tries again for half a minute.');
    });
    notify.start();
    borrow().then(() => this.show());
  }

  /** @param {Event} event */
  skip(event) {
    event.preventDefault(); // the address says which page it is
    this.main?.focus();
  }

  show() {
    const isLogin = !session.token || /\/login$/.test(location.pathname);
    const { path } = here();
    const [tag, title] = isLogin ? ['fm-login', 'Sign in'] : PAGES[path[0] ?? ''] ?? ['fm-lost', 'Not found'];
    // A page whose own parameters change stays: it listens to `hashchange` itself if it wants to.
    const key = isLogin ? tag : `${tag} ${path[1] ?? ''}`;
    this.header(isLogin, path[0] ?? '');
    if (this.key === key) return;
    if (isLogin) for (const dialog of document.querySelectorAll('dialog')) dialog.close();
    this.key = key;
    this.name(title);
    fill(/** @type {HTMLElement} */ (this.main), document.createElement(tag));
    scrollTo(0, 0);
  }

  /** @param {boolean} isLogin @param {string} page */
  async header(isLogin, page) {
    const bar = /** @type {HTMLElement} */ (this.bar);
    if (isLogin) {
      waitingElsewhere.stop();
      return fill(bar, h('span', { class: 'brand' }, 'Folkmoot'));
    }
    waitingElsewhere.start();
    const to = (/** @type {string} */ name, /** @type {string} */ words, /** @type {Node[]} */ ...more) =>
      h('a', { href: link(name === '' ? [] : [name]), 'aria-current': page === name && 'page' }, words, ...more);
    this.counter = h('span', { class: 'count', hidden: true });
    const name = h('button', { class: 'quiet small who' });
    fill(bar, h('a', { class: 'brand', href: link([]) }, 'Folkmoot'),
      h('nav', { 'aria-label': 'Pages' }, to('', 'Rooms'), to('inbox', 'Inbox', this.counter)),
      h('span', { class: 'grow' }), name,
      h('button', { class: 'quiet', onclick: () => this.leave() }, 'Sign out'));
    this.count();
    try {
      const { who } = await me();
      fill(name, plain(who.name));
      name.title = `Your key is ${plain(who.key)}: copy it for whoever lets you into a room`;
      name.onclick = () => copy(name, who.key);
    } catch (error) {
      fill(name, words(error));
    }
  }

  async leave() {
    const { token } = session;
    session.end();
    forget();
    location.hash = '';
    this.show();
    // A token is no session, and a server that is away ends none: this tab has forgotten it all the same.
    await send('DELETE', '/session', { token, keepalive: true }).catch(() => null);
  }

  /** Names the page in the tab. @param {string} words */
  name(words) {
    this.words = words;
    this.count();
  }

  count() {
    const count = waitingElsewhere.count;
    if (this.counter) {
      fill(this.counter, String(count), h('span', { class: 'visually-hidden' }, ' waiting'));
      this.counter.hidden = count === 0;
    }
    document.title = `${count > 0 ? `(${count}) ` : ''}${plain(this.words)} · Folkmoot`;
  }
}

class Lost extends HTMLElement {
  connectedCallback() {
    fill(this, h('div', { class: 'empty' }, h('h1', {}, 'There is no such page'), h('a', { href: link([]) }, 'See your rooms')));
  }
}

customElements.define('fm-lost', Lost);
customElements.define('fm-shell', Shell);
