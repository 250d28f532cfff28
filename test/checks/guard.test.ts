// Checks of a server go out through egress: nothing reaches what its rules do not allow.
import { Egress, type EgressClient } from '@svc/plugin-egress/api';
import { definePlugin } from '@svc/plugin-sdk';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { type CheckSpec, run, withPing } from '../../checks/src/index.ts';
import { record, startDns, type TestDns } from '../agent-program-dns-server.ts';
import { suite } from '../runner/suite.ts';
import { http, optionsFor, type Peer, says, startPeer } from './kit.ts';

const test = suite('checks: the guard of egress');

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const PRIVATE = /is a private address, see monitor_private$/;
let app: TestApp;
let dns: TestDns;
let allowed: Peer;
let refused: Peer;
let client: EgressClient | undefined;

test.before(async () => {
  refused = await startPeer(says(OK));
  const location = `http://127.0.0.1:${refused.port}/`;
  const redirect = `HTTP/1.1 302 Found\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`;
  allowed = await startPeer((socket) => {
    socket.on('data', (text) => socket.write(`${text}`.startsWith('GET /away') ? redirect : OK));
  });
  const A = [record.a('127.0.0.1')];
  dns = await startDns({ 'inside.example a': A, 'named.example a': A });
  const probe = definePlugin({
    name: 'probe',
    version: '1.0.0',
    requires: [Egress],
    setup(kernel) {
      kernel.hooks.start.tap(() => {
        const allow = [`127.0.0.1:${allowed.port}`, 'named.example'];
        const limits = { connect_ms: 60_000, idle_ms: 60_000, max_bytes: 1_000 };
        client = kernel.use(Egress).open({ allow, key: 'monitor_private', ...limits });
      });
    },
  });
  app = await bootForTest(['token', 'egress', probe], { egress: { dns_servers: [dns.address] } });
});
test.after(async () => {
  await app.stop();
  await Promise.all([allowed.stop(), refused.stop(), dns.stop()]);
});

const checked = (spec: CheckSpec) =>
  run(spec, optionsFor({ network: withPing(client!, 'no-such-program') }));

test('what the rules allow is reached', async () => {
  for (const host of ['127.0.0.1', 'inside.example', 'NAMED.example']) {
    const outcome = await checked(http(`http://${host}:${allowed.port}/`));
    assert.equal([outcome.error, outcome.code], [undefined, 200], host);
  }
  const tcp = { kind: 'tcp', host: 'Named.Example', port: refused.port, tls: false } as const;
  const before = refused.count();
  assert.is((await checked(tcp)).error, undefined, 'a name that is allowed, at any port');
  assert.is(refused.count(), before + 1);
});

// [what is refused, the check]
const REFUSED: [string, () => CheckSpec][] = [
  ['an address', () => http(`http://127.0.0.1:${refused.port}/`)],
  ['an address in another form', () => http(`http://[::ffff:127.0.0.1]:${refused.port}/`)],
  ['a redirect to an address', () => http(`http://127.0.0.1:${allowed.port}/away`)],
  ['a name of an address', () => http(`http://inside.example:${refused.port}/`)],
  ['localhost', () => http(`http://localhost:${refused.port}/`)],
  ['tcp', () => ({ kind: 'tcp', host: 'inside.example', port: refused.port, tls: false })],
  ['tls', () => ({ kind: 'tls', host: '127.0.0.1', port: refused.port })],
  ['an echo', () => ({ kind: 'ping', host: 'inside.example', count: 1 })],
  ['a name server', () => ({ kind: 'dns', name: 'x.example', type: 'A', server: dns.address })],
  [
    'a name of a name server',
    () => ({ kind: 'dns', name: 'x.example', type: 'A', server: 'inside.example' }),
  ],
];

for (const [what, spec] of REFUSED) {
  test(`refused: ${what}`, async () => {
    const before = refused.count();
    assert.match((await checked(spec())).error ?? 'no error', PRIVATE);
    assert.is(refused.count(), before);
    assert.not(dns.questions.includes('x.example a'));
  });
}

test('an address that was found is checked again when it is connected to', async () => {
  const { signal } = new AbortController();
  const target = { host: 'inside.example', port: refused.port, address: '127.0.0.1' };
  const error = await client!.connect({ ...target, signal }).catch((reason) => reason);
  assert.match(error.message, PRIVATE);
});

test('a name server that is allowed is asked, and those of the configuration without one', async () => {
  const [host = '', port = ''] = dns.address.split(':');
  const server = `named.example:${port}`;
  const question = { kind: 'dns', name: 'inside.example', type: 'A' } as const;
  for (const spec of [question, { ...question, server }]) {
    const outcome = await checked(spec);
    assert.equal([outcome.error, outcome.values['answers']], [undefined, [host]]);
  }
});

test('an echo to what is allowed comes as far as the program', async () => {
  const outcome = await checked({ kind: 'ping', host: 'named.example', count: 1 });
  assert.is(outcome.error, 'the program ping is not installed');
});

test('addresses are those of one family', async () => {
  const target = { host: '127.0.0.1', port: allowed.port };
  assert.equal(await client!.addresses({ ...target, family: 4 }), [
    { address: '127.0.0.1', family: 4 },
  ]);
  const error = await client!.addresses({ ...target, family: 6 }).catch((reason) => reason);
  assert.is(error.message, '127.0.0.1 is not an IPv6 address');
});

test.run();
