// Runs journeys one after the other: those that are named, or all that any build can go. Those of a feature are named.

import fs from 'node:fs';
import path from 'node:path';
import { Journey } from './parts/journey.mjs';
import { browse } from './parts/people.mjs';

const folder = new URL('journeys/', import.meta.url);
const packages = process.env.BROWSER_PACKAGES;
const failed = path.join(packages, 'failed');
const LIMIT_MS = 180_000; // a step that takes longer hangs

const all = fs.readdirSync(folder).filter((name) => name.endsWith('.mjs')).map((name) => name.slice(0, -4)).sort();
const OF_FEATURES = ['copilot'];
const wanted = process.argv.length > 2 ? process.argv.slice(2) : all.filter((name) => !OF_FEATURES.includes(name));
const unknown = wanted.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  console.error(`no journey ${unknown.join(', ')}: ${all.join(', ')}`);
  process.exit(2);
}

/** True if the journey came to its end. */
async function run(browser, name) {
  const begun = Date.now();
  const journey = new Journey(name, browser, process.env.FOLKMOOT_BINARY);
  let limit;
  let error = null;
  try {
    const { default: go } = await import(new URL(`${name}.mjs`, folder));
    const late = new Promise((_, fail) => {
      limit = setInterval(() => Date.now() - journey.begun > LIMIT_MS && fail(new Error(`a step is not done after ${LIMIT_MS / 1000} s`)), 1000);
    });
    await Promise.race([go(journey), late]);
    journey.check();
  } catch (caught) {
    error = caught;
    await journey.picture(path.join(failed, name));
  }
  clearInterval(limit);
  await journey.end();
  const took = ((Date.now() - begun) / 1000).toFixed(1);
  if (error === null) console.log(`browser: ${name} in ${took} s`);
  else console.log(`browser: ${name} FAILED after ${took} s ${journey.last && `(after: ${journey.last})`}\n${error.stack ?? error}\n`);
  return error === null;
}

fs.rmSync(failed, { recursive: true, force: true });
const browser = await browse();
let passed = 0;
for (const name of wanted) if (await run(browser, name)) passed += 1;
await browser.close();
if (passed < wanted.length) console.log(`browser: pictures and words of what failed are in ${failed}`);
console.log(`${passed} passed, ${wanted.length - passed} failed`);
process.exit(passed === wanted.length ? 0 : 1);
