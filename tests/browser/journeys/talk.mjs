// Talking: mentions, drafts, reply, edit, retract, ask again, and stop.

import { expect, until } from '../parts/until.mjs';
import { act, composer, message, say, wordsOf } from '../parts/room.mjs';

export default async function talk(t) {
  const model = await t.model();
  const server = await t.server({ model });
  const world = await server.open('ada', 'talk', 'The desk');
  const ada = await t.person(server, 'ada');
  const ben = await t.person(server, 'ben');
  const page = await ada.tab(`#/rooms/${world}`);
  const other = await ben.tab(`#/rooms/${world}`);

  t.step('a draft is seen by both while it is written, and becomes one message');
  await say(page, 'Good morning');
  let answer = await model.next();
  answer.say('Good ');
  for (const one of [page, other]) await one.getByRole('article', { name: 'clerk is writing' }).getByText('Good', { exact: false }).waitFor();
  answer.say('morning, ada');
  await other.getByRole('article', { name: 'clerk is writing' }).getByText('Good morning, ada').waitFor();
  answer.end();
  for (const one of [page, other]) {
    await message(one, 'Good morning, ada').waitFor();
    await one.getByRole('article', { name: /is writing/ }).waitFor({ state: 'detached' });
    expect(await message(one, 'Good morning, ada').count() === 1, 'the reply stands twice');
  }

  t.step('@ completes the name of an agent');
  const field = composer(page);
  await field.pressSequentially('@sc');
  await page.getByRole('option', { name: '@scribe' }).waitFor();
  await field.press('Enter');
  expect(await field.inputValue() === '@scribe ', `the field holds ${JSON.stringify(await field.inputValue())}`);
  await field.pressSequentially('write this down');
  await field.press('Enter');
  answer = await model.next();
  answer.say('Written down.').end();
  await page.getByRole('article', { name: 'scribe' }).getByText('Written down.').waitFor();

  t.step('a reply names what it answers');
  await act(other, 'Good morning, ada', 'Reply');
  await say(other, '@clerk is that so?');
  (await model.next()).say('It is so.').end();
  await page.getByRole('button', { name: /clerk: Good morning, ada/ }).waitFor();
  await message(page, 'It is so.').waitFor();

  t.step('an edit takes the answer away, and asks again');
  await act(other, 'is that so?', 'Edit');
  await composer(other).fill('@clerk and is it good?');
  await composer(other).press('Enter');
  (await model.next()).say('It is good.').end();
  for (const one of [page, other]) {
    await message(one, 'and is it good?').waitFor();
    await message(one, 'It is good.').waitFor();
    await message(one, 'It is so.').waitFor({ state: 'detached' });
  }

  t.step('an agent is asked again');
  await act(page, 'It is good.', 'Ask again');
  (await model.next()).say('It is very good.').end();
  for (const one of [page, other]) {
    await message(one, 'It is very good.').waitFor();
    await message(one, 'It is good.').waitFor({ state: 'detached' });
  }

  t.step('words of others have no edit, and own words can be taken back');
  await message(page, 'and is it good?').getByLabel(/Do something/).click();
  expect(await page.getByRole('button', { name: 'Take back' }).count() === 0, "ada may take ben's words back");
  await page.keyboard.press('Escape');
  await act(other, 'and is it good?', 'Take back');
  for (const one of [page, other]) await message(one, 'It is very good.').waitFor({ state: 'detached' });

  t.step('stop ends a reply in its middle');
  await say(page, 'Count to a thousand');
  answer = await model.next();
  answer.say('one two three ');
  await page.getByRole('article', { name: 'clerk is writing' }).getByText('one two three').waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await until('the call of the model is given up', () => answer.isGone);
  for (const one of [page, other]) await one.getByRole('article', { name: /is writing/ }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'hidden' });

  t.step('why an agent answered stands below a message');
  await act(page, 'Good morning', 'Who answers, and why');
  await page.getByRole('status').filter({ hasText: 'clerk' }).first().waitFor();

  t.step('both see the same');
  await until('both tabs show the same', async () => JSON.stringify(await wordsOf(page)) === JSON.stringify(await wordsOf(other)));
}
