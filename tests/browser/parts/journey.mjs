// The means of a journey: the program, people, and a clean end.

import fs from 'node:fs';
import path from 'node:path';
import { Server } from './server.mjs';
import { Model } from './model.mjs';
import { Person } from './people.mjs';

export class Journey {
  people = [];
  servers = [];
  models = [];
  last = '';
  begun = Date.now(); // the last step

  constructor(name, browser, binary) {
    this.name = name;
    this.browser = browser;
    this.binary = binary;
  }

  /** Says which step comes, for whoever reads where it ended. @param {string} words */
  step(words) {
    this.last = words;
    this.begun = Date.now();
    if (process.env.BROWSER_STEPS) console.log(`  ${words}`);
  }

  async model() {
    const model = await new Model().start();
    this.models.push(model);
    return model;
  }

  /** A server with the tokens of `people`: ada opens rooms and may everything, others may everything but that. */
  async server({ people = ['ada', 'ben'], model, isSigned = false } = {}) {
    const server = new Server(this.binary, model?.url);
    this.servers.push(server);
    for (const name of people) await server.token(name, ...(name === 'ada' ? ['--create'] : []));
    if (isSigned) await server.signs();
    return server.start();
  }

  /** Somebody at a browser of their own. */
  async person(server, name, options) {
    const person = await Person.come(this.browser, server, name, options);
    this.people.push(person);
    return person;
  }

  /** Fails if a page did what none may do. */
  check() {
    const faults = this.people.flatMap((person) => person.faults.map((one) => `${person.name}: ${one}`));
    if (faults.length > 0) throw new Error(`pages did what they may not:\n  ${faults.slice(0, 20).join('\n  ')}`);
  }

  async picture(folder) {
    fs.mkdirSync(folder, { recursive: true });
    for (const person of this.people) await person.picture(folder);
    this.servers.forEach((server, number) => fs.writeFileSync(path.join(folder, `server-${number}.log`), server.log));
  }

  async end() {
    for (const person of this.people) await person.context.close().catch(() => {});
    for (const server of this.servers) await server.end();
    for (const model of this.models) await model.end();
  }
}
