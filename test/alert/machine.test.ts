// The state machine of one alert: holds with slack, gaps, hysteresis.

import * as assert from 'uvu/assert';
import {
  clearHold,
  gapAfter,
  type Held,
  REST,
  step,
} from '../../plugins/alert/src/evaluate/machine.ts';
import { CLEARING, CLOSED, OPEN, PENDING, type State } from '../../plugins/alert/src/types.ts';
import { suite } from '../runner/suite.ts';

const test = suite('alert: machine');

const SECOND = 1_000;
const HOLDS = { for_ms: 60_000, clear_for_ms: 60_000 };

/** Seconds in turn with one value: a number, null (the field is missing), or `silent` (no report). */
type Stretch = readonly [seconds: number, value: number | null | 'silent'];
type Change = readonly [second: number, state: State];

/** Plays values with one report a second against `> 90`, back at `< 80`. */
function play(
  stretches: readonly Stretch[],
  start: Held = REST,
): { changes: Change[]; held: Held } {
  let held = start;
  let second = 0;
  let last = 0;
  const changes: Change[] = [];
  for (const [seconds, value] of stretches) {
    for (let n = 0; n < seconds; n++, second++) {
      if (value === 'silent') continue;
      const seen = {
        condition: value === null ? undefined : value > 90,
        clear: value === null ? undefined : value < 80,
        at: second * SECOND,
        elapsed_ms: (second - last) * SECOND,
        gap_after_ms: gapAfter(SECOND),
      };
      last = second;
      const after = step(held, seen, HOLDS);
      if (after.state !== held.state) changes.push([second, after.state]);
      held = after;
    }
  }
  return { changes, held };
}

/** Rises and falls that people hear of. */
const heard = (changes: readonly Change[]) => {
  let wasOpen = false;
  return changes.flatMap(([second, state]) => {
    const isOpen = state === OPEN || state === CLEARING;
    if (isOpen === wasOpen) return [];
    wasOpen = isOpen;
    return [`${isOpen ? 'opened' : 'closed'} ${second}`];
  });
};

const dips: Stretch[] = Array.from({ length: 120 }, (_none, n) => [
  1,
  n > 0 && n % 20 === 0 ? 50 : 95,
]);
const opening: Stretch[] = [[61, 95]];

const TABLE: readonly (readonly [string, readonly Stretch[], readonly string[]])[] = [
  ['opens when the condition held for its time', [[200, 95]], ['opened 60']],
  [
    'does not open a second too early',
    [
      [59, 95],
      [60, 50],
    ],
    [],
  ],
  ['opens once with single dips, which do not count', dips, ['opened 63']],
  [
    'does not open over a dip that is longer than the slack',
    [
      [55, 95],
      [7, 50],
      [59, 95],
    ],
    [],
  ],
  ['stays open between the thresholds', [...opening, [600, 85]], ['opened 60']],
  ['closes when the end held for its time', [...opening, [61, 70]], ['opened 60', 'closed 121']],
  [
    'closes over a short rise',
    [...opening, [30, 70], [5, 95], [40, 70]],
    ['opened 60', 'closed 126'],
  ],
  ['stays open after a long rise', [...opening, [30, 70], [60, 95]], ['opened 60']],
  [
    'does not count a gap',
    [
      [40, 95],
      [60, 'silent'],
      [25, 95],
    ],
    ['opened 121'],
  ],
  [
    'forgets what was pending over a long silence',
    [
      [40, 95],
      [1_200, 'silent'],
      [59, 95],
    ],
    [],
  ],
  [
    'stays open over an hour of silence, and closes later',
    [...opening, [3_600, 'silent'], [61, 50]],
    ['opened 60', 'closed 3721'],
  ],
  ['never opens without a value', [[600, null]], []],
  ['freezes while the value is missing', [...opening, [3_600, null]], ['opened 60']],
  [
    'does not count seconds without a value',
    [
      [40, 95],
      [60, null],
      [25, 95],
    ],
    ['opened 120'],
  ],
  [
    'forgets what was pending over a long time without a value',
    [
      [40, 95],
      [1_000, null],
      [59, 95],
    ],
    [],
  ],
];

for (const [name, stretches, expected] of TABLE) {
  test(`an alert ${name}`, () => assert.equal(heard(play(stretches).changes), expected));
}

test('since moves on by the gap while an alert is pending, and not later', () => {
  assert.is(play([[100, 95]]).held.since, 0);
  assert.is(
    play([
      [40, 95],
      [60, 'silent'],
      [25, 95],
    ]).held.since,
    61 * SECOND,
  );
  assert.is(
    play([
      [100, 95],
      [60, 'silent'],
      [25, 70],
    ]).held.since,
    0,
  );
});

test('without holds an alert opens and closes with the first report', () => {
  const seen = { clear: false, at: 5, elapsed_ms: 0, gap_after_ms: 15_000 };
  const holds = { for_ms: 0, clear_for_ms: 0 };
  const open = step(REST, { ...seen, condition: true }, holds);
  assert.equal([open.state, open.since], [OPEN, 5]);
  assert.is(step(open, { ...seen, condition: false, clear: true }, holds).state, CLOSED);
});

test('nothing is made where nothing changes', () => {
  const seen = { clear: false, at: 5, elapsed_ms: 1, gap_after_ms: 15_000 };
  assert.is(step(REST, { ...seen, condition: false }, HOLDS), REST);
  assert.is(step(REST, { ...seen, condition: undefined }, HOLDS), REST);
  const open: Held = { ...REST, state: OPEN };
  assert.is(step(open, { ...seen, condition: true }, HOLDS), open);
});

/** Numbers from 0 to 1 that are the same in each run. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Share of true seconds, and the shares of ten minutes in which an alert may open. */
const SHARES: readonly (readonly [number, number, number])[] = [
  [0.5, 0, 0],
  [0.7, 0, 0.1],
  [0.8, 0.6, 0.95],
  [0.9, 1, 1],
];
for (const [share, least, most] of SHARES) {
  test(`a condition that is true in ${share} of the seconds at random opens as seldom as it should`, () => {
    let opened = 0;
    for (let run = 1; run <= 200; run++) {
      const next = random(run * 7_919);
      const values = Array.from({ length: 600 }, (): Stretch => [1, next() < share ? 95 : 50]);
      if (play(values).changes.some(([, state]) => state === OPEN)) opened++;
    }
    assert.ok(opened / 200 >= least && opened / 200 <= most, `${opened} of 200`);
  });
}

test('an open alert with half of its values on either side neither closes nor opens again', () => {
  const next = random(3);
  const values = Array.from({ length: 600 }, (): Stretch => [1, next() < 0.5 ? 95 : 50]);
  assert.equal(heard(play([...opening, ...values]).changes), ['opened 60']);
});

test('pending goes back to closed, never through open', () => {
  const { changes } = play([
    [30, 95],
    [30, 50],
    [30, 95],
    [30, 50],
  ]);
  assert.equal(
    changes.map(([, state]) => state),
    [PENDING, CLOSED, PENDING, CLOSED],
  );
});

test('from the fourth opening within an hour on, the end is held twice as long with each', () => {
  const now = 10 * 3_600_000;
  const openings = (count: number) => Array.from({ length: count }, (_none, n) => now - n * 60_000);
  assert.equal(
    [0, 3, 4, 5, 12].map((count) => clearHold(60_000, openings(count), now)),
    [60_000, 60_000, 120_000, 240_000, 3_600_000],
  );
  assert.is(clearHold(0, openings(4), now), 60_000);
  assert.is(clearHold(60_000, [now - 3_700_000, now - 3_800_000, now - 1, now - 2], now), 60_000);
});

test.run();
