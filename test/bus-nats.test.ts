// proof only: 15
/** Several servers hear each other over NATS, where it is listed and configured. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import * as assert from 'uvu/assert';
import { Joiner, split } from '../plugins/bus-nats/src/frame-parts.ts';
import { selfSigned } from './agent-program-certificate.ts';
import { acquainted, type BusProbe, Probe, probe, sharing, until } from './bus-kit.ts';
import { busCases, type Three } from './bus-suite.ts';
import { natsBinary, signedUser, startNats, type TestNats } from './nats.ts';
import { suite } from './runner/suite.ts';

const parts = suite('bus: parts of a NATS message');

parts('frames of any size come whole through any limit, mixed with those of others', () => {
  const frames = fc.array(fc.uint8Array({ minLength: 1, maxLength: 2_000 }), { maxLength: 5 });
  fc.assert(
    fc.property(frames, fc.integer({ min: 120, max: 900 }), (bodies, limit) => {
      const texts = bodies.map((body) => `{"x":"${Buffer.from(body).toString('hex')}"}`);
      const queues = texts.map((text, at) => split(Buffer.from(text), `frame-${at}`, limit));
      const joiner = new Joiner(() => assert.unreachable());
      const got: string[] = [];
      for (let turn = 0; queues.some((queue) => queue.length > 0); turn++) {
        const part = queues[turn % queues.length]!.shift();
        if (part === undefined) continue;
        assert.ok(part.length <= limit);
        const text = joiner.add(part);
        if (text !== undefined) got.push(text);
      }
      assert.equal(got.sort(), texts.sort());
    }),
  );
});

parts('a frame that misses a part is told as lost, and foreign bytes are nothing', () => {
  let lost = 0;
  const joiner = new Joiner(() => {
    lost++;
  });
  const [first, , third] = split(Buffer.from(`{${'x'.repeat(1_000)}}`), 'id', 400);
  assert.is(joiner.add(first!), undefined);
  assert.is(joiner.add(third!), undefined);
  assert.is(lost, 1);
  for (const text of ['#', '#a b c\n', '# 0 1\nx', '#a 1', '#a -1 2\n']) {
    assert.is(joiner.add(Buffer.from(text)), undefined);
  }
});

parts('parts without their ends are given up beyond 64 MiB', () => {
  let lost = 0;
  const joiner = new Joiner(() => {
    lost++;
  });
  const body = Buffer.alloc(1024 * 1024, 'x');
  for (let n = 0; n < 80; n++) joiner.add(Buffer.concat([Buffer.from(`#id${n} 0 2\n`), body]));
  assert.is(lost, 16);
});

parts.run();

if (natsBinary === undefined) process.stdout.write('  skipped: nats-server is not installed\n');
const commonSuite = suite('bus: nats');
const common = natsBinary ? commonSuite : commonSuite.skip;
const failureSuite = suite('bus: nats, when things fail');
const test = natsBinary ? failureSuite : failureSuite.skip;
const LIST = ['bus-nats'];

let nats: TestNats;
let three: Three;
const running: BusProbe[] = [];

const over = (server: TestNats, more: object = {}) => ({
  'bus-nats': { servers: [server.address], ...more },
});
const start = async (...args: Parameters<typeof probe>): Promise<BusProbe> => {
  const server = await probe(...args);
  running.push(server);
  return server;
};
const pair = async (server: TestNats, more: object = {}): Promise<[BusProbe, BusProbe]> => {
  const one = await start(over(server, more), 'postgres', LIST);
  const two = await start(await sharing(one, over(server, more)), 'postgres', LIST);
  await acquainted([one, two]);
  return [one, two];
};
const logged = ({ app }: BusProbe, pattern: RegExp) =>
  app.console.filter((line) => pattern.test(line)).length;
const stopRunning = async () => {
  for (const server of running.splice(0).reverse()) await server.stop();
};

commonSuite.before(async () => {
  if (!natsBinary) return;
  nats = await startNats();
  const one = await probe(over(nats), 'postgres', LIST);
  const more = async () => probe(await sharing(one, over(nats)), 'postgres', LIST);
  three = [one, await more(), await more()];
  await acquainted(three);
});
commonSuite.after(async () => {
  for (const server of [...(three ?? [])].reverse()) await server.stop();
  await nats?.stop();
});
busCases(common, () => three);
common('NATS carries the messages, not the database that could', () => {
  for (const server of three) assert.is(logged(server, /bus connected.*nats/), 1);
});

failureSuite.before(async () => {
  if (natsBinary) nats = await startNats();
});
failureSuite.after(() => nats?.stop());
failureSuite.after.each(stopRunning);

test('NATS ends and begins again under load: every server is back, in order, and has read again', async () => {
  const [one, two] = await pair(nats);
  const before = [one, two].map((server) => server.rereads());
  let n = 0;
  let loading = true;
  const load = (async () => {
    for (; loading; await pause(2)) one.kernel.publish(Probe, n++);
  })();
  await pause(200);
  await nats.kill();
  await pause(300);
  await nats.start();
  await until('connected', () =>
    [one, two].every((server) => logged(server, /bus is connected again/) > 0),
  );
  await until('read again', () => [one, two].every((server, at) => server.rereads() > before[at]!));
  loading = false;
  await load;
  one.kernel.publish(Probe, -1);
  await until('the last', () => two.heard.at(-1)?.payload === -1);
  const got = two.heard.map(({ payload }) => payload).slice(0, -1);
  assert.equal(
    got,
    [...new Set(got)].sort((a, b) => a - b),
  );
  for (const server of [one, two]) {
    assert.is(logged(server, /bus is not connected/), 1);
    assert.is(logged(server, /bus is connected again/), 1);
  }
});

test('a server starts without NATS and joins when it is there, reading again', async () => {
  await nats.kill();
  const begun = Date.now();
  const one = await start(over(nats), 'postgres', LIST);
  assert.ok(Date.now() - begun < 30_000, `${Date.now() - begun} ms`);
  const two = await start(await sharing(one, over(nats)), 'postgres', LIST);
  await nats.start();
  await acquainted([one, two]);
  await until('read again', () => one.rereads() > 0 && two.rereads() > 0);
});

test('servers of another database are strangers on the same NATS, unless both name the same cluster', async () => {
  const one = await start(over(nats), 'postgres', LIST);
  const stranger = await start(over(nats), 'postgres', LIST);
  one.kernel.publish(Probe, 'here');
  await pause(1_200);
  assert.equal([one.bus.servers(), stranger.bus.servers(), stranger.heard], [[], [], []]);
  const named = over(nats, { cluster: 'our-own' });
  const friends = [await start(named, 'sqlite', LIST), await start(named, 'sqlite', LIST)];
  await acquainted(friends);
});

test('without `servers` the plugin is off and Postgres carries the bus', async () => {
  const one = await start({}, 'postgres', LIST);
  const two = await start(await sharing(one), 'postgres', LIST);
  await acquainted([one, two]);
  assert.is(logged(one, /bus connected.*postgres/), 1);
});

/** What NATS asks for, what is right, what is wrong. */
const credentials: [what: string, natsConfig: string, right: object, wrong: object][] = [
  [
    'user and password',
    'authorization { user: "svc", password: "right-41d7" }',
    { user: 'svc', password: 'right-41d7' },
    { user: 'svc', password: 'wrong-93bc' },
  ],
  [
    'a token',
    'authorization { token: "right-41d7" }',
    { token: 'right-41d7' },
    { token: 'wrong-93bc' },
  ],
];

for (const [what, natsConfig, right, wrong] of credentials) {
  test(`with ${what}: the right one is taken, a wrong one is logged without showing it`, async () => {
    const guarded = await startNats(natsConfig);
    try {
      const [one] = await pair(guarded, right);
      const refused = await start(await sharing(one, over(guarded, wrong)), 'postgres', LIST);
      await until('the warning', () => logged(refused, /bus is not connected/) === 1);
      for (const server of [...running]) {
        assert.not.match(server.app.console.join('\n'), /right-41d7|wrong-93bc/);
      }
    } finally {
      await stopRunning();
      await guarded.stop();
    }
  });
}

test('messages larger than the server of NATS allows travel in parts', async () => {
  const small = await startNats('max_payload: 4096');
  try {
    const [one, two] = await pair(small);
    const bytes = randomBytes(100_000);
    one.bus.send(two.bus.id, Probe, bytes);
    one.kernel.publish(Probe, bytes);
    await until('both', () => two.heard.length === 2);
    for (const { payload } of two.heard) assert.is(bytes.compare(payload), 0);
    assert.equal(
      two.events.filter(({ kind }) => kind === 'gap'),
      [],
    );
  } finally {
    await stopRunning();
    await small.stop();
  }
});

test('with a creds file: the user that it names is taken', async () => {
  const { config, creds } = signedUser();
  const guarded = await startNats(config, { 'bus.creds': creds });
  try {
    const [one] = await pair(guarded, { creds_file: join(guarded.dir, 'bus.creds') });
    const refused = await start(await sharing(one, over(guarded)), 'postgres', LIST);
    await until('the warning', () => logged(refused, /bus is not connected/) === 1);
    const seed = /SU\w{50,}/.exec(creds)![0];
    for (const server of running) assert.not(server.app.console.join('\n').includes(seed));
  } finally {
    await stopRunning();
    await guarded.stop();
  }
});

test('over TLS: a server is trusted by the file of its authority, and by nothing else', async () => {
  const { key, cert } = selfSigned('localhost');
  const tls = 'tls { cert_file: "{dir}/cert.pem", key_file: "{dir}/key.pem" }';
  const secure = await startNats(tls, { 'cert.pem': cert, 'key.pem': key });
  const address = secure.address.replace('127.0.0.1', 'localhost');
  try {
    const trusting = { tls: true, tls_ca: join(secure.dir, 'cert.pem') };
    const [one] = await pair({ ...secure, address }, trusting);
    const strict = await start(
      await sharing(one, over({ ...secure, address }, { tls: true })),
      'postgres',
      LIST,
    );
    await until('the warning', () => logged(strict, /bus is not connected/) === 1);
    assert.is(one.bus.servers().length, 1);
  } finally {
    await stopRunning();
    await secure.stop();
  }
});

test('a connection that demands TLS is refused by a NATS without it', async () => {
  const one = await start(over(nats, { tls: true }), 'sqlite', LIST);
  await until('the warning', () => logged(one, /bus is not connected/) === 1);
  assert.equal(one.bus.servers(), []);
});

commonSuite.run();
failureSuite.run();
