// What `npm test` makes of files that fail beside others (CONTRIBUTING.md).
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { again } from './runner/again.ts';
import { totalOf } from './runner/report.ts';
import type { FileResult } from './runner/result.ts';

const test = suite('test runner');

/** @param failures in each run of the file */
const cases: readonly (readonly [
  string,
  readonly (readonly number[])[],
  number,
  readonly string[],
])[] = [
  [
    'files that pass do not run again',
    [
      [0, 9],
      [0, 9],
    ],
    0,
    [],
  ],
  [
    'a file that passes alone counts as passed, and is named',
    [
      [1, 0],
      [0, 9],
    ],
    0,
    ['a'],
  ],
  [
    'a file that fails again has failed',
    [
      [2, 1],
      [0, 9],
    ],
    2,
    [],
  ],
  [
    'of two files each counts by its second run',
    [
      [1, 0],
      [1, 1],
    ],
    1,
    ['a'],
  ],
  [
    'three files that fail have failed',
    [
      [1, 0],
      [1, 0],
      [1, 0],
    ],
    3,
    [],
  ],
];

for (const [name, runs, failed, busy] of cases) {
  test(name, async () => {
    const result = (at: number, run: number): FileResult => ({
      name: String.fromCharCode(97 + at),
      tally: { passed: 1, failed: runs[at]?.[run] ?? 0, skipped: 0 },
      seconds: 1,
      cpu_s: 1,
    });
    const results = runs.map((_, at) => result(at, 0));
    const names = results.map((one) => one.name);
    const replaced = await again(results, async (wanted) =>
      names.flatMap((one, at) => (wanted.has(one) ? [result(at, 1)] : [])),
    );
    assert.is(totalOf(results).failed, failed);
    assert.equal(
      replaced.map((one) => one.name),
      busy,
    );
    assert.equal(
      results.map((one) => one.name),
      names,
    );
  });
}

test.run();
