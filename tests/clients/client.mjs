// A client of Folkmoot's rooms in plain JavaScript, for node 20 and for browsers.
//
// Commands carry a key and are repeated under it until they are answered, so that nothing is done twice. A feed comes back
// behind the last item that it gave, so that nothing is missed. A connection can be lost without a word: whatever is silent
// for a minute is asked for again. Servers say something in a feed every 15 seconds.

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

// Ends a fetch that hears nothing for a minute. `AbortSignal.timeout` would let node exit while it waits.
class Silence {
  #aborts = new AbortController();
  signal = this.#aborts.signal;
  begin() {
    this.end();
    this.timer = setTimeout(() => this.#aborts.abort(new TypeError('nothing was heard for a minute')), 60_000);
  }
  end = () => clearTimeout(this.timer);
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export class Client {
  constructor(base, token) {
    this.base = `${base}/v1/worlds`;
    this.headers = { authorization: `Bearer ${token}` };
  }

  // Sends a request until it is answered; a problem is thrown, but for those that pass.
  async send(path, options) {
    for (let wait = 20; ; wait = Math.min(2 * wait, 2000)) {
      const silence = new Silence();
      silence.begin();
      let response;
      try {
        const headers = { ...this.headers, ...options.headers };
        response = await fetch(this.base + path, { ...options, headers, signal: silence.signal });
        if (response.ok && options.stream) return { body: response.body, silence };
        if (response.ok) return await response.json();
        const isProblem = response.headers.get('content-type') === 'application/problem+json';
        const problem = isProblem ? await response.json() : { detail: `status ${response.status}` };
        const passes = [502, 503, 504].includes(response.status) || problem.code === 'key_in_use';
        if (!passes) throw Object.assign(new Error(problem.detail), { problem });
      } catch (error) {
        if (!(error instanceof TypeError)) throw error; // fetch says so that a connection is lost
      } finally {
        if (!(response?.ok && options.stream)) silence.end();
      }
      await pause(wait * (0.5 + Math.random() / 2));
    }
  }

  command(path, body, key = crypto.randomUUID()) {
    const headers = { 'content-type': 'application/json', 'idempotency-key': key };
    return this.send(path, { method: 'POST', headers, body: JSON.stringify(body) });
  }

  post = (world, text, key) => this.command(`/${world}/messages`, { text }, key);

  // Decides about a request of the feed: 'allow' or 'deny'.
  decide = (world, { request, asks }, verdict, key) =>
    this.command(`/${world}/requests/${request}/decision`, { verdict, shown: asks.shown }, key);

  // Gives { id, json } for each item, and { draft } for what is new of a reply that is being written.
  async *follow(world, last) {
    const drafts = new Map(); // bytes that were given, by message
    for (;;) {
      const headers = last === undefined ? {} : { 'last-event-id': last };
      const { body, silence } = await this.send(`/${world}/feed`, { headers, stream: true });
      let text = '';
      const utf8 = new TextDecoder();
      try {
        for await (const bytes of body) {
          silence.begin();
          const events = (text + utf8.decode(bytes, { stream: true })).split('\n\n'); // our server ends lines with \n
          text = events.pop();
          for (const event of events) {
            const field = Object.fromEntries(event.split('\n').map((line) => line.split(/: (.*)/, 2)));
            if (field.id !== undefined) yield { id: (last = field.id), json: field.data };
            else if (field.event === 'draft') {
              const draft = JSON.parse(field.data);
              const bytes = encoder.encode(draft.text);
              const known = (drafts.get(draft.message) ?? 0) - draft.offset;
              if (known >= bytes.length) continue;
              drafts.set(draft.message, draft.offset + bytes.length);
              yield { draft: { ...draft, offset: draft.offset + known, text: decoder.decode(bytes.subarray(known)) } };
            }
          }
        }
      } catch (error) {
        if (!(error instanceof TypeError)) throw error;
      } finally {
        silence.end();
      }
      await pause(20);
    }
  }
}
