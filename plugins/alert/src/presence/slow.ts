import { setImmediate } from 'node:timers/promises';
import type { AgentRegistry } from '@svc/plugin-agent-uuid/api';
import { thresholdText } from '../evaluate/value-text.ts';
import type { KnownMachines } from '../machines.ts';
import type { LoadedRules } from '../rules/loaded.ts';
import type { Alert, LoadedRule, Transitions } from '../types.ts';
import { store } from './apply.ts';
import { clearOf, type Judgement, judge, type When } from './judge.ts';

const DAY_MS = 86_400_000;
/** Machines that are looked at together. */
const BATCH = 200;

export interface SlowParts {
  readonly rules: LoadedRules;
  readonly machines: KnownMachines;
  readonly registry: AgentRegistry;
  readonly transitions: Transitions;
}

/** Judges rules about machines that need more than reports. @throws RpcError 103 */
export async function judgeSlow(parts: SlowParts, when: When): Promise<void> {
  const { rules, registry, transitions } = parts;
  const running = rules.slow('machine');
  if (running.length === 0) return;
  const agents = registry.list().filter(({ soft_delete }) => !soft_delete);
  for (let at = 0; at < agents.length; at += BATCH) {
    const some = agents.slice(at, at + BATCH);
    const alerts = await transitions.load(
      'agent',
      some.map(({ uuid }) => uuid),
    );
    const known = new Map(alerts.map((alert) => [`${alert.rule_id} ${alert.subject_id}`, alert]));
    const judged = running.flatMap((loaded) =>
      some.flatMap(({ id, uuid }) =>
        rules.applies(loaded.rule, id)
          ? look(parts, loaded, { uuid, alert: known.get(`${loaded.rule.id} ${uuid}`), when })
          : [],
      ),
    );
    await store(transitions, judged);
    await setImmediate();
  }
}

function look(
  { machines }: SlowParts,
  loaded: LoadedRule,
  { uuid, alert, when }: { uuid: string; alert: Alert | undefined; when: When },
): Judgement {
  const name = machines.nameOf(uuid);
  const tags = machines.tagsOf(uuid);
  const ends = machines.expiresAt(uuid);
  const expires_in_days = ends === undefined ? null : (ends - when.at) / DAY_MS;
  const values = { name, tags, region: machines.regionOf(uuid), expires_in_days };
  const threshold = thresholdText(loaded.condition);
  const measured = expires_in_days === null ? {} : { values: { expires_in_days } };
  const detail = { name, tags, ...measured, ...(threshold && { threshold }) };
  const key = { subject_kind: 'agent', subject_id: uuid, part: '' } as const;
  const condition = loaded.condition.evaluate(values);
  const clear = clearOf(loaded, values);
  return judge({ loaded, key, alert, condition, clear, value: expires_in_days, detail }, when);
}
