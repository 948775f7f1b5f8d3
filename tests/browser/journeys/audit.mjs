// Looking back: from an event to the person who caused it, the exact prompt, the room as it was, and the proof of the log.

import fs from 'node:fs';
import path from 'node:path';
import { expect, until } from '../parts/until.mjs';
import { say } from '../parts/room.mjs';

export default async function audit(t) {
  const model = await t.model();
  const server = await t.server({ model, isSigned: true });
  const world = await server.open('ada', 'release', 'Looked back at');
  const ada = await t.person(server, 'ada');
  const room = await ada.tab(`#/rooms/${world}`);
  await say(room, '@worker publish 1.4');
  (await model.next()).call('publish', { version: '1.4' });
  const [asked] = await server.asked('ada', world);
  await server.ask('ben', 'POST', `/worlds/${world}/requests/${asked.request}/decision`, { verdict: 'allow', shown: asked.asks.shown });
  (await model.next()).say('@ada published, and tagged').end();
  const end = await until('the room is idle', async () => {
    const { activity, head } = await server.ask('ada', 'GET', `/worlds/${world}`);
    return activity === 'idle' ? head : null;
  });

  t.step('from the room to its log');
  await room.getByRole('link', { name: 'Audit' }).click();
  const page = room;
  const events = page.getByRole('listbox', { name: 'Events' });
  const panel = page.getByRole('tabpanel');
  const row = (kind) => events.getByRole('option').filter({ hasText: kind });
  const tab = async (name) => page.getByRole('tab', { name }).click();
  await row('WorldOpened').first().waitFor();

  t.step('the next request, and its facts');
  await page.getByRole('button', { name: 'Next request' }).click();
  await until('the address names the event', () => new RegExp(`at=${asked.request}\\b`).test(page.url()));
  await panel.getByRole('heading', { name: 'ApprovalRequested' }).waitFor();
  await panel.getByText(asked.asks.shown.slice(0, 8)).first().waitFor();

  t.step('its causes lead back to ada');
  await tab('Causes');
  await panel.getByText('MessagePosted').first().waitFor();
  await panel.getByText('ada').first().waitFor();

  t.step('the exact prompt of a call of the model');
  await page.getByLabel('Kind').selectOption('ModelCalled');
  await until('only calls of models are listed', async () => (await events.getByRole('option').count()) === 2 && (await row('ModelCalled').count()) === 2);
  await row('ModelCalled').last().click();
  await tab('Prompt');
  await panel.getByText('as recorded').waitFor();
  for (const words of ['You do what the planner asks for', 'published']) await panel.getByText(words).first().waitFor();

  t.step('the room at a position, and by the slider');
  await page.getByLabel('Kind').selectOption('');
  await tab('State');
  await panel.getByText('publish 1.4').first().waitFor();
  await page.getByRole('slider', { name: 'Moment' }).fill(String(end));
  await panel.getByText('published, and tagged').first().waitFor();
  await page.getByRole('slider', { name: 'Moment' }).fill('2');
  await panel.getByText('Nobody has said anything yet').waitFor();
  await page.getByRole('slider', { name: 'Moment' }).fill(String(asked.request));
  await panel.getByRole('heading', { name: 'Requests that wait' }).waitFor();

  t.step('the differences between two positions');
  await page.getByRole('slider', { name: 'Moment' }).fill(String(end));
  await tab('Differences');
  await panel.getByLabel('From event').fill(String(asked.request));
  await panel.getByLabel('From event').press('Enter');
  await panel.getByText('published, and tagged').first().waitFor();
  expect(!(await panel.innerText()).includes('Nobody'), 'the differences are those of the state');

  t.step('usage of each agent');
  await tab('Usage');
  await panel.getByText('worker').first().waitFor();

  t.step('a permalink shows the same to whoever opens it');
  const link = page.url();
  const again = await ada.tab();
  await again.goto(link);
  await again.getByRole('tab', { name: 'Usage', selected: true }).waitFor();
  await again.close();

  t.step('what happens meanwhile is there at once');
  await server.ask('ada', 'POST', `/worlds/${world}/messages`, { text: '@worker thank you' });
  (await model.next()).say('You are welcome').end();
  await until('the slider goes on', async () => Number(await page.getByRole('slider', { name: 'Moment' }).getAttribute('max')) > end);

  t.step('the log is checked, against an anchor that was kept, and against one of something else');
  const badge = page.locator('fm-badge');
  await badge.getByText('not checked').waitFor();
  await badge.getByRole('button').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(/intact up to/).first().waitFor();
  await dialog.getByText('folkmoot verify').first().waitFor();
  const anchor = await server.cli('anchor', world);
  const give = async (name, text) => {
    const file = path.join(server.folder, name);
    fs.writeFileSync(file, text);
    await dialog.getByLabel('Anchor file').setInputFiles(file);
    await dialog.getByText(name).waitFor();
  };
  await give('kept.anchor', `${anchor}\n`);
  await dialog.getByText(/by the anchor of/).first().waitFor();
  // The third line is the root. One that this log never had:
  await give('other.anchor', `${anchor.split('\n').map((line, at) => (at === 2 ? line.replace(/^./, (one) => (one === 'A' ? 'B' : 'A')) : line)).join('\n')}\n`);
  await badge.getByText(/damaged/).first().waitFor();
  await dialog.getByRole('button', { name: 'Close' }).click();

  t.step('the room as a file');
  await page.locator('fm-export').getByRole('button').click();
  for (const [name, part] of [['Markdown', 'published, and tagged'], ['JSON lines', 'ApprovalRequested'], ['Report', '<html'], ['Evidence bundle', world]]) {
    const [download] = await Promise.all([page.waitForEvent('download'), dialog.getByRole('button', { name: `Save as ${name}` }).click()]);
    expect(fs.readFileSync(await download.path(), 'utf8').includes(part), `${name} does not hold ${part}`);
  }
}
