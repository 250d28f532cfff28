import { DatabaseChanged, type Kernel, Type, topic } from '@svc/plugin-sdk';
import type { Kind } from './kinds.ts';
import type { LastValues } from './last-values.ts';

const PERIOD_MS = 250;
/** Ids of one message; the network side of the bus limits a message to some kilobytes. */
const IDS = 500;

/** Rows of these agents changed on another server; null: of any agent. */
const LastValuesChanged = topic(
  'agent.last-values',
  Type.Object({
    kind: Type.String(),
    ids: Type.Union([Type.Array(Type.Integer()), Type.Null()]),
  }),
);

export interface Sync {
  /** Rows of this agent changed; undefined: of any agent. */
  readonly changed: (kind: Kind, id: number | undefined) => void;
}

/**
 * Keeps the last values equal on all servers: each tells which agents changed, and the others read the database.
 * `reset` is called when everything may have changed.
 */
export function keepInSync(
  { publish, subscribe, every, hooks }: Kernel,
  last: { readonly [kind: string]: LastValues },
  reset: () => void,
): Sync {
  const waiting = new Map<string, Set<number>>();

  const tell = () => {
    for (const [kind, ids] of waiting) {
      const batch = [...ids];
      ids.clear();
      for (let at = 0; at < batch.length; at += IDS) {
        publish(LastValuesChanged, { kind, ids: batch.slice(at, at + IDS) });
      }
    }
  };
  every('tell other servers of last values', PERIOD_MS, tell);
  // The last reports are answered by now, and the bus is there.
  hooks.stop.tap(async () => tell());

  subscribe(LastValuesChanged, ({ kind, ids }, { own }) => {
    if (!own) last[kind]?.forget(ids ?? undefined);
  });
  subscribe(DatabaseChanged, () => {
    for (const values of Object.values(last)) values.forget();
    reset();
  });

  return {
    changed({ name }, id) {
      if (id === undefined) {
        publish(LastValuesChanged, { kind: name, ids: null });
        return;
      }
      const ids = waiting.get(name);
      if (ids) ids.add(id);
      else waiting.set(name, new Set([id]));
    },
  };
}
