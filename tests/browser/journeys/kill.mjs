// The server is killed in the middle of a streamed reply, and comes back: nothing is lost, and nothing is there twice.

import { same, until } from '../parts/until.mjs';
import { composer, message, say, wordsOf } from '../parts/room.mjs';

const AWAY = [/net::ERR_/];

export default async function kill(t) {
  const model = await t.model();
  const server = await t.server({ model });
  const world = await server.open('ada', 'talk', 'The desk');
  const ada = (await t.person(server, 'ada')).may(...AWAY);
  const ben = (await t.person(server, 'ben')).may(...AWAY);
  const page = await ada.tab(`#/rooms/${world}`);
  const other = await ben.tab(`#/rooms/${world}`);
  const both = [page, other];
  await say(page, 'first');
  (await model.next()).say('reply one').end();
  for (const one of both) await message(one, 'reply one').waitFor();

  for (const life of [2, 3]) {
    t.step(`life ${life}: the server is killed while both read a draft`);
    await say(other, `question ${life}`);
    const broken = await model.next();
    broken.say(`half of ${life} `);
    for (const one of both) await one.getByRole('article', { name: 'clerk is writing' }).getByText(`half of ${life}`).waitFor();
    await server.kill();
    await until('the call of the model is gone', () => broken.isGone);

    t.step(`life ${life}: both are told, keep what they read, and may write on`);
    for (const one of both) {
      await one.getByRole('status').filter({ hasText: 'does not answer' }).waitFor();
      await message(one, `question ${life}`).waitFor();
    }
    await say(page, `said while away ${life}`);

    t.step(`life ${life}: it comes back`);
    await server.start();
    const again = await model.next();
    for (const one of both) await one.getByRole('status').filter({ hasText: 'does not answer' }).waitFor({ state: 'detached' });
    again.say(`whole of `);
    again.say(`${life}.`).end();
    for (const one of both) {
      await message(one, `whole of ${life}.`).waitFor();
      await message(one, `said while away ${life}`).waitFor();
    }
    (await model.next()).say(`also ${life}.`).end();
    for (const one of both) {
      await message(one, `also ${life}.`).waitFor();
      await one.getByRole('article', { name: /is writing/ }).waitFor({ state: 'detached' });
    }
    await until('the words of ada are gone from her composer', async () => await composer(page).inputValue() === '');
  }

  t.step('both show what the log holds, each message once');
  const held = (await server.messages('ada', world)).map((one) => one.text);
  for (const one of both) same(await wordsOf(one), held, 'the page shows something else than the log');
  same(new Set(held).size, held.length, 'a message is there twice');
}
