// Files: dropped, pasted and picked; what comes back is what went in.

import fs from 'node:fs';
import { expect, until } from '../parts/until.mjs';
import { composer, message } from '../parts/room.mjs';

// A picture of two by two.
const PICTURE = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAFklEQVR4nGP4z8DAAMIM/4EAhBkYGAAp7gX7YgG4EQAAAABJRU5ErkJggg==', 'base64');
const WORDS = Buffer.from('one\r\ntwo\u202e\u0000 three\n<script>alert(1)</script>\n');

/** Gives files to an element, as a person does who drops or pastes them. */
async function give(page, target, kind, files) {
  const list = files.map(({ name, type, bytes }) => ({ name, type, text: bytes.toString('base64') }));
  await target.evaluate((element, { kind, list }) => {
    const transfer = new DataTransfer();
    for (const { name, type, text } of list) transfer.items.add(new File([Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))], name, { type }));
    const event = kind === 'paste' ? new ClipboardEvent('paste', { clipboardData: transfer, bubbles: true, cancelable: true })
      : new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true });
    element.dispatchEvent(event);
  }, { kind, list });
}

const ready = (page, name) => until(`${name} is uploaded`, async () => {
  const tag = page.locator('fm-composer li').filter({ hasText: name });
  return (await tag.count()) === 1 && !/uploading/.test(await tag.innerText());
});

export default async function upload(t) {
  const model = await t.model();
  model.always = (answer) => answer.say('Thank you.').end();
  const server = await t.server({ model });
  const world = await server.open('ada', 'talk', 'Files');
  const ada = await t.person(server, 'ada');
  const ben = await t.person(server, 'ben');
  const page = await ada.tab(`#/rooms/${world}`);
  const other = await ben.tab(`#/rooms/${world}`);

  t.step('a file is dropped, a picture is pasted, and another file is picked');
  await give(page, page.locator('fm-composer'), 'drop', [{ name: 'notes <b>.txt', type: 'text/plain', bytes: WORDS }]);
  await ready(page, 'notes <b>.txt');
  await give(page, composer(page), 'paste', [{ name: 'picture.png', type: 'image/png', bytes: PICTURE }]);
  await ready(page, 'picture.png');
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.getByRole('button', { name: 'Attach' }).click()]);
  await chooser.setFiles([{ name: 'table.csv', mimeType: 'text/csv', buffer: Buffer.from('a,b\n1,2\n') }]);
  await ready(page, 'table.csv');
  await composer(page).fill('Here are three files');
  await composer(page).press('Enter');

  t.step('the other sees them, and the picture');
  const said = message(other, 'Here are three files');
  await said.waitFor();
  for (const name of ['notes <b>.txt', 'picture.png', 'table.csv']) await said.getByText(name).first().waitFor();
  const picture = said.locator('img').first();
  await until('the picture is shown', () => picture.evaluate((image) => image.complete && image.naturalWidth === 2));

  t.step('what is downloaded is what was given');
  for (const [name, bytes] of [['notes', WORDS], ['picture', PICTURE]]) {
    const button = said.getByRole('button', { name: new RegExp(`(download|save).*${name}|${name}.*(download|save)`, 'i') }).or(said.locator('li, .file, .card').filter({ hasText: name }).getByRole('button', { name: /download|save/i })).first();
    const [download] = await Promise.all([other.waitForEvent('download'), button.click()]);
    expect(fs.readFileSync(await download.path()).equals(bytes), `${name} comes back with other bytes`);
  }

  t.step('a file that is taken away again is not sent');
  await give(page, composer(page), 'paste', [{ name: 'oops.txt', type: 'text/plain', bytes: WORDS }]);
  await ready(page, 'oops.txt');
  await page.locator('fm-composer li').filter({ hasText: 'oops.txt' }).getByRole('button').click();
  await composer(page).fill('And none this time');
  await composer(page).press('Enter');
  await message(other, 'And none this time').waitFor();
  expect(await other.getByText('oops.txt').count() === 0, 'it was sent all the same');
}
