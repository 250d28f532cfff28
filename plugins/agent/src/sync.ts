import { type Clock, DatabaseChanged, type Kernel, Type, topic } from '@svc/plugin-sdk';
import type { Integer } from '@svc/plugin-sdk/sql';
import type { Kind } from './kinds.ts';
import type { LastValues } from './last-values.ts';

/** Shortest time between two announcements of changes: as often as a quiet fleet's reports are committed. */
const PERIOD_MS = 200;
/** Time between announcements while no other server is known: on Postgres each is a transaction, and a server that is just starting hears soon enough. */
const ALONE_MS = 1_000;
const EVER = { from: undefined, to: undefined };
/** Ids of one message; the network side of the bus limits a message to some kilobytes. */
const IDS = 500;

/** Message that rows of these agents changed on another server; null: of any agent, where they were stored at `stored_to` or before. */
export const LastValuesChanged = topic(
  'agent.last-values',
  Type.Object({
    kind: Type.String(),
    ids: Type.Union([Type.Array(Type.Integer()), Type.Null()]),
    stored_to: Type.Optional(Type.Integer()),
  }),
);

/** Rows of these agents were stored by this server. */
export const LastValuesStored = topic(
  'agent.last-values-stored',
  Type.Object({ kind: Type.String(), ids: Type.Array(Type.Integer()) }),
  { local: true },
);

/** Rows that changed in this period. The list stays: one that is filled and emptied, or a Set, leaves a trail of old tables. */
interface Changes {
  readonly ids: number[];
  count: number;
}

export interface Sync {
  /** Rows of this agent changed; undefined: rows of any agent are gone, which were stored at `storedTo` or before. */
  readonly changed: (kind: Kind, id: number | undefined, storedTo?: Integer) => void;
}

/**
 * Keeps the last values equal on all servers: each announces which agents changed, and the others read the database.
 * `reset` is called when everything may have changed.
 */
export function keepInSync(
  { bus, clock, db, hooks, publish, subscribe }: Kernel,
  last: { readonly [kind: string]: LastValues },
  reset: () => void,
): Sync {
  const here = gather(
    clock,
    () => PERIOD_MS,
    (kind, ids) => publish(LastValuesStored, { kind, ids }),
  );
  const elsewhere = gather(
    clock,
    () => (bus.servers().length > 0 ? PERIOD_MS : ALONE_MS),
    (kind, ids) => publish(LastValuesChanged, { kind, ids }),
  );
  // The last reports are answered by now, and the bus is there.
  hooks.stop.tap(async () => {
    here.flush();
    elsewhere.flush();
  });

  subscribe(LastValuesChanged, ({ kind, ids, stored_to }, { own }) => {
    if (own) return;
    if (stored_to === undefined) last[kind]?.forget(ids ?? undefined);
    else last[kind]?.deleted({ timestamp: EVER, storage: { ...EVER, to: stored_to } }, undefined);
  });
  subscribe(DatabaseChanged, () => {
    for (const values of Object.values(last)) values.forget();
    reset();
  });

  return {
    changed({ name }, id, storedTo) {
      if (id === undefined) {
        const bound = Number.isSafeInteger(storedTo) ? { stored_to: Number(storedTo) } : {};
        publish(LastValuesChanged, { kind: name, ids: null, ...bound });
        return;
      }
      here.add(name, id);
      if (db.severalServers) elsewhere.add(name, id);
    },
  };
}

/** Hands over the agents that changed, at most once in a period, each once. */
function gather(
  clock: Clock,
  period_ms: () => number,
  send: (kind: string, ids: number[]) => void,
) {
  const waiting = new Map<string, Changes>();
  let flushedAt = Number.NEGATIVE_INFINITY;
  let isArmed = false;

  const flush = () => {
    isArmed = false;
    flushedAt = clock.monotonic();
    for (const [kind, changes] of waiting) {
      const batch = [...new Set(changes.ids.slice(0, changes.count))];
      changes.count = 0;
      for (let at = 0; at < batch.length; at += IDS) send(kind, batch.slice(at, at + IDS));
    }
  };
  const arm = () => {
    isArmed = true;
    const left_ms = flushedAt + period_ms() - clock.monotonic();
    // At once is after the commit that is being answered, with all of its rows.
    if (left_ms <= 0) setImmediate(flush);
    else clock.timeout(flush, left_ms);
  };
  return {
    flush,
    add(kind: string, id: number) {
      const changes = waiting.get(kind);
      if (changes) changes.ids[changes.count++] = id;
      else waiting.set(kind, { ids: [id], count: 1 });
      if (!isArmed) arm();
    },
  };
}
