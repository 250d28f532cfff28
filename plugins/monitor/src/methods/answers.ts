import type { Secrets } from '@svc/plugin-notify/api';
import type { Principal, Static } from '@svc/plugin-sdk';
import type { Owners } from '@svc/plugin-token/api';
import type { Placing } from '../agents/index.ts';
import { checkedOf, isChecked } from '../engine/checked.ts';
import { NO_RIGHT } from '../engine/known.ts';
import type { Names } from '../names.ts';
import { mayDo } from '../permissions.ts';
import type { MonitorAnswer, VerdictAnswer } from '../schemas.ts';
import type { VerdictStore } from '../store/verdicts.ts';
import { type GroupSpec, type Monitor, UNKNOWN, type Verdict } from '../types.ts';
import { stateWord } from '../words.ts';

export interface AnswerParts {
  readonly owners: Owners;
  readonly secrets: Secrets | undefined;
  readonly names: Names;
  readonly placing: Pick<Placing, 'problem' | 'states'>;
  readonly verdicts: VerdictStore;
}

/** Returns a monitor without its secrets; other monitors that it names show to whoever may read them. */
export async function monitorAnswer(
  parts: AnswerParts,
  monitor: Monitor,
  caller: Principal,
): Promise<Static<typeof MonitorAnswer>> {
  const { version: _version, severity, secret, parent, spec, kind, tags, ...rest } = monitor;
  const members = kind === 'group' ? (spec as unknown as GroupSpec).members : [];
  const names = await parts.names.of([...members, ...(parent === null ? [] : [parent])], caller);
  const [verdict] = await parts.verdicts.ofMonitors([monitor.id]);
  const named = members.flatMap((id) => names.get(id) ?? []);
  const { places } = monitor;
  return {
    ...rest,
    ...{ kind, severity, tags: [...tags] },
    places: {
      server: places.server,
      ...(places.agents && { agents: [...places.agents] }),
      ...(places.tags && { tags: [...places.tags] }),
      ...(places.pick && { pick: places.pick }),
    },
    spec: kind === 'group' ? { ...spec, members: named } : { ...spec },
    secret: Object.fromEntries(Object.keys(secret).map((field) => [field, { set: true }])),
    parent: parent === null ? null : (names.get(parent) ?? null),
    problem: (await problemOf(parts, monitor)) ?? null,
    verdict: verdictAnswer(verdict, monitor),
  };
}

/** Returns why a monitor does not run, where somebody wants it to. */
async function problemOf(
  { owners, placing, secrets }: AnswerParts,
  monitor: Monitor,
): Promise<string | undefined> {
  const { name, owner, kind } = monitor;
  if (!(await owners.may(owner, mayDo('write', name)))) return NO_RIGHT;
  if (!isChecked(kind)) return undefined;
  const checked = checkedOf(monitor, secrets);
  return 'problem' in checked ? checked.problem : placing.problem(monitor);
}

export function verdictAnswer(
  verdict: Verdict | undefined,
  { created_at }: Pick<Monitor, 'created_at'>,
): Static<typeof VerdictAnswer> {
  const none = { since: created_at, up: 0, down: 0, unknown: 0, detail: '' };
  const { state, since, up, down, unknown, detail } = verdict ?? { state: UNKNOWN, ...none };
  return { state: stateWord(state), since, up, down, unknown, detail };
}
