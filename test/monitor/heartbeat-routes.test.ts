// Addresses that jobs call (plugins/monitor/src/heartbeat/routes.ts): answers, bodies, and what strangers get.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import * as assert from 'uvu/assert';
import { hashOf, newKey } from '../../plugins/monitor/src/heartbeat/key.ts';
import { Pace } from '../../plugins/monitor/src/heartbeat/pace.ts';
import { DOWN, UP } from '../../plugins/monitor/src/types.ts';
import { rawRequest } from '../protocol/static-kit.ts';
import { suite } from '../runner/suite.ts';
import { Server } from './heartbeat-kit.ts';
import { newMonitor } from './store-kit.ts';

const RID = 'B0E0AF34-6c17-4b0e-a3c3-1d2f6f2d3c4e';

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`monitor: addresses of heartbeats (${dialect})`);
  let server: Server;
  test.before(async () => {
    server = await Server.open(dialect);
  });
  test.after(() => server.app.stop());

  for (const [rest, method, answer, kind] of [
    ['', 'GET', '200 OK', 'success'],
    ['', 'HEAD', '200 ', 'success'],
    ['', 'POST', '200 OK', 'success'],
    ['/', 'GET', '200 OK', 'success'],
    ['/start', 'POST', '200 OK', 'start'],
    ['/fail', 'GET', '200 OK', 'fail'],
    ['/log', 'POST', '200 OK', 'log'],
    ['/0', 'GET', '200 OK', 'success'],
    ['/3', 'GET', '200 OK', 'fail'],
    ['/255', 'GET', '200 OK', 'fail'],
    [`?rid=${RID}`, 'GET', '200 OK', 'success'],
    [`/start?rid=${RID}`, 'HEAD', '200 ', 'start'],
    ['/256', 'GET', '400 invalid url: use /start, /fail, /log or /0 to /255', undefined],
    ['/-1', 'GET', '400 invalid url: use /start, /fail, /log or /0 to /255', undefined],
    ['/Start', 'GET', '400 invalid url: use /start, /fail, /log or /0 to /255', undefined],
    ['/start/now', 'GET', '400 invalid url: use /start, /fail, /log or /0 to /255', undefined],
    ['?rid=7', 'GET', '400 invalid rid: use a UUID', undefined],
    ['', 'PUT', '405 use GET, HEAD, POST', undefined],
    ['', 'OPTIONS', '200 ', undefined],
  ] as const)
    test(`${method} KEY${rest} is answered ${answer}`, async () => {
      const beat = await server.heartbeat();
      assert.is(await beat.ping(rest, { method }), answer);
      assert.equal(await beat.kinds(), kind === undefined ? [] : [kind]);
      const [ping] = await beat.pings();
      if (rest.includes('rid') && ping) assert.is(ping.rid, RID.toLowerCase());
      if (rest === '/3') assert.is(ping?.exit_status, 3);
      if (ping) assert.is(ping.method, method);
    });

  test('an answer says how much of a body is kept, and any page may read it', async () => {
    const { key } = await server.heartbeat();
    for (const method of ['GET', 'OPTIONS']) {
      const { headers } = await server.app.fetch(`/svc/ping/${key}`, { method });
      assert.is(headers.get('ping-body-limit'), '10000');
      assert.is(headers.get('access-control-allow-origin'), '*');
      assert.is(headers.get('cache-control'), 'no-store');
    }
  });

  test('a key that does not exist is not found, a text that is no key is invalid, and only heartbeats have keys', async () => {
    const beat = await server.heartbeat();
    const at = async (path: string) => {
      const answer = await server.app.fetch(path);
      return `${answer.status} ${await answer.text()}`;
    };
    assert.is(await at(`/svc/ping/${randomUUID()}`), '404 not found');
    assert.is(await at(`/svc/ping/${randomUUID()}/fail`), '404 not found');
    assert.is(await at('/svc/ping/short'), '400 invalid key');
    assert.is(await at(`/svc/ping/${'a'.repeat(65)}`), '400 invalid key');
    assert.is(await at('/svc/ping/no%00such%2Fkey'), '400 invalid key');
    assert.is(await at(`/svc/ping/${beat.key.toUpperCase()}`), '200 OK');
    const key = newKey();
    await server.room.monitors.create(newMonitor({ name: 'site' }), { key_hash: hashOf(key) });
    assert.is(await at(`/svc/ping/${key}`), '404 not found');
    await server.room.monitors.remove(beat.id);
    assert.is(await beat.ping(), '404 not found', 'it was known, and has gone');
  });

  test('a key that was changed calls nothing more', async () => {
    const beat = await server.heartbeat();
    assert.is(await beat.ping(), '200 OK');
    const monitor = await server.room.monitors.byId(beat.id);
    await server.room.monitors.change(monitor!, { key_hash: hashOf(newKey()) });
    assert.is(await beat.ping(), '404 not found');
    assert.is((await beat.pings()).length, 1);
  });

  test('a method that does not count is answered OK, kept, and changes nothing', async () => {
    const beat = await server.heartbeat({ methods: ['POST'] });
    assert.is(await beat.ping('/fail'), '200 OK');
    assert.is((await beat.state())?.state, 3);
    assert.is(await beat.ping('', { method: 'POST' }), '200 OK');
    assert.is((await beat.state())?.state, UP);
    assert.equal(await beat.kinds(), ['ignored', 'success']);
  });

  for (const [what, body, kept] of [
    ['zeros and bytes that are no UTF-8', Buffer.from([0, 65, 0xff, 0xc3, 0, 0x28]), 6],
    ['10 kB', Buffer.alloc(10_000, 'x'), 10_000],
    ['100 kB, of which the beginning is kept', Buffer.alloc(100_000, 'y'), 10_000],
    ['nothing', Buffer.alloc(0), 0],
  ] as const)
    test(`a body of ${what} is kept`, async () => {
      const beat = await server.heartbeat();
      assert.is(await beat.ping('/log', { method: 'POST', body }), '200 OK');
      assert.equal(await beat.body(), body.subarray(0, kept));
    });

  test('a body in chunks is kept, one of more than a megabyte is answered without being read to its end', async () => {
    const beat = await server.heartbeat();
    const chunked = (body: string) =>
      rawRequest(
        server.app.url,
        `POST /svc/ping/${beat.key} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n${body}`,
      );
    assert.is((await chunked('3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n')).status, 200);
    assert.is(String(await beat.body()), 'abcde');
    const size = 300_000;
    const piece = `${size.toString(16)}\r\n${'z'.repeat(size)}\r\n`;
    assert.is((await chunked(piece.repeat(4))).status, 200);
    assert.is((await beat.body()).length, 10_000);
  });

  test('a call whose body breaks off is no ping, and no failure of the server', async () => {
    const beat = await server.heartbeat();
    const { hostname, port } = new URL(server.app.url);
    const socket = connect(Number(port), hostname);
    const head = `POST /svc/ping/${beat.key} HTTP/1.1\r\nhost: x\r\ncontent-length: 9`;
    socket.write(`${head}\r\nexpect: 100-continue\r\n\r\n`);
    assert.match(String(await once(socket, 'data')), ' 100 ');
    const failures = () => JSON.stringify(server.app.records()).split('could not be taken').length;
    const before = failures();
    socket.write('abc');
    socket.destroy();
    assert.is(await beat.ping('/log'), '200 OK');
    assert.equal(await beat.kinds(), ['log']);
    assert.is(failures(), before);
  });

  test('the last 50 pings are kept', async () => {
    const beat = await server.heartbeat();
    for (let n = 0; n < 60; n++) {
      assert.is(await beat.ping(`/${n}`), '200 OK');
      await server.app.clock.sleep(1_000);
    }
    const kept = (await beat.pings()).map(({ exit_status }) => exit_status);
    assert.equal(
      kept,
      Array.from({ length: 50 }, (_, n) => n + 10),
    );
  });

  for (const [query, status, answer, state] of [
    ['', 200, '{"ok":true}', UP],
    ['?status=up&msg=OK&ping=12.5', 200, '{"ok":true}', UP],
    ['?status=down&msg=disk%00%0Afull', 200, '{"ok":true}', DOWN],
    ['?status=up&ping=NaN', 200, '{"ok":true}', UP],
    ['?status=maybe', 400, '{"ok":false,"msg":"invalid status: use up or down"}', undefined],
  ] as const)
    test(`a push ${query} is answered ${answer}`, async () => {
      const beat = await server.heartbeat();
      const got = await server.app.fetch(`/svc/push/${beat.key}${query}`);
      assert.equal([got.status, await got.text()], [status, answer]);
      const found = await beat.state();
      assert.is(found?.state, state);
      if (query.includes('12.5')) assert.is(found?.ms, 12.5);
      if (state === DOWN) assert.is(found?.detail, 'the job says that it failed: disk full');
    });

  test('a push with an unknown token says so; a token that came with an import is taken as it was', async () => {
    const got = await server.app.fetch('/svc/push/aB3dE6gH9k');
    assert.equal([got.status, await got.text()], [404, '{"ok":false,"msg":"not found"}']);
    const imported = newMonitor({
      ...{ name: 'kuma', kind: 'heartbeat', spec: { period_s: 60, grace_s: 60 } },
    });
    await server.room.monitors.create(imported, { key_hash: hashOf('aB3dE6gH9k') });
    assert.is((await server.app.fetch('/svc/push/aB3dE6gH9k')).status, 200);
    assert.is((await server.app.fetch('/svc/push/AB3dE6gH9k')).status, 404);
  });

  test('a key is neither in a log nor in the database, also when the server fails', async () => {
    const beat = await server.heartbeat();
    server.room.breakAt = 1;
    assert.is(
      await beat.ping('/fail', { method: 'POST', body: 'what the job wrote' }),
      '500 the server failed',
    );
    server.room.breakAt = 0;
    const wrong = randomUUID();
    await server.app.fetch(`/svc/ping/${wrong}`);
    const records = JSON.stringify(server.app.records());
    assert.match(records, 'a ping could not be taken');
    assert.not.ok(
      records.includes(beat.key) ||
        records.includes(wrong) ||
        records.includes('what the job wrote'),
    );
    const rows = JSON.stringify(await server.app.sql('select * from monitor'));
    assert.ok(rows.includes(hashOf(beat.key)));
    assert.not.ok(rows.includes(beat.key));
  });

  test('of a flood with one key 20 calls and then 5 a second are taken, and other keys do not notice', async () => {
    const [beat, other] = [await server.heartbeat(), await server.heartbeat()];
    const flood = async (count: number) => {
      const answers = await Promise.all(Array.from({ length: count }, () => beat.ping()));
      return answers.filter((answer) => answer === '200 OK').length;
    };
    assert.is(await flood(60), 20);
    const refused = await server.app.fetch(`/svc/ping/${beat.key}`);
    assert.equal([refused.status, refused.headers.get('retry-after')], [429, '1']);
    assert.is(await other.ping(), '200 OK');
    await server.app.clock.sleep(1_000);
    assert.is(await flood(60), 5);
    assert.is((await beat.pings()).length, 25);
  });

  test('an address with many wrong keys has to wait; jobs there that called before go on', async () => {
    await server.app.clock.sleep(3_600_000);
    const known = await server.heartbeat();
    assert.is(await known.ping(), '200 OK');
    const fresh = await server.heartbeat();
    const statuses: number[] = [];
    for (let n = 0; n < 40; n++)
      statuses.push((await server.app.fetch(`/svc/ping/${randomUUID()}`)).status);
    assert.equal(statuses.slice(0, 30), new Array(30).fill(404));
    assert.is(statuses.at(-1), 429);
    assert.is(await known.ping(), '200 OK');
    assert.match(await fresh.ping(), /^429 /);
    await server.app.clock.sleep(11_000);
    assert.is(await fresh.ping(), '200 OK');
    assert.is((await server.app.sql('select count(*) as n from monitor_state'))[0].n > 0, true);
  });

  test.run();
}

const pace = suite('monitor: pace of heartbeats');
pace('keys that are remembered are bounded', () => {
  let now = 0;
  const none = () => () => {};
  const clock = { now: () => now, monotonic: () => now, timeout: none, interval: none };
  const keys = new Pace(clock, 100);
  for (let n = 0; n < 10_000; n++) {
    now++;
    assert.ok(keys.mayCall(`key ${n}`));
  }
  assert.ok(keys.size <= 200, String(keys.size));
});
pace.run();
