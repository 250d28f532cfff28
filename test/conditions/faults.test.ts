// What is wrong with a condition, and where (conditions/README.md).
// proof: 60

import fc from 'fast-check';
import * as assert from 'uvu/assert';
import { ConditionError, compile, type Vocabulary } from '../../conditions/src/index.ts';
import { loop } from '../runner/proof.ts';
import { suite } from '../runner/suite.ts';

const test = suite('conditions: faults');

const VOCABULARY: Vocabulary = {
  variables: {
    cpu_usage: 'double',
    name: 'string',
    tags: 'list',
    json: 'object',
    'disk.free': 'double',
    'disk.total': 'double',
  },
  windows: ['cpu_usage'],
};

/** Condition, the part of it that the fault points at, a piece of the message, the name that was meant. */
const FAULTS: readonly (readonly [string, string, RegExp, string?])[] = [
  ['cpu_usge > 90', 'cpu_usge', /no variable cpu_usge/, 'cpu_usage'],
  ['name == "a" && zzz > 1', 'zzz', /no variable zzz/],
  ['disk.fre > 1', 'disk.fre', /no variable disk.fre/, 'disk.free'],
  ['disk > 1', 'disk', /disk needs a member: disk.free/, 'disk.free'],
  ['cpu_usage', 'cpu_usage', /gives a number; compare it/],
  ['cpu_usage + 1', 'cpu_usage + 1', /gives a number; compare it/],
  ['name', 'name', /gives a text/],
  ['tags', 'tags', /gives a list/],
  ['json', 'json', /gives a value/],
  ['cpu_usage >', '', /ends too early/],
  ['cpu_usage > 90 &&', '', /ends too early/],
  ['(cpu_usage > 90', '', /too early|Expected/],
  ['', '', /too early/],
  ['cpu_usage > 90)', ')', /./],
  ['cpu_usage = 90', '=', /./],
  ['cpu_usage > 90 and true', 'and', /./],
  ['name == "open', '"open', /Unterminated/],
  ['cpu_usage > name', 'cpu_usage > name', /overload/],
  ['name == 5', 'name == 5', /overload/],
  ['cpu_usage ? true : false', 'cpu_usage', /bool/],
  ['!cpu_usage', '!cpu_usage', /./],
  ['name.matches("a")', 'name.matches("a")', /use contains/],
  ['matches(name, "a")', 'matches(name, "a")', /use contains/],
  ['name.startWith("a")', 'name.startWith("a")', /no function startWith/, 'startsWith'],
  ['name.split(",").size() > 1', 'name.split(",")', /no function split/],
  ['avrg("cpu_usage", "5m") > 1', 'avrg("cpu_usage", "5m")', /no function avrg/, 'avg'],
  ['avg(cpu_usage, "5m") > 1', 'avg(cpu_usage, "5m")', /both as texts/],
  ['avg("cpu_usage") > 1', 'avg("cpu_usage")', /both as texts/],
  ['avg("cpu_usge", "5m") > 1', '"cpu_usge"', /no variable cpu_usge/, 'cpu_usage'],
  ['avg("name", "5m") > 1', '"name"', /no variable name/],
  ['avg("cpu_usage", "5 min") > 1', '"5 min"', /a span is/],
  ['avg("cpu_usage", "99d") > 1', '"99d"', /a span is/],
  ['avg("cpu_usage", "1s") > 1', '"1s"', /a span is/],
  ['traffic("week") > 1', 'traffic("week")', /"day" or "month"/],
  ['re(name, name)', 'name', /as it is written/],
  ['re(name, "(a")', '"(a"', /cannot be read/],
  ['re(name, "(?=a)")', '"(?=a)"', /cannot be read/],
  ['tags.exists(a, tags.exists(b, a == b))', 'tags.exists(b, a == b)', /inside another loop/],
  ['tags.all(a, [1].map(b, b + 1).size() > 0)', '[1].map(b, b + 1)', /inside another loop/],
  ['tags.map(a, a).exists(b, b == "a")', 'tags.map(a, a).exists(b, b == "a")', /result of another/],
  [
    'size(tags.filter(a, true) == tags ? tags : tags.map(b, b)) > 1 && (true ? tags.map(c, c) : tags).all(d, d == "a")',
    '',
    /result of another/,
  ],
  [`${'tags.exists(t, t == "a") || '.repeat(5)}true`, '', /more than 4 loops/],
  ['["a", 1].exists(n, n == "a")', '', /elements of one kind/],
  ['name + "!" == "a!"', 'name + "!"', /cannot be joined/],
  ['tags.exists(t, t + t == "aa")', 't + t', /cannot be joined/],
  ['tags + tags == tags', 'tags + tags', /cannot be joined/],
  ['size(b"a" + b"b") > 1', 'b"a" + b"b"', /cannot be joined|not available/],
  [`re(name, "${'a'.repeat(201)}")`, '"', /longer than 200/],
  ['re(name, "(?:a?){1000}b")', '"(?:a?){1000}b"', /repetitions/],
  ['re(name, "((a{30}){30}){30}")', '"((a{30}){30}){30}"', /repetitions/],
  ['re(name, "(?:a?b?){60}c")', '"(?:a?b?){60}c"', /too large/],
  [Array.from({ length: 9 }, (_, n) => `re(name, "${n}")`).join(' || '), '"8"', /more than 8 patt/],
  ['tags.exists(t, u == "a")', 'u', /no variable u/],
  ['__proto__ == 1', '__proto__', /Reserved/],
  ['constructor == 1', 'constructor', /no variable constructor/],
  ['json.__proto__ == 1', 'json.__proto__', /no name for a member|Reserved/],
  ['json.constructor == 1', 'json.constructor', /no name for a member/],
  ['json["__proto__"] == 1', '"__proto__"', /no name for a member/],
  ['json["constructor"] == 1', '"constructor"', /no name for a member/],
  ['json[name] == 1', 'name', /brackets/],
  ['name.constructor == 1', 'name.constructor', /no name for a member/],
  ['toString() == "a"', 'toString()', /no function toString/, 'string'],
  [
    'timestamp("2020-01-01T00:00:00Z") == timestamp("x")',
    'timestamp("2020-01-01T00:00:00Z")',
    /no function/,
  ],
  ['duration("5m") > duration("1m")', 'duration("5m")', /no function duration/],
  ['type(name) == string', 'type(name)', /no function type/],
  ['dyn(name) == 1', 'dyn(name)', /no function dyn/],
  ['cel.bind(a, 1, a > 0)', 'cel.bind(a, 1, a > 0)', /no function bind/],
  ['{"a": 1} == {"a": 1}', '{"a": 1}', /braces/],
  ['cpu_usage % 2 == 0', 'cpu_usage % 2', /not available/],
  ['cpu_usage in []', '[]', /needs an element/],
  ['1e400 > cpu_usage', '1e400', /Invalid number/],
  [`cpu_usage in [${'1,'.repeat(64)}1]`, '1', /more than 64 elements/],
  [`${'('.repeat(40)}true${')'.repeat(40)}`, '(', /more than 16 deep/],
  [`${'!'.repeat(300)}true`, '', /more than/],
  [`${'cpu_usage > 1 || '.repeat(80)}true`, '', /more than 200 parts/],
];

for (const [text, place, message, meant] of FAULTS) {
  test(`${text.slice(0, 60)} is refused with its place`, () => {
    const read = compile(text, VOCABULARY);
    if (!('faults' in read)) throw new Error('it was taken');
    const [fault] = read.faults;
    assert.match(fault!.message, message);
    assert.is(fault!.nearest, meant);
    if (meant !== undefined) assert.ok(fault!.message.includes(meant), fault!.message);
    assert.ok(fault!.from >= 0 && fault!.from <= fault!.to && fault!.to <= text.length);
    if (place !== '')
      assert.ok(text.slice(fault!.from).startsWith(place.slice(0, 1)), text.slice(fault!.from));
    if (place.length > 1) assert.is(text.slice(fault!.from, fault!.to), place);
  });
}

test('a condition of three thousand characters is refused at the character that is too much', () => {
  const text = `cpu_usage > 1${' '.repeat(3_000)}`;
  assert.equal(compile(text, VOCABULARY), {
    faults: [
      { message: 'the condition is longer than 2000 characters', from: 2_000, to: text.length },
    ],
  });
});

test('all that is wrong with the names of a condition is said at once', () => {
  const read = compile('a > 1 && b > 2', VOCABULARY);
  assert.ok('faults' in read);
  assert.equal(
    read.faults.map(({ from }) => from),
    [0, 9],
  );
});

const LETTERS = Array<string>(14_000).fill('a');
const KEYS = LETTERS.map((letter, at) => [`${letter}${at}`, 1] as const);
/** Conditions whose values are too much for one evaluation. */
const TOO_MUCH: readonly (readonly [string, Record<string, unknown>])[] = [
  ['re(name, "(?:a?){30}b$")', { name: 'a'.repeat(4_096) }],
  ['tags.exists(t, re(t, "(?:a?){30}b$"))', { tags: Array(200).fill('a'.repeat(100)) }],
  ['tags.exists(t, t == "b")', { tags: Array(50_000).fill('a') }],
  ['tags.exists(t, t.contains(name))', { tags: Array(64).fill('a'), name: 'a'.repeat(1e6) }],
  ['tags.exists(t, size(tags) > 5 && !(t in tags))', { tags: Array(1_000).fill('a') }],
  ['tags.exists(t, tags[900] == t || tags[901] == t)', { tags: Array(300).fill('a') }],
  ['json.l.all(x, !json.s.contains("ab"))', { json: { l: LETTERS, s: 'a'.repeat(9_000) } }],
  ['json.l.all(x, x in json.l)', { json: { l: LETTERS } }],
  ['json.a.exists(x, x == json.b)', { json: { a: LETTERS, b: [LETTERS] } }],
  ['json.exists(k, k.contains("b"))', { json: Object.fromEntries(KEYS) }],
  ['json["a"][0].l.exists(x, x.contains("b"))', { json: { a: [{ l: LETTERS }] } }],
  [Array(30).fill('json.l == json.m').join('&&'), { json: { l: LETTERS, m: LETTERS } }],
];
/** Conditions that look at a small part of what is large. */
const LITTLE: readonly (readonly [string, Record<string, unknown>])[] = [
  ['json.ok == "yes" && size(json.l) > 5', { json: { ok: 'yes', l: LETTERS } }],
  ['"a" in json.l', { json: { l: LETTERS } }],
  ['json.l[13999] == "a"', { json: { l: LETTERS } }],
  ['json.s.contains("b")', { json: { s: `${'a'.repeat(60_000)}b`, l: LETTERS } }],
  [
    'json.services.all(s, s.state in json.allowed)',
    { json: { services: Array(40).fill({ state: 'up' }), allowed: ['idle', 'up'], l: LETTERS } },
  ],
];
for (const [text, values] of LITTLE) {
  test(`${text} is evaluated, however much there is beside it`, () => {
    const read = compile(text, VOCABULARY);
    assert.ok('condition' in read, JSON.stringify(read));
    assert.is(read.condition.evaluate(values as never), true);
  });
}
for (const [text, values] of TOO_MUCH) {
  test(`${text} is not evaluated for values that are too large`, () => {
    const read = compile(text, VOCABULARY);
    assert.ok('condition' in read);
    const refused = (error: unknown) =>
      error instanceof ConditionError && /too long for/.test(error.message);
    assert.throws(() => read.condition.evaluate(values as never), refused);
  });
}

test('a vocabulary without windows has no window functions', () => {
  const read = compile('avg("cpu_usage", "5m") > 1', { variables: { cpu_usage: 'double' } });
  assert.ok('faults' in read);
  assert.match(read.faults[0]!.message, /no function avg/);
});

const TOKENS = [
  ...['cpu_usage', 'name', 'tags', 'json', 'disk.free', 'disk', 'x', '__proto__', 'constructor'],
  ...[
    '1',
    '0',
    '2.5',
    '9223372036854775808',
    '1e300',
    '"a"',
    "'b'",
    '"(a+)+$"',
    'true',
    'null',
    '[]',
    '{}',
  ],
  ...[
    '>',
    '<',
    '==',
    '!=',
    '&&',
    '||',
    '!',
    '-',
    '+',
    '*',
    '/',
    '%',
    'in',
    '?',
    ':',
    '.',
    ',',
    '(',
    ')',
    '[',
    ']',
  ],
  ...[
    'avg("cpu_usage","5m")',
    're(name,',
    'GiB(',
    'size(',
    '.exists(t,',
    '.map(x,',
    '.matches(',
    'has(',
    '\\',
    '`',
  ],
];
const VALUES = {
  cpu_usage: 95,
  name: 'aaaaaaaaaaaaaaaaaaaaaaaaaaaa!',
  tags: ['web'],
  json: { a: 1 },
  disk: { free: 1, total: 2 },
};
/** Processor time that one condition may take, ms. Far more than it does. */
const MOST_MS = 50;

test('any text is checked or refused in bounded time, and evaluates to a verdict or a ConditionError', () => {
  const texts = fc.oneof(
    fc.array(fc.constantFrom(...TOKENS), { maxLength: 40 }).map((tokens) => tokens.join(' ')),
    fc.array(fc.constantFrom(...TOKENS), { maxLength: 12 }).map((tokens) => tokens.join('')),
    fc.string({ maxLength: 80 }),
  );
  let longest = 0;
  fc.assert(
    fc.property(texts, (text) => {
      const before = process.cpuUsage();
      const read = compile(text, VOCABULARY);
      if ('condition' in read) judge(() => read.condition.evaluate(VALUES, () => 1));
      const { user, system } = process.cpuUsage(before);
      longest = Math.max(longest, (user + system) / 1_000);
    }),
    { numRuns: loop(3_000, 60_000) },
  );
  assert.ok(longest < MOST_MS * 4, `${longest} ms`);
});

function judge(evaluate: () => unknown): void {
  try {
    assert.type(evaluate(), 'boolean');
  } catch (error) {
    if (!(error instanceof ConditionError)) throw error;
  }
}

test.run();
