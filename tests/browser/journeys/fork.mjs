// A branch: fork before a decision, say something else, and see both side by side.

import { expect, until } from '../parts/until.mjs';
import { card, message, say } from '../parts/room.mjs';

export default async function fork(t) {
  const model = await t.model();
  const server = await t.server({ model });
  const world = await server.open('ada', 'release', 'As it was');
  const ada = await t.person(server, 'ada');
  const page = await ada.tab(`#/rooms/${world}`);
  await say(page, '@worker publish 1.4');
  (await model.next()).call('publish', { version: '1.4' });
  await card(page).getByRole('button', { name: 'Allow once' }).click();
  (await model.next()).say('@ada it is out').end();
  await message(page, 'it is out').waitFor();
  expect(server.runs() === 1, 'it did not run');
  const [first] = await server.messages('ada', world);

  t.step('fork behind the first message, from its menu');
  const one = message(page, '@worker publish 1.4');
  await one.hover();
  await one.getByLabel(/Do something with the message/).click();
  await one.getByRole('button', { name: 'Branch off here' }).click();
  const dialog = page.getByRole('dialog');
  expect(await dialog.getByLabel('Behind event').inputValue() === String(first.message - 1), 'the dialog names another event');
  await dialog.getByLabel('Title').fill('As it might have been');
  await dialog.getByRole('radio', { name: /For real/ }).check();
  await dialog.getByLabel('Say instead').fill('@worker wait for Monday');
  await dialog.getByRole('button', { name: 'Branch off', exact: true }).click();

  t.step('both stand side by side, from where they part');
  await page.getByRole('heading', { name: 'Compare', level: 1 }).waitFor();
  const left = page.getByRole('region', { name: 'First room' });
  const right = page.getByRole('region', { name: 'Second room' });
  await left.getByText('it is out').first().waitFor();
  await right.getByText('wait for Monday').first().waitFor();
  // The branch answers both what was said before it and what was said instead.
  model.always = (answer) => answer.say('@ada I wait').end();
  for (const answer of model.waiting.splice(0)) model.always(answer);
  await right.getByText('I wait').first().waitFor();
  expect(await left.getByText('I wait').count() === 0, 'the first room has what was said in the second');
  expect(await right.getByText('it is out').count() === 0, 'the second room has what came after the fork');

  t.step('the first room is as it was, and the tool ran once');
  expect(server.runs() === 1, 'the tool ran again');
  await left.getByRole('link', { name: 'As it was' }).click();
  await message(page, 'it is out').waitFor();
  expect(await message(page, 'wait for Monday').count() === 0, 'the first room goes on with the words of the second');

  t.step('the branch says where it comes from');
  await ada.go(page, '#/');
  await page.getByRole('link', { name: /As it might have been/ }).click();
  await until('it names its parent', async () => (await page.locator('main').innerText()).includes(world));
  await message(page, 'wait for Monday').waitFor();
}
