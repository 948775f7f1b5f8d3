// Who may not do something is offered nothing of it, and a room that may not be read looks like none.

import { expect, until } from '../parts/until.mjs';
import { card, composer, message, say } from '../parts/room.mjs';

const CLOSED = [/status of (403|404)/];

export default async function rights(t) {
  const model = await t.model();
  const server = await t.server({ model, people: ['ada', 'ben', 'cleo'] });
  const world = await server.open('ada', 'private', 'Secret plans');
  const give = (name, list) => server.ask('ada', 'PUT', `/worlds/${world}/rights/token:${name}`, { rights: list });
  const ada = await t.person(server, 'ada');
  const ben = (await t.person(server, 'ben')).may(...CLOSED);
  const cleo = (await t.person(server, 'cleo')).may(...CLOSED);
  const page = await ada.tab(`#/rooms/${world}`);

  t.step('a room that may not be read is the same page as one that is not there');
  const outside = await cleo.tab(`#/rooms/${world}`);
  const words = await outside.getByRole('main').innerText();
  await cleo.go(outside, '#/rooms/no-such-room');
  await until('the other page is shown', async () => (await outside.getByRole('main').innerText()) === words);
  expect(!words.includes('Secret'), 'the page tells the title');
  await cleo.go(outside, '#/');
  await outside.getByText('No rooms yet').waitFor();
  expect(await outside.getByRole('button', { name: 'Open a room' }).isHidden(), 'cleo may open rooms');

  t.step('a reader gets no composer, no stop and no audit');
  await give('ben', ['read']);
  const reader = await ben.tab(`#/rooms/${world}`);
  await reader.getByRole('heading', { name: 'Secret plans' }).waitFor();
  await say(page, 'Push it');
  const answer = await model.next();
  answer.call('push', { branch: 'main' });
  await card(page).getByRole('button', { name: /allow/i }).first().waitFor();
  await card(reader).first().waitFor();
  for (const name of [/^send$/i, /^stop$/i, /^allow/i, /^deny/i, /edit/i]) {
    expect(await reader.getByRole('button', { name }).count() === 0 || await reader.getByRole('button', { name }).first().isHidden(), `a reader sees a button ${name}`);
  }
  expect(await composer(reader).count() === 0, 'a reader sees a composer');
  expect(await reader.getByRole('link', { name: 'Audit' }).count() === 0, 'a reader sees the audit');
  await ben.go(reader, `#/audit/${world}`);
  await until('the audit says why it is closed', async () => /operate|may not|no such/i.test(await reader.getByRole('main').innerText()));

  t.step('whoever may post, and not decide, has a composer and no buttons');
  await give('ben', ['read', 'post']);
  const poster = await ben.tab(`#/rooms/${world}`);
  await composer(poster).waitFor();
  await card(poster).first().waitFor();
  expect(await card(poster).getByRole('button', { name: /^(allow|deny)/i }).count() === 0, 'a poster may decide');

  t.step('the right to read is taken away in the middle of a stream');
  await card(page).getByRole('button', { name: /allow once/i }).click();
  const writing = await model.next();
  writing.say('The password is ');
  await poster.getByRole('article', { name: 'clerk is writing' }).getByText('The password is').waitFor();
  await give('ben', []);
  await until('the page of ben is closed', async () => /no such room|may not read/i.test(await poster.getByRole('main').innerText()));
  writing.say('swordfish.').end();
  await message(page, 'swordfish').waitFor();
  expect(!(await poster.content()).includes('swordfish'), 'ben reads on');
}
