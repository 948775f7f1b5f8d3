// About a room: its title, who may do what, and what is allowed in advance.

import { aside, clock, fill, h, plain, visible } from '../dom.js';
import { command, get, part, room as below, words } from '../api/client.js';
import { link } from '../router.js';
import { pairs } from './answer.js';
import { openDialog } from './dialog.js';

const RIGHTS = ['read', 'post', 'decide', 'operate'];

/** @param {any} detail @param {any} who @param {() => void} changed */
export function aboutDialog(detail, who, changed) {
  const said = h('p', { class: 'problem', role: 'alert' });
  const mayOperate = detail.may.includes('operate');
  const act = (/** @type {() => Promise<unknown>} */ does) => async (/** @type {Event} */ event) => {
    event.preventDefault();
    fill(said);
    try {
      await does();
    } catch (error) {
      fill(said, words(error));
    }
  };
  const grants = h('ul', { class: 'stack' });
  const showGrants = async () => {
    const list = (await get(below(detail.name, '/grants'))).grants;
    const revoke = (/** @type {any} */ grant) => act(async () => {
      await command('DELETE', below(detail.name, `/grants/${grant.grant}`));
      await showGrants();
    });
    fill(grants, list.length === 0 ? h('li', { class: 'muted' }, 'Nothing: each call is asked about.') : list.map((/** @type {any} */ grant) => h('li', { class: 'row' },
      h('span', { class: 'grow' }, visible([grant.words, ...(grant.constraints ?? [])].join('\n')), ' until ', clock(grant.expires_at), visible(`, given by ${grant.by?.display ?? grant.by?.service?.display}`)),
      detail.may.includes('decide') && h('button', { onclick: revoke(grant) }, 'Revoke'))));
  };
  const title = h('input', { id: 'room-title', value: detail.title ?? '', maxlength: 200 });
  const rename = act(async () => {
    const { title: _, ...labels } = detail.labels;
    await command('PUT', below(detail.name, '/labels'), { labels: title.value.trim() ? { ...labels, title: title.value.trim() } : labels });
    changed();
  });
  const key = h('input', { id: 'person', placeholder: 'token:ben', required: true });
  const boxes = RIGHTS.map((right) => h('input', { type: 'checkbox', name: right, checked: right === 'read' || right === 'post' }));
  const shared = h('p', { role: 'status', class: 'muted small' });
  const share = act(async () => {
    const rights = RIGHTS.filter((_, index) => boxes[index]?.checked);
    await command('PUT', below(detail.name, `/rights/${part(key.value.trim())}`), { rights });
    fill(shared, rights.length === 0 ? 'They may do nothing here now.' : `They may ${rights.join(', ')} now.`);
    changed();
  });
  const remove = act(async () => {
    if (sure.value !== detail.name) throw new Error(`Write ${detail.name} to delete it.`);
    await command('DELETE', below(detail.name));
    dialog.close();
    location.hash = link([]);
  });
  const sure = h('input', { id: 'sure', autocomplete: 'off', placeholder: detail.name });
  const people = h('ul', { class: 'stack' }, detail.people?.map((/** @type {any} */ one) => h('li', { class: 'row' },
    h('span', { class: 'grow' }, visible(one.name), aside(` ${plain(one.key)}`, one.rights && ` · ${one.rights.join(', ') || 'nothing'}`)))));
  const dialog = openDialog(plain(detail.title ?? detail.name), h('div', { class: 'stack' },
    pairs([['Name', plain(detail.name)], ['Owner', plain(detail.owner ?? 'nobody')], ['You', `${plain(who.who.key)} may ${detail.may.join(', ') || 'nothing'}`], ['Agents', detail.agents.map(plain).join(', ')]]),
    mayOperate && h('a', { href: link(['compare'], { a: detail.name }) }, 'Compare with another room'),
    h('h3', {}, 'People'), people,
    h('h3', {}, 'Allowed in advance'), grants,
    mayOperate && [
      h('form', { class: 'field', onsubmit: rename }, h('label', { for: 'room-title' }, 'Title'), h('div', { class: 'row' }, h('span', { class: 'grow' }, title), h('button', {}, 'Rename'))),
      h('form', { class: 'field', onsubmit: share }, h('label', { for: 'person' }, 'Let somebody in by their key: they copy it with their name at the top of the page'),
        h('div', { class: 'row' }, h('span', { class: 'grow' }, key), h('button', {}, 'Set rights')),
        h('div', { class: 'row' }, ...RIGHTS.map((right, index) => h('label', { class: 'row small' }, boxes[index], right))), shared),
      h('details', {}, h('summary', {}, 'Delete this room'), h('form', { class: 'field', onsubmit: remove }, h('label', { for: 'sure' }, 'It is gone for good. Write its name to delete it.'), h('div', { class: 'row' }, h('span', { class: 'grow' }, sure), h('button', { class: 'danger' }, 'Delete')))),
    ],
    said));
  showGrants().catch((error) => fill(said, words(error)));
}
