// Texts of measured values (plugins/alert/src/alerts/words.ts).

import * as assert from 'uvu/assert';
import { compile } from '../../conditions/src/index.ts';
import { textOf } from '../../plugins/alert/src/alerts/words.ts';
import { VOCABULARIES } from '../../plugins/alert/src/evaluate/variables.ts';
import { suite } from '../runner/suite.ts';

const test = suite('alert: texts of values');
const LEFT = 'tls.days_left < least(14, tls.lifetime_days / 4)';
for (const [condition, value, text] of [
  [LEFT, 12.64, '12.6 days'],
  [LEFT, -2.4, 'ended 2 days ago'],
  [LEFT, -1, 'ended a day ago'],
  [LEFT, -0.4, 'ended less than a day ago'],
  ['tls.days_left < 14', -2.4, 'ended 2 days ago'],
  ['ms > 2000', 2400, '2400 ms'],
  ['cpu_usage > 95', 95.04, '95.04 %'],
  ['cpu_usage > 95', 95.14, '95.1 %'],
  ['cpu_usage >= 95', 95, '95 %'],
  ['cpu_usage < 95', 94.96, '94.96 %'],
  ['avg("cpu_usage", "5m") > 95', 95.004, '95.004 %'],
  ['cpu_usage > 95', 95.000001, '95 %'],
] as const)
  test(`${value} beside ${condition} reads ${text}`, () => {
    const isOfMonitor = /^(?:tls|ms)/.test(condition);
    const result = compile(condition, VOCABULARIES[isOfMonitor ? 'monitor' : 'machine']);
    assert.ok('condition' in result);
    assert.is(textOf(value, result.condition), text);
  });
test.run();
