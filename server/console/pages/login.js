// Signing in: by the link that the server printed, or by a token.

import { fill, h } from '../dom.js';
import { address, forget, session, words } from '../api/client.js';

class LoginPage extends HTMLElement {
  code = '';
  error = h('p', { class: 'problem', role: 'alert' });

  connectedCallback() {
    this.code = /\/login$/.test(location.pathname) ? location.hash.slice(1) : '';
    const form = this.code !== '' ? this.byLink() : this.byToken();
    fill(this, h('div', { class: 'login card stack' }, h('h1', {}, 'Sign in'), ...form, this.error));
    this.querySelector('input')?.focus();
  }

  byLink() {
    const name = h('input', { id: 'display', name: 'display', maxlength: 64, autocomplete: 'nickname', placeholder: 'your name on this machine' });
    return [
      h('p', { class: 'muted' }, 'You opened a sign-in link of this machine. It works once.'),
      this.form([h('label', { for: 'display' }, 'Your name in rooms'), name],
        () => this.begin(name.value.trim() ? { code: this.code, display: name.value.trim() } : { code: this.code })),
    ];
  }

  byToken() {
    const token = h('input', { id: 'token', type: 'password', name: 'token', autocomplete: 'off', required: true });
    return [
      this.form([h('label', { for: 'token' }, 'Token'), token], () => this.begin({ token: token.value.trim() })),
      h('div', { class: 'muted small stack' },
        h('p', {}, 'Whoever runs the server makes tokens: ', h('code', {}, 'folkmoot token new --as NAME --tokens FILE')),
        h('p', {}, 'On your own machine, ', h('code', {}, 'folkmoot login'), ' prints a link that signs you in without one.')),
    ];
  }

  /** @param {Node[]} fields @param {() => Promise<void>} act */
  form(fields, act) {
    const button = h('button', { class: 'primary' }, 'Sign in');
    const submit = async (/** @type {Event} */ event) => {
      event.preventDefault();
      button.disabled = true;
      await act();
      button.disabled = false;
    };
    return h('form', { class: 'stack', onsubmit: submit }, h('div', { class: 'field' }, ...fields), button);
  }

  /** @param {Record<string, string>} wish */
  async begin(wish) {
    try {
      const response = await fetch(address('/session'), { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(wish) });
      const body = await response.json().catch(() => ({}));
      if (!response.ok) throw new Error(said(response.status, body, 'code' in wish));
      session.begin(body.token);
      forget();
      if (/\/login$/.test(location.pathname)) history.replaceState(null, '', './#/'); // the code leaves the address and the history
      dispatchEvent(new Event('fm-signed-in'));
    } catch (failure) {
      fill(this.error, words(failure));
      // The link will not work again. A token may.
      if ('code' in wish) this.querySelector('form')?.replaceWith(...this.byToken());
    }
  }
}

/** @param {number} status @param {any} body @param {boolean} isLink */
function said(status, body, isLink) {
  if (status !== 401) return body.detail ?? `The server answered with the status ${status}.`;
  return isLink
    ? 'This link was used, or is over 10 minutes old. Run “folkmoot login” for another one.'
    : 'The server does not know this token. It may be wrong, revoked or expired.';
}

customElements.define('fm-login', LoginPage);
