// Matchers of silences and windows (plugins/alert/src/silences/matcher.ts).

import * as assert from 'uvu/assert';
import { type Facts, matches } from '../../plugins/alert/src/silences/matcher.ts';
import { suite } from '../runner/suite.ts';

const test = suite('alert: matchers');
const facts: Facts = {
  rule: 'Disk full',
  kind: 'agent',
  subjects: ['a1'],
  tags: ['web', 'eu'],
  severity: 'warning',
};

for (const [name, matcher, expected] of [
  ['one of the names of a kind is enough', { rules: ['CPU', 'Disk full'] }, true],
  ['another name does not match', { rules: ['CPU'] }, false],
  ['all kinds must match', { rules: ['Disk full'], tags: ['db'] }, false],
  ['all kinds match', { rules: ['Disk full'], tags: ['web'], agents: ['a1'] }, true],
  ['a tag that the machine has', { tags: ['db', 'eu'] }, true],
  ['another machine', { agents: ['a2'] }, false],
  ['a machine is no monitor', { monitors: ['a1'] }, false],
  ['this severity', { severity: 'warning' }, true],
  ['a severity above it', { severity: 'critical' }, true],
  ['a severity below it', { severity: 'info' }, false],
  ['an empty list matches nothing', { tags: [] }, false],
  ['without any kind nothing matches', {}, false],
] as const) {
  test(name, () => assert.is(matches(matcher, facts), expected));
}

test('a machine does not match under the name of a monitor', () => {
  assert.is(matches({ agents: ['a1'] }, { ...facts, kind: 'monitor' }), false);
  assert.is(matches({ monitors: ['a1'] }, { ...facts, kind: 'monitor' }), true);
});

test.run();
