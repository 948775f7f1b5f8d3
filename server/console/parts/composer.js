// The composer: words, files, replies and edits.

import { fill, h, plain, visible } from '../dom.js';
import { command, room as below, send, words } from '../api/client.js';

export class Composer extends HTMLElement {
  world = '';
  /** @type {any} */ detail = null;
  /** @type {any} the message that is answered or edited */ about = null;
  isEdit = false;
  /** @type {any[]} files that the server has */ files = [];
  uploads = 0;
  isSending = false;
  chosen = 0;
  /** @type {string[]} */ agents = [];
  text = h('textarea', {
    rows: 1, 'aria-label': 'Message', placeholder: 'Say something. @ names an agent.', 'aria-autocomplete': 'list', 'aria-controls': 'mentions',
    oninput: () => this.typed(), onkeydown: (/** @type {KeyboardEvent} */ event) => this.pressed(event), onblur: () => this.choices([]),
    onpaste: (/** @type {ClipboardEvent} */ event) => this.dropped(event, event.clipboardData),
  });
  mentions = h('ul', { id: 'mentions', class: 'mentions', role: 'listbox', 'aria-label': 'Agents', hidden: true });
  chip = h('div', { class: 'row', hidden: true });
  attached = h('ul', { class: 'row attached' });
  said = h('p', { class: 'problem', role: 'alert' });
  button = h('button', { class: 'primary' }, 'Send');
  picker = h('input', { type: 'file', multiple: true, hidden: true, onchange: () => this.picked() });

  connectedCallback() {
    this.text.value = this.kept;
    const submit = (/** @type {Event} */ event) => {
      event.preventDefault();
      this.submit();
    };
    fill(this, h('form', { class: 'composer', onsubmit: submit }, this.said, this.chip, this.attached, this.mentions,
      h('div', { class: 'field' }, this.text,
        h('div', { class: 'row' }, h('button', { type: 'button', class: 'quiet', onclick: () => this.picker.click() }, 'Attach'), h('span', { class: 'muted small grow hint' }, 'Enter sends, Shift+Enter begins a line'), this.button)), this.picker));
    const page = this.parentElement ?? this;
    page.addEventListener('dragover', (event) => event.preventDefault());
    page.addEventListener('drop', (event) => this.dropped(event, /** @type {DragEvent} */ (event).dataTransfer));
    this.grow();
  }

  /** The words that are not sent yet. */
  get kept() {
    return sessionStorage.getItem(this.key) ?? '';
  }

  get key() {
    return `folkmoot.words.${this.world}`;
  }

  typed() {
    this.grow();
    if (this.uploads === 0) fill(this.said);
    if (!this.isEdit) sessionStorage.setItem(this.key, this.text.value);
    const before = this.text.value.slice(0, this.text.selectionStart);
    const part = /(?:^|\s)@([\w-]*)$/.exec(before)?.[1];
    const fits = (/** @type {string} */ agent) => agent.toLowerCase().startsWith((part ?? '').toLowerCase());
    this.choices(part === undefined ? [] : this.detail.agents.filter(fits).slice(0, 8));
  }

  grow() {
    this.text.style.height = 'auto';
    this.text.style.height = `${Math.min(this.text.scrollHeight + 2, innerHeight / 3)}px`;
  }

  /** @param {string[]} agents */
  choices(agents) {
    this.chosen = 0;
    this.agents = agents;
    fill(this.mentions, agents.map((agent, index) => h('li', { role: 'option', id: `mention-${index}`, onmousedown: (/** @type {Event} */ event) => (event.preventDefault(), this.take(agent)) }, visible(`@${agent}`))));
    this.mentions.hidden = agents.length === 0;
    this.mark();
  }

  mark() {
    const { agents, chosen } = this;
    if (agents.length === 0) return this.text.removeAttribute('aria-activedescendant');
    this.mentions.querySelectorAll('li').forEach((item, index) => item.setAttribute('aria-selected', String(index === chosen)));
    this.text.setAttribute('aria-activedescendant', `mention-${chosen}`);
  }

  /** @param {string} agent */
  take(agent) {
    const { value, selectionStart } = this.text;
    const before = value.slice(0, selectionStart).replace(/@[\w-]*$/, `@${agent} `);
    this.text.value = before + value.slice(selectionStart);
    this.text.setSelectionRange(before.length, before.length);
    this.typed();
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    const { agents } = this;
    if (event.isComposing) return;
    if (agents.length > 0 && ['ArrowDown', 'ArrowUp', 'Enter', 'Tab', 'Escape'].includes(event.key)) {
      event.preventDefault();
      event.stopPropagation();
      if (event.key === 'Escape') return this.choices([]);
      if (event.key === 'Enter' || event.key === 'Tab') return this.take(agents[this.chosen]);
      this.chosen = (this.chosen + (event.key === 'ArrowDown' ? 1 : agents.length - 1)) % agents.length;
      return this.mark();
    }
    if (event.key === 'Escape' && this.about) this.let();
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      this.submit();
    }
  }

  /** @param {any} message */
  reply(message) {
    this.turnTo(message, 'Reply to ');
  }

  /** @param {any} message */
  edit(message) {
    this.turnTo(message, 'Edit the words of ');
    this.isEdit = true;
    this.text.value = message.text ?? '';
    this.button.textContent = 'Save';
    this.grow();
  }

  /** @param {any} message @param {string} act */
  turnTo(message, act) {
    this.let();
    this.about = message;
    fill(this.chip, h('span', { class: 'grow muted small' }, act, visible(`${message.name}: ${(message.text ?? '').slice(0, 80)}`)), h('button', { type: 'button', class: 'quiet', onclick: () => this.let() }, 'Cancel'));
    this.chip.hidden = false;
    this.text.focus();
  }

  let() {
    if (this.isEdit) this.text.value = this.kept;
    this.about = null;
    this.isEdit = false;
    this.button.textContent = 'Send';
    this.chip.hidden = true;
    this.grow();
  }

  picked() {
    for (const file of this.picker.files ?? []) this.upload(file);
    this.picker.value = '';
  }

  /** @param {Event} event @param {DataTransfer | null} transfer */
  dropped(event, transfer) {
    const files = [...(transfer?.files ?? [])];
    if (event.type === 'drop' || files.length > 0) event.preventDefault();
    for (const file of files) this.upload(file);
  }

  /** @param {File} file */
  async upload(file) {
    const item = h('li', { class: 'tag' }, visible(file.name), ' · uploading');
    this.attached.append(item);
    this.uploads++;
    try {
      const path = below(this.world, `/blobs?name=${encodeURIComponent(file.name)}`);
      const response = await send('POST', path, { body: file, headers: { 'content-type': file.type || 'application/octet-stream' } });
      const attachment = await response.json();
      this.files.push(attachment);
      const remove = () => {
        this.files = this.files.filter((one) => one !== attachment);
        item.remove();
      };
      fill(item, visible(file.name), h('button', { type: 'button', class: 'link', 'aria-label': `Leave out ${plain(file.name)}`, onclick: remove }, '×'));
    } catch (error) {
      item.remove();
      fill(this.said, `${plain(file.name)}: ${words(error)}`);
    } finally {
      this.uploads--;
    }
  }

  async submit() {
    const text = this.text.value;
    if (this.isSending || (text.trim() === '' && this.files.length === 0)) return;
    if (this.uploads > 0) return fill(this.said, 'A file is still on its way. Send again once it is there.');
    this.isSending = true;
    this.button.disabled = true;
    fill(this.said);
    try {
      const wish = { text, ...(this.about && { reply_to: this.about.message }), ...(this.files.length > 0 && { attachments: this.files }) };
      if (this.isEdit) await command('PATCH', below(this.world, `/messages/${this.about.message}`), { text });
      else await command('POST', below(this.world, '/messages'), wish);
      if (!this.isEdit) sessionStorage.removeItem(this.key);
      if (this.text.value === text) this.text.value = this.kept;
      this.isEdit = false;
      this.let();
      this.files = [];
      fill(this.attached);
      this.dispatchEvent(new Event('fm-sent'));
    } catch (error) {
      fill(this.said, words(error));
    } finally {
      this.isSending = false;
      this.button.disabled = false;
      this.grow();
    }
  }
}

customElements.define('fm-composer', Composer);
