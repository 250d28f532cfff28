// Reads of the rounds of absence while nothing happens (plugins/alert/src/presence/absence.ts).

import * as assert from 'uvu/assert';
import { Absence } from '../../plugins/alert/src/presence/absence.ts';
import type { LoadedRule } from '../../plugins/alert/src/types.ts';
import { suite } from '../runner/suite.ts';
import { loadedRule } from './kit-evaluate.ts';

const SECOND = 1_000;
const test = suite('alert: rounds in which nothing happens');

/** Reads of alerts in rounds every other second, for half a minute. */
async function readsOf(
  rules: readonly LoadedRule[],
  { away = [], pause_ms = 0 }: { away?: readonly string[]; pause_ms?: number } = {},
): Promise<number> {
  let reads = 0;
  const absence = new Absence({
    rules: { slow: () => rules, byId: () => undefined },
    machines: { away: () => new Map(away.map((uuid) => [uuid, 0])) },
    registry: { known: () => undefined },
    transitions: { apply: async () => [], progress: async () => undefined },
    alerts: {
      async activeAfter() {
        reads++;
        return [];
      },
    },
  } as never);
  for (let at = 0; at < 30 * SECOND; at += 2 * SECOND) {
    const elapsed_ms = at === 10 * SECOND ? 2 * SECOND + pause_ms : 2 * SECOND;
    await absence.round({ at, elapsed_ms, gap_ms: 30 * SECOND }, false);
  }
  return reads;
}

const silent = loadedRule('silent_for > 120', { source: 'presence' });
for (const [says, reads, rules, over] of [
  ['without a rule nothing is read', 0, [], {}],
  ['while nobody is away and no alert is open, alerts are read once', 1, [silent], {}],
  ['while somebody is away they are read in each round', 15, [silent], { away: ['a'] }],
  [
    'after a pause, in which another server may have had the turn, again',
    2,
    [silent],
    { pause_ms: 60_000 },
  ],
] as const)
  test(says, async () => assert.is(await readsOf(rules, over), reads));

test.run();
