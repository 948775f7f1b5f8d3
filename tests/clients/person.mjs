// Somebody who posts, follows and decides in one room until the standard input ends and all is answered. Each line of the
// standard output is what was sent or received.

import { Client } from './client.mjs';

const [url, name, world] = process.argv.slice(2);
const client = new Client(url, `token-${name}`);
const record = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

let goesOn = true;
process.stdin.on('end', () => (goesOn = false)).resume();

const over = new Set(); // the episodes that ended
let news = () => {};
const undecided = [];

async function decide({ request }) {
  const { line } = JSON.parse(request.arguments);
  const verdict = line.split('-').pop() % 4 === 2 ? 'deny' : 'allow';
  await client.decide(world, request, verdict);
  record({ decided: { request: request.request, line, verdict } });
}

async function follow() {
  for await (const event of client.follow(world)) {
    record(event);
    if (event.draft) continue;
    const item = JSON.parse(event.json);
    if (item.type === 'request') undecided.push(decide(item));
    if (item.activity === 'episode_ended') {
      over.add(item.episode);
      news();
    }
  }
}

async function post() {
  for (let number = 0; goesOn || number < 3; number += 1) {
    const text = `${number % 2 ? 'tell' : 'file'} ${name}-${number}`;
    const { message } = await client.post(world, text);
    while (!over.has(message)) await new Promise((done) => (news = done));
    record({ posted: { by: name, text, message } });
  }
  await Promise.all(undecided);
}

await Promise.race([follow(), post()]);
process.exit(0);
