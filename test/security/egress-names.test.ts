// Look-ups that never end hold up neither files nor scrypt nor other names.
import { randomBytes, scrypt } from 'node:crypto';
import { lookup } from 'node:dns';
import { stat } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Egress, type EgressClient } from '@svc/plugin-egress/api';
import { definePlugin } from '@svc/plugin-sdk';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { candidatesOf, hostsIn } from '../../plugins/egress/src/names.ts';
import { startDns, type TestDns, type Zone } from '../agent-program-dns-server.ts';
import { suite } from '../runner/suite.ts';

const test = suite('names that scripts fetch');
const HANGING = 64;
const A = Buffer.from([127, 0, 0, 1]);
const ZONE: Zone = {
  'here.example a': [A],
  'six.example aaaa': [Buffer.from(`${'00'.repeat(15)}01`, 'hex')],
};

let target: Server;
let port: number;
test.before(async () => {
  target = createServer((_request, response) => response.end('reached')).listen(0, '127.0.0.1');
  await new Promise((resolve) => target.once('listening', resolve));
  port = (target.address() as AddressInfo).port;
});
test.after(() => void target.close());

async function clientWith(dns: TestDns): Promise<{ app: TestApp; client: EgressClient }> {
  let client: EgressClient | undefined;
  const probe = definePlugin({
    name: 'probe',
    version: '1.0.0',
    requires: [Egress],
    setup(kernel) {
      kernel.hooks.start.tap(() => {
        const limits = { connect_ms: 60_000, idle_ms: 60_000, max_bytes: 1_000 };
        client = kernel.use(Egress).open({ allow: ['127.0.0.1'], ...limits });
      });
    },
  });
  const config = { egress: { dns_servers: [dns.address] } };
  const app = await bootForTest(['token', 'egress', probe], config);
  return { app, client: client as EgressClient };
}

async function fetched(
  client: EgressClient,
  host: string,
  signal = AbortSignal.timeout(60_000),
): Promise<string> {
  try {
    const url = `http://${host}:${port}/`;
    const answer = await client.request({
      url,
      method: 'GET',
      headers: [],
      redirect: 'follow',
      signal,
    });
    answer.body.resume();
    return String(answer.status);
  } catch (error) {
    return String((error as Error).cause);
  }
}

const derived = () =>
  new Promise((resolve) => scrypt('x', randomBytes(8), 32, { N: 1_024 }, resolve));

test('64 names whose server is silent delay no file, no scrypt and no other name', async () => {
  const silent = await startDns({}, { mute: true });
  const { app, client } = await clientWith(silent);
  const end = new AbortController();
  let ended = 0;
  const hanging = Array.from({ length: HANGING }, (_, n) =>
    fetched(client, `n${n}.example`, end.signal).finally(() => ended++),
  );
  try {
    while (new Set(silent.questions).size < 2 * HANGING) await new Promise(setImmediate);
    await Promise.all([
      ...Array.from({ length: 20 }, () => stat(app.dir)),
      ...Array.from({ length: 4 }, () => derived()),
      new Promise((resolve) => lookup('127.0.0.1', resolve)),
      new Promise((resolve) => lookup('localhost', resolve)),
    ]);
    assert.is(await fetched(client, 'localhost'), '200');
    assert.is(ended, 0, 'nothing waited for the names');
  } finally {
    end.abort();
    await Promise.all(hanging);
    await app.stop();
    await silent.stop();
  }
});

test('names come from the servers that the configuration names, and only allowed addresses are reached', async () => {
  const dns = await startDns(ZONE);
  const { app, client } = await clientWith(dns);
  try {
    assert.is(await fetched(client, 'HERE.example'), '200');
    assert.is(await fetched(client, 'here.example.'), '200');
    assert.is(await fetched(client, 'six.example'), 'six.example (::1) is a private address');
    assert.match(await fetched(client, 'nowhere.example'), 'getaddrinfo ENOTFOUND nowhere.example');
  } finally {
    await app.stop();
    await dns.stop();
  }
});

test('a server that is no address stops the start with a sentence', async () => {
  const config = { egress: { dns_servers: ['dns.example'] } };
  const error = await bootForTest(['token', 'egress'], config).catch((reason) => reason);
  assert.match(String(error.message), '[egress] dns_servers');
});

test('a file of hosts and the endings for short names are read as the machine reads them', () => {
  const hosts = hostsIn(
    '127.0.0.1 localhost # here\n::1\tlocalhost IP6\n\n#10.0.0.1 no\nbad name\n10.0.0.2 a.b A.B',
  );
  assert.equal(
    [...hosts].map(([name, list]) => [name, list.map(({ address }) => address)]),
    [
      ['localhost', ['127.0.0.1', '::1']],
      ['ip6', ['::1']],
      ['a.b', ['10.0.0.2', '10.0.0.2']],
    ],
  );
  const search = ['svc.cluster.local', 'lan'];
  const cases: [string, number, string[]][] = [
    ['db', 1, ['db.svc.cluster.local', 'db.lan', 'db']],
    ['db.example', 1, ['db.example', 'db.example.svc.cluster.local', 'db.example.lan']],
    ['db.example', 5, ['db.example.svc.cluster.local', 'db.example.lan', 'db.example']],
    ['db.example.', 5, ['db.example']],
  ];
  for (const [name, dots, expected] of cases)
    assert.equal(candidatesOf(name, { search, dots }), expected);
});

test.run();
