/** Files of YAML take a time that grows with their length, whatever they hold (docs/protocol/monitor.md §8). */
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../../runner/suite.ts';
import { call, failure, PLUGINS } from '../kit.ts';

const NOTHING = /has neither endpoints nor external-endpoints/;
const many = (count: number, line: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => line(at)).join('');
/** Each anchor merges the one before twice. */
const merges = many(60, (at) => `a${at + 1}: &a${at + 1} {<<: [*a${at}, *a${at}]}\n`);
const wide = `x: &x {${many(2_000, (at) => `k${at}: 1, `)}}\n`;

// biome-ignore format: one case per line
const cases: readonly (readonly [name: string, text: string, wanted: RegExp])[] = [
  ['many keys', many(15_000, (at) => `k${at}: 1\n`), NOTHING],
  ['many anchors', many(15_000, (at) => `- &a${at} 1\n`), NOTHING],
  ['many uses of an anchor', `a: &a 1\nb:\n${'- *a\n'.repeat(15_000)}`, NOTHING],
  ['too many signs', '-\n'.repeat(300_000), /holds too much, from here on at line/],
  ['lists in lists', '['.repeat(400_000), /nested too deeply at line 1, column/],
  ['lists in lists on a line', '- '.repeat(400_000), /nested too deeply at line 1, column/],
  ['maps in maps', many(1_000, (at) => `${' '.repeat(at)}a:\n`), /nested too deeply at line/],
  ['merges of merges', `a0: &a0 {k: 1}\n${merges}`, /anchors stand for too much/],
  ['merges of a large map', `${wide}${many(200, (at) => `m${at}: {<<: *x}\n`)}`, /anchors stand for too much/],
  ['an anchor in itself', 'a: &a [*a]', /anchors stand for too much, or for nothing/],
  ['an anchor of nothing', 'a: *b', /anchors stand for too much, or for nothing/],
  ['documents', '---\n'.repeat(200_000), /second document at line/],
  ['directives', '%A\n'.repeat(200_000), /too many directives at line/],
  ['lists as keys', '? [a]\n: 1\n'.repeat(1_000), /key that is no text at line 1, column 3/],
  ['a key twice', 'b: 1\na: 1\na: 2', /key twice at line 3, column 1/],
  ['a merge of no map', 'a: {<<: 1}', /merges what is no map/],
  ['what is no YAML', 'a: [\n}', /cannot be read at line 2/],
];

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`import: YAML (${dialect})`);
  let app: TestApp;
  const plan = (text: string): Promise<any> =>
    call(app, 'monitor_import_plan', {
      file: { name: 'gatus.yaml', base64: Buffer.from(text).toString('base64'), format: 'gatus' },
    });
  test.before(async () => {
    // The clock of the machine: a file that takes too long is given up.
    app = await bootForTest(PLUGINS, {}, { dialect });
  });
  test.after(() => app.stop());

  for (const [name, text, wanted] of cases)
    test(`${name}: it is read, or refused with the reason and the place`, async () => {
      const { code, message } = await failure(plan(text));
      assert.is(code, 108);
      assert.match(message, wanted);
    });

  test('a configuration whose endpoints share values by anchors is read whole', async () => {
    const endpoints = many(
      150,
      (at) =>
        `  - {<<: *defaults, name: "site ${at}", url: "https://h${at}.example.net/", conditions: *good, group: own}\n`,
    );
    const text = `defaults: &defaults {interval: 120s, group: core, __proto__: 1}\ngood: &good ["[STATUS] == 200"]\nendpoints:\n${endpoints}`;
    const { rows } = await plan(text);
    assert.is(rows.length, 150);
    assert.ok(rows.every(({ outcome }: any) => outcome === 'made' || outcome === 'differently'));
    assert.is(rows[149].item, 'endpoint:own_site 149');
  });

  test.run();
}
