// A request expires on screen: it counts down, and then nothing can be decided.

import { expect, same, until } from '../parts/until.mjs';
import { card, say } from '../parts/room.mjs';

export default async function expiry(t) {
  const server = await t.server();
  const world = await server.open('ada', 'brief', 'Too late');
  const ada = await t.person(server, 'ada');
  const page = await ada.tab(`#/rooms/${world}`);
  const inbox = await ada.tab('#/inbox');

  t.step('the request counts down');
  await say(page, 'Push it');
  const timer = card(page).getByRole('timer');
  const first = await timer.innerText();
  await until('the countdown goes on', async () => (await timer.innerText()) !== first);
  await card(page).getByRole('button', { name: 'Allow once' }).waitFor();
  await card(inbox).getByRole('timer').waitFor();

  t.step('it expires in both tabs, and takes its buttons away');
  for (const one of [page, inbox]) {
    await card(one).getByText(/expired/i).first().waitFor();
    await until('no button is left', async () => (await card(one).getByRole('button', { name: /allow|deny|edit/i }).count()) === 0);
  }
  same(server.runs(), 0, 'it ran');
  await page.getByText('Nobody was there.').waitFor();
  await until('the title counts nothing', async () => !/^\(/.test(await page.title()));
  expect(await server.waiting('ada', world).then((list) => list.length === 0), 'it waits still');
}
