import type { Secrets } from '@svc/plugin-notify/api';
import type { Auth, Principal, Static } from '@svc/plugin-sdk';
import type { Owners } from '@svc/plugin-token/api';
import type { Placing } from '../agents/index.ts';
import type { MonitorPause } from '../api.ts';
import { checkedOf, isChecked, secretOf } from '../engine/checked.ts';
import { NO_RIGHT } from '../engine/known.ts';
import { KEY_FIELD, keyUrl, pushUrl } from '../heartbeat/index.ts';
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
  readonly auth: Auth;
  /** Maintenance windows that hold now. */
  readonly pauses: () => readonly MonitorPause[];
  /** Address of the path `/svc`; only the path where the server knows no address of its own. */
  readonly base: () => Promise<string>;
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
    secret: Object.fromEntries(
      Object.keys(secret).flatMap((field) => (field === KEY_FIELD ? [] : [[field, { set: true }]])),
    ),
    parent: parent === null ? null : (names.get(parent) ?? null),
    problem: (await problemOf(parts, monitor)) ?? null,
    verdict: verdictAnswer(verdict, monitor),
    paused_by: await windowOf(parts, monitor, caller),
    ...(await urlsOf(parts, monitor, caller)),
  };
}

/** Returns the maintenance window that pauses a monitor, of several the one that ends last. */
async function windowOf({ auth, pauses }: AnswerParts, monitor: Monitor, caller: Principal) {
  const [last] = pauses()
    .filter((pause) => monitor.enable && pause.holdsFor(monitor))
    .sort((a, b) => b.until - a.until);
  if (!last) return null;
  const { name, needs, until } = last;
  return { window: (await auth.allows(caller, needs)) ? name : '', until };
}

const NO_URLS = { ping_url: null, push_url: null };

/** Returns the addresses of a heartbeat for those who may write it: whoever has them can call. */
async function urlsOf({ auth, base, secrets }: AnswerParts, monitor: Monitor, caller: Principal) {
  const { secret, kind, name } = monitor;
  const sealed = secret[KEY_FIELD];
  if (kind !== 'heartbeat' || !sealed || !(await auth.allows(caller, mayDo('write', name))))
    return NO_URLS;
  const opened = secretOf({ ...monitor, secret: { [KEY_FIELD]: sealed } }, secrets);
  if ('problem' in opened) return NO_URLS;
  const key = String(opened.values[KEY_FIELD]);
  const at = await base();
  return { ping_url: keyUrl(at, key), push_url: pushUrl(at, key) };
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
