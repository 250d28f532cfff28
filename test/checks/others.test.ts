// Checks of kinds tcp, ping and dns, and the names that conditions about all kinds may use.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { compile } from '@svc/conditions';
import * as assert from 'uvu/assert';
import {
  type CheckKind,
  type DnsSpec,
  defaultCondition,
  pingArguments,
  pingTimes,
  plainDoor,
  run,
  type TcpSpec,
  vocabularyOf,
  withPing,
} from '../../checks/src/index.ts';
import { record, startDns, type Zone } from '../agent-program-dns-server.ts';
import { suite } from '../runner/suite.ts';
import {
  drips,
  floods,
  hasIpv6,
  http,
  onText,
  openTimers,
  optionsFor,
  says,
  startPeer,
  valuesOf,
} from './kit.ts';

const test = suite('checks: tcp, ping, dns, vocabularies');
const dir = mkdtempSync(join(tmpdir(), 'svc-checks-'));
test.after(() => rmSync(dir, { recursive: true, force: true }));

const parts = onText(async (socket) => {
  for (const part of ['+PO', 'N', 'G and more']) {
    socket.write(part);
    await delay(5);
  }
});

type Serve = Parameters<typeof startPeer>[0];
// [what happens, the peer, more of the check, text that was received, words of the error]
const TCP: [string, Serve, Partial<TcpSpec>, string | undefined, RegExp | undefined][] = [
  ['only connects', () => undefined, {}, undefined, undefined],
  [
    'reads a greeting',
    (one) => void one.write('SSH-2.0-x'),
    { expect: 'SSH-' },
    'SSH-2.0-x',
    undefined,
  ],
  [
    'finds a text that comes in parts',
    parts,
    { send: 'PING\r\n', expect: 'PONG' },
    undefined,
    undefined,
  ],
  ['takes the first bytes', says('pong'), { send: 'ping' }, 'pong', undefined],
  [
    'misses a text',
    onText((one) => void one.end('-ERR')),
    { send: 'x', expect: 'OK' },
    '-ERR',
    /^the answer does not contain the expected text$/,
  ],
  ['is cut off', (one) => void one.end(), { expect: 'OK' }, '', /^the answer does not contain/],
  [
    'reads too much',
    floods('', 'x'.repeat(10_000)),
    { send: 'x', expect: 'OK' },
    undefined,
    /^the answer does not contain/,
  ],
];

for (const [what, serve, more, received, words] of TCP) {
  test(`tcp: ${what}`, async () => {
    const peer = await startPeer(serve);
    try {
      const spec = { kind: 'tcp', host: '127.0.0.1', port: peer.port, tls: false } as const;
      const outcome = await run({ ...spec, ...more }, optionsFor());
      if (words) assert.match(outcome.error ?? 'no error', words);
      else assert.is(outcome.error, undefined);
      if (received !== undefined) assert.is(outcome.values['received'], received);
      if (more.send !== undefined) assert.is(peer.heard(), more.send);
      assert.is(outcome.values['ip'], '127.0.0.1');
      assert.ok(String(outcome.values['received'] ?? '').length <= 65_536);
      assert.ok((outcome.sample ?? '').length <= 300);
      await peer.left();
      assert.is(openTimers(), 0);
    } finally {
      await peer.stop();
    }
  });
}

// [what the peer does, the peer]
const ENDLESS: [string, Serve][] = [
  ['says nothing', () => undefined],
  ['drips another text', drips('', 'x')],
];

for (const [what, serve] of ENDLESS) {
  test(`tcp: ends by its deadline for a peer that ${what}`, async () => {
    const peer = await startPeer(serve);
    try {
      const spec = { kind: 'tcp', host: '127.0.0.1', port: peer.port, tls: false } as const;
      const options = optionsFor({ timeout_ms: 300 });
      const outcome = await run({ ...spec, send: 'x', expect: 'OK' }, options);
      assert.match(outcome.error ?? 'no error', /^timed out after 0\.3 s: no answer/);
      assert.match(outcome.sample ?? '', /^x*$/);
      assert.is(outcome.heard, 'unclear');
      await peer.left();
      assert.is(openTimers(), 0);
    } finally {
      await peer.stop();
    }
  });
}

test('tcp: a text of the other side without characters that a database refuses', async () => {
  const peer = await startPeer((socket) => void socket.write('a\0b\x1b[31m\u{1F600}c OK'));
  try {
    const spec = { kind: 'tcp', host: '127.0.0.1', port: peer.port, tls: false } as const;
    const outcome = await run({ ...spec, expect: 'OK' }, optionsFor());
    assert.is(outcome.sample, 'a b [31m\u{1F600}c OK');
  } finally {
    await peer.stop();
  }
});

(hasIpv6 ? test : test.skip)(
  'tcp: the second address of a name is taken where the first refuses',
  async () => {
    const peer = await startPeer(() => undefined, { host: '::1' });
    try {
      const network = {
        ...withPing(plainDoor),
        addresses: async () => [
          { address: '127.0.0.1', family: 4 },
          { address: '::1', family: 6 },
        ],
      };
      const spec = { kind: 'tcp', host: 'two.example', port: peer.port, tls: false } as const;
      assert.is((await run(spec, optionsFor({ network }))).values['ip'], '::1');
    } finally {
      await peer.stop();
    }
  },
);

/** A program in place of `ping`. */
function program(script: string): string {
  const path = join(dir, `ping-${Math.random().toString(36).slice(2)}`);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

const echo = (...times: number[]) =>
  `cat <<'END'\nPING 127.0.0.1\n${times.map((ms) => `64 bytes from 127.0.0.1: time=${ms} ms`).join('\n')}\n\n--- statistics\nrtt min/avg/max = 0.1/9.9/5.5 ms\nEND`;

const NOTHING = { heard: 'nothing', isUnknown: undefined };
// [what ping does, the script, values, words of the error, what came from the target]
type Said = { heard?: string | undefined; isUnknown?: boolean | undefined };
const PINGS: [string, string, Record<string, unknown>, RegExp | undefined, Said?][] = [
  ['gets all echoes', echo(1, 3, 2), { loss_percent: 0, jitter: 1.5, ip: '127.0.0.1' }, undefined],
  ['loses one of four', echo(1, 3, 2), { loss_percent: 25, jitter: 1.5 }, undefined],
  ['gets one echo twice', `${echo(1)}; echo`, { loss_percent: 75, jitter: 0 }, undefined],
  [
    'gets none',
    'echo "4 packets transmitted, 0 received, 100% packet loss, time 9ms"; exit 1',
    { loss_percent: 100, ms: undefined },
    undefined,
    NOTHING,
  ],
  [
    'says why it sends none',
    'echo "ping: connect: Network is unreachable" >&2; exit 2',
    {},
    /^ping: connect: Network is unreachable$/,
    NOTHING,
  ],
  [
    'may open no socket',
    'echo "ping: socket: Operation not permitted" >&2; exit 2',
    {},
    /Operation not permitted: ping is forbidden here; .*ping_group_range$/,
    { heard: 'unclear', isUnknown: true },
  ],
];

for (const [what, script, values, words, said = {}] of PINGS) {
  test(`ping: ${what}`, async () => {
    const count = what.startsWith('gets all') ? 3 : 4;
    const network = withPing(plainDoor, program(script));
    const outcome = await run({ kind: 'ping', host: '127.0.0.1', count }, optionsFor({ network }));
    if (words) assert.match(outcome.error ?? 'no error', words);
    else assert.is(outcome.error, undefined);
    for (const [name, value] of Object.entries(values))
      assert.is(outcome.values[name], value, name);
    assert.equal([outcome.heard, outcome.isUnknown], [said.heard, said.isUnknown]);
    if (script.includes('time=')) assert.is(outcome.ms, script.includes('time=3') ? 2 : 1);
  });
}

test('ping: says that the program is missing', async () => {
  const network = withPing(plainDoor, join(dir, 'none'));
  const spec = { kind: 'ping', host: '127.0.0.1', count: 1 } as const;
  const { error, isUnknown } = await run(spec, optionsFor({ network }));
  assert.equal([error, isUnknown], ['the program ping is not installed', true]);
});

test('ping: a program that does not end is ended by the deadline', async () => {
  const pid = join(dir, 'pid');
  const network = withPing(
    plainDoor,
    program(`echo $$ > ${pid}.new; mv ${pid}.new ${pid}; exec sleep 600`),
  );
  const stop = new AbortController();
  const options = optionsFor({ network, timeout_ms: 60_000, signal: stop.signal });
  const outcome = run({ kind: 'ping', host: '127.0.0.1', count: 1 }, options);
  while (!existsSync(pid)) await delay(5);
  stop.abort();
  assert.is((await outcome).error, 'the check was stopped');
  const isAlive = () => spawnSync('kill', ['-0', readFileSync(pid, 'utf8').trim()]).status === 0;
  while (isAlive()) await delay(5);
});

test('ping: a name is never an argument', async () => {
  const network = withPing(plainDoor, program(`touch ${join(dir, 'called')}; ${echo(1)}`));
  for (const host of ['-f', '--help', '$(id)', '']) {
    const outcome = await run({ kind: 'ping', host, count: 1 }, optionsFor({ network }));
    assert.ok(outcome.error, host);
  }
  assert.not(existsSync(join(dir, 'called')));
});

test('ping: several echoes are asked for in a row', () => {
  const count = 3;
  const args = (address: string, platform: NodeJS.Platform) =>
    pingArguments(address, { count, platform }).join(' ');
  assert.is(args('10.0.0.1', 'linux'), '-n -c 3 -i 0.2 -W 2 10.0.0.1');
  assert.is(args('::1', 'linux'), '-6 -n -c 3 -i 0.2 -W 2 ::1');
  assert.is(args('10.0.0.1', 'darwin'), '-n -c 3 -i 0.2 -W 2000 10.0.0.1');
  assert.is(args('10.0.0.1', 'win32'), '-n 3 -w 2000 10.0.0.1');
});

test('ping: the summary of the program is no echo', () => {
  const windows = [
    '\r\nPinging ::1 with 32 bytes of data:',
    'Reply from ::1: time<1ms ',
    'Request timed out.',
    'Reply from ::1: time=4ms ',
    '',
    'Approximate round trip times in milli-seconds:',
    '    Minimum = 0ms, Maximum = 4ms, Average = 2ms',
  ].join('\r\n');
  assert.equal(pingTimes(windows), [1, 4]);
  const twice = '64 bytes: icmp_seq=1 time=1 ms\n64 bytes: icmp_seq=1 time=2 ms (DUP!)\n\n---';
  assert.equal(pingTimes(twice), [1]);
});

const ZONE: Zone = {
  'a.example a': [record.a('192.0.2.2'), record.a('192.0.2.1')],
  'a.example aaaa': [record.aaaa('20010db8000000000000000000000017')],
  'a.example cname': [record.name('b.example')],
  'a.example mx': [record.mx(10, 'mx.example')],
  'a.example ns': [record.name('ns.example')],
  'a.example txt': [record.txt('v=spf1 ', '-all')],
  'a.example srv': [record.srv(1, 2, 443, 'c.example')],
  'a.example caa': [record.caa(0, 'issue', 'ca.example')],
  'a.example soa': [record.soa('ns.example', 'me.example', 1, 2, 3, 4, 5)],
  '1.2.0.192.in-addr.arpa ptr': [record.name('a.example')],
  'none.example a': [],
};

// [name, type, rcode, answers]
const DNS: [string, DnsSpec['type'], string, string[]][] = [
  ['a.example', 'A', 'NOERROR', ['192.0.2.1', '192.0.2.2']],
  ['a.example', 'AAAA', 'NOERROR', ['2001:db8::17']],
  ['a.example', 'CNAME', 'NOERROR', ['b.example.']],
  ['a.example', 'MX', 'NOERROR', ['10 mx.example.']],
  ['a.example', 'NS', 'NOERROR', ['ns.example.']],
  ['a.example', 'TXT', 'NOERROR', ['v=spf1 -all']],
  ['a.example', 'SRV', 'NOERROR', ['1 2 443 c.example.']],
  ['a.example', 'CAA', 'NOERROR', ['issue "ca.example"']],
  ['a.example', 'SOA', 'NOERROR', ['ns.example. me.example. 1 2 3 4 5']],
  ['192.0.2.1', 'PTR', 'NOERROR', ['a.example.']],
  ['none.example', 'A', 'NOERROR', []],
  ['nowhere.example', 'A', 'NXDOMAIN', []],
];

for (const [name, type, rcode, answers] of DNS) {
  test(`dns: ${type} of ${name}: ${rcode}, ${answers.length} answers`, async () => {
    const dns = await startDns(ZONE);
    try {
      const spec = { kind: 'dns', name, type, server: dns.address } as const;
      const outcome = await run(spec, optionsFor());
      assert.equal([outcome.error, valuesOf(outcome)], [undefined, { rcode, answers }]);
      assert.is(outcome.sample, answers.join('\n'));
    } finally {
      await dns.stop();
    }
  });
}

test('dns: ends by its deadline where the name server is silent', async () => {
  const dns = await startDns({}, { mute: true });
  try {
    const spec = { kind: 'dns', name: 'a.example', type: 'A', server: dns.address } as const;
    const outcome = await run(spec, optionsFor({ timeout_ms: 300 }));
    assert.is(outcome.error, 'timed out after 0.3 s: no answer of the name server');
    assert.is(openTimers(), 0);
  } finally {
    await dns.stop();
  }
});

// [server, words of the error]
const SERVERS: [string, RegExp][] = [
  ['127.0.0.1:99999', /^the name server is not written as/],
  ['a b:c', /^the name server is not written as/],
  ['127.0.0.1:1', /^the name server refuses connections$/],
  ['nowhere.invalid', /nowhere\.invalid$/],
];

for (const [server, words] of SERVERS) {
  test(`dns: says what is wrong with the server ${server}`, async () => {
    const spec = { kind: 'dns', name: 'a.example', type: 'A', server } as const;
    assert.match((await run(spec, optionsFor())).error ?? 'no error', words);
  });
}

// [kind, condition]
const CONDITIONS: [CheckKind, string][] = [
  ['http', 'status in [200, 429] && ms < 500 && ms_dns + ms_connect + ms_tls + ms_first < 400'],
  ['http', 'body.contains("ok") && re(body, "^[a-z]+$") && body_bytes > 0 && redirects <= 1'],
  ['http', 'json.ok == true && headers["content-type"].startsWith("text/") && ip != ""'],
  ['http', 'status == 200 && tls.days_left > 14'],
  ['tcp', 'received.startsWith("+") && ms < 100 && tls.valid'],
  ['ping', 'loss_percent < 50 && ms < 200 && jitter < 30 && ip != ""'],
  ['dns', '"192.0.2.1" in answers && rcode == "NOERROR" && ms < 50'],
  ['dns', 'answers.exists(one, one.contains("mx"))'],
  ['tls', 'tls.valid && tls.reason == "" && tls.days_left > tls.lifetime_days / 3'],
  ['tls', 'tls.issuer.contains("R3") && "a.example" in tls.names && tls.protocol == "TLSv1.3"'],
  ['tls', 'size(tls.chain) > 1 && ms_tls < 100'],
];
const KINDS: readonly CheckKind[] = ['http', 'tcp', 'ping', 'dns', 'tls'];

for (const [kind, text] of [
  ...CONDITIONS,
  ...KINDS.map((one) => [one, defaultCondition(one)] as const),
]) {
  test(`${kind}: a condition may be ${text}`, () => {
    const read = compile(text, vocabularyOf(kind));
    assert.equal('faults' in read ? read.faults : [], []);
  });
}

test('a condition judges what a check has measured', async () => {
  const answer =
    'HTTP/1.1 200 OK\r\nContent-Type: text/json\r\nContent-Length: 11\r\n\r\n{"ok":true}';
  const peer = await startPeer(says(answer));
  try {
    const { values } = await run(http(`http://127.0.0.1:${peer.port}/`), optionsFor());
    const judge = (text: string) => {
      const read = compile(text, vocabularyOf('http'));
      if (!('condition' in read)) throw new Error(read.faults[0]?.message);
      return read.condition.evaluate(values);
    };
    assert.is(judge(defaultCondition('http')), true);
    assert.is(judge('json.ok == true && headers["content-type"].contains("json")'), true);
    assert.is(judge('body_bytes > 11'), false);
    assert.is(judge('tls.valid'), undefined, 'it was not measured');
  } finally {
    await peer.stop();
  }
});

test.run();
