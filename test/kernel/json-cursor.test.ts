/** `Cursor` of the SDK's JSON, beside `JSON.parse`: values, places, and what is no JSON. */
import { isDeepStrictEqual } from 'node:util';
import {
  Cursor,
  checkPieces,
  holdsInfinity,
  parseJson,
  parsePieces,
  skipString,
  stringPieces,
} from '@svc/plugin-sdk/json';
import fc from 'fast-check';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';

const test = suite('JSON cursor');
const KB = 1024;

/** JSON texts with what writers may put around values, names that occur twice, and characters of every length. */
const text = fc.oneof(
  fc.constantFrom('a', '__proto__', 'constructor', '1', '"', '\\', 'ü', '😀', '\n', ''),
  fc.string({ unit: 'grapheme' }),
);
// After an object with the name `\` V8 may take the name `"`, which is written with an escape, for it.
const name = text.filter((value) => !value.includes('\\'));
const space = fc.constantFrom('', '', ' ', '\n\t', '\r ');
const scalar = fc.oneof(
  text.map((value) => JSON.stringify(value)),
  fc.constantFrom('"\\u0041\\ud83d\\ude00\\/"', '12345678901234567', '-0.0', '1E+2', '1.5e-7'),
  fc.constantFrom('true', 'false', 'null', '[]', '{}'),
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
);
const { value: json } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'medium', withCrossShrink: true },
    scalar,
    fc
      .tuple(fc.array(tie('value'), { maxLength: 6 }), space)
      .map(([items, gap]) => `[${gap}${items.join(`${gap},${gap}`)}${gap}]`),
    fc
      .tuple(fc.array(fc.tuple(name, tie('value')), { maxLength: 6 }), space)
      .map(([members, gap]) => {
        const texts = members.map(([key, value]) => `${JSON.stringify(key)}${gap}:${gap}${value}`);
        return `{${gap}${texts.join(`${gap},${gap}`)}${gap}}`;
      }),
  ),
}));
const container = json.filter((text) => /^[[{]/.test(text));

/** Runs work in slices to its end. */
function finish<T>(work: Generator<undefined, T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

/** Unlike `equal` of `uvu/assert` it lets members be called `constructor`. */
const same = (found: unknown, expected: unknown, text: string): void =>
  assert.ok(isDeepStrictEqual(found, expected), text);

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

/** Value that a reader of the cursor makes of a text; undefined where it is no JSON. */
function read(text: string): { value: unknown } | undefined {
  const bytes = Buffer.from(text);
  const cursor = new Cursor(bytes);
  try {
    cursor.space();
    const start = cursor.at;
    cursor.pass();
    const place = { start, end: cursor.at };
    if (cursor.space() !== -1) return undefined;
    const value = finish(parsePieces(bytes, place));
    finish(checkPieces(bytes, place));
    return { value };
  } catch (error) {
    assert.instance(error, SyntaxError);
    return undefined;
  }
}

/** The value that the members or elements at the cursor's places make. */
function assemble(text: string, source: Buffer | string): unknown {
  const cursor = new Cursor(source);
  const spans = cursor.list();
  assert.is(cursor.space(), -1);
  const values = spans.map((span): [string, unknown] => [span.name, JSON.parse(cursor.text(span))]);
  return text.startsWith('[') ? values.map(([, value]) => value) : Object.fromEntries(values);
}

test('places of members and elements hold the values that JSON.parse gives, in bytes and in text', () => {
  fc.assert(
    fc.property(container, (text) => {
      same(assemble(text, text), JSON.parse(text), text);
      same(assemble(text, Buffer.from(text)), JSON.parse(text), text);
    }),
  );
});

test('a value in pieces is the value of the whole text', () => {
  fc.assert(fc.property(json, (text) => same(read(text)?.value, parseJson(text), text)));
});

test('depth and number of values are those of the parsed value', () => {
  const depthOf = (value: unknown): number =>
    typeof value === 'object' && value !== null
      ? 1 + Math.max(0, ...Object.values(value).map(depthOf))
      : 0;
  const plain = fc.jsonValue({ maxDepth: 5 });
  fc.assert(
    fc.property(plain, (value) => {
      const cursor = new Cursor(JSON.stringify(value));
      cursor.pass();
      assert.is(cursor.deepest, depthOf(value));
    }),
  );
  for (const [text, expected] of [
    ['[1,2,3]', 3],
    ['[[1,2],{"a":1,"b":2}]', 6],
    ['7', 0],
  ] as const) {
    const cursor = new Cursor(text);
    cursor.pass();
    assert.is(cursor.values, expected, text);
  }
});

test('every truncation of a text is judged as JSON.parse judges it', () => {
  fc.assert(
    fc.property(container, (text) => {
      const characters = [...text];
      for (let length = 1; length <= characters.length; length++) {
        const cut = characters.slice(0, length).join('');
        assert.is(read(cut) !== undefined, isJson(cut), cut);
      }
    }),
    { numRuns: 15 },
  );
});

test('every change of a character is judged as JSON.parse judges it', () => {
  const put = fc.constantFrom(...'"\\,:[]{}01-.eE+ \n\tx\u0001ü', '');
  const change = fc.tuple(container, fc.nat(), put, fc.boolean());
  fc.assert(
    fc.property(change, ([text, at, character, isInserted]) => {
      const characters = [...text];
      characters.splice(at % characters.length, isInserted ? 0 : 1, character);
      const changed = characters.join('');
      assert.is(read(changed) !== undefined, isJson(changed), changed);
      // Around its items the cursor itself refuses what is no JSON; what they hold it leaves to the parser.
      if (isJson(changed) && /^\s*[[{]/.test(changed))
        same(assemble(changed.trim(), changed), JSON.parse(changed), changed);
    }),
    { numRuns: 200 },
  );
});

test('a value reaches over any border of slices and pieces', () => {
  for (const border of [64 * KB, 256 * KB, 512 * KB]) {
    for (const tail of ['"a\\"b"', '"\\\\"', '"ü😀"', '{"__proto__":[1,{"a":2}]}', '-12.5e3']) {
      for (let before = border - 12; before <= border + 2; before += border > 64 * KB ? 7 : 3) {
        const text = `[${JSON.stringify('x'.repeat(before - 4))},${tail},[${tail},${tail}],{"a":${tail},"b":1}]`;
        same(read(text)?.value, JSON.parse(text), tail);
      }
    }
  }
});

test('a slice ends at least every 256 KB', () => {
  const cursor = new Cursor(JSON.stringify([Array(500_000).fill(1), 'x']));
  const spans = [...cursor.items()];
  assert.ok(spans.filter((span) => span === undefined).length >= 3);
  assert.equal(
    spans.filter((span) => span !== undefined).map(({ values }) => values),
    [500_001, 1],
  );
});

test('a string ends at the first quote that no backslash escapes', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.nat({ max: 200 }), (text, count) => {
      const bytes = Buffer.from(`${JSON.stringify(text + '\\'.repeat(count))},"`);
      assert.is(skipString(bytes, 0, bytes.length), bytes.length - 2);
      assert.throws(() => skipString(bytes, bytes.length - 1, bytes.length));
    }),
  );
});

test('pieces of a string say what the string says, and cut no character in two', () => {
  for (const unit of ['x', 'ü', '😀', '\\ud83d\\ude00', '\\n', '\\ud83dü']) {
    for (let before = 0; before < 12; before++) {
      const text = `"${'y'.repeat(before)}${unit.repeat((256 * KB) / 4)}"`;
      const bytes = Buffer.from(text);
      const pieces = [...stringPieces(bytes, { start: 0, end: bytes.length })];
      const values = pieces.map((piece) => JSON.parse(piece) as string);
      assert.ok(values.join('') === JSON.parse(text), unit);
      if (unit !== '\\ud83dü')
        assert.ok(
          values.every((value) => value.isWellFormed()),
          unit,
        );
    }
  }
});

test('numbers are found outside of strings only', () => {
  const cursor = new Cursor(
    '{"1":-1.5e+3,"a 2":[true,false,null,0,"3\\"4"],"ü":12345678901234567}',
  );
  const found: string[] = [];
  for (let place = cursor.number(); place; place = cursor.number()) found.push(cursor.text(place));
  assert.equal(found, ['-1.5e+3', '0', '12345678901234567']);
});

test('a number that no double holds is found behind a string of megabytes', () => {
  const long = 'e123 '.repeat(2_000_000);
  assert.is(holdsInfinity(JSON.stringify([long, 1])), false);
  assert.is(holdsInfinity(`[${JSON.stringify(long)},1e400]`), true);
});

test.run();
