// Notifications of the desktop about new requests, if the person wants them.

import { plain } from '../dom.js';
import { link } from '../router.js';
import { wants } from '../parts/request.js';
import { waitingElsewhere } from './waiting.js';

const KEY = 'folkmoot.notify';

class Notify {
  /** @type {Set<string> | null} the requests that were seen; `null` before the first list */
  known = null;

  /** @returns {'none' | 'blocked' | 'on' | 'off'} `none` where the browser has no notifications */
  get state() {
    if (!('Notification' in globalThis)) return 'none';
    if (Notification.permission === 'denied') return 'blocked';
    return Notification.permission === 'granted' && localStorage.getItem(KEY) === 'on' ? 'on' : 'off';
  }

  /** The browser is asked here, so a click must have called it. @param {boolean} isWanted */
  async turn(isWanted) {
    if (isWanted) await Notification.requestPermission();
    localStorage.setItem(KEY, isWanted ? 'on' : 'off');
  }

  start() {
    waitingElsewhere.listen((requests) => {
      if (waitingElsewhere.error) return;
      const fresh = this.known ? requests.filter(({ name }) => !this.known?.has(name)) : [];
      this.known = new Set(requests.map(({ name }) => name));
      const isSeen = !document.hidden && document.hasFocus();
      if (this.state === 'on' && !isSeen) fresh.filter(({ you }) => you?.decide !== false).forEach(tell);
    });
  }
}

/** @param {any} request */
function tell(request) {
  const title = plain(`${request.agent} ${wants(request)}`);
  const told = new Notification(title, { body: plain([request.title, request.world].filter(Boolean).join(' · ')), tag: request.name });
  told.onclick = () => {
    focus();
    location.hash = link(['inbox'], { request: request.name });
    told.close();
  };
}

export const notify = new Notify();
