// auth.md §8: of the places where log-ins wait for the database, one address leaves others theirs.

import { SerialQueue } from '@svc/plugin-sdk/util';
import * as assert from 'uvu/assert';
import { Lookups, WAITING } from '../../plugins/token/src/records/lookups.ts';
import { suite } from '../runner/suite.ts';

/** Nothing is in memory, and the database does not answer. */
function hungLookups(): Lookups {
  const never = () => new Promise<never>(() => {});
  const parts = {
    reads: { byKeys: never, byUsernames: never },
    records: { byKey: () => undefined },
    sessions: { has: () => false },
    turns: new SerialQueue(),
  };
  return new Lookups(parts as unknown as ConstructorParameters<typeof Lookups>[0]);
}

/** Log-ins with keys that nobody else asks for. @returns how many of them wait; the others are refused */
function come(lookups: Lookups, from: string, most: number): number {
  for (let n = 0; n < most; n++) {
    try {
      void lookups.load('key', `${n} of ${from}`, from);
    } catch (error) {
      assert.match(`${error}`, 'Too many log-ins at once');
      return n;
    }
  }
  return most;
}

const test = suite('auth: places where log-ins wait');

test('one address takes half of them, and another still gets places', () => {
  const lookups = hungLookups();
  assert.is(come(lookups, 'a crowd', WAITING), WAITING / 2);
  assert.is(come(lookups, 'another', 1_000), 1_000);
});

test('a fleet of 20,000 agents behind one address logs in at once', () => {
  assert.is(come(hungLookups(), 'a proxy', 20_000), 20_000);
});

test('many addresses that send all they can leave one that comes later its places', () => {
  const lookups = hungLookups();
  for (let n = 0; n < 10; n++) come(lookups, `crowd ${n}`, WAITING);
  assert.ok(come(lookups, 'another', WAITING) > 0);
});

test.run();
