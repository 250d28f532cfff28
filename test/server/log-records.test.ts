/** Records (svc-server.md §9.1), console lines (configuration.md §5), and what never appears in either. */
import type { Fields, LogRecord } from '@svc/plugin-sdk/kernel';
import fc from 'fast-check';
import * as assert from 'uvu/assert';
import { consoleLine } from '../../server/src/log/console.ts';
import { openLog } from '../../server/src/log/index.ts';
import { maskText } from '../../server/src/log/mask.ts';
import { makeRecord } from '../../server/src/log/record.ts';
import { timestamp } from '../../server/src/log/time.ts';
import { suite } from '../runner/suite.ts';

const test = suite('log records');

const example: LogRecord = {
  timestamp: '2026-03-02T18:04:11.207+00:00',
  level: 'INFO',
  target: 'server',
  message: 'message',
  fields: { key: 'value' },
  spans: [
    { name: 'inner', fields: 'k=v' },
    { name: 'outer', fields: 'k=v' },
  ],
};

const lines: [name: string, record: LogRecord, line: string][] = [
  [
    'the line of the chapter',
    example,
    '2026-03-02 18:04:11.207+00:00  INFO server: message key=value [inner{k=v} < outer{k=v}]',
  ],
  [
    'five-letter levels without a second blank, no fields, no spans',
    { ...example, level: 'ERROR', fields: {}, spans: [] },
    '2026-03-02 18:04:11.207+00:00 ERROR server: message',
  ],
  [
    'a span without fields, an empty message',
    { ...example, level: 'WARN', message: '', fields: { n: 1 }, spans: [{ name: 'kv::set' }] },
    '2026-03-02 18:04:11.207+00:00  WARN server: n=1 [kv::set]',
  ],
  [
    'numbers and booleans bare, texts with blanks, quotes or nothing in them quoted',
    { ...example, fields: { n: 1.5, b: false, s: 'a b', q: 'a"b', e: '', p: '/x:y' }, spans: [] },
    '2026-03-02 18:04:11.207+00:00  INFO server: message n=1.5 b=false s="a b" q="a\\"b" e="" p=/x:y',
  ],
  [
    'no line ends and no terminal commands from texts',
    {
      ...example,
      message: 'a\nb\u001b[31m',
      fields: { 'k\n': 'x\r\ny\u009b' },
      spans: [{ name: 's\u0007' }],
    },
    '2026-03-02 18:04:11.207+00:00  INFO server: a\\nb\\u001b[31m k\\n="x\\r\\ny\\u009b" [s\\u0007]',
  ],
];

for (const [name, record, line] of lines) {
  test(`console: ${name}`, () => assert.is(consoleLine(record, false), line));
}

test('console: colours change nothing but the colours', () => {
  for (const level of ['ERROR', 'WARN', 'INFO', 'DEBUG', 'TRACE'] as const) {
    const record = { ...example, level };
    const coloured = consoleLine(record, true);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colour codes begin with one
    assert.is(coloured.replace(/\u001b\[\d+m/g, ''), consoleLine(record, false));
    assert.ok(coloured.includes('\u001b['));
  }
});

const times: [zone: string, utc: string, local: string][] = [
  ['UTC', '2026-03-02T18:04:11.207Z', '2026-03-02T18:04:11.207+00:00'],
  ['Asia/Kolkata', '2026-03-02T18:34:12.007Z', '2026-03-03T00:04:12.007+05:30'],
  ['America/St_Johns', '2026-01-02T00:00:13.999Z', '2026-01-01T20:30:13.999-03:30'],
  ['Europe/Berlin', '2026-03-29T00:59:59.999Z', '2026-03-29T01:59:59.999+01:00'],
  ['Europe/Berlin', '2026-03-29T01:00:00.000Z', '2026-03-29T03:00:00.000+02:00'],
  ['Europe/Berlin', '2026-03-29T01:00:00.001Z', '2026-03-29T03:00:00.001+02:00'],
];

for (const [zone, utc, local] of times) {
  test(`timestamp: ${utc} in ${zone} is ${local}`, () => {
    const before = process.env['TZ'];
    process.env['TZ'] = zone;
    try {
      assert.is(timestamp(Date.parse(utc)), local);
    } finally {
      if (before === undefined) delete process.env['TZ'];
      else process.env['TZ'] = before;
    }
  });
}

const fieldsOf = (fields: Fields, level: 'info' | 'error' = 'info') =>
  makeRecord({ level, target: 'server' }, 'm', fields, []).fields;

const circle: { self?: unknown } = {};
circle.self = circle;

const values: [name: string, value: unknown, shown: unknown][] = [
  ['a number stays', 5, 5],
  ['a fraction stays', -0.25, -0.25],
  ['a boolean stays', false, false],
  ['a text stays', 'a b', 'a b'],
  ['null is a text', null, 'null'],
  ['what JSON has no number for is a text', Number.NaN, 'NaN'],
  ['infinity is a text', Number.NEGATIVE_INFINITY, '-Infinity'],
  ['a 64-bit integer is a text', 2n ** 63n, '9223372036854775808'],
  [
    'an object is JSON',
    { a: [1, 'x', null], b: 2n ** 64n },
    '{"a":[1,"x",null],"b":18446744073709551616}',
  ],
  ['a list is JSON', ['a', 1], '["a",1]'],
  ['a date is ISO text', new Date(0), '1970-01-01T00:00:00.000Z'],
  ['an invalid date is told', new Date(Number.NaN), 'invalid date'],
  ['bytes are counted', new Uint8Array(3), '<3 bytes>'],
  ['an error is its message', new Error('boom'), 'boom'],
  ['causes follow', new Error('a', { cause: new Error('b', { cause: 'c' }) }), 'a: b: c'],
  [
    'a cause that is told already is not repeated',
    new Error('a: b', { cause: new Error('b') }),
    'a: b',
  ],
  ['an error without message is its name', new TypeError(), 'TypeError'],
  [
    'several errors',
    new AggregateError([new Error('x'), new Error('y')], 'both'),
    'both: [Error: x; Error: y]',
  ],
  ['an error inside an object', { e: new Error('boom') }, '{"e":"boom"}'],
  ['a map is an object', new Map([['a', 1]]), '{"a":1}'],
  ['a symbol is a text', Symbol('a'), 'Symbol(a)'],
];

for (const [name, value, shown] of values) {
  test(`field: ${name}`, () => assert.equal(fieldsOf({ value }), { value: shown }));
}

test('field: an undefined value is left out', () => assert.equal(fieldsOf({ a: undefined }), {}));

test('field: circular objects and getters that throw end in a text', () => {
  const thrower = {
    get a() {
      throw new Error('no');
    },
  };
  const shown = fieldsOf({ circle, thrower });
  assert.type(shown['circle'], 'string');
  assert.is(shown['thrower'], '<not serialisable: no>');
});

test('field: an error at level error brings its stack, an operator mistake does not', () => {
  const error = new Error('boom');
  assert.equal(fieldsOf({ error }, 'error'), { error: 'boom', stack: error.stack });
  const mistake = Object.assign(new Error('boom'), { name: 'UserError' });
  assert.equal(fieldsOf({ error: mistake }, 'error'), { error: 'boom' });
});

test('field: a long text is cut and its length told', () => {
  const shown = fieldsOf({ text: 'ä'.repeat(9000) })['text'] as string;
  assert.is(shown, `${'ä'.repeat(8192)}[...18000 bytes total]`);
});

const names = [
  'token',
  'secret',
  'password',
  'credential',
  'father_token',
  'supertoken',
  'token_hash',
  'password_hash',
  'new_password',
  'fatherToken',
  'newPassword',
  'TOKEN',
  'task_token',
  'db_password',
];

for (const name of names) {
  test(`masking: the field ${name}, at any depth and as text`, () => {
    const secret = 'hunter2';
    assert.equal(fieldsOf({ [name]: secret }), { [name]: '***' });
    assert.equal(fieldsOf({ [name]: { a: secret } }), { [name]: '***' });
    const deep = fieldsOf({
      a: { b: [{ [name]: secret }] },
      text: JSON.stringify({ a: [{ [name]: secret }] }),
    });
    assert.equal(deep, { a: `{"b":[{"${name}":"***"}]}`, text: `{"a":[{"${name}":"***"}]}` });
  });
}

test('masking: names that only look like a secret are shown, and so are flags', () => {
  const fields = { token_key: 'k', tokens: 3, has_password: true, target_token: 'k', key: 'v' };
  assert.equal(fieldsOf(fields), fields);
});

const texts: [name: string, text: string, masked: string][] = [
  [
    'the password of a database URL',
    'postgres://user:pw@host:5432/db',
    'postgres://user:***@host:5432/db',
  ],
  ['postgresql', 'postgresql://user:pw@host/db', 'postgresql://user:***@host/db'],
  [
    'a password that holds @ and /',
    'to postgres://u:p@/s@host/db failed',
    'to postgres://u:***@host/db failed',
  ],
  ['a URL without a password', 'postgres://user@host/db', 'postgres://user@host/db'],
  ['a URL with a port and an @ in its path', 'http://host:80/@x', 'http://host:80/@x'],
  ['the user and the password of a web URL', 'http://u:pw@host/x', 'http://***@host/x'],
  ['a token as the user of a web URL', 'to "https://t0k3n@host/x"', 'to "https://***@host/x"'],
  ['a token for a broker', 'nats://t0k3n@host:4222', 'nats://***@host:4222'],
  ['a password for a broker that holds @ and /', 'redis://:p@/s@host/0', 'redis://***@host/0'],
  ['a password in a query', 'postgres://h/db?password=pw&x=1', 'postgres://h/db?password=***&x=1'],
  ['a token in a query', '/terminal?token=k:s&agent=1', '/terminal?token=***&agent=1'],
  [
    'a whole credential that was given in the place of a key',
    'not found: Qm3vT9xLd0aZr7Kp:9mQ4vT9xLd0aZr7KpQm3vT9xLd0aZr7K, x',
    'not found: Qm3vT9xLd0aZr7Kp:***, x',
  ],
  [
    'an account that was given in the place of a name',
    'Token not found by key/username: ann|a pass word|x',
    'Token not found by key/username: ann|***',
  ],
  [
    'digests and addresses with colons',
    '0123456789abcdef0:0123456789abcdef0123456789abcdef fe80::1',
    '0123456789abcdef0:0123456789abcdef0123456789abcdef fe80::1',
  ],
  ['JSON with blanks', '{ "password" : "a b" , "x":1}', '{ "password" : "***" , "x":1}'],
  ['a quote inside the secret', '{"secret":"a\\"b","x":1}', '{"secret":"***","x":1}'],
  ['a backslash at its end', '{"secret":"a\\\\","x":"y"}', '{"secret":"***","x":"y"}'],
  ['a number', '{"password":123,"x":1}', '{"password":"***","x":1}'],
  [
    'null and flags stay',
    '{"password":null,"has_password":true}',
    '{"password":null,"has_password":true}',
  ],
  [
    'a secret that is cut off by the text around it',
    '{"a":"{\\"secret\\":\\"abc","b":1}',
    '{"a":"{\\"secret\\":\\"***\\"","b":1}',
  ],
  ['a secret that is cut off', '{"a":1,"secret":"abc', '{"a":1,"secret":"***"'],
  [
    'an object under such a name is looked into',
    '{"token":{"secret":"a","k":1}}',
    '{"token":{"secret":"***","k":1}}',
  ],
];

for (const [name, text, masked] of texts) {
  test(`masking in a text: ${name}`, () => assert.is(maskText(text), masked));
}

const secretText = fc.string({ minLength: 1, maxLength: 12 }).map((text) => `<${text}>§`);

test('masking in a text: no secret survives in JSON, or in JSON quoted inside JSON up to three times', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...names),
      secretText,
      fc.string(),
      fc.nat(3),
      (name, secret, other, depth) => {
        fc.pre(!other.includes('§'));
        let text = JSON.stringify({ before: other, [name]: secret, after: other });
        for (let level = 0; level < depth; level++) text = JSON.stringify({ text });
        const masked = maskText(text);
        assert.not(masked.includes('§'), masked);
        let value = JSON.parse(masked);
        for (let level = 0; level < depth; level++) value = JSON.parse(value.text);
        assert.is(value[name], '***');
      },
    ),
  );
});

test('a record has the members of the chapter, spans innermost first', () => {
  const log = openLog({ memory_log_capacity: 1 }, { console: 'none' });
  const outer = { name: 'kv::set_value', fields: 'token_key="k"' };
  log.logger.target('kv').span(outer).span({ name: 'inner' }).info('stored', { key: 'theme' });
  const [record] = log.sinks.recent();
  assert.match(record!.timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d$/);
  assert.equal(record, {
    timestamp: record!.timestamp,
    level: 'INFO',
    target: 'kv',
    message: 'stored',
    fields: { key: 'theme' },
    spans: [{ name: 'inner' }, outer],
  });
});

test('a target that bears the brand follows the brand', () => {
  const log = openLog({ memory_log_capacity: 2 }, { console: 'none', brand: { word: 'acme' } });
  log.logger.target('svc').info('a');
  log.logger.target('server').info('b');
  assert.equal(
    log.sinks.recent().map(({ target }) => target),
    ['acme', 'server'],
  );
});

test.run();
