// Bodies and messages that do not come to their end: their memory is bounded, and comes back.
// proof only: 8
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { makeSite, startServer } from '../process/server.ts';
import { eventually } from '../protocol/js-worker-kit.ts';
import { suite } from '../runner/suite.ts';
import { callOver, frameHeader, open, openSilent, pour, stillOpen } from './socket-kit.ts';

const test = suite('unfinished bodies and messages');
const MB = 1_000_000;
const POST = 'POST / HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n';
const boot = (config: Record<string, unknown> = {}) =>
  bootForTest(['token', 'server-info'], config, { clock: true });

/** Sends `bytes` of something that is longer. */
type Send = (app: Pick<TestApp, 'url'>, bytes: number, from?: string) => Promise<Socket>;

const body: Send = async (app, bytes, from) => {
  const socket = await open(app, from);
  socket.write(`${POST}content-length: ${bytes + 1000}\r\n\r\n`);
  await pour(socket, Buffer.alloc(bytes, '['));
  return socket;
};

const chunked: Send = async (app, bytes, from) => {
  const socket = await open(app, from);
  socket.write(`${POST}transfer-encoding: chunked\r\n\r\n`);
  await pour(socket, Buffer.concat([Buffer.from('f00000\r\n'), Buffer.alloc(bytes, '[')]));
  return socket;
};

const frame: Send = async (app, bytes, from) => {
  const socket = await openSilent(app as TestApp, from);
  await pour(socket, Buffer.concat([frameHeader(bytes + 1000), Buffer.alloc(bytes, '[')]));
  return socket;
};

const fragments: Send = async (app, bytes, from) => {
  const socket = await openSilent(app as TestApp, from);
  const size = 50_000;
  for (let sent = 0; sent < bytes; sent += size) {
    const header = frameHeader(size, { final: false, continues: sent > 0 });
    await pour(socket, Buffer.concat([header, Buffer.alloc(size, '[')]));
  }
  return socket;
};

const ways: [name: string, send: Send][] = [
  ['bodies with a length', body],
  ['chunked bodies', chunked],
  ['frames', frame],
  ['fragments', fragments],
];

for (const [name, send] of ways) {
  test(`${name}: one address holds half of the budget at most, all of them no more than it`, async () => {
    const app = await boot({ admission: { receive_budget_bytes: 4 * MB } });
    const sockets: Socket[] = [];
    for (let n = 0; n < 12; n++) sockets.push(await send(app, MB * 0.6));
    assert.is(await stillOpen(app, sockets), 3, 'of one address');
    for (const from of ['127.0.0.2', '127.0.0.3', '127.0.0.4'])
      for (let n = 0; n < 3; n++) sockets.push(await send(app, MB * 0.6, from));
    const left = await stillOpen(app, sockets);
    assert.ok(left <= 6 && left >= 4, `${left} of four addresses`);
    assert.is((await app.call('svc-server_hello')) === undefined, false);
    for (const socket of sockets) socket.destroy();
    await app.stop();
  });

  test(`${name} that come too slowly, or take too long, are not waited for`, async () => {
    const app = await boot({ admission: { body_timeout_ms: 100_000 } });
    const slow = await send(app, 50_000);
    const steady = await send(app, 50_000);
    const closed = once(slow, 'close');
    await app.clock.advance(14_000);
    assert.is(await stillOpen(app, [slow]), 1);
    if (name !== 'fragments') await pour(steady, Buffer.alloc(70_000, '['));
    await app.clock.advance(2_000);
    await closed;
    steady.destroy();
    await app.stop();
  });
}

test('very small fragments count with what each of them costs', async () => {
  const app = await boot({ admission: { receive_budget_bytes: 4 * MB } });
  const honest = await frame(app, 100_000, '127.0.0.2');
  const sockets: Socket[] = [];
  const one = Buffer.concat([frameHeader(1, { final: false, continues: true }), Buffer.from('[')]);
  for (let n = 0; n < 4; n++) {
    const socket = await openSilent(app);
    const first = Buffer.concat([frameHeader(1, { final: false }), Buffer.from('[')]);
    await pour(socket, Buffer.concat([first, ...Array.from({ length: 7_000 }, () => one)]));
    sockets.push(socket);
  }
  assert.is(await stillOpen(app, sockets), 1, '7,000 fragments of one byte are 1.8 MB');
  assert.is(await stillOpen(app, [honest]), 1);
  for (const socket of [...sockets, honest]) socket.destroy();
  await app.stop();
});

test('a caller with a credential sends at its own expense, and alone as much as one message may have', async () => {
  const admission = { receive_budget_bytes: MB, known_receive_budget_bytes: 2 * MB };
  const app = await boot({ admission });
  const attackers: Socket[] = [];
  for (let n = 0; n < 6; n++) attackers.push(await frame(app, MB * 0.4));
  const agent = await openSilent(app, '127.0.0.2');
  await callOver(agent, 'token_get', [app.superToken]);
  const text = Buffer.from(
    JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'svc-server_hello', x: 'y'.repeat(5 * MB) }),
  );
  agent.write(Buffer.concat([frameHeader(text.length), text]));
  const [answer] = await once(agent, 'data');
  assert.match(String(answer), '"id":7');
  for (const socket of [...attackers, agent]) socket.destroy();
  await app.stop();
});

test('behind a trusted proxy a client does not send at the expense of the one before it', async () => {
  const admission = { receive_budget_bytes: MB };
  const app = await bootForTest(
    ['token', 'server-info'],
    { trusted_proxies: ['127.0.0.1'], admission },
    { clock: true },
  );
  const call = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'token_get',
    params: [app.superToken],
  });
  const from = (client: string) => `${POST}x-forwarded-for: ${client}\r\n`;
  const sockets: Socket[] = [];
  for (let n = 0; n < 3; n++) {
    const socket = await open(app);
    socket.write(`${from('203.0.113.1')}content-length: ${call.length}\r\n\r\n${call}`);
    assert.match(String((await once(socket, 'data'))[0]), '"result"');
    socket.write(`${from('203.0.113.7')}content-length: ${MB}\r\n\r\n`);
    await pour(socket, Buffer.alloc(MB * 0.8, '['));
    sockets.push(socket);
  }
  assert.is(await stillOpen(app, sockets), 1);
  for (const socket of sockets) socket.destroy();
  await app.stop();
});

test('60 unfinished messages of 9 MB leave the server as large as it was, and it answers', async () => {
  const site = await makeSite('sqlite://{dir}/svc.db?mode=rwc');
  const server = await startServer(site);
  const rss = () => {
    const status = readFileSync(`/proc/${server.child.pid}/status`, 'utf8');
    return (Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1024) / MB;
  };
  const before = rss();
  let most = before;
  const watch = setInterval(() => {
    most = Math.max(most, rss());
  }, 20);
  const sockets = await Promise.all(
    Array.from({ length: 60 }, (_, n) => (n % 2 ? body : frame)(site, 9 * MB)),
  );
  clearInterval(watch);
  assert.ok(most - before < 150, `grew from ${before} by ${most - before} MB`);
  const answer = await fetch(`${site.url}/svc/rpc`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"jsonrpc":"2.0","id":1,"method":"svc-server_hello"}',
  });
  assert.is(answer.status, 200);
  for (const socket of sockets) socket.destroy();
  await eventually(() => assert.ok(rss() - before < 80, `still ${rss() - before} MB more`));
  await server.end('SIGTERM');
  site.remove();
});

test.run();
