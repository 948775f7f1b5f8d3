// A call that was cut off by kill -9, and may have taken effect: a person says what became of it.

import { expect, until } from '../parts/until.mjs';
import { card, message, say } from '../parts/room.mjs';

export default async function doubt(t) {
  const model = await t.model();
  const server = await t.server({ model });
  const world = await server.open('ada', 'doubt', 'In doubt');
  const ada = (await t.person(server, 'ada')).may(/ERR_|Failed to fetch|status of 50/);
  const page = await ada.tab(`#/rooms/${world}`);

  /** Lets a call run until the server is killed in the middle of it; then it is in doubt. */
  const cutOff = async () => {
    await page.locator('fm-call').last().getByText(/^Runs/).waitFor();
    await server.kill();
    await server.start();
    await card(page).last().getByText(/took effect/).first().waitFor();
    return card(page).last();
  };
  const begin = async (/** @type {string} */ words) => {
    await say(page, words);
    (await model.next()).call('wait', { argv: ['sleep', '3'] });
  };

  t.step('it did not run: the agent is told so');
  await begin('wait once');
  const first = await cutOff();
  await first.getByRole('button', { name: 'It did not run' }).click();
  await until('nothing waits', async () => (await server.waiting('ada', world)).length === 0);
  await until('a settled card has no buttons', async () => (await first.getByRole('button', { name: /run|ran/i }).count()) === 0);
  (await model.next()).say('It did not').end();
  await message(page, 'It did not').waitFor();

  t.step('it ran, with a result that a person knows');
  await begin('wait again');
  const second = await cutOff();
  await second.getByRole('button', { name: /^It ran/ }).click();
  await second.getByRole('textbox').fill('It waited to the end');
  await second.getByRole('button', { name: 'It ran', exact: true }).click();
  const told = await model.next();
  expect(JSON.stringify(told.body.messages).includes('It waited to the end'), 'the agent was not told the result');
  told.say('So it ran').end();
  await message(page, 'So it ran').waitFor();

  t.step('run it again');
  await begin('wait a third time');
  const third = await cutOff();
  await third.getByRole('button', { name: 'Run it again' }).click();
  (await model.next()).say('Now it ran').end();
  await message(page, 'Now it ran').waitFor();
}
