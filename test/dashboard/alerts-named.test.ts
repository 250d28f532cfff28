/** Conditions that hold of machines of certain names: the form reads what it wrote, and keeps the rest as it was. */
import * as assert from 'uvu/assert';
import {
  groupedText,
  namedText,
  readGrouped,
  readNamed,
} from '../../plugins/dashboard/web/pages/alerts/rules/named.ts';
import { suite } from '../runner/suite.ts';

const test = suite('dashboard: conditions by name');

for (const [condition, text] of [
  ['cpu_usage > 90', 'cpu_usage > 90 && name.startsWith("db-")'],
  ['a > 1 && b < 2', 'a > 1 && b < 2 && name.startsWith("db-")'],
  ['a > 1 || b < 2', '(a > 1 || b < 2) && name.startsWith("db-")'],
  ['(a) || (b)', '((a) || (b)) && name.startsWith("db-")'],
] as const)
  test(`${condition} takes the beginning of names, and gives it back`, () => {
    assert.is(namedText({ condition, prefix: 'db-' }), text);
    assert.equal(readNamed(text), { condition, prefix: 'db-' });
    assert.is(namedText({ condition, prefix: '' }), condition);
  });

for (const text of [
  '(a) || (b) && name.startsWith("db-")',
  'a || b && name.startsWith("db-")',
  'name.startsWith("db-")',
  'cpu_usage > 90 && name.startsWith(host)',
])
  test(`${text} stays as it is: the name is no condition beside the rest`, () =>
    assert.equal(readNamed(text), { condition: text, prefix: '' }));

for (const [condition, text] of [
  ['state == "down"', 'state == "down" && group == "Shop \\"1\\""'],
  ['ms > 1 || ms < 0', '(ms > 1 || ms < 0) && group == "Shop \\"1\\""'],
] as const)
  test(`${condition} takes a group of monitors, and gives it back`, () => {
    const group = 'Shop "1"';
    assert.is(groupedText({ condition, group }), text);
    assert.equal(readGrouped(text), { condition, group });
    assert.equal(readGrouped(condition), { condition, group: '' });
  });

test.run();
