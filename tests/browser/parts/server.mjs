// The real program: started on a store of its own, killed, and started again at the same address.

import { spawn, execFile } from 'node:child_process';
import { promisify } from 'node:util';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { until } from './until.mjs';

const run = promisify(execFile);
const TEMPLATES = new URL('../templates/', import.meta.url);

export class Server {
  /** @param {string} binary @param {string} [model] its address, which templates name MODEL */
  constructor(binary, model = 'http://127.0.0.1:1') {
    this.binary = binary;
    this.folder = fs.mkdtempSync(path.join(os.tmpdir(), 'folkmoot-browser-'));
    this.tokens = new Map();
    this.log = '';
    this.listen = '127.0.0.1:0';
    this.environment = { ...process.env, NO_COLOR: '1' };
    fs.mkdirSync(path.join(this.folder, 'templates/data'), { recursive: true });
    for (const name of fs.readdirSync(TEMPLATES)) {
      const text = fs.readFileSync(new URL(name, TEMPLATES), 'utf8');
      this.template(name, text.replaceAll('MODEL', model));
    }
    fs.writeFileSync(path.join(this.folder, 'templates/data/CHANGES.md'), 'Drafts stream.\nRequests wait.\n');
  }

  /** Writes a template. @param {string} name @param {string} text */
  template(name, text) {
    fs.writeFileSync(path.join(this.folder, 'templates', name), text);
  }

  /** The words that the program prints. */
  async cli(...args) {
    const { stdout } = await run(this.binary, ['--store', 'store', ...args], { cwd: this.folder, env: this.environment, maxBuffer: 1 << 26 });
    return stdout.trim();
  }

  /** The token of a person, made once. @param {string} name @param {string[]} options */
  async token(name, ...options) {
    if (!this.tokens.has(name)) this.tokens.set(name, await this.cli('token', 'new', '--as', name, '--tokens', 'tokens', ...options));
    return this.tokens.get(name);
  }

  /** The logs of rooms are signed from now on. */
  async signs() {
    await this.cli('key', 'new', 'desk.key');
    this.environment.FOLKMOOT_KEY = path.join(this.folder, 'desk.key');
  }

  async start() {
    this.log = '';
    this.process = spawn(this.binary, ['--store', 'store', 'serve', '--listen', this.listen, '--tokens', 'tokens', '--templates', 'templates'],
      { cwd: this.folder, env: this.environment, stdio: ['ignore', 'pipe', 'pipe'] });
    const child = this.process;
    this.ended = new Promise((done) => child.once('exit', (code, signal) => done(signal ?? code)));
    for (const out of [child.stdout, child.stderr]) out.on('data', (data) => (this.log += data));
    const address = await until('the server says where it listens', () => {
      if (child.exitCode !== null) throw new Error(`it ended: ${this.log}`);
      return /listening at (http:\S+)/.exec(this.log)?.[1];
    }, 30);
    this.url = address;
    this.listen = new URL(address).host; // the next life has the same address
    await until('the server is ready', async () => (await fetch(`${this.url}/readyz`)).ok || null, 30);
    return this;
  }

  /** kill -9. */
  async kill() {
    this.process.kill('SIGKILL');
    await this.ended;
  }

  async end() {
    if (this.process && this.process.exitCode === null && this.process.signalCode === null) await this.kill();
    fs.rmSync(this.folder, { recursive: true, force: true });
  }

  /** A request of a person, beside the browser: the JSON of its answer. */
  async ask(name, method, route, body, headers = {}) {
    const isText = typeof body === 'string' || body instanceof Uint8Array;
    const response = await fetch(`${this.url}/v1${route}`, {
      method,
      headers: { authorization: `Bearer ${await this.token(name)}`, ...(isText || body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      body: isText || body === undefined ? body : JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${route}: ${response.status} ${text}`);
    return text === '' ? null : JSON.parse(text);
  }

  /** Opens a room. @param {string} name who @param {string} template @param {string} [title] @returns {Promise<string>} its name */
  async open(name, template, title) {
    return (await this.ask(name, 'POST', '/worlds', { template, title })).world;
  }

  /** The requests that wait in a room. */
  async waiting(name, world) {
    return (await this.ask(name, 'GET', `/worlds/${world}/requests`)).requests;
  }

  /** Those of a room, once there are any. */
  asked(name, world) {
    return until(`a request waits in ${world}`, async () => {
      const found = await this.waiting(name, world);
      return found.length > 0 ? found : null;
    });
  }

  /** The messages of a room, oldest first. */
  async messages(name, world) {
    const { entries } = await this.ask(name, 'GET', `/worlds/${world}/messages?limit=200`);
    return entries.flatMap((entry) => entry.message ?? []).reverse();
  }

  /** How often tools ran that count their runs. */
  runs() {
    const file = path.join(this.folder, 'templates/data/runs.txt');
    return fs.existsSync(file) ? fs.readFileSync(file, 'utf8').trim().split('\n').length : 0;
  }
}
