// Pictures of each page, in both themes, wide and narrow: docs/pictures.
//
//   FOLKMOOT_BINARY=… BROWSER_PACKAGES=target/browser node tests/browser/pictures.mjs

import fs from 'node:fs';
import { furnish } from './parts/gallery.mjs';
import { Journey } from './parts/journey.mjs';
import { browse } from './parts/people.mjs';

const FOLDER = new URL('../../docs/pictures/', import.meta.url);
const BYTES_MAX = 150_000;

const browser = await browse();
const journey = new Journey('pictures', browser, process.env.FOLKMOOT_BINARY);
try {
  const server = await journey.server();
  const { world, fork, at } = await furnish(server);
  await server.open('ada', 'release', 'Release of Monday');
  await server.open('ada', 'brief', 'Hotline');
  const views = [
    ['login', null],
    ['rooms', '#/', (page) => page.getByText('Hotline').waitFor()],
    ['room', `#/rooms/${world}`, (page) => page.locator('fm-request').last().getByRole('timer').waitFor()],
    ['inbox', '#/inbox', (page) => page.getByRole('navigation', { name: 'Requests' }).getByRole('button').first().waitFor()],
    ['audit', `#/audit/${world}?at=${at}`, (page) => page.getByRole('button', { name: 'Copy as JSON' }).waitFor()],
    ['compare', `#/compare?a=${world}&b=${fork}`, (page) => page.getByRole('region', { name: 'Second room' }).waitFor()],
  ];
  fs.mkdirSync(FOLDER, { recursive: true });
  for (const colorScheme of ['light', 'dark']) {
    for (const [width, height] of [[1440, 900], [390, 844]]) {
      const ada = await journey.person(server, 'ada', { colorScheme, viewport: { width, height }, reducedMotion: 'reduce' });
      const login = await ada.context.newPage();
      await login.goto(`${server.url}/`);
      await login.getByLabel('Token').waitFor();
      const tab = await ada.tab();
      for (const [name, hash, ready] of views) {
        const page = hash === null ? login : tab;
        if (hash !== null) {
          await page.goto('about:blank');
          await ada.go(page, hash);
          await ready(page);
        }
        await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
        const path = new URL(`${name}-${colorScheme}-${width}.png`, FOLDER);
        const picture = await page.screenshot({ path: path.pathname });
        if (picture.length > BYTES_MAX) throw new Error(`${path.pathname} has ${picture.length} bytes`);
      }
      await ada.context.close();
    }
  }
} finally {
  await journey.end();
  await browser.close();
}
process.exit(0);
