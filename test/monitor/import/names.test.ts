/** Names that an import gives: free ones, found at once however many things want the same. */
import * as assert from 'uvu/assert';
import { FreeNames } from '../../../plugins/monitor/src/import/names.ts';
import { suite } from '../../runner/suite.ts';

const MOST_ITEMS = 10_000;
const LONG = 'x'.repeat(76);
const test = suite('import: names');

test('a name that is taken gets the next number that is free', () => {
  const names = new FreeNames('monitor', ['a', 'a (3)']);
  assert.equal(
    ['a', 'a', 'b', 'a (2)'].map((name) => names.take(name)),
    ['a (2)', 'a (4)', 'b', 'a (2) (2)'],
  );
  const channels = new FreeNames('channel', ['to-us']);
  assert.equal([channels.take('to us'), channels.take('to us')], ['to-us-2', 'to-us-3']);
});

test('a name of the greatest length is cut for its number', () => {
  const names = new FreeNames('monitor', [`${LONG}abcd`]);
  assert.is(names.take(`${LONG}abcd`), `${LONG} (2)`);
});

const same: readonly [string, (at: number) => string][] = [
  ['of the same name', () => 'a'],
  ['of long names that are cut to the same one', (at) => `${LONG}${1_000 + (at >> 1)}`],
  ['called like the numbered ones', (at) => (at % 2 === 0 ? 'a' : `a (${at})`)],
];
for (const [what, nameOf] of same)
  for (const type of ['monitor', 'channel'] as const)
    test(`as many things as a file may have, ${what}, get names within moments (${type})`, () => {
      const names = new FreeNames(type, []);
      const given = new Set<string>();
      const began = performance.now();
      for (let at = 0; at < MOST_ITEMS; at++) given.add(names.take(nameOf(at)));
      const took = performance.now() - began;
      assert.is(given.size, MOST_ITEMS);
      assert.ok(
        [...given].every(({ length }) => length <= (type === 'channel' ? 64 : 80)),
        'no name is too long',
      );
      // Trying every number from 2 on again takes several seconds.
      assert.ok(took < 1_000, `${took} ms`);
    });

test.run();
