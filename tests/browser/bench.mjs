// How fast the console is, measured in the browser: a room of 10,000 messages, drafts, an hour of a busy room, a log of 100,000
// events. The room and the log are made here, since only the page is measured; all else comes from the real program.
//
//   FOLKMOOT_BINARY=… BROWSER_PACKAGES=target/browser node tests/browser/bench.mjs

import http from 'node:http';
import { Journey } from './parts/journey.mjs';
import { browse } from './parts/people.mjs';
import { until } from './parts/until.mjs';

const MESSAGES = 10_000;
const EVENTS = 100_000;
const HOUR_S = 3600;
const START = Date.parse('2026-11-25T09:00:00Z');
const WORDS = 'the release waits for a green build and somebody who reads **every** line of it, `twice` if need be'.split(' ');

/** Words that differ from message to message. @param {number} number */
const words = (number) => Array.from({ length: 8 + (number * 7) % 40 }, (_, index) => WORDS[(number * 31 + index * 7) % WORDS.length]).join(' ');

/** @param {number} at @param {number} seconds @param {any} body */
const item = (at, seconds, body) => ({ id: String(at), time: new Date(START + seconds * 1000).toISOString(), episode: 1, ...body });

/** @param {number} at @param {number} seconds */
const message = (at, seconds) => item(at, seconds, { type: 'message', message: at, author: at % 2 ? { agent: 'planner' } : { person: 'ada' }, ...(at % 2 ? { agent: 'planner' } : { by: { method: 'token', subject: 'ada', display: 'ada' } }), text: words(at) });

const OLD = Array.from({ length: MESSAGES }, (_, index) => message(4 * (index + 1), index));
const HEAD = 4 * MESSAGES;

/** A server before the real one, which has one room more: `big`. */
class Front {
  /** @type {Set<http.ServerResponse>} feeds that are open */
  feeds = new Set();

  /** @param {string} url of the real server */
  constructor(url) {
    this.real = new URL(url);
  }

  async start() {
    this.server = http.createServer((request, response) => this.answer(request, response)).listen(0, '127.0.0.1');
    await new Promise((done) => this.server.once('listening', done));
    this.url = `http://127.0.0.1:${this.server.address().port}`;
    return this;
  }

  /** @param {http.IncomingMessage} request @param {http.ServerResponse} response */
  answer(request, response) {
    const url = new URL(request.url ?? '', 'http://front');
    const made = /^\/v1\/worlds\/big(\/.*)?$/.exec(url.pathname);
    if (made) return this.made(made[1] ?? '', url.searchParams, response);
    const headers = { ...request.headers, host: this.real.host, ...(request.headers.origin && { origin: this.real.origin }) };
    const there = http.request(this.real, { path: request.url, method: request.method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    there.on('error', () => response.destroy());
    request.pipe(there);
  }

  /** @param {string} path @param {URLSearchParams} query @param {http.ServerResponse} response */
  made(path, query, response) {
    if (path === '/feed') return this.feed(Number(query.get('after') ?? 0), response);
    response.writeHead(200, { 'content-type': 'application/json' });
    const detail = { name: 'big', labels: {}, owner: 'token:ada', head: path === '' ? HEAD : EVENTS, time: OLD[0].time, activity: 'idle', waiting: 0, may: ['read', 'post', 'decide', 'operate'], agents: ['planner'], people: [{ key: 'token:ada', name: 'ada' }], kinds: [], states: [] };
    if (path === '') return response.end(JSON.stringify({ ...detail, head: this.isLog ? EVENTS : HEAD }));
    if (path === '/events') return response.end(JSON.stringify(this.outline(Number(query.get('from') ?? 1), Number(query.get('limit') ?? 1000))));
    const at = Number(path.split('/').at(-1));
    if (path.startsWith('/events/')) return response.end(JSON.stringify({ position: at, kind: 'MessagePosted', time: START + at, words: 'ada: hello', lane: 'person:token:ada', facts: {}, content: {}, within: [at, at] }));
    response.end('{}');
  }

  /** @param {number} from @param {number} limit */
  outline(from, limit) {
    const kinds = ['MessagePosted', 'MessageRouted', 'TurnOpened', 'ModelCalled', 'ModelAnswered', 'TurnClosed'];
    const lanes = ['person:token:ada', 'room', 'agent:planner', 'agent:planner', 'agent:planner', 'agent:planner'];
    const last = Math.min(EVENTS, from + limit - 1);
    const events = [];
    for (let at = from; at <= last; at++) events.push({ position: at, time: START + at * 40, kind: kinds[at % 6], lane: lanes[at % 6], ...(at % 997 === 0 && { mark: 'error' }) });
    return { events, ...(last < EVENTS && { next: last + 1 }) };
  }

  /** @param {number} after @param {http.ServerResponse} response */
  feed(after, response) {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const wanted = OLD.slice(Math.max(0, Math.floor(after / 4)));
    response.write(wanted.filter((one) => Number(one.id) > after).map(sent).join('') + sent({ type: 'caught_up', after: String(HEAD) }));
    this.feeds.add(response);
    response.on('close', () => this.feeds.delete(response));
  }

  /** Sends to all that follow. @param {any[]} frames */
  send(frames) {
    for (const feed of this.feeds) feed.write(frames.map(sent).join(''));
  }
}

/** A frame as a server-sent event. @param {any} frame */
const sent = (frame) => `event: ${frame.type}\n${frame.id ? `id: ${frame.id}\n` : ''}data: ${JSON.stringify(frame)}\n\n`;

/** Notes how the page fares, from its first moment on. */
function note() {
  const noted = { long: [], heard: 0, painted: 0, drafts: [] };
  Object.assign(window, { noted });
  new PerformanceObserver((list) => noted.long.push(...list.getEntries().map((entry) => Math.round(entry.duration)))).observe({ entryTypes: ['longtask'] });
  const { read } = ReadableStreamDefaultReader.prototype;
  ReadableStreamDefaultReader.prototype.read = async function () {
    const piece = await read.call(this);
    noted.heard = performance.now();
    return piece;
  };
  const seen = new MutationObserver(() => {
    if (noted.painted === 0 && document.querySelector('.slot, fm-timeline path.bars')) {
      noted.painted = -1;
      const { heard } = noted;
      requestAnimationFrame(() => setTimeout(() => Object.assign(noted, { at: performance.now(), painted: performance.now() - heard })));
    }
    const draft = document.querySelector('.draft .prose')?.textContent ?? '';
    if (draft !== noted.draft) noted.drafts.push(performance.now() - noted.heard);
    noted.draft = draft;
  });
  seen.observe(document, { childList: true, subtree: true, characterData: true });
}

/** @param {number[]} figures */
const median = (figures) => [...figures].sort((a, b) => a - b)[Math.floor(figures.length / 2)] ?? 0;
const say = (words, figure) => console.log(`${words.padEnd(62)} ${figure}`);

async function bench(journey) {
  const server = await journey.server();
  const front = await new Front(server.url).start();
  const ada = await journey.person({ ...server, url: front.url, token: (name) => server.token(name) }, 'ada', { viewport: { width: 1440, height: 900 } });
  await ada.context.addInitScript(note);
  const page = await ada.tab();
  const cdp = await ada.context.newCDPSession(page);
  const fresh = async (hash) => {
    await page.goto('about:blank');
    await page.goto(`${front.url}/${hash}`);
    return until('the page is painted', () => page.evaluate(() => window.noted.painted > 0), 30);
  };
  const paints = [];
  for (let round = 0; round < 5; round++) {
    await fresh('#/rooms/big');
    paints.push(await page.evaluate(() => window.noted.painted));
  }
  say(`a room of ${MESSAGES} messages is painted after its data, median (ms)`, median(paints).toFixed(0));

  await page.evaluate(() => (window.noted.long = []));
  const drawn = await page.evaluate(async () => {
    const scroller = document.querySelector('.scroller');
    const { history } = document.querySelector('fm-transcript');
    const end = performance.now() + 120_000;
    while (performance.now() < end && (history.from > 0 || scroller.scrollTop > 0)) {
      scroller.scrollTop -= 400;
      await new Promise((done) => requestAnimationFrame(done));
    }
    return [history.room.entries.length, document.querySelectorAll('.slot').length];
  });
  const long = await page.evaluate(() => window.noted.long);
  say(`scrolling back over ${drawn[0]} of them: tasks above 50 ms, and the longest`, `${long.length}, ${Math.max(0, ...long)} ms`);
  say('entries in the page after that', drawn[1]);

  await fresh('#/rooms/big');
  let offset = 0;
  for (let piece = 0; piece < 200; piece++) {
    const text = `${words(piece)}\n\n`;
    front.send([{ type: 'draft', agent: 'planner', message: HEAD + 4, offset, text }]);
    offset += Buffer.byteLength(text);
    await until('the draft is seen', () => page.evaluate((count) => window.noted.drafts.length > count, piece), 10);
  }
  const drafts = await page.evaluate(() => window.noted.drafts);
  say('a piece of a draft is in the page, median and longest (ms)', `${median(drafts).toFixed(1)}, ${Math.max(...drafts).toFixed(1)}`);
  front.send([{ type: 'draft_end', message: HEAD + 4, ending: 'aborted' }]);

  const heap = async () => {
    await cdp.send('HeapProfiler.collectGarbage');
    const { usedSize } = await cdp.send('Runtime.getHeapUsage');
    const { nodes } = await cdp.send('Memory.getDOMCounters');
    return { mb: usedSize / 1e6, nodes };
  };
  let at = HEAD;
  const figures = [];
  for (let second = 0; second < HOUR_S; second++) {
    const frames = [message((at += 4), second)];
    if (second % 5 === 0) {
      const call = `call${second}`;
      frames.push(item((at += 1), second, { type: 'call_started', agent: 'planner', call, tool: 'read', arguments: '{"path":"a"}', attempt: 1, effect: 'read' }));
      frames.push(item((at += 1), second, { type: 'call_finished', agent: 'planner', call, tool: 'read', status: 'done', text: words(second), words: 'done' }));
    }
    front.send(frames);
    const last = String(at);
    if (second % 20 === 19) await until('the page has it', () => page.evaluate((last) => document.querySelector('fm-transcript').history.feed.last === last, last), 20);
    if ([HOUR_S / 3 - 1, (2 * HOUR_S) / 3 - 1, HOUR_S - 1].includes(second)) figures.push(await heap());
  }
  say('memory of the page after 20, 40 and 60 minutes of a busy room (MB)', figures.map(({ mb }) => mb.toFixed(1)).join(', '));
  say('its nodes', figures.map(({ nodes }) => nodes).join(', '));

  front.isLog = true;
  await fresh('#/audit/big');
  const first = await page.evaluate(() => window.noted.at - performance.getEntriesByType('resource').find((one) => one.name.includes('/events?')).responseEnd);
  say(`a log of ${EVENTS} events: its first page is painted after its data (ms)`, first.toFixed(0));
  await until('the whole log is there', () => page.evaluate((events) => document.body.textContent.includes(`${events.toLocaleString('en-GB')} events`), EVENTS), 60);
  await page.evaluate(() => (window.noted.long = []));
  const list = page.getByRole('listbox', { name: 'Events' });
  for (const top of [0.1, 0.9, 0.5, 0.3, 0.7]) await list.evaluate((element, top) => new Promise((done) => {
    element.scrollTop = element.scrollHeight * top;
    requestAnimationFrame(() => requestAnimationFrame(done));
  }), top);
  const timeline = page.getByRole('slider', { name: 'Timeline' });
  await timeline.focus();
  for (const key of ['+', '+', '+', '+', '+', '+', 'ArrowRight', 'PageDown', '-', '-', '0', 'End', 'Home']) await timeline.press(key);
  const tasks = await page.evaluate(() => window.noted.long);
  say('jumping and zooming in it: tasks above 50 ms, and the longest', `${tasks.length}, ${Math.max(0, ...tasks)} ms`);
}

const browser = await browse();
const journey = new Journey('bench', browser, process.env.FOLKMOOT_BINARY);
try {
  await bench(journey);
} finally {
  await journey.end();
  await browser.close();
}
process.exit(0);
