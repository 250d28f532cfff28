// What keeps machines from the address in the line, as it is told where the line is shown.
import { bootForTest } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { obstacleOf } from '../../plugins/enrol/src/address.ts';
import { suite } from '../runner/suite.ts';

const test = suite('enrolment: addresses that machines do not reach');

const HERE = '127.0.0.1:2211';
const ALL = '0.0.0.0:2211';
// [address in the line, where the server listens, allowed_hosts, what is in the way]
const CASES: [string, string, string[] | undefined, string | undefined][] = [
  ['http://127.0.0.1:2211', HERE, ['localhost'], 'loopback'],
  ['http://localhost:2211', ALL, ['localhost'], 'loopback'],
  ['http://[::1]:2211', '[::]:2211', undefined, 'loopback'],
  ['http://192.0.2.7:2211', HERE, ['localhost'], 'listener'],
  ['https://fleet.example.net', '[::1]:2211', ['fleet.example.net'], 'listener'],
  ['https://fleet.example.net', HERE, ['localhost'], 'host'],
  ['http://fleet:2211', ALL, ['localhost'], 'host'],
  ['http://192.0.2.7:2211', ALL, ['localhost'], undefined],
  ['http://[2001:db8::7]:2211', '[::]:2211', ['localhost'], undefined],
  ['http://fleet:2211', ALL, ['localhost', 'fleet'], undefined],
  ['https://a.example.net:2211', ALL, ['*.example.net'], undefined],
  ['http://fleet:2211', ALL, undefined, undefined],
];
for (const [url, listens, hosts, kind] of CASES)
  test(`${url} of a server on ${listens}, allowed_hosts ${hosts ?? 'absent'}: ${kind ?? 'nothing'}`, () => {
    const found = obstacleOf(url, { url: '', listens, hosts, pin: undefined });
    assert.is(found?.kind, kind);
    if (found) assert.match(found.address, /^https?:\/\/[^/]+:2211$/);
  });

test('the answer goes by where the server really listens, not by its file', async () => {
  const app = await bootForTest(['token', 'kv', 'enrol'], { allowed_hosts: ['localhost'] });
  try {
    const create = async (url?: string) => {
      const made = await app.call('enrol_create', { token: app.superToken, url });
      return made.obstacle;
    };
    const { host, hostname } = new URL(app.url);
    const own = await create(app.url);
    assert.equal([own.kind, own.listens, own.name], ['loopback', host, hostname]);
    // Without an address the line has that of the listener.
    assert.equal(await create(), own);
    assert.is((await create('https://fleet.example.net')).kind, 'host');
  } finally {
    await app.stop();
  }
});

test.run();
