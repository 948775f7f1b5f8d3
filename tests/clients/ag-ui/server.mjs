// A server of the test: it is started, killed and started again over one store.

import { spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

export class Server {
  constructor(program, folder) {
    this.program = program;
    this.folder = folder;
  }

  // Begins a life. `env` is what this life knows beside all others.
  async start(env = {}) {
    this.port ??= await freePort();
    this.url = `http://127.0.0.1:${this.port}`;
    const words = openSync(`${this.folder}/server.log`, 'a');
    const address = `127.0.0.1:${this.port}`;
    this.life = spawn(this.program, ['store', 'templates', 'ledger', address], {
      cwd: this.folder,
      env: { ...process.env, ...env },
      stdio: ['ignore', words, words],
    });
    process.on('exit', () => this.life.kill('SIGKILL'));
    await this.#listens();
  }

  // Ends a life as a power cut does.
  async kill() {
    const ended = once(this.life, 'exit');
    this.life.kill('SIGKILL');
    await ended;
  }

  // Asks the server's own routes, in the name of `who`.
  async ask(who, path, body, method = body === undefined ? 'GET' : 'POST') {
    const headers = { authorization: `Bearer ${who}`, 'content-type': 'application/json' };
    const options = { method, headers, body: body === undefined ? undefined : JSON.stringify(body) };
    const response = await fetch(`${this.url}/v1${path}`, options);
    const text = await response.text();
    if (!response.ok) throw Object.assign(new Error(text), { status: response.status });
    return JSON.parse(text);
  }

  async #listens() {
    for (let tries = 0; tries < 2000; tries += 1) {
      if (this.life.exitCode !== null) throw new Error('the server did not start: see server.log');
      const socket = connect(this.port, '127.0.0.1');
      try {
        await once(socket, 'connect');
        return;
      } catch {
        await new Promise((done) => setTimeout(done, 10));
      } finally {
        socket.destroy();
      }
    }
    throw new Error('the server does not listen');
  }
}

async function freePort() {
  const listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address();
  listener.close();
  await once(listener, 'close');
  return port;
}
