// Texts of measured values (plugins/alert/src/alerts/words.ts).

import * as assert from 'uvu/assert';
import { compile } from '../../conditions/src/index.ts';
import { textOf } from '../../plugins/alert/src/alerts/words.ts';
import { VOCABULARIES } from '../../plugins/alert/src/evaluate/variables.ts';
import { suite } from '../runner/suite.ts';

const test = suite('alert: texts of values');
for (const [condition, value, text] of [
  ['cpu_usage > 95', 95.04, '95.04 %'],
  ['cpu_usage > 95', 95.14, '95.1 %'],
  ['cpu_usage >= 95', 95, '95 %'],
  ['cpu_usage < 95', 94.96, '94.96 %'],
  ['avg("cpu_usage", "5m") > 95', 95.004, '95.004 %'],
  ['cpu_usage > 95', 95.000001, '95 %'],
] as const)
  test(`${value} beside ${condition} reads ${text}`, () => {
    const result = compile(condition, VOCABULARIES.machine);
    assert.ok('condition' in result);
    assert.is(textOf(value, result.condition), text);
  });
test.run();
