// States of places, and what they say together (plugins/monitor/src/engine/{place,verdict}.ts).
import * as assert from 'uvu/assert';
import { after } from '../../checks/src/place/state.ts';
import { nextLook, verdictOf } from '../../plugins/monitor/src/engine/verdict.ts';
import {
  DEGRADED,
  DOWN,
  type State,
  SUSPECT,
  UNKNOWN,
  UP,
} from '../../plugins/monitor/src/types.ts';
import { suite } from '../runner/suite.ts';

const test = suite('monitor: states and verdicts');
const MINUTE = 60_000;
const rules = { retries: 2, recover_after: 1, interval_s: 60, timeout_s: 10, down_when: null };

/** States after each of these results, one a minute; `+` good, `-` failed, `?` unknown. */
function states(results: string, over: Partial<typeof rules> = {}, place_id = 0): State[] {
  let state: State | undefined;
  return [...results].map((one, n) => {
    const ok = one === '?' ? null : one === '+';
    const seen = { monitor_id: 1, place_id, at: (n + 1) * MINUTE, ok, ms: 5, code: null };
    state = after(
      state,
      { ...seen, detail: ok === false ? `failure ${n + 1}` : null },
      { ...rules, ...over },
    );
    return state;
  });
}
const last = (results: string, over = {}, place = 0): State =>
  states(results, over, place).at(-1) as State;

for (const { results, said, since = 0, over = {} } of [
  { results: '++-+', said: [UP, UP, SUSPECT, UP] },
  { results: '+---', said: [UP, SUSPECT, SUSPECT, DOWN], since: 2 },
  { results: '-', over: { retries: 0 }, said: [DOWN], since: 1 },
  { results: '---', said: [UNKNOWN, UNKNOWN, DOWN], since: 1 },
  { results: '---+', said: [UNKNOWN, UNKNOWN, DOWN, UP], since: 4 },
  {
    results: '---+-++',
    over: { recover_after: 2 },
    said: [UNKNOWN, UNKNOWN, DOWN, DOWN, DOWN, DOWN, UP],
    since: 7,
  },
  { results: '+??+', said: [UP, UNKNOWN, UNKNOWN, UP], since: 4 },
  { results: '--?-', said: [UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN], since: 4 },
])
  test(`results ${results} of a place, ${JSON.stringify(over)}, say what they should`, () => {
    const found = states(results, over);
    assert.equal(
      found.map(({ state }) => state),
      said,
    );
    if (since > 0) assert.is(found.at(-1)?.since, since * MINUTE);
  });

test('a result that is older than the last one changes nothing', () => {
  const before = last('++');
  const old = { monitor_id: 1, place_id: 0, at: MINUTE, ok: false, ms: 1, code: 500, detail: 'x' };
  assert.is(after(before, old, rules), before);
});

const at = (minutes: number, places: number) => ({ now: minutes * MINUTE, places });
for (const { what, of, when, down_when = null, state, since, unknown = 0 } of [
  { what: 'one place up', of: ['+'], when: at(1, 1), state: UP },
  { what: 'a suspect place', of: ['+-'], when: at(2, 1), state: UP },
  { what: 'one place down', of: ['+---'], when: at(4, 1), state: DOWN, since: 2 },
  {
    what: 'one of three down, two needed',
    of: ['+---', '++++', '++++'],
    when: at(4, 3),
    down_when: 2,
    state: DEGRADED,
    since: 2,
  },
  {
    what: 'two of three down',
    of: ['+---', '---+---', '+++++++'],
    when: at(7, 3),
    state: DOWN,
    since: 5,
  },
  {
    what: 'one of one that knows down, two gone',
    of: ['---'],
    when: at(3, 3),
    state: DOWN,
    since: 1,
    unknown: 2,
  },
  {
    what: 'the same where two are needed',
    of: ['---'],
    when: at(3, 3),
    down_when: 2,
    state: UNKNOWN,
    unknown: 2,
  },
  {
    what: 'a place that was last heard three intervals ago',
    of: ['+'],
    when: at(5, 1),
    state: UNKNOWN,
    unknown: 1,
  },
  { what: 'no place', of: [], when: at(1, 0), state: UNKNOWN },
  { what: 'a place that is cut off', of: ['+?'], when: at(2, 1), state: UNKNOWN, unknown: 1 },
])
  test(`the verdict of ${what} is what they say together`, () => {
    const given = of.map((results, place) => last(results, {}, place));
    const found = verdictOf(given, { ...rules, down_when }, when);
    assert.is(found.state, state);
    assert.is(found.unknown, unknown);
    if (since !== undefined) assert.is(found.since, since * MINUTE);
  });

test('silence is looked at when the first place stops knowing', () => {
  const [early, late] = [last('+'), last('++')];
  assert.is(nextLook([early, late], rules, 2 * MINUTE), 4 * MINUTE + 10_001);
  assert.is(nextLook([last('?')], rules, 2 * MINUTE), undefined);
});

test.run();
