// The whole release room without a mouse.

import { expect, same, until } from '../parts/until.mjs';
import { card, message } from '../parts/room.mjs';

export default async function keyboard(t) {
  const model = await t.model();
  const server = await t.server({ model });
  const ada = await t.person(server, 'ada');
  const page = await ada.context.newPage();
  const { keyboard: keys } = page;
  const focused = () => page.evaluate(() => {
    const one = document.activeElement;
    if (!one || one === document.body) return '';
    return `${one.localName} ${(one.getAttribute('aria-label') ?? /** @type {any} */ (one).labels?.[0]?.textContent ?? one.textContent ?? '').trim().slice(0, 60)}`;
  });
  /** Goes on with a key until the focus is on `wanted`; each stop must be seen. */
  const reach = async (wanted, key = 'Tab') => {
    const path = [];
    for (let step = 0; step < 60; step++) {
      const name = await focused();
      path.push(name);
      if (wanted.test(name)) {
        const isSeen = await page.evaluate(() => {
          const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(/** @type {Element} */ (document.activeElement));
          return (outlineStyle !== 'none' && parseFloat(outlineWidth) > 0) || boxShadow !== 'none';
        });
        const isField = /^(input|textarea|select) /.test(name);
        expect(isSeen || isField, `the focus on ${name} is not seen`);
        return;
      }
      await keys.press(key);
    }
    throw new Error(`${wanted} is not reached by ${key}: ${path.join(' → ')}`);
  };

  t.step('sign in');
  await page.goto(`${server.url}/`);
  await until('the field has the focus', async () => /^input Token/.test(await focused()));
  await keys.type(await server.token('ada'));
  await keys.press('Enter');
  await page.getByRole('heading', { name: 'Rooms', level: 1 }).waitFor();

  t.step('skip to the content, and open a room');
  await reach(/Skip to the content/);
  await keys.press('Enter');
  await reach(/button Open a room/);
  await keys.press('Enter');
  await page.getByRole('dialog').waitFor();
  await reach(/select Template/);
  await keys.type('release');
  await keys.press('Tab');
  await reach(/input Title/);
  await keys.type('By keys alone');
  await keys.press('Enter');
  await page.getByRole('heading', { name: 'By keys alone' }).waitFor();

  t.step('say something, with a mention');
  await reach(/textarea Message/);
  await keys.type('@wo');
  await page.getByRole('option', { name: '@worker' }).waitFor();
  await keys.press('Tab');
  await keys.type('publish 1.4');
  await keys.press('Enter');
  (await model.next()).call('publish', { version: '1.4' });
  await card(page).getByRole('button', { name: 'Allow once' }).waitFor();

  t.step('a letter in the composer decides nothing');
  await reach(/textarea Message/);
  await keys.type('o');
  expect(await card(page).getByRole('button', { name: 'Allow once' }).isVisible(), 'a letter decided');
  await keys.press('Backspace');

  t.step('help about the keys, the arguments, and back');
  await reach(/^fm-request /, 'Shift+Tab');
  await keys.press('?');
  await page.getByRole('dialog').getByRole('heading', { name: 'Keys' }).waitFor();
  await keys.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await until('the focus is back on the card', async () => /^fm-request/.test(await focused()));
  await keys.press('e');
  await until('the focus is in the form', async () => /^(input|textarea|select) /.test(await focused()));
  await keys.press('Escape');
  await until('the focus is back on the card', async () => /^fm-request/.test(await focused()));

  t.step('allow it');
  await keys.press('o');
  await card(page).getByText('Allowed by').waitFor();
  expect(/^fm-request/.test(await focused()), `the focus is lost: it is on ${await focused()}`);
  (await model.next()).say('@planner published').end();
  (await model.next()).say('@ada All done.').end();
  await message(page, 'All done.').waitFor();
  same(server.runs(), 1, 'the tool ran another number of times');

  t.step('the menu of a message, and a reply');
  await reach(/^summary Do something with the message of planner/, 'Shift+Tab');
  await keys.press('Enter');
  await reach(/^button Reply/);
  await keys.press('Enter');
  await until('the composer has the focus', async () => /^textarea Message/.test(await focused()));
  await keys.type('Thank you');
  await keys.press('Enter');
  (await model.next()).say('You are welcome.').end();
  await message(page, 'You are welcome.').waitFor();

  t.step('deny with a reason, in the inbox');
  await keys.type('@worker publish 1.5');
  await keys.press('Enter');
  (await model.next()).call('publish', { version: '1.5' });
  await card(page).getByRole('button', { name: 'Allow once' }).waitFor();
  await page.getByRole('link', { name: /Inbox/ }).focus();
  await keys.press('Enter');
  await page.getByRole('heading', { name: 'Inbox', level: 1 }).waitFor();
  await card(page).waitFor();
  await keys.press('j');
  await keys.press('d');
  await until('the focus is on the reason', async () => /^textarea /.test(await focused()));
  await keys.type('not on a Friday');
  await reach(/^button Deny$/);
  await keys.press('Enter');
  await card(page).getByText('Denied by').waitFor();
  await card(page).getByText('not on a Friday').waitFor();
  (await model.next()).say('as you wish').end();
  same(server.runs(), 1, 'what was denied ran');

  t.step('sign out');
  await reach(/^button Sign out/, 'Shift+Tab');
  await keys.press('Enter');
  await page.getByLabel('Token').waitFor();
}
