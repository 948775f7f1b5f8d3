// Every page in light and dark, wide and narrow: axe finds nothing, and nothing is wider than the screen.

import { furnish } from '../parts/gallery.mjs';
import { card, message } from '../parts/room.mjs';

export default async function pages(t) {
  const server = await t.server({ people: ['ada', 'cleo'] });
  const { world, fork, at } = await furnish(server);
  const press = (name, role = 'button') => async (page) => page.getByRole(role, { name }).first().click();
  const tab = (name) => [`audit: ${name}`, `#/audit/${world}?at=${at}&tab=${name}`, async (page) => page.getByRole('tab', { selected: true, name: new RegExp(name, 'i') }).waitFor()];
  /** @type {[string, string, ((page: any) => Promise<unknown>)?][]} what is seen, where, and how one gets there */
  const views = [
    ['rooms', '#/', async (page) => page.getByText('The other way').waitFor()],
    ['rooms, none found', '#/?q=nothing-like-it', async (page) => page.getByText('No room fits').waitFor()],
    ['rooms, opening one', '#/', press('Open a room')],
    ['room', `#/rooms/${world}`, async (page) => message(page, 'That is what there is.').waitFor()],
    ['room, at its beginning', `#/rooms/${world}?at=6`, async (page) => message(page, 'All three ran').waitFor()],
    ['room, about it', `#/rooms/${world}`, press('About')],
    ['room, a menu', `#/rooms/${world}`, async (page) => { await message(page, 'Notes').hover(); await message(page, 'Notes').getByLabel(/Do something/).click(); }],
    ['room that is not there', '#/rooms/nothing'],
    ['inbox', '#/inbox', async (page) => { await page.getByRole('navigation', { name: 'Requests' }).getByRole('button').first().waitFor(); }],
    ...['Edit', 'Allow more', 'Deny'].map((name) => /** @type {any} */ ([`inbox: ${name}`, `#/inbox?request=${encodeURIComponent(`${world}#PUSH`)}`, async (page) => card(page).getByRole('button', { name: new RegExp(`^${name}`) }).click()])),
    ...['event', 'causes', 'prompt', 'state', 'differences', 'usage'].map(tab),
    ['audit, the badge', `#/audit/${world}`, async (page) => page.locator('fm-badge button').first().click()],
    ['audit, export', `#/audit/${world}`, async (page) => page.locator('fm-export button, fm-export summary').first().click()],
    ['compare', `#/compare?a=${world}&b=${fork}`, async (page) => page.getByRole('region', { name: 'Second room' }).waitFor()],
    ['compare, nothing chosen', '#/compare'],
    ['a page that is not there', '#/nothing'],
  ];
  const push = (await server.waiting('ada', world)).find((one) => one.tool === 'push').name;
  const found = [];

  for (const colorScheme of ['light', 'dark']) {
    for (const [width, height] of [[1440, 900], [390, 844]]) {
      const ada = (await t.person(server, 'ada', { colorScheme, viewport: { width, height }, reducedMotion: 'reduce' })).may(/status of 404/);
      const where = `${colorScheme} ${width}`;
      const login = await ada.context.newPage();
      await login.goto(`${server.url}/`);
      await login.getByLabel('Token').waitFor();
      found.push(...(await ada.axe(login)).map((one) => `login, ${where}: ${one}`));
      await login.close();
      const page = await ada.tab();
      for (const [name, hash, go] of views) {
        t.step(`${name}, ${where}`);
        await page.goto('about:blank');
        await ada.go(page, hash.replace(encodeURIComponent(`${world}#PUSH`), encodeURIComponent(push)));
        try {
          await go?.(page);
          await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
          found.push(...(await ada.axe(page)).map((one) => `${name}, ${where}: ${one}`));
        } catch (error) {
          found.push(`${name}, ${where}: ${String(error.message).split('\n')[0]}`);
          continue;
        }
        // As wide as it is, at 360, and at twice the size of a screen of 1280.
        for (const narrow of width === 390 && colorScheme === 'light' ? [390, 360, 320, 640] : []) {
          await page.setViewportSize({ width: narrow, height });
          const wide = await page.evaluate(() => {
            const { scrollWidth, clientWidth } = document.documentElement;
            if (scrollWidth <= clientWidth) return null;
            const out = [...document.querySelectorAll('main *')].find((one) => one.getBoundingClientRect().right > clientWidth + 1);
            return `${scrollWidth} wide: ${out?.outerHTML.slice(0, 120)}`;
          });
          if (wide) found.push(`${name}, at ${narrow}: ${wide}`);
        }
        await page.setViewportSize({ width, height });
      }
      await ada.context.close();
    }
  }

  t.step('somebody who may read nothing');
  const cleo = await t.person(server, 'cleo');
  found.push(...(await cleo.axe(await cleo.tab('#/'))).map((one) => `no rooms: ${one}`), ...(await cleo.axe(await cleo.tab('#/inbox'))).map((one) => `no requests: ${one}`));
  if (found.length > 0) throw new Error(`${found.length} findings:\n  ${found.join('\n  ')}`);
}
