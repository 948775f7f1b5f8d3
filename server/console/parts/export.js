// A room as a file.

import { button, h, note, save, visible } from '../dom.js';
import { room, send } from '../api/client.js';
import { sizeOf } from '../state/forms.js';
import { openDialog } from './dialog.js';
import { shown } from './answer.js';

const FORMS = [
  ['md', 'Markdown', 'The transcript, to read and to quote.'],
  ['html', 'Report', 'One page for people: picture, transcript, approvals, tool runs and spending.'],
  ['jsonl', 'JSON lines', 'All that the log holds, one event a line.'],
  ['bundle', 'Evidence bundle', 'The log with its proofs, for folkmoot check-bundle.'],
];

class Export extends HTMLElement {
  world = '';

  connectedCallback() {
    this.append(button('Export', () => this.open()));
  }

  open() {
    const abort = new AbortController();
    const rows = FORMS.map(([form, title, words]) => {
      const status = h('div', { class: 'small', role: 'status' });
      const act = () => shown(status, 'The server writes it…', () => this.write(form, abort.signal));
      return h('li', { class: 'row tight' }, h('div', { class: 'grow' }, h('strong', {}, title), note(words), status), button('Save', act, { 'aria-label': `Save as ${title}` }));
    });
    openDialog('Export', h('ul', { class: 'stack checks' }, rows)).addEventListener('close', () => abort.abort());
  }

  /** @param {string} form @param {AbortSignal} signal */
  async write(form, signal) {
    const response = await send('GET', room(this.world, `/export?format=${form}`), { signal });
    const file = await response.blob();
    const [, name] = response.headers.get('content-disposition')?.match(/filename="([^"]+)"/) ?? ['', this.world];
    save(name, file);
    return ['Saved ', sizeOf(file.size), ' as ', visible(name)];
  }
}

customElements.define('fm-export', Export);
