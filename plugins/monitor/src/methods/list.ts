import { type Auth, type Clock, type Methods, optional, type Static, Type } from '@svc/plugin-sdk';
import { mayDo } from '../permissions.ts';
import { MonitorRow, OrNull } from '../schemas.ts';
import { targetOf } from '../spec.ts';
import type { CertificateStore } from '../store/certificates.ts';
import { type MonitorStore, PAGE_ROWS } from '../store/monitors.ts';
import type { Outcome, OutcomeStore } from '../store/outcomes.ts';
import type { StateStore } from '../store/states.ts';
import type { UptimeStore } from '../store/uptime.ts';
import type { VerdictStore } from '../store/verdicts.ts';
import type { Monitor, State } from '../types.ts';
import { verdictAnswer } from './answers.ts';

const DAY_MS = 86_400_000;

export interface ListParts {
  readonly auth: Auth;
  readonly clock: Clock;
  readonly monitors: MonitorStore;
  readonly verdicts: VerdictStore;
  readonly certificates: CertificateStore;
  readonly outcomes: OutcomeStore;
  readonly states: StateStore;
  readonly uptime: UptimeStore;
}

/** `monitor_list`: rows of a page, with a bounded number of reads for all of them. */
export function addListMethod(methods: Methods, parts: ListParts): void {
  methods.add('monitor_list', {
    summary: 'The monitors that the caller may read, in the order in which they were made.',
    addition: true,
    params: {
      limit: optional(
        Type.Integer({ minimum: 1, maximum: PAGE_ROWS, description: `Default: ${PAGE_ROWS}.` }),
      ),
      after: optional(
        Type.Integer({
          minimum: 0,
          description: '`next` of the page before. Default: the first page.',
        }),
      ),
    },
    result: Type.Object({
      monitors: Type.Array(MonitorRow),
      next: OrNull(Type.Integer({ description: 'Place of the next page; null: there is none.' })),
    }),
    access: 'authenticated',
    async handle({ limit, after }, { caller }) {
      const most = limit ?? PAGE_ROWS;
      const found: Monitor[] = [];
      let next: number | null = after ?? 0;
      while (next !== null && found.length < most) {
        const page: readonly Monitor[] = await parts.monitors.after(next);
        next = page.length < PAGE_ROWS ? null : (page.at(-1)?.id ?? null);
        for (const [at, monitor] of page.entries()) {
          if (!(await parts.auth.allows(caller, mayDo('read', monitor.name)))) continue;
          found.push(monitor);
          if (found.length < most) continue;
          next = at === page.length - 1 ? next : monitor.id;
          break;
        }
      }
      return { monitors: await rowsOf(parts, found), next };
    },
  });
}

async function rowsOf(
  { certificates, clock, outcomes, states, uptime, verdicts }: ListParts,
  monitors: readonly Monitor[],
): Promise<Static<typeof MonitorRow>[]> {
  const ids = monitors.map(({ id }) => id);
  const now = clock.now();
  const [stored, recent, uptimes, ends, places] = await Promise.all([
    verdicts.ofMonitors(ids),
    outcomes.of(ids),
    uptime.of(ids, { from: now - DAY_MS, to: now }),
    certificates.ends(),
    states.ofMonitors(ids),
  ]);
  const byMonitor = new Map(stored.map((row) => [row.monitor_id, row]));
  const heard = newestOf(places);
  return monitors.map((monitor) => {
    const { id, name, kind, group, tags, interval_s, enable } = monitor;
    const { state, since, detail } = verdictAnswer(byMonitor.get(id), monitor);
    const last = recent.get(id) ?? [];
    return {
      ...{ id, name, kind, target: targetOf(monitor), group, tags: [...tags], interval_s, enable },
      ...{ state, since, detail, ms: newestMs(last), not_after: ends.get(id)?.not_after ?? null },
      last_at: Math.max(heard.get(id) ?? 0, last[0]?.at ?? 0) || null,
      recent: last.map(letterOf).reverse().join(''),
      uptime: uptimes.get(id)?.uptime ?? null,
    };
  });
}

/** Returns when a monitor was heard of last, by its places: these are written once a minute. */
function newestOf(places: readonly State[]): ReadonlyMap<number, number> {
  const newest = new Map<number, number>();
  for (const { monitor_id, last_at } of places)
    newest.set(monitor_id, Math.max(newest.get(monitor_id) ?? 0, last_at));
  return newest;
}

const letterOf = ({ ok }: Outcome): string => (ok === null ? '?' : ok ? 'u' : 'd');

/** Returns the shortest time of the newest results of the places. */
function newestMs(newestFirst: readonly Outcome[]): number | null {
  const newest = new Map<number, number | null>();
  for (const { place_id, ms } of newestFirst) if (!newest.has(place_id)) newest.set(place_id, ms);
  const times = [...newest.values()].filter((ms) => ms !== null);
  return times.length === 0 ? null : Math.min(...times);
}
