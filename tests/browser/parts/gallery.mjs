// The room of the template `gallery`, with all that a room can show.

import { until } from './until.mjs';

/** A room in which everything stands that a room can show, with two requests that wait; and a branch of it. */
export async function furnish(server) {
  const world = await server.open('ada', 'gallery', 'Release of Friday');
  const post = (text) => server.ask('ada', 'POST', `/worlds/${world}/messages`, { text });
  const quiet = () => until('the room is quiet', async () => (await server.ask('ada', 'GET', `/worlds/${world}`)).activity !== 'running');
  await post('How are the builds?');
  await quiet();
  await post('Show me');
  await quiet();
  await post('@worker push it');
  const [asked] = await server.asked('ada', world);
  await server.ask('ada', 'POST', `/worlds/${world}/requests/${asked.request}/decision`, { verdict: 'allow', shown: asked.asks.shown });
  await quiet();
  const digest = await fetch(`${server.url}/v1/worlds/${world}/blobs?name=notes.txt`, { method: 'POST', body: 'notes', headers: { authorization: `Bearer ${await server.token('ada')}`, 'content-type': 'text/plain' } }).then((answer) => answer.json());
  await server.ask('ada', 'POST', `/worlds/${world}/messages`, { text: 'Notes', attachments: [digest] }).catch(() => null);
  await until('the clerk asks', async () => (await server.waiting('ada', world)).length === 1 || null);
  await post('@worker push the next one');
  await until('two requests wait', async () => (await server.waiting('ada', world)).length === 2 || null);
  const fork = (await server.ask('ada', 'POST', `/worlds/${world}/forks`, { at: asked.request, title: 'The other way' })).world;
  return { world, fork, at: asked.request };
}
