// Sends each request on to a server with a token, and changes nothing else: a request that names the gate as its host names the
// server then, and one that names another host still does.

import http from 'node:http';

const [gate, port, token] = process.argv.slice(2);

const named = (text) => text?.replace(`:${gate}`, `:${port}`);

http
  .createServer((request, response) => {
    const headers = { ...request.headers, authorization: `Bearer ${token}`, host: named(request.headers.host) };
    if (headers.origin) headers.origin = named(headers.origin);
    const { method, url: path } = request;
    const sent = http.request({ host: '127.0.0.1', port, method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    });
    sent.on('error', () => response.destroy());
    response.on('close', () => sent.destroy());
    request.pipe(sent);
  })
  .listen(gate, '127.0.0.1');
