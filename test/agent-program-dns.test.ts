/** Kind dns of the agent program, against a name server of the test (task.md §2.1 and §6). */

import * as assert from 'uvu/assert';
import { reverseName } from '../checks/src/records.ts';
import { record, startDns, type TestDns, type Zone } from './agent-program-dns-server.ts';
import { soon } from './agent-program-kit.ts';
import { contextFor, failureOf, resultOf } from './agent-program-task-kit.ts';
import { suite } from './runner/suite.ts';

const test = suite('agent program: dns');

const ZONE: Zone = {
  'shop.example.net a': [record.a('198.51.100.23'), record.a('198.51.100.24')],
  'shop.example.net aaaa': [record.aaaa('20010db8000000000000000000000017')],
  'shop.example.net txt': [record.txt('v=spf1 ', '-all'), record.txt('grüße')],
  'shop.example.net mx': [record.mx(10, 'mx1.example.net'), record.mx(20, '')],
  'shop.example.net ns': [record.name('ns1.example.net')],
  'shop.example.net soa': [
    record.soa('ns1.example.net', 'admin.example.net', 2026, 7200, 3600, 1209600, 300),
  ],
  'shop.example.net caa': [
    record.caa(0, 'issue', 'ca.example.net'),
    record.caa(128, 'iodef', 'mailto:a@example.net'),
  ],
  '_x._tcp.example.net srv': [record.srv(1, 5, 5269, 'xmpp.example.net')],
  'www.example.net cname': [record.name('shop.example.net')],
  '23.100.51.198.in-addr.arpa ptr': [record.name('shop.example.net')],
  '7.1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa ptr': [
    record.name('six.example.net'),
  ],
  'empty.example.net a': [],
};

let server: TestDns;
test.before(async () => {
  server = await startDns(ZONE);
});
test.after(() => server.stop());

const question = (domain: string, ...record_types: string[]) => ({
  domain,
  record_types,
  dns_server: server.address,
});

// [type, domain, data of the records]
const RECORDS: [string, string, string[]][] = [
  ['a', 'shop.example.net', ['198.51.100.23', '198.51.100.24']],
  ['aaaa', 'shop.example.net', ['2001:db8::17']],
  ['cname', 'www.example.net', ['shop.example.net.']],
  ['mx', 'shop.example.net', ['10 mx1.example.net.', '20 .']],
  ['txt', 'shop.example.net', ['v=spf1 -all', 'grüße']],
  ['ns', 'shop.example.net', ['ns1.example.net.']],
  ['srv', '_x._tcp.example.net', ['1 5 5269 xmpp.example.net.']],
  ['ptr', '198.51.100.23', ['shop.example.net.']],
  ['ptr', '2001:db8::17', ['six.example.net.']],
  ['ptr', '23.100.51.198.in-addr.arpa', ['shop.example.net.']],
  ['soa', 'shop.example.net', ['ns1.example.net. admin.example.net. 2026 7200 3600 1209600 300']],
  ['caa', 'shop.example.net', ['issue "ca.example.net"', 'iodef "mailto:a@example.net"']],
];

for (const [type, domain, data] of RECORDS) {
  test(`gives ${type} records of ${domain} in the text of the chapter`, async () => {
    const records = await resultOf('dns', question(domain, type));
    assert.equal(records.map((entry: any) => entry.data).sort(), [...data].sort());
    for (const entry of records) {
      assert.equal(Object.keys(entry), ['data', 'record_type', 'time']);
      assert.is(entry.record_type, type);
      assert.is(entry.time, records[0].time);
      assert.ok(entry.time > 0 && entry.time < 5000, `${entry.time} ms`);
    }
  });
}

test('asks for the types one after the other and leaves out those that fail', async () => {
  server.questions.length = 0;
  const records = await resultOf('dns', question('shop.example.net', 'srv', 'ns', 'cname', 'a'));
  assert.equal(
    records.map(({ record_type }: any) => record_type),
    ['ns', 'a', 'a'],
  );
  assert.equal(
    server.questions,
    ['srv', 'ns', 'cname', 'a'].map((type) => `shop.example.net ${type}`),
  );
});

test('gives an empty list for an empty list of types', async () => {
  server.questions.length = 0;
  assert.equal(await resultOf('dns', question('shop.example.net')), []);
  assert.equal(server.questions, []);
});

for (const domain of ['nowhere.example.net', 'empty.example.net']) {
  test(`fails when nothing is found for ${domain}`, async () => {
    assert.match(await failureOf('dns', question(domain, 'a', 'aaaa')), /^no record found: /);
  });
}

// [what, content, words of the failure]
const REFUSED: [string, unknown, RegExp][] = [
  ['a text', 'shop.example.net', /^malformed task: dns must be an object$/],
  ['no domain', { record_types: [] }, /^malformed task: domain must be a string$/],
  ['no types', { domain: 'x' }, /^malformed task: record_types must be a list of strings$/],
  [
    'types that are numbers',
    { domain: 'x', record_types: [1] },
    /^malformed task: each of record_types/,
  ],
  [
    'an unknown type',
    { domain: 'x', record_types: ['any'] },
    /^malformed task: any is not one of a aaaa/,
  ],
  ['a type in capitals', { domain: 'x', record_types: ['A'] }, /^malformed task: A is not one of/],
  [
    'a server that is a number',
    { domain: 'x', record_types: ['a'], dns_server: 5 },
    /^malformed task: dns_server/,
  ],
  [
    'a server by name',
    { domain: 'x', record_types: ['a'], dns_server: 'ns.example:53' },
    /ns\.example/,
  ],
  [
    'a server with a wrong port',
    { domain: 'x', record_types: ['a'], dns_server: '127.0.0.1:x' },
    /127\.0\.0\.1:x/,
  ],
];

for (const [what, content, words] of REFUSED) {
  test(`refuses ${what}`, async () => {
    assert.match(await failureOf('dns', content), words);
  });
}

test('ends at once when the task is ended while a server keeps silent', async () => {
  const silent = await startDns({}, { mute: true });
  const stop = new AbortController();
  try {
    const content = {
      domain: 'x.example',
      record_types: ['a', 'aaaa'],
      dns_server: silent.address,
    };
    const failed = failureOf('dns', content, contextFor({ signal: stop.signal }));
    await soon(
      'the question',
      (async () => {
        while (silent.questions.length === 0) await new Promise((wake) => setTimeout(wake, 5));
      })(),
    );
    stop.abort(new Error('the agent stops'));
    assert.is(await failed, 'the agent stops');
  } finally {
    await silent.stop();
  }
});

// [address, the name its names stand under]
const REVERSED: [string, string][] = [
  ['192.0.2.1', '1.2.0.192.in-addr.arpa'],
  ['::1', `1.${'0.'.repeat(31)}ip6.arpa`],
  ['::', `${'0.'.repeat(32)}ip6.arpa`],
  ['2001:DB8::', `${'0.'.repeat(24)}8.b.d.0.1.0.0.2.ip6.arpa`],
  ['fe80::1%lo', `1.${'0.'.repeat(27)}0.8.e.f.ip6.arpa`],
  ['::ffff:192.0.2.1', `1.0.2.0.0.0.0.c.f.f.f.f.${'0.'.repeat(20)}ip6.arpa`],
  ['shop.example.net', 'shop.example.net'],
];

for (const [address, expected] of REVERSED) {
  test(`looks for the names of ${address} at ${expected}`, () => {
    assert.is(reverseName(address), expected);
  });
}

test.run();
