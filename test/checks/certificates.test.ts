// Checks of kind tls, and certificates of the others: they are read first and judged then.
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { compile, type Value } from '@svc/conditions';
import * as assert from 'uvu/assert';
import {
  type Outcome,
  run,
  type StartTls,
  type TlsSpec,
  vocabularyOf,
} from '../../checks/src/index.ts';
import { Compile } from '../../plugin-sdk/src/typebox.ts';
import { ReportedResult } from '../../plugins/monitor/src/agents/wire.ts';
import { suite } from '../runner/suite.ts';
import { DAY_MS, type Issued, issue, middle, ROOTS, root } from './authority.ts';
import { floods, http, loopback, onText, openTimers, optionsFor, says, startPeer } from './kit.ts';

const test = suite('checks: certificates');
const NAMES = ['shop.example', '*.shop.example', '127.0.0.1'];
const LEAF = { name: 'shop.example', issuer: middle, names: NAMES };
const good = issue(LEAF);
const oldMiddle = issue({
  ...{ name: 'Old Middle', issuer: root, isAuthority: true },
  until_days: -3.5,
});
const stranger = issue({ name: 'Strange Root', isAuthority: true });
const MINUTE = 1 / 1_440;

interface Case {
  readonly what: string;
  readonly leaf: Issued;
  /** Certificates that are served after that of the server. */
  readonly above: readonly Issued[];
  readonly host?: string;
  readonly reason: string;
  readonly missing?: readonly string[];
}

const CASES: readonly Case[] = [
  { what: 'a good one', leaf: good, above: [middle], reason: '' },
  { what: 'a good one whose root is served, too', leaf: good, above: [middle, root], reason: '' },
  { what: 'a name under a star', leaf: good, above: [middle], host: 'a.shop.example', reason: '' },
  { what: 'an address', leaf: good, above: [middle], host: '127.0.0.1', reason: '' },
  {
    what: 'one that expired two days ago',
    leaf: issue({ ...LEAF, until_days: -2.5 }),
    above: [middle],
    reason: 'expired 2 days ago',
  },
  {
    what: 'one that expired minutes ago',
    leaf: issue({ ...LEAF, until_days: -90 * MINUTE }),
    above: [middle],
    reason: 'expired 1 hour ago',
  },
  {
    what: 'one that begins later',
    leaf: issue({ ...LEAF, from_days: 3.5 }),
    above: [middle],
    reason: 'valid only in 3 days',
  },
  {
    what: 'another name',
    leaf: good,
    above: [middle],
    host: 'other.example',
    reason: 'it is not for other.example but for shop.example, *.shop.example, 127.0.0.1',
  },
  {
    what: 'one without its issuer',
    leaf: good,
    above: [],
    reason: 'the certificate of its issuer CN=Test Middle is neither served nor trusted',
    missing: ['CN=Test Middle'],
  },
  {
    what: 'an expired one without its issuer',
    leaf: issue({ ...LEAF, until_days: -1.5 }),
    above: [],
    reason: 'expired 1 day ago',
    missing: ['CN=Test Middle'],
  },
  {
    what: 'an issuer that expired',
    leaf: issue({ ...LEAF, issuer: oldMiddle }),
    above: [oldMiddle],
    reason: 'its issuer CN=Old Middle: expired 3 days ago',
  },
  {
    what: 'a self-signed one',
    leaf: issue({ ...LEAF, issuer: undefined as never }),
    above: [],
    reason: 'it is self-signed',
  },
  {
    what: 'an authority that is not trusted',
    leaf: issue({ ...LEAF, issuer: stranger }),
    above: [stranger],
    reason: 'the authority CN=Strange Root is not trusted',
  },
];

const served = ({ leaf, above }: Pick<Case, 'leaf' | 'above'>) => ({
  key: leaf.key,
  cert: [leaf, ...above].map(({ cert }) => cert).join(''),
});

const options = (more = {}) => optionsFor({ network: loopback(), roots: ROOTS, ...more });

const spec = (port: number, more: Partial<TlsSpec> = {}): TlsSpec => ({
  ...{ kind: 'tls', host: 'shop.example', port, ...more },
});

const tlsOf = ({ values }: Outcome) => values['tls'] as Record<string, any>;

for (const one of CASES) {
  const { what, leaf, above, host = 'shop.example', reason, missing = [] } = one;
  test(`judges ${what}`, async () => {
    const peer = await startPeer(() => undefined, { tls: served(one) });
    try {
      const outcome = await run(spec(peer.port, { host }), options());
      assert.is(outcome.error, undefined, 'measured, for the condition to judge');
      const { valid, reason: told, chain, names, issuer, protocol } = tlsOf(outcome);
      assert.equal([valid, told], [reason === '', reason]);
      assert.equal([names, protocol], [NAMES, 'TLSv1.3']);
      const top = above.at(-1) === middle || above.at(-1) === oldMiddle ? [root] : [];
      const subjects = [leaf, ...above, ...top].map(({ name }) => `CN=${name}`);
      assert.equal(chain, subjects);
      assert.is(issuer, `CN=${above[0]?.name ?? (missing.length > 0 ? 'Test Middle' : leaf.name)}`);
      assert.equal(outcome.certificate?.missing, missing);
      assert.is(outcome.certificate?.chain.length, subjects.length);
      assert.match(outcome.certificate?.chain[0]?.fingerprint ?? '', /^(?:[0-9A-F]{2}:){31}/);
      await peer.left();
      assert.is(openTimers(), 0);
    } finally {
      await peer.stop();
    }
  });

  test(`http: ${reason === '' ? 'sends its request' : 'sends nothing, unless told to,'} for ${what}`, async () => {
    const answer = says('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
    const peer = await startPeer(answer, { tls: served(one) });
    try {
      const url = `https://user:secret@${host}:${peer.port}/`;
      const strict = await run(http(url), options());
      assert.is(tlsOf(strict)['reason'], reason);
      if (reason !== '') {
        assert.is(strict.error, `the certificate is not valid: ${reason}`);
        assert.is(strict.certificate?.reason, reason);
        assert.is(peer.heard(), '');
      }
      assert.is(strict.code, reason === '' ? 200 : null);
      const easy = await run(http(url, { ignore_tls: true }), options());
      assert.equal([easy.error, easy.code], [undefined, 200]);
      assert.is(tlsOf(easy)['valid'], reason === '');
      assert.match(peer.heard(), /authorization: Basic /);
    } finally {
      await peer.stop();
    }
  });
}

// [days from the beginning, days that are left, warning]
const LIFETIMES: [number, number, boolean][] = [
  [77, 13, true],
  [4.6, 1.4, true],
  [3, 3, false],
];
const SOON = 'tls.days_left < 14 && tls.days_left < tls.lifetime_days / 3';

for (const [gone, left, warns] of LIFETIMES) {
  test(`${left} of ${gone + left} days left: ${warns ? 'a warning' : 'no warning'} by a condition`, async () => {
    // A minute more: it is less than this by now.
    const leaf = issue({ ...LEAF, from_days: -gone, until_days: left + MINUTE });
    const peer = await startPeer(() => undefined, { tls: served({ leaf, above: [middle] }) });
    try {
      const outcome = await run(spec(peer.port), options());
      const { days_left, lifetime_days } = tlsOf(outcome);
      assert.ok(Math.abs(days_left - left) < 0.02, `${days_left}`);
      assert.is(lifetime_days, Math.round((gone + left) * 100) / 100);
      const read = compile(SOON, vocabularyOf('tls'));
      if (!('condition' in read)) throw new Error(read.faults[0]?.message);
      assert.is(read.condition.evaluate(outcome.values as Record<string, Value>), warns);
    } finally {
      await peer.stop();
    }
  });
}

for (const [what, odd, told] of [
  ['of 200 years', { from_days: -100 * 365, until_days: 100 * 365 }, 'it is self-signed'],
  ['that ends in the year 9999', { until_days: 2_900_000 }, 'it is self-signed'],
  ['that ended in 1960', { from_days: -30_000, until_days: -24_000 }, 'expired'],
  ['that begins after 2100', { from_days: 36_500, until_days: 40_000 }, 'valid only in'],
  ['with a long name', { name: 'n'.repeat(3_000) }, 'it is self-signed'],
  [
    'with many long names',
    { names: Array.from({ length: 150 }, (_, n) => `${n}.${'é🙂'.repeat(60)}`) },
    'it is not for',
  ],
] as const)
  test(`a certificate ${what} is told within bounds that every server takes`, async () => {
    const leaf = issue({ ...LEAF, ...odd, issuer: undefined as never });
    const peer = await startPeer(() => undefined, { tls: served({ leaf, above: [] }) });
    try {
      const { certificate, error } = await run(spec(peer.port), options());
      assert.is(error, undefined);
      assert.match(certificate?.reason ?? '', told);
      const result = { monitor: 1, at: 1, ok: false, ms: 1, code: null, detail: null, certificate };
      const sent = JSON.parse(JSON.stringify(result));
      assert.equal([...Compile(ReportedResult).Errors(sent)], []);
      assert.not.match(JSON.stringify(sent), /\\ud[89a-f]/);
    } finally {
      await peer.stop();
    }
  });

test('dates are judged by the clock that is given', async () => {
  const peer = await startPeer(() => undefined, { tls: served({ leaf: good, above: [middle] }) });
  try {
    const { clock } = options();
    const later = { ...clock, now: () => Date.now() + 70.5 * DAY_MS };
    const outcome = await run(spec(peer.port), options({ clock: later }));
    assert.is(tlsOf(outcome)['reason'], 'expired 10 days ago');
  } finally {
    await peer.stop();
  }
});

test('without the authority of the test nothing of it is trusted', async () => {
  const peer = await startPeer(() => undefined, {
    tls: served({ leaf: good, above: [middle, root] }),
  });
  try {
    const outcome = await run(spec(peer.port), optionsFor({ network: loopback() }));
    assert.is(tlsOf(outcome)['reason'], 'the authority CN=Test Root is not trusted');
  } finally {
    await peer.stop();
  }
});

test('another name is asked for where one is given', async () => {
  let asked: unknown;
  const tls = {
    ...served({ leaf: good, above: [middle] }),
    SNICallback: (name: string, done: (error: null) => void) => {
      asked = name;
      done(null);
    },
  };
  const peer = await startPeer(() => undefined, { tls });
  try {
    const outcome = await run(
      spec(peer.port, { host: '127.0.0.1', servername: 'b.shop.example' }),
      options(),
    );
    assert.equal([tlsOf(outcome)['valid'], asked], [true, 'b.shop.example']);
  } finally {
    await peer.stop();
  }
});

/** Speaks a protocol up to TLS: answers by the beginning of each line. */
const dialogue =
  (greeting: string, answers: Readonly<Record<string, string>>) => (socket: Socket) => {
    socket.write(greeting);
    socket.on('data', function hear(chunk) {
      const [, answer = ''] =
        Object.entries(answers).find(([line]) => `${chunk}`.startsWith(line)) ?? [];
      const isLast = answer.includes('TLS');
      if (isLast) socket.off('data', hear);
      socket.write(answer, () => {
        if (!isLast) return;
        const { key, cert } = served({ leaf: good, above: [middle] });
        new TLSSocket(socket, { isServer: true, key, cert }).on('error', () => undefined);
      });
    });
  };

const EHLO = '250-mail.example\r\n250-SIZE 1\r\n250 STARTTLS\r\n';
// [protocol, the server, error]
const STARTS: [StartTls, Parameters<typeof startPeer>[0], RegExp | undefined][] = [
  [
    'smtp',
    dialogue('220-a\r\n220 b\r\n', { EHLO: EHLO.replace('TLS', 'tls'), STARTTLS: '220 TLS\r\n' }),
    undefined,
  ],
  ['imap', dialogue('* OK [X] a\r\n', { 'a STARTTLS': 'a OK begin TLS\r\n' }), undefined],
  ['pop3', dialogue('+OK a\r\n', { STLS: '+OK begin TLS\r\n' }), undefined],
  ['ftp', dialogue('220 a\r\n', { 'AUTH TLS': '234 begin TLS\r\n' }), undefined],
  ['smtp', dialogue('554 no\r\n', {}), /^the server did not agree to begin TLS$/],
  [
    'pop3',
    dialogue('+OK a\r\n', { STLS: '-ERR no\r\n' }),
    /^the server did not agree .* \(STLS\)$/,
  ],
  ['imap', dialogue('* OK a\r\n', { a: 'a BAD no\r\n' }), /\(a STARTTLS\)$/],
  ['ftp', (socket) => void socket.end('220 a\r\n'), /the other side closed|did not agree/],
  ['smtp', floods('', '220-and so on\r\n'), undefined],
];

for (const [protocol, serve, words] of STARTS.slice(0, -1)) {
  test(`${protocol}: ${words ? `says that it failed: ${words}` : 'begins with plain text'}`, async () => {
    const peer = await startPeer(serve);
    try {
      const outcome = await run(spec(peer.port, { starttls: protocol }), options());
      if (words) assert.match(outcome.error ?? 'no error', words);
      else assert.equal([outcome.error, tlsOf(outcome)['valid']], [undefined, true]);
      await peer.left();
      assert.is(openTimers(), 0);
    } finally {
      await peer.stop();
    }
  });
}

test('a greeting without end, and none, are no dialogue', async () => {
  const endless = await startPeer((socket) => {
    const more = () => {
      while (!socket.destroyed && socket.write('220-and so on\r\n'));
    };
    socket.on('drain', more);
    more();
  });
  const silent = await startPeer(() => undefined);
  try {
    const much = await run(spec(endless.port, { starttls: 'smtp' }), options());
    assert.match(much.error ?? '', /^the server did not agree/);
    const none = await run(spec(silent.port, { starttls: 'smtp' }), options({ timeout_ms: 300 }));
    assert.match(none.error ?? '', /^timed out after 0\.3 s: no /);
    await Promise.all([endless.left(), silent.left()]);
  } finally {
    await endless.stop();
    await silent.stop();
  }
});

// [what answers, the peer, words]
const NO_TLS: [string, Parameters<typeof startPeer>[0], RegExp][] = [
  [
    'speaks no TLS',
    onText((socket) => void socket.end('HTTP/1.1 400 Bad\r\n\r\n')),
    /does not speak TLS/,
  ],
  ['closes', onText((socket) => void socket.end()), /closed the connection/],
];

for (const [what, serve, words] of NO_TLS) {
  test(`says that a peer ${what}`, async () => {
    const peer = await startPeer(serve);
    try {
      const outcome = await run(spec(peer.port), options());
      assert.match(outcome.error ?? 'no error', words);
      assert.is(outcome.certificate, undefined);
      await peer.left();
    } finally {
      await peer.stop();
    }
  });
}

test('tcp: a text is expected behind TLS, whose certificate has to be valid', async () => {
  const echo = onText((socket, text) => void socket.write(text.toUpperCase()));
  const peer = await startPeer(echo, { tls: served({ leaf: good, above: [middle] }) });
  try {
    const tcp = { kind: 'tcp', port: peer.port, tls: true, send: 'ping', expect: 'PING' } as const;
    const right = await run({ ...tcp, host: 'shop.example' }, options());
    assert.equal([right.error, right.values['received']], [undefined, 'PING']);
    const wrong = await run({ ...tcp, host: 'other.example' }, options());
    assert.match(wrong.error ?? '', /^the certificate is not valid: it is not for other\.example/);
    const easy = await run({ ...tcp, host: 'other.example', ignore_tls: true }, options());
    assert.equal([easy.error, tlsOf(easy)['valid']], [undefined, false]);
  } finally {
    await peer.stop();
  }
});

test.run();
