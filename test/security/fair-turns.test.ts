/** `Shares` and `Turns`: whatever one share asks for, it gets what is idle, and another share begins. */

import { type ShareRules, Shares, Turns } from '@svc/fair-turns';
import * as admission from '@svc/plugin-admission/api';
import fc from 'fast-check';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';

const test = suite('fair turns');

/** Takes places until there is none. */
const fill = (shares: Shares, share: string): number => {
  let taken = 0;
  while (shares.acquire(share)) taken++;
  return taken;
};

const tables: [what: string, rules: ShareRules, expected: { [share: string]: number }][] = [
  ['one share may hold every place', { most: () => 8 }, { hog: 8, other: 0 }],
  [
    'a spare place goes to each share that holds none',
    { most: () => 8, spare: () => 2 },
    { hog: 8, second: 1, third: 1, fourth: 0 },
  ],
  [
    'a share holds no more than its part',
    { most: () => 8, standing: (of) => ({ weight: 1, part: of === 'hog' ? 0.5 : 1 }) },
    { hog: 4, other: 4 },
  ],
  [
    'the smallest part is one place',
    { most: () => 2, standing: () => ({ weight: 1, part: 0.01 }) },
    { a: 1, b: 1, c: 0 },
  ],
];
for (const [what, rules, expected] of tables) {
  test(what, () => {
    const shares = new Shares(rules);
    const taken = Object.keys(expected).map((share) => [share, fill(shares, share)]);
    assert.equal(Object.fromEntries(taken), expected);
  });
}

test('what a share did not take it cannot give back', () => {
  const shares = new Shares({ most: () => 1 });
  assert.throws(() => shares.release('a'), /holds no place/);
  shares.acquire('a');
  shares.release('a');
  assert.throws(() => shares.release('a'), /holds no place/);
});

test('whatever shares take and give, places are never exceeded and none is lost', () => {
  const step = fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.boolean());
  const sizes = fc.tuple(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 0, max: 3 }));
  fc.assert(
    fc.property(sizes, fc.array(step, { maxLength: 200 }), ([most, spare], steps) => {
      const shares = new Shares({ most: () => most, spare: () => spare });
      const held = new Map<string, number>();
      for (const [share, isTake] of steps) {
        const own = held.get(share) ?? 0;
        const used = shares.used;
        if (isTake) {
          const isTaken = shares.acquire(share);
          assert.is(isTaken, used < most || (own === 0 && used < most + spare));
          if (isTaken) held.set(share, own + 1);
        } else if (own > 0) {
          shares.release(share);
          held.set(share, own - 1);
        }
        assert.is(shares.held(share), held.get(share) ?? 0);
        assert.is(
          shares.used,
          [...held.values()].reduce((sum, each) => sum + each, 0),
        );
      }
    }),
  );
});

/** A work that ends when it is told to. */
function works(turns: Turns) {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const start = (share: string, wait = {}) =>
    turns.run(share, wait, () => {
      begun.push(share);
      return new Promise<void>((end) => ends.push(end));
    });
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const endOne = async (at = 0) => {
    ends.splice(at, 1)[0]?.();
    await settle();
  };
  return { begun, ends, start, settle, endOne };
}

test('a share with a long queue and one place makes another wait for one work only', async () => {
  const turns = new Turns({ most: () => 1 });
  const { begun, start, settle, endOne } = works(turns);
  for (let n = 0; n < 100; n++) void start('hog');
  for (let n = 0; n < 3; n++) void start('other');
  await settle();
  while (!turns.idle) await endOne();
  assert.is(begun.length, 103);
  assert.equal(begun.slice(0, 7), ['hog', 'other', 'hog', 'other', 'hog', 'other', 'hog']);
});

test('weights divide the places that two shares want', async () => {
  const standing = (share: string) => ({ weight: share === 'large' ? 3 : 1, part: 1 });
  const turns = new Turns({ most: () => 4, standing });
  const { begun, start, settle, endOne } = works(turns);
  for (let n = 0; n < 40; n++) void start('large');
  for (let n = 0; n < 40; n++) void start('small');
  await settle();
  for (let n = 0; n < 32; n++) await endOne();
  const large = begun.slice(4, 36).filter((share) => share === 'large').length;
  assert.ok(large >= 23 && large <= 25, `${large} of 32`);
  while (!turns.idle) await endOne();
});

test('a work that is not wanted any more leaves the queue and holds nothing', async () => {
  const turns = new Turns({ most: () => 1 });
  const { begun, start, endOne } = works(turns);
  const first = start('a');
  const stop = new AbortController();
  const given = start('b', { signal: stop.signal }).catch((error) => error.message);
  const late = start('c', { timeout_ms: 1, late: () => new Error('late') }).catch((e) => e.message);
  const last = start('d');
  stop.abort(new Error('gone'));
  assert.is(await given, 'gone');
  assert.is(await late, 'late');
  await endOne();
  await first;
  await endOne();
  await last;
  assert.equal(begun, ['a', 'd']);
  assert.ok(turns.idle);
  const never = start('a', { signal: AbortSignal.abort(new Error('before')) });
  assert.is(await never.catch((error) => error.message), 'before');
  assert.ok(turns.idle);
});

test('a share whose queue is full is refused, and another is not', async () => {
  const turns = new Turns({ most: () => 1 });
  const { start, settle, endOne } = works(turns);
  for (let n = 0; n < 1_001; n++) void start('hog');
  const refused = await start('hog').catch(({ code, message }) => `${code} ${message}`);
  assert.is(refused, '999 Other error: too many calls of one token wait for their turn');
  void start('other');
  await settle();
  while (!turns.idle) await endOne();
});

test('whatever is cancelled and ended, every place comes back and no share starves', async () => {
  const one = fc.record({
    share: fc.constantFrom('hog', 'hog', 'hog', 'b', 'c'),
    cancel: fc.boolean(),
  });
  const given = fc.tuple(fc.integer({ min: 1, max: 3 }), fc.array(one, { maxLength: 60 }));
  await fc.assert(
    fc.asyncProperty(given, fc.infiniteStream(fc.nat(5)), async ([most, wanted], random) => {
      const turns = new Turns({ most: () => most, spare: () => 1 });
      const { begun, ends, start, settle, endOne } = works(turns);
      const left: AbortController[] = [];
      const all = wanted.map(({ share, cancel }) => {
        const stop = new AbortController();
        if (cancel) left.push(stop);
        return start(share, { signal: stop.signal }).catch(() => begun.push('cancelled'));
      });
      await settle();
      while (ends.length > 0) {
        assert.ok(ends.length <= most + 1, `${ends.length} of ${most}`);
        const at = random.next().value as number;
        if (at === 5) left.shift()?.abort();
        await endOne(at % ends.length);
      }
      await Promise.all(all);
      assert.is(begun.length, wanted.length);
      assert.ok(turns.idle);
    }),
    { numRuns: 50 },
  );
});

test('the names of earlier versions still work from their place', async () => {
  const shares = new admission.Shares({ most: () => 1 });
  assert.equal([shares.mayTake('a'), shares.take('a'), shares.take('b')], [true, true, false]);
  shares.give('a');
  assert.is(shares.used, 0);
  const turns = new admission.Turns({ most: () => 1 });
  const release = await turns.take('a', {});
  release();
  assert.ok(turns.idle);
});

test.run();
