// Tasks that come every so many whole seconds share their wake-ups (plugin-sdk/src/plugin.ts, `every`).
import { thisTurn } from '@svc/plugin-sdk/util';
import * as assert from 'uvu/assert';
import { Seconds } from '../../kernel/src/seconds.ts';
import { suite } from '../runner/suite.ts';
import { until } from './database-kit.ts';

const test = suite('kernel: seconds');

test('tasks that were begun at different moments run in the same turns', async () => {
  const seconds = new Seconds();
  const turns: number[][] = [[], [], []];
  const ends: (() => void)[] = [];
  for (const [at, mine] of turns.entries()) {
    ends.push(seconds.add(() => mine.push(thisTurn()), at === 2 ? 2_000 : 1_000));
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await until(() => turns.every((mine) => mine.length >= 1) && (turns[0]?.length ?? 0) >= 3);
  for (const end of ends) end();
  const [first = [], second = [], third = []] = turns;
  // The first look of one may be a second before that of another.
  assert.equal(second, first.slice(first.indexOf(second[0] ?? 0)));
  assert.ok(
    third.every((turn) => first.includes(turn)),
    'the slower task wakes nobody of its own',
  );
});

test('a task that has ended does not run, and without any there is no timer', async () => {
  const seconds = new Seconds();
  let runs = 0;
  const end = seconds.add(() => runs++, 1_000);
  end();
  const other = seconds.add(() => runs--, 1_000);
  await until(() => runs !== 0);
  other();
  assert.is(runs, -1);
});

for (const [period_ms, fits] of [
  [1_000, true],
  [60_000, true],
  [250, false],
  [1_500, false],
] as const)
  test(`a period of ${period_ms} ms ${fits ? 'is' : 'is not'} one of whole seconds`, () => {
    assert.is(Seconds.fit(period_ms), fits);
  });

test.run();
