// Values that are set at the same time: what one commit holds, what waits, and what a failure means for the others.

import * as assert from 'uvu/assert';
import { groupSets } from '../../plugins/kv/src/group.ts';
import type { Fate, Row } from '../../plugins/kv/src/store/writes.ts';
import { suite } from '../runner/suite.ts';

const test = suite('kv: values set at the same time');
const MIB = 2 ** 20;
const row = (key: string, value = '1'): Row => ({ namespace: 'n', key, value });
const allStored = (rows: readonly Row[]): Fate[] => rows.map(() => 'stored');

test('a failure concerns the value that caused it, and those beside it are stored', async () => {
  const set = groupSets(async (rows) => {
    if (rows.some(({ key }) => key === 'bad')) throw new Error('refused');
    return allStored(rows);
  });
  const answers = await Promise.allSettled(['a', 'bad', 'b'].map((key) => set(row(key))));
  assert.equal(
    answers.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
});

test('what waits is bounded in characters too, and there is room again when it has been stored', async () => {
  let end = () => {};
  const held = new Promise<void>((resolve) => {
    end = resolve;
  });
  const set = groupSets(async (rows) => {
    await held;
    return allStored(rows);
  });
  const large = 'x'.repeat(8 * MIB);
  const taken = Array.from({ length: 8 }, (_, n) => set(row(`k${n}`, large)));
  const refused = await set(row('one more')).catch((error) => error);
  assert.is(refused.code, 103);
  end();
  assert.equal(new Set(await Promise.all(taken)), new Set(['stored']));
  assert.is(await set(row('one more')), 'stored');
});

test('a value for which others of its commit left no room is tried alone, and those who wait hear what became of theirs', async () => {
  const set = groupSets(async (rows) =>
    rows.map(({ key }) => (key === 'large' || rows.length > 1 ? 'full' : 'stored')),
  );
  const answers = await Promise.all(['a', 'large', 'b'].map((key) => set(row(key))));
  assert.equal(answers, ['stored', 'full', 'stored']);
});

test.run();
