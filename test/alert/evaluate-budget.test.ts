// Budget of evaluations that one call may make (plugins/alert/src/evaluate/metered.ts).

import { type Condition, ConditionError } from '@svc/conditions';
import * as assert from 'uvu/assert';
import { Budget, metered } from '../../plugins/alert/src/evaluate/metered.ts';
import { suite } from '../runner/suite.ts';
import { loadedRule } from './kit-evaluate.ts';

const test = suite('alert: budget of evaluations');

/** A condition that takes some time, or fails after it. */
function slow(ms: number, fails: boolean): Condition {
  return {
    ...loadedRule('cpu_usage > 1').condition,
    evaluate() {
      for (const end = performance.now() + ms; performance.now() < end; );
      if (fails) throw new ConditionError('fails');
      return true;
    },
  };
}

for (const fails of [false, true]) {
  test(`a condition has no verdict once the budget is spent, also where it fails: ${fails}`, () => {
    const verdictWithin = (budget: Budget) => metered(slow(3, fails), budget).evaluate({});
    const judge = (budget: Budget) =>
      fails
        ? assert.throws(() => verdictWithin(budget), /fails/)
        : assert.is(verdictWithin(budget), true);
    const ample = new Budget(60_000);
    judge(ample);
    assert.not(ample.isSpent);
    const scarce = new Budget(2);
    judge(scarce);
    assert.ok(scarce.isSpent);
    assert.is(verdictWithin(scarce), undefined);
  });
}

test('conditions of one rule share their budget, and say what the condition says', () => {
  const { condition } = loadedRule('cpu_usage > 90');
  const one = metered(condition, new Budget(1_000));
  assert.is(one.evaluate({ cpu_usage: 95 }), true);
  assert.equal([one.text, one.comparison], [condition.text, condition.comparison]);
});

test.run();
