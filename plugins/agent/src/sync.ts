import type { Kernel } from '@svc/plugin-sdk';
import type { Kind } from './kinds.ts';
import type { LastValues } from './last-values.ts';

const TOPIC = 'agent.last-values';
/** Somebody ran SQL of his own on the main database. */
const DATABASE_CHANGED = 'database.changed';
const PERIOD_MS = 250;
/** Ids of one message; the network side of the bus limits a message to some kilobytes. */
const IDS = 500;

/** What one server tells the others: rows of these agents changed; null: of any agent. */
interface Changed {
  readonly kind: string;
  readonly ids: readonly number[] | null;
}

export interface Sync {
  /** Rows of this agent changed; undefined: of any agent. */
  readonly changed: (kind: Kind, id: number | undefined) => void;
}

/**
 * Keeps the last values equal on all servers: each tells which agents changed, and who hears of it reads the database.
 * `reset` is called when everything may have changed.
 */
export function keepInSync(
  { bus, every, hooks }: Kernel,
  last: { readonly [kind: string]: LastValues },
  reset: () => void,
): Sync {
  const waiting = new Map<string, Set<number>>();

  const tell = () => {
    for (const [kind, ids] of waiting) {
      const batch = [...ids];
      ids.clear();
      for (let at = 0; at < batch.length; at += IDS) {
        bus.publish(TOPIC, { kind, ids: batch.slice(at, at + IDS) } satisfies Changed);
      }
    }
  };
  every('tell other servers of last values', PERIOD_MS, tell);
  // The last reports are answered by now, and the bus is there.
  hooks.stop.tap(async () => tell());

  bus.subscribe(TOPIC, (payload, { own }) => {
    if (own || !isChanged(payload)) return;
    last[payload.kind]?.forget(payload.ids ?? undefined);
  });
  bus.subscribe(DATABASE_CHANGED, () => {
    for (const values of Object.values(last)) values.forget();
    reset();
  });

  return {
    changed({ name }, id) {
      if (id === undefined) {
        bus.publish(TOPIC, { kind: name, ids: null } satisfies Changed);
        return;
      }
      const ids = waiting.get(name);
      if (ids) ids.add(id);
      else waiting.set(name, new Set([id]));
    },
  };
}

function isChanged(payload: unknown): payload is Changed {
  const { kind, ids } = (payload ?? {}) as Partial<Changed>;
  return typeof kind === 'string' && (ids === null || Array.isArray(ids));
}
