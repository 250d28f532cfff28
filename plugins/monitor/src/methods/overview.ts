import { type Auth, type Clock, described, type Methods, Type } from '@svc/plugin-sdk';
import { mayDo } from '../permissions.ts';
import { OrNull, PlaceWord } from '../schemas.ts';
import type { MonitorStore } from '../store/monitors.ts';
import type { StateStore } from '../store/states.ts';
import type { UptimeStore } from '../store/uptime.ts';
import type { Monitor } from '../types.ts';
import { placeWord } from '../words.ts';

const MONTH_MS = 30 * 86_400_000;
/** Monitors of one call: as many as lists show at a time. */
const MOST = 200;

export interface OverviewParts {
  readonly auth: Auth;
  readonly clock: Clock;
  readonly monitors: Pick<MonitorStore, 'byIds'>;
  readonly states: Pick<StateStore, 'ofMonitors'>;
  readonly uptime: Pick<UptimeStore, 'of'>;
  readonly placeName: (place_id: number) => string;
}

/** `monitor_overview`: what lists show beside `monitor_list`, with three reads for all monitors of a call. */
export function addOverviewMethod(methods: Methods, parts: OverviewParts): void {
  const { auth, clock, monitors, placeName, states, uptime } = parts;
  methods.add('monitor_overview', {
    summary: 'Uptime of the last 30 days of some monitors, and what each of their places says.',
    description: 'Monitors that are gone, or that the caller may not read, are left out.',
    addition: true,
    params: {
      ids: described(
        Type.Array(Type.Integer({ minimum: 1 }), { maxItems: MOST }),
        '`id` of monitors, as `monitor_list` has them.',
      ),
    },
    result: Type.Array(
      Type.Object({
        id: Type.Integer(),
        uptime_30d: OrNull(Type.Number({ description: 'Per cent of the last 30 days.' })),
        states: Type.Array(
          Type.Object({
            place: Type.String({ description: '`server`, or the UUID of an agent.' }),
            state: PlaceWord,
            ms: OrNull(Type.Number()),
          }),
        ),
      }),
    ),
    access: 'authenticated',
    async handle({ ids }, { caller }) {
      const readable: Monitor[] = [];
      for (const monitor of await monitors.byIds([...new Set(ids)]))
        if (await auth.allows(caller, mayDo('read', monitor.name))) readable.push(monitor);
      const found = readable.map(({ id }) => id);
      const now = clock.now();
      const [rows, uptimes] = await Promise.all([
        states.ofMonitors(found),
        uptime.of(found, { from: now - MONTH_MS, to: now }),
      ]);
      const byMonitor = Map.groupBy(rows, ({ monitor_id }) => monitor_id);
      return found.map((id) => ({
        id,
        uptime_30d: uptimes.get(id)?.uptime ?? null,
        states: (byMonitor.get(id) ?? []).map(({ place_id, state, ms }) => ({
          place: placeName(place_id),
          state: placeWord(state),
          ms,
        })),
      }));
    },
  });
}
