// Values of some length are spelled in pieces; what is stored is the same as for short ones.
import fc from 'fast-check';
import * as assert from 'uvu/assert';
import { LARGE, largeValueText, MEASURED, measureLarge } from '../../plugins/kv/src/large-value.ts';
import { valueText } from '../../plugins/kv/src/value.ts';
import { suite } from '../runner/suite.ts';

const test = suite('kv: large values');

const repeated = (unit: string, separator: string, length: number) =>
  Array(Math.ceil(length / (unit.length + separator.length)))
    .fill(unit)
    .join(separator);
const length = fc.integer({ min: 1, max: 3 * LARGE });
const units = ['1.0', '12345678901234567', '"\\u0041\\n"', '{"2":1,"1":-0,"a":1e3,"a":[]}', '[ ]'];
const list = fc
  .tuple(fc.constantFrom(...units), length)
  .map(([unit, size]) => `[ ${repeated(unit, ' , ', size)}]`);
const string = fc
  .tuple(fc.constantFrom('a', '\\n', '\\ud83d\\ude00', '😀', 'x\\\\', '\\"'), length)
  .map(([unit, size]) => `"${repeated(unit, '', size)}"`);
const ODD = ['a', '1', '0', '01', '-1', '4294967294', '4294967295', '__proto__', '', 'constructor'];
const name = fc
  .oneof(fc.constantFrom(...ODD), fc.string(), fc.nat(50).map(String))
  .map((text) => JSON.stringify(text));
const { value } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.oneof(fc.json(), list, string),
    fc.array(tie('value'), { maxLength: 6 }).map((items) => ` [${items.join(',\n')}]`),
    fc
      .array(fc.tuple(name, tie('value')), { maxLength: 8 })
      .map((all) => `{ ${all.map((member) => member.join(' : ')).join(' , ')} } `),
  ),
}));

test('the text is the same as when it is made at once', async () => {
  await fc.assert(
    fc.asyncProperty(value, async (sent) => {
      // No diff of such texts.
      assert.ok((await largeValueText(sent)) === valueText(sent));
    }),
    { numRuns: 40 },
  );
  const names = Array.from({ length: 20_000 }, (_, n) => `"${n % 3 ? 'n' : ''}${n % 9_000}":${n}`);
  const many = `{${names.reverse().join()}}`;
  assert.ok((await largeValueText(many)) === valueText(many));
});

test('half of a surrogate pair is refused wherever it stands', async () => {
  for (const half of ['"\\ud800"', '{"\\udc00":1}', `"${'a'.repeat(LARGE)}\\ud800"`]) {
    const sent = `[${half},${repeated('1', ',', LARGE)}]`;
    const outcome = await largeValueText(sent).catch(({ code }) => code);
    assert.is(outcome, -32602);
  }
});

test('the length of a text and U+0000 in it are found wherever it is measured in parts', async () => {
  const kinds: [unit: string, holdsZero: boolean][] = [
    ['😀', false],
    ['\\u0000', true],
    ['\\\\u0000', false],
    ['\\\\\\u0000', true],
    ['\\\\u0000\\u0000', true],
  ];
  for (const [unit, holdsZero] of kinds) {
    for (let before = 0; before <= unit.length + 1; before++) {
      const text = `"${'x'.repeat(MEASURED - before)}${unit}"`;
      assert.equal(await measureLarge(text), { bytes: Buffer.byteLength(text), holdsZero });
    }
  }
});

test.run();
