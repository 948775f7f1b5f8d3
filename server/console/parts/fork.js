// Another ending of a room: a branch of it, and something else said in it.

import { aside, button, fill, h, note, visible } from '../dom.js';
import { command, get, room } from '../api/client.js';
import { link } from '../router.js';
import { openDialog } from './dialog.js';
import { failed } from './answer.js';

const EFFECTS = [
  ['recorded', 'From the record', 'Nothing is performed. Models and tools answer from the record if the same was asked before, and otherwise not at all.'],
  ['live', 'For real', 'The branch calls models and runs tools. That may cost money and change things outside, a second time too.'],
];

/**
 * Asks how to branch `world` off behind the event `at` (its end, if that is absent), does it, and shows both rooms.
 * @param {string} world @param {number | null} [at] @param {string} [words] that were said there
 */
export function forkDialog(world, at, words = '') {
  const position = h('input', { type: 'number', min: '1', class: 'digits', value: at ? String(at) : '', placeholder: 'the last' });
  const title = h('input', { maxlength: '200', autocomplete: 'off' });
  const text = h('textarea', { rows: '3', value: words });
  const status = h('div', { role: 'status' });
  const submit = h('button', { type: 'submit', class: 'primary' }, 'Branch off');
  /** @type {any} the branch, once it is made: what fails after that does not make another */
  let made = null;

  const act = async (/** @type {Event} */ event) => {
    event.preventDefault();
    submit.disabled = true;
    fill(status, note(made ? 'Posting…' : 'Branching off…'));
    try {
      made ??= await command('POST', room(world, '/forks'), wish());
      if (text.value.trim()) await command('POST', room(made.world, '/messages'), { text: text.value });
      shown.close();
      location.hash = link(['compare'], { a: world, b: made.world });
    } catch (error) {
      fill(status, made && h('p', {}, 'The branch is there: ', h('a', { href: link(['rooms', made.world]), onclick: () => shown.close() }, visible(made.world)), '. Its message is not.'), failed(error));
      submit.disabled = false;
      if (made) submit.textContent = 'Post the message again';
    }
  };
  const wish = () => ({
    at: position.value ? Number(position.value) : undefined,
    title: title.value.trim() || undefined,
    live: new FormData(form).get('effects') === 'live',
  });
  const form = h('form', { class: 'stack', onsubmit: act },
    field(position, 'Behind event', 'Both rooms have everything up to this event, and the rest of its commit.'),
    field(title, 'Title'),
    h('fieldset', { class: 'stack' }, h('legend', {}, 'Effects'), EFFECTS.map(([value, words, hint], n) =>
      h('label', { class: 'pick' }, h('input', { type: 'radio', name: 'effects', value, checked: n === 0 }), h('span', {}, words, h('br'), aside(hint))))),
    field(text, 'Say instead', 'The first message in the branch. The record has no answers of models to new words: for those, choose effects for real.'),
    note('The room stays as it is. The branch asks people again, under names of its own, and closes all other open work.'),
    status, h('div', { class: 'row end' }, button('Cancel', () => shown.close()), submit));
  const shown = openDialog('Branch this room off', form);
  get(room(world)).then((from) => (title.value ||= `${from.title ?? world} (branch)`), () => null);
  (at ? text : position).focus();
  return shown;
}

/** @param {HTMLElement} input @param {string} name @param {string} [hint] */
const field = (input, name, hint) => h('label', { class: 'field' }, name, input, hint && aside(hint));
