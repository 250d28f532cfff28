import * as assert from 'uvu/assert';
import type { Entry } from '../../plugins/audit/src/entry.ts';
import { Logins } from '../../plugins/audit/src/logins.ts';
import { Sums } from '../../plugins/audit/src/sums.ts';
import { suite } from '../runner/suite.ts';

const DAY_MS = 86_400_000;
const NOW = 1_800_000_000_000;
const test = suite('audit: which logins have a row');

const entryOf = (token: string, address: string): Entry => ({
  ...{ at: NOW, token, name: '', method: 'login', target: '', address, transport: 'http' },
  ...{ outcome: 0, count: 1 },
});

test('a place that has a row is no login for a day', () => {
  const logins = new Logins();
  assert.is(logins.isNew('k', 'a', NOW), true);
  assert.is(logins.isNew('k', 'a', NOW), true, 'without a row it stays new');
  logins.recorded('k', 'a', NOW);
  assert.is(logins.isNew('k', 'a', NOW + DAY_MS - 1), false);
  assert.is(logins.isNew('k', 'b', NOW), true);
  assert.is(logins.isNew('k', 'a', NOW + DAY_MS), true);
});

test('a row of a clock that ran ahead silences nothing', () => {
  const logins = new Logins();
  logins.recorded('k', 'a', NOW + 365 * DAY_MS);
  assert.is(logins.isNew('k', 'a', NOW), true);
  logins.recorded('k', 'a', NOW);
  assert.is(logins.isNew('k', 'a', NOW + 1), false);
});

test('one token with many addresses has a row for the rest, and takes no row from another token', () => {
  const rows: Entry[] = [];
  const sums = new Sums({ add: (row) => rows.push(row), free: 5, most: 200, mostOfToken: 100 });
  const told = Array.from({ length: 500 }, (_, n) =>
    sums.add(`k 10.0.0.${n}`, entryOf('k', `${n}`)),
  );
  assert.is(told.filter(Boolean).length, 100);
  assert.is(sums.add('other 10.0.0.1', entryOf('other', '10.0.0.1')), true);
  sums.minute();
  const { token, address, count } = rows.at(-1) as Entry;
  assert.equal({ token, address, count }, { token: 'k', address: 'many addresses', count: 400 });
  assert.is(sums.add('k 10.0.0.499', entryOf('k', '10.0.0.499')), true, 'in the next minute');
});
test.run();
