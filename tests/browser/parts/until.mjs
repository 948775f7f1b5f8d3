// Waiting for what will be: asked again and again under a deadline, and never for a time.

/**
 * The value that `look` gives once it is neither false, null nor undefined, and does not fail.
 * @template T @param {string} what in words, for whoever reads that it did not come
 * @param {() => T | Promise<T>} look
 */
export async function until(what, look, seconds = 15) {
  const end = Date.now() + seconds * 1000;
  for (let why = ''; ;) {
    try {
      const found = await look();
      if (found !== false && found !== null && found !== undefined) return found;
      why = `it was ${found}`;
    } catch (error) {
      why = String(error.message ?? error);
    }
    if (Date.now() > end) throw new Error(`waited ${seconds} s until ${what}: ${why}`);
    await new Promise((done) => setTimeout(done, 40));
  }
}

/** Fails unless `is`. @param {unknown} is @param {string} words */
export function expect(is, words) {
  if (!is) throw new Error(words);
}

/** Fails unless both are the same as JSON. */
export function same(found, wanted, words) {
  const [a, b] = [JSON.stringify(found), JSON.stringify(wanted)];
  if (a !== b) throw new Error(`${words}:\n  found  ${a}\n  wanted ${b}`);
}
