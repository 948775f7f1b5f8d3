// Calls that are allowed in advance: so many, or wherever arguments fit; and a denial whose reason the agent reads.

import { expect, same, until } from '../parts/until.mjs';
import { card, message, say } from '../parts/room.mjs';

export default async function grants(t) {
  const model = await t.model();
  const server = await t.server({ model });
  const world = await server.open('ada', 'release', 'In advance');
  const ada = await t.person(server, 'ada');
  const page = await ada.tab(`#/rooms/${world}`);
  const last = () => card(page).last();
  const asks = async (/** @type {string} */ version, /** @type {string} */ channel = 'beta') => {
    await say(page, `@worker publish ${version}`);
    (await model.next()).call('publish', { version, channel });
  };
  const done = async () => (await model.next()).say('done').end();

  t.step('twice: the second call runs without a question, and the third asks');
  await asks('1.0');
  await last().getByRole('button', { name: /^Allow more/ }).click();
  await last().getByLabel(/N times with this one/).first().check();
  await last().getByLabel('Number of times').fill('2');
  await last().getByRole('button', { name: 'Allow', exact: true }).click();
  await last().getByText(/Allowed by/).waitFor();
  await done();
  await asks('1.0');
  await done();
  same(server.runs(), 2, 'the tool ran another number of times');
  await asks('1.0');
  await until('the third asks', async () => (await server.waiting('ada', world)).length === 1);

  t.step('in every turn, wherever the version begins so');
  const third = card(page).filter({ has: page.getByRole('timer') });
  await third.getByRole('button', { name: /^Allow more/ }).click();
  await third.getByLabel(/in every turn/).check();
  await third.getByLabel(/may differ at one place/).check();
  await third.getByLabel('Place', { exact: true }).selectOption('/version');
  await third.getByLabel('Allowed there', { exact: true }).selectOption('prefix');
  await third.getByRole('textbox').last().fill('1.');
  await third.getByRole('listitem').filter({ hasText: 'version begins with' }).waitFor();
  await third.getByRole('button', { name: 'Allow', exact: true }).click();
  await third.waitFor({ state: 'detached' });
  await done();
  await asks('1.7');
  await done();
  same(server.runs(), 4, 'the tool ran another number of times');

  t.step('what is allowed in advance stands in the room, and ends there');
  await page.getByRole('button', { name: 'About' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Revoke' }).first().click();
  await dialog.getByText('each call is asked about').waitFor();
  await dialog.getByRole('button', { name: 'Close' }).click();

  t.step('no, with a reason that the agent reads');
  await asks('2.0');
  const fourth = card(page).filter({ has: page.getByRole('timer') });
  await fourth.getByRole('button', { name: /^Deny/ }).click();
  await fourth.getByRole('textbox').fill('Not on a Friday');
  await fourth.getByLabel(/agent/).check();
  await fourth.getByRole('button', { name: /^Deny$/ }).click();
  const read = await model.next();
  expect(JSON.stringify(read.body.messages).includes('Not on a Friday'), 'the agent was not told why');
  read.say('I see').end();
  await message(page, 'I see').waitFor();
  same(server.runs(), 4, 'a denied call ran');
}
