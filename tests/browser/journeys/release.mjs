// The release room, from the first word to the approval in another tab.

import { expect, same, until } from '../parts/until.mjs';
import { card, message, say } from '../parts/room.mjs';

export default async function release(t) {
  const model = await t.model();
  const server = await t.server({ model });
  const ada = await t.person(server, 'ada');
  const ben = await t.person(server, 'ben');

  t.step('ada signs in and opens a room from a template');
  const page = await ada.tab();
  await page.getByRole('button', { name: 'Open a room' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Template').selectOption('release');
  await dialog.getByLabel('Title').fill('Release of Friday');
  await dialog.getByRole('button', { name: 'Open' }).click();
  await page.getByRole('heading', { name: 'Release of Friday', level: 1 }).waitFor();
  const world = decodeURIComponent(/rooms\/([^?]+)/.exec(page.url())[1]);

  t.step('ben finds it in his list, and ada has it in a second tab');
  const other = await ben.tab();
  await other.getByRole('link', { name: /Release of Friday/ }).click();
  await other.getByRole('heading', { name: 'Release of Friday', level: 1 }).waitFor();
  const second = await ada.tab(`#/rooms/${world}`);
  const all = [page, second, other];

  t.step('all read a reply while it is written');
  await say(page, 'Is 1.4 ready to ship?');
  const planner = await model.next();
  planner.say('@worker please ');
  for (const one of all) await one.getByRole('article', { name: 'planner is writing' }).getByText('@worker please').waitFor();
  planner.say('publish 1.4');
  for (const one of all) await one.getByRole('article', { name: 'planner is writing' }).getByText('@worker please publish 1.4').waitFor();
  planner.end();
  for (const one of all) await message(one, '@worker please publish 1.4').waitFor();

  t.step('the worker asks, and the title counts it');
  (await model.next()).call('publish', { version: '1.4' });
  for (const one of all) {
    await card(one).getByText('"version": "1.4"').waitFor();
    await card(one).getByRole('button', { name: 'Allow once' }).waitFor();
    await until('the title of the tab counts the request', async () => /^\(1\)/.test(await one.title()));
  }
  same(server.runs(), 0, 'it ran before anybody allowed it');

  t.step('ben allows it: it closes at once for all, and names him');
  await card(other).getByRole('button', { name: 'Allow once' }).click();
  for (const one of [page, second]) {
    await card(one).getByText('Allowed by ben').waitFor({ timeout: 2000 });
    expect(await card(one).getByRole('button', { name: /allow|deny|edit/i }).count() === 0, 'the card has buttons still');
  }
  await card(other).getByText('Allowed by').waitFor();

  t.step('it runs once, and the room goes on to its end');
  const worker = await model.next();
  expect(worker.read.includes('published'), `the worker read ${worker.read}`);
  worker.say('@planner published').end();
  (await model.next()).say('@ada All done: 1.4 is out.').end();
  for (const one of all) {
    await message(one, 'All done: 1.4 is out.').waitFor();
    await until('the title counts nothing', async () => !/^\(/.test(await one.title()));
  }
  same(server.runs(), 1, 'the tool ran another number of times');

  t.step('whoever comes later sees the same');
  await second.reload();
  await message(second, 'All done: 1.4 is out.').waitFor();
  await card(second).getByText('Allowed by ben').waitFor();
  await until('the inbox is empty', async () => {
    await ada.go(second, '#/inbox');
    return second.getByText('Nothing waits for you').isVisible();
  });
}
