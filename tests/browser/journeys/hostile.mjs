// Two hundred texts that want to be more than text: said by people, repeated by an agent, given to a tool and returned by it.

import { expect, same, until } from '../parts/until.mjs';
import { PAYLOADS, SHORT } from '../parts/payloads.mjs';
import { card } from '../parts/room.mjs';

const PEOPLE = ['ada', 'ben', 'cleo', 'dora', 'emil', 'fay', 'gus', 'hal', 'ida'];
const BATCH = 26; // a person gives 30 commands a minute

/** A room whose tool returns what is hostile, in each of its forms. */
function template(model) {
  // A script holds 50,000 values at most, and a log not even those.
  const columns = Array.from({ length: 40_000 }, (_, at) => `column ${at}`);
  const rows = PAYLOADS.filter((one) => one.length < 300).map((one) => [one, one.length]);
  const artifact = (title) => ({ title, schema: { type: 'object' }, fields: [{ path: '/title', label: '<b>label</b>' }] });
  const chart = { title: SHORT[0], form: 'line', columns: [SHORT[1], SHORT[2]], rows: SHORT.map((one, at) => [one, at]), axes: { x: SHORT[1], y: [SHORT[2]], x_title: SHORT[3], y_title: SHORT[4] } };
  const tree = Object.fromEntries(SHORT.map((one, at) => [one, { [`k${at}`]: [one] }]));
  const results = [
    { when: { form: 'line' }, text: `start ${'<b>x</b>'.repeat(125_000)} end` },
    { when: { form: 'text' }, text: PAYLOADS.join('\n') },
    { when: { form: 'wide' }, table: { title: SHORT[5], columns, rows: [[1, 2, 3]] } },
    { when: { form: 'broad' }, table: { title: SHORT[5], columns: columns.slice(0, 3000), rows: [[1, 2, 3]] } },
    { when: { form: 'table' }, table: { title: SHORT[6], columns: [SHORT[7], '=1+1'], rows } },
    { when: { form: 'json' }, json: tree },
    { when: { form: 'chart' }, artifact: { kind: 'chart', data: chart } },
    { when: { form: 'artifact' }, artifact: { kind: 'odd', data: { title: SHORT[8], ...tree } } },
  ];
  return {
    world: 'hostile',
    models: { slow: { provider: 'openai-chat', model: 'slow', base_url: model.url, key: null } },
    defaults: { model: 'slow' },
    agents: [{ name: 'clerk', prompt: 'You answer.', tools: ['look', 'push'] }],
    tools: {
      look: { use: 'scripted', description: 'Looks.', effect: 'read', model_bytes: 400, schema: { type: 'object' }, artifacts: { chart: artifact('Chart'), odd: artifact(SHORT[9]) }, results },
      push: { use: 'scripted', description: 'Pushes.', effect: 'destructive', schema: { type: 'object' }, results: [{ text: 'pushed' }] },
    },
    policy: { main_agent: 'clerk', memory: 'addressed', rights: { default: ['read', 'post', 'decide', 'operate'] } },
    limits: { model_calls_per_agent: 1000, model_calls_per_episode: 1000, transcript_max: 2000 },
  };
}

/** JSON as YAML reads it too. @param {string} json */
const ascii = (json) => json.replace(/[^ -~]/gu, (letter) => `\\U${letter.codePointAt(0).toString(16).padStart(8, '0')}`);

/** Elements and attributes of a page that no text may bring there. */
const strangers = (page) => page.evaluate(() => {
  // Written anew, so that it is no copy of what the console holds for hidden.
  const odd = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/u;
  const found = [];
  const say = (/** @type {string} */ what, /** @type {Element | null} */ element) => found.push(`${what}: ${element?.outerHTML.slice(0, 160)}`);
  const all = [...document.querySelectorAll('body *')];
  for (const element of all) {
    for (const { name, value } of element.attributes) {
      if (name.startsWith('on')) say(`attribute ${name}`, element);
      if (name !== 'value' && odd.test(value)) say(`hidden character in ${name}`, element);
    }
    if (/^(script|iframe|object|embed|base|meta|link|frame|applet|foreignObject|animate|use|audio|video|template|marquee)$/i.test(element.localName)) say('element', element);
    const href = element.getAttribute('href');
    if (href !== null && !/^(https?:|mailto:|#|blob:)/.test(href)) say('link', element);
    if (href !== null && /^https?:/.test(href) && !/noopener|noreferrer/.test(element.getAttribute('rel') ?? '')) say('link that tells who sent it', element);
  }
  for (const message of document.querySelectorAll('article .prose')) {
    for (const one of message.querySelectorAll('fm-request, fm-shell, fm-login, form, input, select, textarea, dialog, [role=group]:not([aria-label="Table"]), img, svg, [id], [name], [style], details')) say('in a message', one);
    for (const button of message.querySelectorAll('button')) if (!/^(Copy|Copied)\b/.test(button.textContent ?? '')) say('button in a message', button);
  }
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) if (odd.test(node.data) && node.parentElement?.localName !== 'textarea') say(`hidden character in the text ${JSON.stringify(node.data.slice(0, 40))}`, node.parentElement);
  if (odd.test(document.title)) found.push('hidden character in the title');
  return found.slice(0, 8);
});

export default async function hostile(t) {
  const model = await t.model();
  const server = await t.server({ people: PEOPLE, model });
  for (const name of PEOPLE) expect(server.tokens.get(name), 'no token');
  server.template('hostile.yaml', ascii(JSON.stringify(template(model))));
  const ada = await t.person(server, 'ada');
  await ada.context.addInitScript(() => Object.assign(globalThis, { hit: (/** @type {string} */ what) => console.error(`a text ran: ${what}`) }));
  const clean = async (page, where) => same(await strangers(page), [], `${where} holds what no text may bring`);

  t.step('titles and labels');
  const worlds = [];
  const titles = SHORT.filter((_, at) => at % 7 === 0).slice(0, 12);
  for (const title of titles) worlds.push(await server.open('ada', 'talk', title).catch((error) => expect(/422/.test(error.message), error.message)));
  const world = await server.open('ada', 'talk', SHORT[11]);
  await server.ask('ada', 'PUT', `/worlds/${world}/labels`, { labels: { title: SHORT[0], team: SHORT[10], place: '\u202eevil' } }).catch((error) => expect(/422/.test(error.message), error.message));
  const page = await ada.tab();
  await page.locator('ul.rooms li').nth(worlds.filter(Boolean).length).waitFor();
  await clean(page, 'the list of rooms');

  t.step('messages of people and replies of an agent');
  let next = 0;
  let taken = 0;
  let given = 0;
  model.always = (answer) => {
    given += 1;
    answer.say(PAYLOADS[next]).end();
  };
  for (let from = 0; from < PAYLOADS.length; from += BATCH) {
    const name = PEOPLE[from / BATCH + 1];
    const room = from === 0 ? world : await server.open('ada', 'talk', SHORT[from / BATCH]);
    await ada.go(page, `#/rooms/${room}`);
    for (const text of PAYLOADS.slice(from, from + BATCH)) {
      next = PAYLOADS.indexOf(text);
      const before = given;
      const posted = await server.ask(name, 'POST', `/worlds/${room}/messages`, { text }).catch((error) => expect(/: 4\d\d /.test(error.message), error.message));
      if (!posted) continue;
      taken += 1;
      await until('the clerk is asked', () => given > before);
    }
    const quiet = async () => (await server.ask('ada', 'GET', `/worlds/${room}`)).activity === 'idle';
    await until('the clerk is done', quiet);
    const said = await server.messages('ada', room);
    await page.locator(`article[data-message="${said.at(-1).message}"]`).waitFor();
    await clean(page, `the room behind ${from}`);
    expect(said.length >= 2 * Math.min(BATCH, PAYLOADS.length - from) - 2, `only ${said.length} messages stand in the room behind ${from}`);
  }
  expect(taken >= 200, `the server took only ${taken} messages`);

  t.step('results of a tool, in all forms');
  const desk = await server.open('ada', 'hostile', SHORT[13]);
  await ada.go(page, `#/rooms/${desk}`);
  // The words that show that the result came through.
  const forms = { line: 'start <b>x</b>', text: '<SCRIPT SRC=http', wide: 'too large to record', broad: 'column 7', table: '=1+1', json: SHORT[0], chart: SHORT[3], artifact: SHORT[8] };
  for (const [form, shown] of Object.entries(forms)) {
    const calls = await page.locator('fm-call').count();
    let isAsked = false;
    model.always = (answer) => {
      if (isAsked) return answer.say(`That was ${form}.`).end();
      isAsked = true;
      answer.call('look', { form, ...Object.fromEntries(SHORT.slice(0, 40).map((one, at) => [`a${at}`, one])) });
    };
    await server.ask('ada', 'POST', `/worlds/${desk}/messages`, { text: `Look at ${form}` });
    await page.getByText(`That was ${form}.`).waitFor({ timeout: 30_000 });
    const call = page.locator('fm-call').nth(calls);
    // Everything that can be unfolded, and what unfolds in that.
    for (const _ of [1, 2]) await call.evaluate((element) => element.querySelectorAll('details').forEach((one) => (one.open = true)));
    for (let more = 0; more < 12; more++) await call.evaluate((element) => [...element.querySelectorAll('button')].find((one) => one.textContent?.startsWith('Show more'))?.click());
    await call.getByText(shown).first().waitFor({ state: 'attached' });
    await clean(page, `the card of ${form}`);
  }

  t.step('a request with hostile arguments, and one with hidden characters, which is not even asked');
  const args = [{ text: 'a\u202eb' }, { [SHORT[3]]: SHORT[12], text: PAYLOADS.slice(0, 80).join('\n').replaceAll('\u0001', '') }];
  model.always = (answer) => (args.length > 0 ? answer.call('push', args.shift()) : answer.say('So be it.').end());
  await server.ask('ada', 'POST', `/worlds/${desk}/messages`, { text: 'Push' });
  await card(page).getByRole('button', { name: 'Allow once' }).waitFor();
  expect(await card(page).count() === 1, 'hidden characters were asked about');
  await clean(page, 'the card of the request');
  await ada.go(page, '#/inbox');
  await card(page).getByRole('button', { name: /^Edit/ }).click();
  await clean(page, 'the form of the request');

  t.step('the log');
  await ada.go(page, `#/audit/${desk}`);
  await until('the log is shown', async () => (await page.locator('main').innerText()).length > 200);
  await clean(page, 'the audit');
}
