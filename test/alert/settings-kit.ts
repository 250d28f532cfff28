/** Rules by calls, and alerts that open as the evaluator opens them. */
import { randomUUID } from 'node:crypto';
import type { TestApp } from '@svc/plugin-sdk/testing';
import { StoredTransitions } from '../../plugins/alert/src/store/transitions.ts';
import type { Rule } from '../../plugins/alert/src/types.ts';
import { kernelOf } from '../shared-servers.ts';
import { report } from './kit.ts';

export { PLUGINS, report } from './kit.ts';

/** A rule that the machine has an open alert of; nothing but the test opens or ends it. */
export async function opened(app: TestApp, machine: string, over: object = {}) {
  await report(app, machine);
  const name = randomUUID();
  const given = { name, source: 'machine', scope: { agents: [machine] } };
  // Between the two thresholds: an alert that is open stays so.
  const condition = { condition: 'cpu_usage > 1000000', clear: 'cpu_usage > 2000000' };
  const rule = await app.call('alert_rule_create', [
    app.superToken,
    { ...given, ...condition, ...over },
  ]);
  const { db, clock, log } = kernelOf(app);
  const ruleOf = () => ({ id: rule.id, notify: true }) as Rule;
  const transitions = new StoredTransitions({ db, clock, log, ruleOf, onMade() {} });
  const key = { rule_id: rule.id, subject_kind: 'agent', subject_id: machine, part: '' } as const;
  const at = clock.now();
  const judged = {
    from: undefined,
    to: 2,
    since: at - 60_000,
    at,
    true_ms: 60_000,
    false_ms: 0,
  } as const;
  const detail = { threshold: '> 90 %', meaning: rule.meaning };
  const [made] = await transitions.apply([{ ...key, ...judged, value: 95, detail }]);
  return { rule: name, id: made!.alert.id, key, transitions };
}
