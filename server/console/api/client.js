// Requests to the server. The token lives in this tab's storage and goes into a header: there is no cookie.

const KEY = 'folkmoot.token';

// Where the server is mounted: the page's address without its last part (`login`, or nothing).
const root = new URL('.', document.baseURI);

/** An answer that says no: RFC 9457 with the server's own members. */
export class Problem extends Error {
  /** @param {number} status @param {Record<string, any>} body */
  constructor(status, body) {
    super(body.detail ?? body.title ?? `The server answered with the status ${status}.`);
    this.status = status;
    this.body = body;
    /** @type {string} */
    this.code = body.code ?? '';
  }
}

/** The words of an error, for people. @param {unknown} error */
export function words(error) {
  if (error instanceof Problem) return error.message;
  if (error instanceof TypeError) return 'The server does not answer. Is it running?';
  return String(error instanceof Error ? error.message : error);
}

export const session = {
  get token() {
    return sessionStorage.getItem(KEY);
  },
  /** @param {string} token */
  begin(token) {
    sessionStorage.setItem(KEY, token);
  },
  /** Forgets the token, and words that were not sent: the next person at this tab reads none of them. */
  end() {
    sessionStorage.clear();
    localStorage.removeItem('folkmoot.notify');
  },
};

/**
 * Takes the session of another tab, if one answers at once, so that a link opens as whoever is signed in; and answers other
 * tabs from then on. Only pages of this origin hear it.
 */
export function borrow() {
  const tabs = new BroadcastChannel('folkmoot');
  const begun = new Promise((done) => {
    tabs.onmessage = ({ data }) => {
      if (data === 'who' && session.token) tabs.postMessage({ token: session.token });
      if (!data.token || session.token) return;
      session.begin(data.token);
      done(undefined);
    };
    setTimeout(done, 150);
  });
  if (session.token) return Promise.resolve();
  tabs.postMessage('who');
  return begun;
}

/** The server's clock: this machine's may go wrong. */
export const server = {
  ahead: 0,
  now() {
    return Date.now() + this.ahead;
  },
};

/** @param {string} path below `/v1` */
export const address = (path) => new URL(`v1${path}`, root);

/**
 * @typedef {object} Options
 * @property {any} [body] JSON, or a Blob as it is
 * @property {Record<string, string>} [headers]
 * @property {AbortSignal} [signal]
 * @property {string | null} [token] another than the one of this tab
 * @property {boolean} [keepalive] true if it is to go out though the page ends
 */

/** The response, if it is no problem. @param {string} method @param {string} path @param {Options} [options] */
export async function send(method, path, { body, headers, signal, token = session.token, keepalive } = {}) {
  /** @type {Record<string, string>} */
  const all = { ...headers };
  if (token) all.authorization = `Bearer ${token}`;
  const isFile = body instanceof Blob;
  if (body !== undefined && !isFile) all['content-type'] = 'application/json';
  const sent = body === undefined || isFile ? body : JSON.stringify(body);
  const response = await fetch(address(path), { method, headers: all, body: sent, signal, keepalive, cache: 'no-store' });
  const ahead = Date.parse(response.headers.get('date') ?? '') - Date.now();
  server.ahead = Math.abs(ahead) > 2000 ? ahead : 0; // the header counts in seconds
  if (response.ok) return response;
  const isProblem = response.headers.get('content-type')?.includes('json');
  const problem = new Problem(response.status, isProblem ? await response.json() : {});
  if (response.status === 401 && token === session.token) {
    session.end();
    dispatchEvent(new Event('fm-signed-out'));
  }
  throw problem;
}

/** @param {string} path @param {Options} [options] @returns {Promise<any>} */
export const get = async (path, options) => (await send('GET', path, options)).json();

const pause = (/** @type {number} */ ms) => new Promise((done) => setTimeout(done, ms));

/**
 * A command. It carries a key, and is repeated under it while the server is away, so that nothing is done twice.
 * @param {string} method @param {string} path @param {any} [body] @param {{ seconds?: number }} [options]
 * @returns {Promise<any>}
 */
export async function command(method, path, body, { seconds = 30 } = {}) {
  const headers = { 'idempotency-key': crypto.randomUUID() };
  const until = Date.now() + seconds * 1000;
  const { token } = session;
  for (let wait = 100; ; wait = Math.min(2 * wait, 2000)) {
    try {
      const response = await send(method, path, { body, headers, token });
      dispatchEvent(new CustomEvent('fm-unsent', { detail: false }));
      return response.status === 204 ? null : await response.json();
    } catch (error) {
      const passes = error instanceof TypeError || (error instanceof Problem && ([502, 503, 504].includes(error.status) || error.code === 'key_in_use'));
      // Nobody's command goes on in the name of whoever signs in next.
      if (!passes || Date.now() + wait > until || token !== session.token) throw error;
      dispatchEvent(new CustomEvent('fm-unsent', { detail: true }));
    }
    await pause(wait);
    if (token !== session.token) throw new Error('You signed out before this was sent.');
  }
}

/** A part of a path. @param {string | number} name */
export const part = (name) => encodeURIComponent(String(name));

/** The path of a room. @param {string} world @param {string} [rest] */
export const room = (world, rest = '') => `/worlds/${part(world)}${rest}`;

let caller = /** @type {Promise<any> | null} */ (null);
/** Who is signed in: asked once. @returns {Promise<any>} */
export const me = () => (caller ??= get('/me').catch((error) => { caller = null; throw error; }));
export const forget = () => (caller = null);
