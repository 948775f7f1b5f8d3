// A model that speaks as OpenAI's Chat Completions do, and says the next piece when the test tells it to.

import http from 'node:http';
import { until } from './until.mjs';

/** A call of the model that is being answered. */
class Answer {
  /** @param {http.IncomingMessage} request @param {http.ServerResponse} response @param {any} body */
  constructor(request, response, body) {
    this.response = response;
    this.body = body;
    this.isGone = false;
    response.on('close', () => (this.isGone = !response.writableFinished));
    response.writeHead(200, { 'content-type': 'text/event-stream' });
  }

  #send(choice) {
    this.response.write(`data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, ...choice }] })}\n\n`);
  }

  /** One piece of the reply. @param {string} text */
  say(text) {
    this.#send({ delta: { role: 'assistant', content: text }, finish_reason: null });
    return this;
  }

  /** Ends the reply. */
  end(reason = 'stop') {
    this.#send({ delta: {}, finish_reason: reason });
    this.response.write(`data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [], usage: { prompt_tokens: 120, completion_tokens: 30, total_tokens: 150 } })}\n\n`);
    this.response.end('data: [DONE]\n\n');
  }

  /** Calls a tool, and ends. @param {string} name @param {any} args */
  call(name, args) {
    const text = typeof args === 'string' ? args : JSON.stringify(args);
    this.#send({ delta: { role: 'assistant', tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name, arguments: text } }] }, finish_reason: null });
    this.end('tool_calls');
  }

  /** The last message that the model read. */
  get read() {
    const last = this.body.messages.at(-1);
    const { content } = last;
    return typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join('');
  }
}

export class Model {
  /** @type {Answer[]} */
  waiting = [];
  /** Answers by itself, if it is given. @type {((answer: Answer) => void) | null} */
  always = null;

  async start() {
    this.server = http.createServer(async (request, response) => {
      let text = '';
      for await (const piece of request) text += piece;
      const answer = new Answer(request, response, JSON.parse(text));
      if (this.always) this.always(answer);
      else this.waiting.push(answer);
    });
    await new Promise((done) => this.server.listen(0, '127.0.0.1', () => done(undefined)));
    this.url = `http://127.0.0.1:${this.server.address().port}/v1`;
    return this;
  }

  /** The next call that somebody makes. @returns {Promise<Answer>} */
  next() {
    return until('the model is asked', () => this.waiting.shift());
  }

  async end() {
    this.server.closeAllConnections();
    await new Promise((done) => this.server.close(done));
  }
}
