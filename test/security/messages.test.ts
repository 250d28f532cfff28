// proof: 25
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import fc from 'fast-check';
import * as assert from 'uvu/assert';
import { loop } from '../runner/proof.ts';
import { suite } from '../runner/suite.ts';
import { CLAIM_BYTES, echo, post } from './messages-kit.ts';

const RUNS = loop(60, 1_000);
const test = suite('messages');
let app: TestApp;
let token: string;

test.before(async () => {
  app = await bootForTest(['token', 'database-sqlite', echo]);
  token = await app.token([]);
});
test.after(() => app.stop());

const PADDING = ' '.repeat(CLAIM_BYTES);
const call = (members: string) => `{"jsonrpc":"2.0","id":7,${members}}${PADDING}`;
const method = (name: string, params: string) => `"method":"${name}","params":${params}`;
const T = () => JSON.stringify(token);

/** What is sent, longer than 256 KB; the code of the error, and what its data says. */
const refused: [name: string, text: () => string, code: number, data?: RegExp][] = [
  ['a wrong credential', () => call(method('echo_any', '["a:b",1]')), 102],
  ['a malformed credential', () => call(method('echo_any', '["ab",1]')), 101],
  ['no credential', () => call(method('echo_any', '[]')), -32602, /`token`.*262144/],
  ['a credential that is no text', () => call(method('echo_any', '[{"token":1}]')), -32602],
  ['no params', () => call('"method":"echo_any"'), -32602, /`token`/],
  ['a public method', () => call(method('echo_open', '[1]')), -32600, /takes no credential/],
  ['an unknown method', () => call(method('echo_none', `[${T()}]`)), -32601],
  [
    'the same name twice',
    () => call(method('echo_any', `{"token":${T()},"first_value":1,"token":${T()}}`)),
    -32602,
    /duplicate field `token`/,
  ],
  [
    'the same name twice, once escaped',
    () => call(method('echo_any', `{"token":${T()},"first_value":1,"tok\\u0065n":"a:b"}`)),
    -32602,
    /duplicate field `token`/,
  ],
  [
    'both spellings of the name',
    () => call(method('echo_father', `{"father_token":${T()},"fatherToken":${T()}}`)),
    -32602,
    /duplicate field `father_token`/,
  ],
  [
    'params twice, the last one with a valid credential',
    () => call(`"params":["a:b",1],${method('echo_any', `[${T()},1]`)}`),
    -32602,
  ],
  [
    'a method twice',
    () => call(`"method":"echo_open",${method('echo_any', `[${T()},1]`)}`),
    -32600,
    /must be a call/,
  ],
  [
    'the name of another method',
    () => call(method('echo_father', `{"token":${T()},"first_value":1}`)),
    -32602,
    /`father_token`/,
  ],
  [
    'a batch with one entry that shows a wrong credential',
    () => `[${call(method('echo_any', `[${T()},1]`))},${call(method('echo_any', '["a:b",1]'))}]`,
    102,
    /^entry 2, no entry was run/,
  ],
  [
    'a batch with one entry that shows none',
    () => `[${call(method('echo_any', `[${T()},1]`))},${call(method('echo_open', '[1]'))}]`,
    -32600,
    /^entry 2/,
  ],
  ['a batch with an entry that is no call', () => `[1,${call(method('echo_any', '[1]'))}]`, -32600],
  ['text without an end', () => `${call('"x":1').trimEnd().slice(0, -1)}${PADDING}`, -32700],
  ['text behind the end', () => `${call(method('echo_any', `[${T()},1]`))}]`, -32700],
  ['a text that is no JSON', () => call(method('echo_any', `[${T()},1,,2]`)), -32700],
];

for (const [name, text, code, data] of refused) {
  test(`a message over 256 KB is refused: ${name}`, async () => {
    const { error, id } = JSON.parse(await post(app, text()));
    assert.is(error?.code, code);
    if (data) assert.match(error.data, data);
    if (code !== -32700 && !text().startsWith('[')) assert.is(id, 7);
  });
}

const taken: [name: string, text: () => string, result: unknown][] = [
  ['by position', () => call(method('echo_any', `[${T()},5]`)), [5, null, null]],
  ['by name', () => call(method('echo_any', `{"first_value":5,"token":${T()}}`)), [5, null, null]],
  [
    'under an escaped name, in an escaped text',
    () =>
      call(
        `"\\u006dethod":"echo\\u005fany","params":{"\\u0074oken":${T().replace(':', '\\u003a')},"firstValue":5}`,
      ),
    [5, null, null],
  ],
  [
    'in snake case',
    () => call(method('echo_father', `{"father_token":${T()},"first_value":55}`)),
    2,
  ],
  [
    'in camel case',
    () => call(method('echo_father', `{"fatherToken":${T()},"first_value":55}`)),
    2,
  ],
  [
    'with params before the method',
    () => call(`"params":[${T()},5],"method":"echo_any"`),
    [5, null, null],
  ],
  [
    'with the text of a parameter',
    () => call(method('echo_any', `[${T()},12345678901234567890,[1.0, 2]]`)),
    [Number('12345678901234567890'), '[1.0, 2]', null],
  ],
];

for (const [name, text, result] of taken) {
  test(`a message over 256 KB is read with a valid credential ${name}`, async () => {
    assert.equal(JSON.parse(await post(app, text())).result, result);
    const batch = JSON.parse(await post(app, `[${text()},${text()}]`));
    assert.equal([batch[0].result, batch[1].result], [result, result]);
  });
}

test('a message over 256 KB may be the first one of a connection', async () => {
  const socket = await app.connect();
  const value = 'QUJD'.repeat(500_000);
  const answer = await socket.exchange(call(method('echo_father', `[${T()},"${value}"]`)));
  assert.is(answer.result, value.length + 2);
  socket.close();
});

test('a token that has ended opens no long message', async () => {
  const old = await app.token([]);
  const text = call(method('echo_any', `[${JSON.stringify(old)},5]`));
  assert.equal(JSON.parse(await post(app, text)).result, [5, null, null]);
  await app.call('token_delete', [app.superToken, old.split(':')[0]]);
  assert.is(JSON.parse(await post(app, text)).error.code, 102);
});

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
const long = '1234567890123456789';
const depths: [name: string, text: () => string, code: number | undefined][] = [
  [
    '20 KB, 128 deep',
    () => call(method('echo_any', `[${T()},${nested(128)}]`)).slice(0, -PADDING.length + 20_000),
    undefined,
  ],
  ['300 KB, 128 deep', () => call(method('echo_any', `[${T()},${nested(128)}]`)), undefined],
  ['300 KB, 129 deep', () => call(method('echo_any', `[${T()},${nested(129)}]`)), -32602],
  [
    '100 KB without a credential',
    () => call(method('echo_open', `[${long},${nested(50_000)}]`)).trimEnd(),
    -32602,
  ],
  [
    '5 MB, 2.5 million deep',
    () => call(method('echo_any', `[${T()},${long},${nested(2_500_000)}]`)),
    -32602,
  ],
];

for (const [name, text, code] of depths) {
  test(`the depth of a message is looked at before it is parsed: ${name}`, async () => {
    const { error, id } = JSON.parse(await post(app, text()));
    assert.is(id, 7);
    assert.is(error?.code, code);
    if (code) assert.is(error.data, 'recursion limit exceeded');
  });
}

test('what is refused before it is parsed counts as an attack', () => {
  const lines = app.records().filter(({ message }) => message === 'refused');
  const reasons = new Set(lines.map(({ fields }) => fields['reason']));
  assert.ok(reasons.has('large message without a valid credential'));
  assert.ok(reasons.has('a message that nests too deep'));
});

/** One token of JSON text after the other, so that the same text can be written with and without padding. */
type Tokens = string[];
const scalar = fc.oneof(
  fc.constantFrom(
    '1',
    '-0',
    '1.50',
    '1e400',
    '12345678901234567890',
    'true',
    'null',
    '""',
    '"\\ud800"',
    '"\\ud83d\\ude00"',
    '"é😀"',
    '"\\\\"',
    '"[{,"',
  ),
  fc.string().map((text) => JSON.stringify(text)),
);
const name = fc.constantFrom('"a"', '"b"', '"1"', '"__proto__"', '"\\u0061"', '"0"');
const { value } = fc.letrec<{ value: Tokens }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar.map((text) => [text]),
    fc.array(tie('value'), { maxLength: 6 }).map((all) => list(all)),
    fc.array(fc.tuple(name, tie('value')), { maxLength: 6 }).map((all) => object(all)),
  ),
}));
const list = (all: readonly Tokens[]): Tokens => ['[', ...commas(all), ']'];
const object = (all: readonly (readonly [string, Tokens])[]): Tokens => [
  '{',
  ...commas(all.map(([key, of]) => [key, ':', ...of])),
  '}',
];
const commas = (all: readonly Tokens[]): Tokens =>
  all.flatMap((tokens, at) => (at === 0 ? tokens : [',', ...tokens]));

const credential: fc.Arbitrary<Tokens> = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Tokens>(['TOKEN']) },
  { weight: 1, arbitrary: fc.constantFrom<Tokens[]>(['"a:b"'], ['"x"'], ['1'], ['null']) },
);
const params = fc.oneof(
  fc
    .tuple(credential, fc.array(value, { maxLength: 4 }))
    .map(([first, rest]) => list([first, ...rest])),
  fc
    .tuple(
      credential,
      fc.constantFrom('"token"', '"tok\\u0065n"', '"father_token"', '"fatherToken"'),
      fc.array(
        fc.tuple(
          fc.constantFrom(
            '"first_value"',
            '"firstValue"',
            '"second_value"',
            '"params"',
            '"z"',
            '"token"',
          ),
          value,
        ),
        { maxLength: 4 },
      ),
      fc.nat(4),
    )
    .map(([first, key, rest, at]) =>
      object((rest as [string, Tokens][]).toSpliced(at, 0, [key, first])),
    ),
  value,
);
const entry = fc
  .tuple(
    fc.constantFrom('"echo_any"', '"echo_father"', '"echo\\u005fany"', '"echo_open"', '"none"'),
    params,
    fc.shuffledSubarray([0, 1, 2, 3, 4], { minLength: 3 }),
    fc.option(fc.nat(4)),
  )
  .map(([called, given, order, twice]) => {
    const members: [string, Tokens][] = [
      ['"jsonrpc"', ['"2.0"']],
      ['"id"', ['9']],
      ['"method"', [called]],
      ['"params"', given],
      ['"x"', given],
    ];
    const chosen = [0, 1, 2, 3].every((at) => order.includes(at)) ? order : [...order, 0, 1, 2, 3];
    return object(
      [...new Set(chosen), ...(twice === null ? [] : [twice])].map((at) => members[at]!),
    );
  });
const message = fc.oneof(
  { weight: 3, arbitrary: entry },
  {
    weight: 1,
    arbitrary: fc
      .array(fc.oneof({ weight: 5, arbitrary: entry }, value), { maxLength: 3 })
      .map(list),
  },
);
/** A slip of the pen: a token is left out, or written twice, or another one. */
const slip = fc.option(
  fc.tuple(
    fc.double({ min: 0, max: 0.999, noNaN: true }),
    fc.constantFrom('', ',', ']', '}', '1', ':', '" ', '[1,2'),
    fc.boolean(),
  ),
  { freq: 4 },
);

/** Entries of a batch; 1 for anything else, broken texts included. */
function entriesIn(text: string): number {
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) ? parsed.length : 1;
  } catch {
    return 1;
  }
}

test('a long message is answered as the same message without its padding, or refused for its credential', async () => {
  let equal = 0;
  await fc.assert(
    fc.asyncProperty(message, slip, async (tokens, wrong) => {
      const written = tokens.map((one) => (one === 'TOKEN' ? T() : one));
      if (wrong) written.splice(Math.floor(wrong[0] * written.length), wrong[2] ? 1 : 0, wrong[1]);
      const pad = ' '.repeat(70_000);
      const short = await post(app, written.join(''));
      const padded = written.flatMap((one) => (one === ',' ? [one, pad] : [one]));
      // A parameter that is answered as its text has the padding in it.
      const answer = (await post(app, padded.join('') + PADDING)).replaceAll(pad, '');
      if (answer === short) {
        equal++;
        return;
      }
      const answers = [JSON.parse(short)].flat();
      // A notification, to which an id that stands twice makes a call, must show a credential too, and has no answer.
      const isSilent = answers.length < entriesIn(written.join(''));
      // A refused notification is answered with nothing, as every other one.
      const { error } = JSON.parse(answer) ?? { error: 'none' };
      // All entries must show a valid credential; then nothing may differ.
      assert.ok(error, `${written.join('')}\n${short}\n${answer}`);
      assert.ok(
        isSilent ||
          answers.some((one) => one === null || one.error) ||
          written.includes('"echo_open"'),
        `${written.join('')}\n${short}\n${answer}`,
      );
    }),
    { numRuns: RUNS },
  );
  assert.ok(equal > RUNS / 4, `${equal} of ${RUNS} were answered alike`);
});

test.run();
