// People at browsers: each in a context of their own, with any number of tabs. A page that does what none may do fails the journey.

import { createRequire } from 'node:module';
import fs from 'node:fs';
import path from 'node:path';

const require = createRequire(`${process.env.BROWSER_PACKAGES}/`);
const { chromium } = require('playwright-core');
const { default: AxeBuilder } = require('@axe-core/playwright');

const BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

export function browse() {
  const executablePath = process.env.CHROMIUM ?? BROWSERS.find((one) => fs.existsSync(one));
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
}

export class Person {
  /** Errors that this person may meet, as the journey says. @type {RegExp[]} */
  allowed = [];
  /** @type {string[]} what no page may do */
  faults = [];
  /** @type {string[]} all that pages wrote */
  said = [];

  /** @param {any} browser @param {any} server @param {string} name @param {any} options of the context */
  static async come(browser, server, name, options = {}) {
    const person = new Person();
    person.name = name;
    person.server = server;
    person.context = await browser.newContext({ viewport: { width: 1280, height: 800 }, acceptDownloads: true, locale: 'en-GB', ...options });
    person.context.setDefaultTimeout(15_000);
    await person.context.addInitScript(() => {
      addEventListener('securitypolicyviolation', (event) => console.error(`CSP: ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile ?? ''}`));
    });
    person.context.on('page', (page) => person.#watch(page));
    return person;
  }

  #fault(words) {
    this.said.push(words);
    if (!this.allowed.some((one) => one.test(words))) this.faults.push(words);
  }

  #watch(page) {
    page.on('console', (message) => {
      if (message.type() === 'error') this.#fault(`console: ${message.text()} (${message.location().url})`);
      else this.said.push(`${message.type()}: ${message.text()}`);
    });
    page.on('pageerror', (error) => this.#fault(`uncaught: ${error.stack ?? error}`));
    page.on('dialog', (dialog) => {
      this.#fault(`dialog: ${dialog.message()}`);
      dialog.dismiss();
    });
    page.on('request', (request) => {
      const url = request.url();
      if (!url.startsWith(this.server.url) && !/^(blob|data|about):/.test(url)) this.#fault(`request elsewhere: ${url}`);
    });
  }

  /** This person may meet errors like these. @param {...RegExp} patterns */
  may(...patterns) {
    this.allowed.push(...patterns);
    return this;
  }

  /** A new tab with the page `hash`, signed in as other tabs are: each tab signs in for itself. */
  async tab(hash = '') {
    const page = await this.context.newPage();
    await this.signIn(page);
    if (hash !== '') await this.go(page, hash);
    return page;
  }

  /** Signs in by the page for it, with the token of the person, unless another of their tabs has. */
  async signIn(page) {
    await page.goto(`${this.server.url}/`);
    const field = page.getByLabel(/token/i);
    await field.or(page.getByRole('navigation')).first().waitFor();
    if (!(await field.isVisible())) return; // another tab lent its session
    await field.fill(await this.server.token(this.name));
    await page.getByRole('button', { name: /sign in/i }).click();
    await page.getByRole('navigation').first().waitFor();
  }

  async go(page, hash) {
    await page.goto(`${this.server.url}/${hash}`);
    await page.locator('main h1').first().waitFor();
  }

  /** The faults that axe finds on a page, in words. */
  async axe(page) {
    const found = await new AxeBuilder({ page }).withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']).analyze();
    return found.violations.map((one) => `${one.id}: ${one.help}: ${one.nodes.slice(0, 4).map((node) => `${node.target} (${node.failureSummary?.split('\n')[1]?.trim()})`).join(' | ')}`);
  }

  /** Pictures and words of all tabs, for whoever looks for a cause. */
  async picture(folder) {
    fs.mkdirSync(folder, { recursive: true });
    for (const [number, page] of this.context.pages().entries()) {
      await page.screenshot({ path: path.join(folder, `${this.name}-${number}.png`), timeout: 5000 }).catch(() => {});
      const text = await page.locator('body').ariaSnapshot({ timeout: 5000 }).catch(() => '');
      fs.writeFileSync(path.join(folder, `${this.name}-${number}.txt`), `${page.url()}\n\n${text}`);
    }
    fs.writeFileSync(path.join(folder, `${this.name}-said.txt`), this.said.join('\n'));
  }
}
