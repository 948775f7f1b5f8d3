// All requests that wait, in all rooms: a list, and the one that is chosen beside it.

import { aside, button, face, fill, h, make, strong, visible } from '../dom.js';
import { words } from '../api/client.js';
import { here, link, replace } from '../router.js';
import { notify } from '../state/notify.js';
import { waitingElsewhere } from '../state/waiting.js';
import { countdown } from '../parts/countdown.js';
import { helpOfKeys, isTyping } from '../parts/keys.js';
import { endWords, RequestCard, wants } from '../parts/request.js';

/** A request of the list. It stays when it is decided, so that nothing jumps. */
class Item {
  /** @param {any} request @param {(item: Item) => void} choose */
  constructor(request, choose) {
    this.request = request;
    this.world = request.world;
    this.title = request.title ?? this.world;
    this.state = h('span', { class: 'small muted' });
    this.button = button([face(request.agent, true), h('span', { class: 'grow' }, strong(request.agent), ' ', visible(wants(request)), h('br'), this.state)], () => choose(this), { class: 'item' });
    this.element = h('li', {}, this.button);
    this.card = /** @type {RequestCard} */ (make('fm-request', { asked: { world: this.world, request, decision: null } }));
    const { asks, effect, you } = request;
    fill(this.state, you?.decide === false && 'not for you · ', asks.question && visible(asks.question.text.slice(0, 80)), effect && [visible(effect), ' · '], asks.expires_at && countdown(asks.expires_at));
  }

  show() {
    const { over } = this.card;
    this.button.classList.toggle('done', over !== null);
    if (over) fill(this.state, visible(endWords(over)));
  }
}

class InboxPage extends HTMLElement {
  /** @type {Map<string, Item>} by the request's name */
  items = new Map();
  /** @type {Item[]} as they stand in the list */
  order = [];
  /** @type {Item | null} */
  chosen = null;
  list = h('nav', { 'aria-label': 'Requests', class: 'list stack' });
  detail = h('section', { 'aria-label': 'The chosen request', class: 'detail' });
  panes = h('div', { class: 'panes', hidden: true }, this.list, this.detail);
  error = h('div', { role: 'alert' });
  empty = h('div', { class: 'empty', hidden: true }, h('h2', {}, 'Nothing waits for you'), h('p', {}, 'When an agent needs a decision, you find it here.'));
  bell = h('div', { class: 'row' });
  onKey = (/** @type {KeyboardEvent} */ event) => this.key(event);
  onHash = () => {
    const wished = this.items.get(here().query.get('request') ?? '');
    if (wished) this.choose(wished, true);
  };

  connectedCallback() {
    fill(this, h('div', { class: 'page' },
      h('div', { class: 'row head' }, h('h1', { class: 'grow' }, 'Inbox'), this.bell, button(['Keys ', h('kbd', { 'aria-hidden': 'true' }, '?')], () => helpOfKeys(), { class: 'quiet' })),
      this.error, this.empty, this.panes));
    addEventListener('keydown', this.onKey);
    addEventListener('hashchange', this.onHash);
    for (const news of ['fm-settled', 'fm-expired']) this.addEventListener(news, () => this.order.forEach((item) => item.show()));
    this.addEventListener('fm-move', (event) => {
      event.preventDefault();
      this.move(/** @type {CustomEvent} */ (event).detail);
    });
    this.forget = waitingElsewhere.listen(() => this.update());
    this.ring();
    if (waitingElsewhere.requests.length > 0) this.update();
    waitingElsewhere.ask();
  }

  disconnectedCallback() {
    this.forget?.();
    removeEventListener('keydown', this.onKey);
    removeEventListener('hashchange', this.onHash);
  }

  /** The button for notifications. */
  ring() {
    const { state } = notify;
    const turn = async () => {
      await notify.turn(state === 'off');
      this.ring();
      this.bell.querySelector('button')?.focus();
    };
    fill(this.bell, state === 'off' && button('Notify me', turn), state === 'on' && button('Stop notifying me', turn),
      state === 'blocked' && aside('Your browser blocks notifications'));
  }

  update() {
    fill(this.error, waitingElsewhere.error !== null && h('p', { class: 'problem' }, words(waitingElsewhere.error)));
    const fresh = waitingElsewhere.requests.filter(({ name }) => !this.items.has(name));
    for (const request of fresh) this.items.set(request.name, new Item(request, (item) => this.choose(item, true)));
    for (const item of this.items.values()) item.card.update(); // also those that are not on screen
    if (fresh.length > 0) this.arrange();
    this.order.forEach((item) => item.show());
    const isEmpty = this.items.size === 0;
    this.empty.hidden = !isEmpty || waitingElsewhere.error !== null;
    this.panes.hidden = isEmpty;
    const wished = this.items.get(here().query.get('request') ?? '');
    if (!this.chosen && !isEmpty) this.choose(wished ?? this.order[0], wished !== undefined);
  }

  /** Lists the items room by room. The focus stays. */
  arrange() {
    const had = /** @type {HTMLElement | null} */ (document.activeElement);
    const rooms = [...Map.groupBy(this.items.values(), (item) => item.world)];
    this.order = rooms.flatMap(([, items]) => items);
    fill(this.list, rooms.map(([world, items]) => h('section', {},
      h('h2', { class: 'small' }, h('a', { href: link(['rooms', world]) }, visible(items[0].title)), items[0].title !== world && ` ${world}`), h('ul', {}, items.map((item) => item.element)))));
    if (had !== document.activeElement) had?.focus();
  }

  /** @param {Item} item @param {boolean} [isWished] by the person */
  choose(item, isWished) {
    if (item === this.chosen && item.card.offsetParent) return item.card.focus(); // Enter on the chosen one leads to its card
    this.chosen?.button.removeAttribute('aria-current');
    this.chosen = item;
    item.button.setAttribute('aria-current', 'true');
    this.classList.toggle('wished', isWished === true); // a small screen shows one of the two panes
    if (isWished) replace(link(['inbox'], { request: item.request.name }));
    const back = button('← All requests', () => {
      this.classList.remove('wished');
      replace(link(['inbox']));
      item.button.focus();
    }, { class: 'quiet back' });
    fill(this.detail, back, h('h2', { class: 'small' }, 'In ', h('a', { href: link(['rooms', item.world]) }, visible(item.title)), item.title !== item.world && ` ${item.world}`), item.card);
    if (isWished && back.offsetParent) item.card.focus();
  }

  /** @param {1 | -1} step */
  move(step) {
    const { order, chosen, detail } = this;
    const isInCard = detail.contains(document.activeElement);
    const item = order[Math.min(Math.max(chosen ? order.indexOf(chosen) + step : 0, 0), order.length - 1)];
    if (!item) return;
    if (item !== chosen) this.choose(item, true);
    (isInCard ? item.card : item.button).focus();
  }

  /** Keys outside of a card: the list moves, and a chosen item that has the focus is decided. @param {KeyboardEvent} event */
  key(event) {
    if (isTyping(event)) return;
    const { activeElement } = document;
    const isHere = this.contains(activeElement) || activeElement === document.body || activeElement?.id === 'main';
    if (event.key === '?') helpOfKeys();
    else if (isHere && (event.key === 'j' || event.key === 'k')) this.move(event.key === 'j' ? 1 : -1);
    else if (activeElement === this.chosen?.button && this.chosen.card.key(event)) event.preventDefault();
  }
}

customElements.define('fm-inbox', InboxPage);
