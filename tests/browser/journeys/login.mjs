// Coming in: a wrong token, a token that ends, and a link that works once.

import { expect, until } from '../parts/until.mjs';

export default async function login(t) {
  const server = await t.server({ people: ['ada'] });
  const ada = (await t.person(server, 'ada')).may(/401/);
  const page = await ada.context.newPage();

  t.step('a wrong token is refused in words');
  await page.goto(`${server.url}/`);
  await page.getByLabel('Token').fill('fmt_wrong');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').getByText('does not know this token').waitFor();

  t.step('the right one is not');
  await page.getByLabel('Token').fill(await server.token('ada'));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Rooms', level: 1 }).waitFor();
  await page.getByText('ada', { exact: true }).waitFor();
  expect((await ada.context.cookies()).length === 0, 'the console keeps a cookie');
  await page.reload();
  await page.getByRole('heading', { name: 'Rooms', level: 1 }).waitFor();

  t.step('whoever signs out is out, and their session has ended on the server');
  const token = await page.evaluate(() => sessionStorage.getItem('folkmoot.token'));
  expect(token !== await server.token('ada'), 'the page keeps the token and no session');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('Token').waitFor();
  await until('the session is unknown', async () => (await fetch(`${server.url}/v1/me`, { headers: { authorization: `Bearer ${token}` } })).status === 401);
  await page.reload();
  await page.getByLabel('Token').waitFor();

  t.step('a link works once');
  const link = await server.cli('login');
  const guest = (await t.person(server, 'local')).may(/401/);
  const first = await guest.context.newPage();
  await first.goto(link);
  await first.getByLabel(/name/i).fill('Mira');
  await first.getByRole('button', { name: 'Sign in' }).click();
  await first.getByRole('heading', { name: 'Rooms', level: 1 }).waitFor();
  await first.getByText('Mira', { exact: true }).waitFor();
  expect(!first.url().includes('fmc_'), 'the code stays in the address');
  const second = await guest.context.newPage();
  await second.goto(link);
  await second.getByRole('button', { name: 'Sign in' }).click();
  await second.getByRole('alert').getByText(/was used/).waitFor();

  t.step('a session that ends leads back to the login');
  await server.token('ben', '--expires', '6s');
  const ben = (await t.person(server, 'ben')).may(/401/);
  const rooms = await ben.tab();
  await rooms.getByLabel('Token').waitFor({ timeout: 20_000 });
}
