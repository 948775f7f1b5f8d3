// Two people decide at once: one of them wins, and the other sees who did.

import { expect, same, until } from '../parts/until.mjs';
import { card, say } from '../parts/room.mjs';

export default async function deciders(t) {
  const model = await t.model();
  const server = await t.server({ model });
  const world = await server.open('ada', 'release', 'Two at once');
  const ada = (await t.person(server, 'ada')).may(/status of 409/);
  const ben = (await t.person(server, 'ben')).may(/status of 409/);
  const pages = { ada: await ada.tab(`#/rooms/${world}`), ben: await ben.tab(`#/rooms/${world}`) };

  // Nobody's decision leaves before both are made: a tab that heard of the other's would not send its own.
  const held = [];
  const statuses = [];
  for (const page of Object.values(pages)) {
    await page.route('**/decision', async (route) => {
      held.push(route);
      if (held.length === 2) await Promise.all(held.splice(0).map((one) => one.continue()));
    });
    page.on('response', (response) => response.url().endsWith('/decision') && statuses.push(response.status()));
  }

  for (const round of [1, 2, 3]) {
    t.step(`round ${round}: both decide`);
    await say(pages.ada, `@worker publish ${round}`);
    (await model.next()).call('publish', { version: `1.${round}` });
    const cards = Object.values(pages).map((page) => card(page).filter({ hasText: `1.${round}` }));
    const [yes, no] = round === 2 ? cards.toReversed() : cards;
    await no.getByRole('button', { name: /^Deny/ }).click();
    const sends = no.getByRole('button', { name: /^Deny$/ });
    await sends.waitFor();
    await yes.getByRole('button', { name: 'Allow once' }).waitFor();
    await Promise.all([yes.getByRole('button', { name: 'Allow once' }).click(), sends.click()]);
    await until('both have their answers', () => statuses.length === 2);
    same(statuses.splice(0).sort(), [200, 409], 'the server took another number of decisions');

    t.step(`round ${round}: both see the same end`);
    for (const one of cards) {
      await one.getByText(/(Allowed|Denied) by/).waitFor();
      expect(await one.getByRole('button', { name: /allow|deny/i }).count() === 0, 'a closed card has buttons');
    }
    const ends = await until('both name the same person', async () => {
      const words = await Promise.all(cards.map((one) => one.getByText(/(Allowed|Denied) by/).innerText()));
      const plain = words.map((one) => one.replace(/you \((\w+)\)/, '$1'));
      return plain[0] === plain[1] ? plain : null;
    });
    const winner = ends[0].startsWith('Allowed') ? yes : no;
    const name = winner === cards[0] ? 'ada' : 'ben';
    expect(ends[0].endsWith(name), `${ends[0]}, but ${name} decided so`);
    (await model.next()).say('done').end();
  }
  const log = (await server.ask('ada', 'GET', `/worlds/${world}/requests`)).requests;
  same(log, [], 'a request waits still');
}
