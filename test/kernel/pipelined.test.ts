/** Requests that come before the answer to the one before them. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { definePlugin } from '@svc/plugin-sdk';
import type { Exchange } from '@svc/plugin-sdk/http';
import { bootForTest } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';

const test = suite('pipelined requests');

test('a response that is destroyed before its turn ends the connection after the first one', async () => {
  const held: Exchange[] = [];
  let whenBoth = () => {};
  const both = new Promise<void>((resolve) => (whenBoth = resolve));
  const plugin = definePlugin({
    name: 'held',
    version: '1.0.0',
    setup: ({ hooks }) =>
      hooks.routes.tap((routes) =>
        routes.add({
          path: '/held',
          handle(exchange) {
            if (held.push(exchange) === 2) whenBoth();
          },
        }),
      ),
  });
  const app = await bootForTest([plugin]);
  const client = connect(Number(new URL(app.url).port), '127.0.0.1');
  try {
    let text = '';
    client.setEncoding('utf8').on('data', (data) => {
      text += data;
    });
    const ended = once(client, 'close');
    client.write('GET /held HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(2));
    await both;
    held[1]!.response.destroy();
    held[0]!.response.end('first');
    await ended;
    assert.match(text, /^HTTP\/1\.1 200 OK\r\n[\s\S]*first/);
  } finally {
    client.destroy();
    await app.stop();
  }
});

test.run();
