import type { Kernel } from '@svc/plugin-sdk';
import { parseJson } from '@svc/plugin-sdk/json';
import type { LimitKind, Limits, RetentionLimits } from './api.ts';
import type { KvConfig } from './kv.ts';
import { limitOf, PREFIX } from './limits.ts';
import { GLOBAL } from './names.ts';
import type { Reads } from './store/reads.ts';

type Clean = Parameters<RetentionLimits['every']>[1];

/** Calls the cleaners of other plugins one after the other, with the limits of that moment. */
export function createRetention(
  { config, hooks, every, log, signal }: Kernel<KvConfig>,
  read: Reads['limits'],
): RetentionLimits & { readonly isUsed: () => boolean } {
  const cleaners: { readonly kind: LimitKind; readonly clean: Clean }[] = [];

  const now: RetentionLimits['now'] = async (until) => {
    const { text } = await read(until);
    const limits = limitsOf(parseJson(Buffer.from(text).toString()));
    return (kind) => limits.get(kind) ?? NONE;
  };

  const round = async () => {
    if (!config.retention || cleaners.length === 0 || signal.aborted) return;
    const limits = await now(signal);
    for (const { kind, clean } of cleaners) {
      const of = limits(kind);
      if (!of.any || signal.aborted) continue;
      try {
        const rows = await clean(of, signal);
        if (rows > 0) log.info('old rows were deleted', { kind, rows });
      } catch (error) {
        if (!signal.aborted) log.error('old rows could not be deleted', { kind, error });
      }
    }
  };

  hooks.start.tap(() => every('retention', config.retention_interval_ms, round));
  const isUsed = () => cleaners.length > 0;
  return { every: (kind, clean) => void cleaners.push({ kind, clean }), now, isUsed };
}

const NONE: Limits = { any: false, of: () => undefined, limited: new Set() };

/** `entries` are `[namespace, key, value]`; a value that is not a limit is ignored. */
export function limitsOf(entries: unknown): ReadonlyMap<string, Limits> {
  const byKind = new Map<string, Map<string, number>>();
  for (const [namespace, key, value] of entries as [string, string, unknown][]) {
    const limit = limitOf(value);
    if (limit === undefined) continue;
    const kind = key.slice(PREFIX.length);
    const values = byKind.get(kind) ?? new Map<string, number>();
    byKind.set(kind, values.set(namespace, limit));
  }
  return new Map([...byKind].map(([kind, values]) => [kind, limitsIn(values)] as const));
}

function limitsIn(values: ReadonlyMap<string, number>): Limits {
  return {
    any: [...values.values()].some((value) => value > 0),
    limited: values.has(GLOBAL) ? 'all' : new Set(values.keys()),
    of(agent) {
      const own = agent === undefined ? undefined : values.get(agent);
      // For stock maintenance workers zero means "forever".
      return (own ?? values.get(GLOBAL)) || undefined;
    },
  };
}
