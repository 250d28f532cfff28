// The outlet of the audit: every row reaches a syslog receiver over TCP or TLS, in order, also what was stored while it was away.
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { createServer as createSecure } from 'node:tls';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { lacksPostgres } from '../runner/without-postgres.ts';
import { rowsOf, until } from './audit-kit.ts';

const PLUGINS = ['audit', 'token', 'egress', 'metrics', 'server-info'];
const fixture = (name: string) => join(import.meta.dirname, '../fixtures', name);
const tls = {
  cert: readFileSync(fixture('tls-cert.pem')),
  key: readFileSync(fixture('tls-key.pem')),
};

/** A receiver that takes frames by their counts of octets. */
class Receiver {
  readonly messages: string[] = [];
  port = 0;
  #server: Server | undefined;
  readonly #sockets = new Set<Socket>();

  async open(secure = false): Promise<void> {
    const take = (socket: Socket) => {
      this.#sockets.add(socket);
      let rest = Buffer.alloc(0);
      socket.on('error', () => undefined);
      socket.on('data', (chunk) => {
        rest = Buffer.concat([rest, chunk as Buffer]);
        for (;;) {
          const blank = rest.indexOf(' ');
          const length = Number(rest.subarray(0, Math.max(blank, 0)).toString());
          if (blank < 1 || rest.length < blank + 1 + length) break;
          this.messages.push(rest.subarray(blank + 1, blank + 1 + length).toString());
          rest = rest.subarray(blank + 1 + length);
        }
      });
    };
    const server = secure ? createSecure(tls, take) : createServer(take);
    this.#server = server;
    await new Promise<void>((done) => server.listen(this.port, '127.0.0.1', done));
    this.port = (server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((done) => this.#server?.close(done) ?? done(undefined));
  }

  /** Without those that came twice. */
  lines(): { seq: number; prev: string; method: string }[] {
    const found = this.messages.map((message) => JSON.parse(message.slice(message.indexOf('{'))));
    return found.filter(({ seq }, at) => found.findIndex((one) => one.seq === seq) === at);
  }
}

const allArrive = async (app: TestApp, receiver: Receiver) => {
  const rows = await rowsOf(app);
  const newest = rows[0]?.seq ?? 0;
  await until(async () => receiver.lines().some(({ seq }) => seq >= newest));
  const sent = receiver.lines().map(({ seq }) => seq);
  assert.equal(
    sent,
    Array.from(sent, (_, at) => (sent[0] ?? 0) + at),
    'in order, without a gap',
  );
};

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`the audit to syslog (${dialect})`);
  let receiver: Receiver;
  test.before.each(() => {
    receiver = new Receiver();
  });
  // Also behind a test that could not start its server.
  test.after.each(() => receiver.close());

  test('every row arrives over TCP as a message of RFC 5424 whose text is the line of the export', async () => {
    await receiver.open();
    const app = await bootForTest(
      PLUGINS,
      { audit: { syslog: `tcp://127.0.0.1:${receiver.port}` } },
      { dialect },
    );
    await app.call('token_create', [
      app.superToken,
      { token_limit: [], username: 'zoë', password: 'secret of zoë' },
    ]);
    await allArrive(app, receiver);
    const found = receiver.messages.find((message) => message.includes('token_create')) ?? '';
    assert.match(found, /^<109>1 \d{4}-\d\d-\d\dT[\d:.]+Z \S+ svc \d+ token_create - \{"chain":/);
    const exported = (await app.call('audit_export', [app.superToken])).lines;
    assert.ok(exported.includes(found.slice(found.indexOf('{'))));
    await app.rpc({
      jsonrpc: '2.0',
      id: 1,
      method: 'token_create',
      params: [await app.token([]), { token_limit: [] }],
    });
    await allArrive(app, receiver);
    assert.ok(
      receiver.messages.some((message) => message.startsWith('<108>1')),
      'a refusal is a warning',
    );
    assert.not.match(receiver.messages.join(), /secret of zoë/);

    await receiver.close();
    for (let times = 0; times < 150; times++) await app.token([]);
    await rowsOf(app);
    const waits = async () =>
      (await app.call('svc-server_config_warnings', [app.superToken])).warnings.some(
        ({ message }: { message: string }) => /^the audit does not reach syslog \(/.test(message),
      );
    await until(waits);
    await receiver.open();
    await allArrive(app, receiver);
    assert.not.ok(await waits(), 'it is reached again');

    await receiver.close();
    await app.token([]);
    await app.restart();
    await receiver.open();
    await allArrive(app, receiver);
    assert.ok(
      receiver.lines().some(({ method }) => method === 'stop'),
      'rows of before the start',
    );
    await app.stop();
  });

  test('TLS is checked: an authority that is not named is refused', async () => {
    await receiver.open(true);
    const syslog = `tls://localhost:${receiver.port}`;
    const wrong = await bootForTest(PLUGINS, { audit: { syslog } }, { dialect });
    await wrong.token([]);
    await until(async () =>
      wrong.records().some(({ message }) => /does not reach syslog/.test(message)),
    );
    await wrong.stop();
    assert.equal(receiver.messages, []);
    const app = await bootForTest(
      PLUGINS,
      { audit: { syslog, syslog_ca: fixture('tls-cert.pem') } },
      { dialect },
    );
    await app.token([]);
    await allArrive(app, receiver);
    await app.stop();
  });

  test('an address that is none stops the start, and says which key', async () => {
    for (const syslog of ['udp://127.0.0.1:1', 'logs', 'tcp://', 'tls://a/b']) {
      const boot = bootForTest(PLUGINS, { audit: { syslog } }, { dialect });
      const error = await boot.then(
        () => assert.unreachable(syslog),
        (reason) => reason,
      );
      if (lacksPostgres(error)) throw error;
      assert.match(error.message, /\[audit\] syslog/, syslog);
    }
  });

  test.run();
}
