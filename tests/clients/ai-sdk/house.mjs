// The server in a process of its own, a proxy that loses connections, and chats of the AI SDK.

import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import net from 'node:net';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { Model } from '../../browser/parts/model.mjs';
import { until } from '../../browser/parts/until.mjs';

const TEMPLATES = new URL('templates/', import.meta.url);

/** A package out of the folder in which they were installed. @param {string} packages @param {string} name */
export const load = (packages, name) =>
  import(pathToFileURL(createRequire(path.join(packages, 'package.json')).resolve(name)).href);

const listen = (/** @type {net.Server} */ server) =>
  new Promise((done) => server.listen(0, '127.0.0.1', () => done(server.address().port)));

/** A port that nobody has. */
async function freePort() {
  const server = net.createServer();
  const port = await listen(server);
  await new Promise((done) => server.close(done));
  return port;
}

/** A server over a store in a folder, whose models are one that the test speaks for. */
export class House {
  /** @param {string} program @param {string} folder */
  constructor(program, folder) {
    this.program = program;
    this.folder = folder;
    this.model = new Model();
    this.log = '';
  }

  async start() {
    await this.model.start();
    for (const name of fs.readdirSync(TEMPLATES)) {
      const text = fs.readFileSync(new URL(name, TEMPLATES), 'utf8').replaceAll('MODEL', this.model.url);
      fs.writeFileSync(path.join(this.folder, 'templates', name), text);
    }
    this.port = await freePort();
    this.url = `http://127.0.0.1:${this.port}`;
    return this.live();
  }

  /** Begins a life of the server, over what the last one left. */
  async live() {
    this.process = spawn(this.program, ['store', 'templates', 'ledger', `127.0.0.1:${this.port}`], { cwd: this.folder, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const out of [this.process.stdout, this.process.stderr]) out.on('data', (data) => (this.log += data));
    this.ended = new Promise((done) => this.process.once('exit', done));
    await until('the server is ready', async () => {
      if (this.process.exitCode !== null) throw new Error(`it ended: ${this.log}`);
      return (await fetch(`${this.url}/readyz`)).ok;
    }, 60);
    return this;
  }

  /** Ends a life of the server. @param {NodeJS.Signals} signal */
  async die(signal) {
    this.process.kill(signal);
    await this.ended;
  }

  async end() {
    await this.die('SIGKILL');
    await this.model.end();
  }

  /** The JSON of an answer beside the chats. */
  async ask(person, method, route, body) {
    const headers = { authorization: `Bearer token-${person}`, ...(body && { 'content-type': 'application/json' }) };
    const response = await fetch(`${this.url}/v1${route}`, { method, headers, body: body && JSON.stringify(body) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${route}: ${response.status} ${text}`);
    return JSON.parse(text);
  }

  /** Opens a room of ada's. @param {string} template */
  open = async (template) => (await this.ask('ada', 'POST', '/worlds', { template })).world;

  /** The recorded events of a kind. */
  events = async (world, kind) => (await this.ask('ada', 'GET', `/worlds/${world}/events?kind=${kind}`)).events;

  /** How often a line was filed. @param {string} line */
  filed(line) {
    const ledger = path.join(this.folder, 'ledger');
    if (!fs.existsSync(ledger)) return 0;
    return fs.readFileSync(ledger, 'utf8').split('\n').filter((run) => run.endsWith(` ${line}`)).length;
  }
}

/** A way to the server on which connections can be lost. */
export class Proxy {
  sockets = new Set();

  /** @param {number} port where the server is */
  async start(port) {
    this.server = net.createServer((near) => {
      const far = net.connect(port, '127.0.0.1');
      for (const [one, other] of [[near, far], [far, near]]) {
        this.sockets.add(one);
        one.on('error', () => other.destroy());
        one.on('close', () => (this.sockets.delete(one), other.destroy()));
        one.pipe(other);
      }
    });
    this.url = `http://127.0.0.1:${await listen(this.server)}`;
    return this;
  }

  /** Loses all connections. */
  cut() {
    for (const socket of this.sockets) socket.resetAndDestroy();
  }

  end() {
    this.server.close();
    this.cut();
  }
}

/** Makes chats of the packages' own classes. */
export class Chats {
  /** @param {any} ai @param {any} react */
  constructor(ai, react) {
    this.ai = ai;
    this.react = react;
  }

  /** A chat of a person in a room. @param {string} url @param {string} world */
  of(url, world, person = 'ada') {
    const { DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses } = this.ai;
    const posts = [];
    const transport = new DefaultChatTransport({
      api: `${url}/v1/worlds/${world}/ai-sdk`,
      headers: { authorization: `Bearer token-${person}` },
      prepareReconnectToStreamRequest: ({ api }) => ({ api: `${api}/stream` }),
      fetch: (input, options) => (posts.push(`${options.method} ${input}`), fetch(input, options)),
    });
    const chat = new this.react.Chat({ transport, sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses });
    return Object.assign(chat, { posts });
  }
}

/** The newest message of a chat. */
export const last = (chat) => chat.messages.at(-1);

/** The texts of a message, in order. */
export const texts = (message) => message.parts.filter((part) => part.type === 'text').map((part) => part.text);

/** The calls of a message, in order. */
export const calls = (message) => message.parts.filter((part) => part.type === 'dynamic-tool');

/** The data of a kind in a message, in order. */
export const data = (message, kind) => message.parts.filter((part) => part.type === `data-${kind}`).map((part) => part.data);
