import { Type } from '@svc/plugin-sdk';

const limit = (what: string) =>
  Type.Integer({
    minimum: 0,
    default: 0,
    description: `${what} older than this many milliseconds are deleted. 0: kept for ever.`,
  });

/** Keys of the section `[agent]`; named as the KV keys of monitoring-data.md §8. */
export const retentionConfig = {
  database_limit_static_monitoring: limit('Static reports'),
  database_limit_dynamic_monitoring: limit('Full reports'),
  database_limit_dynamic_monitoring_summary: limit('Summaries'),
};

export type RetentionConfig = { readonly [K in keyof typeof retentionConfig]: number };

/** Parts that retention needs to clean up the rows of one kind. */
export interface Cleanable extends Pick<Partitions, 'keeps'> {
  readonly remove: Delete;
  readonly drop: Partitions['drop'];
  /** Whole partitions go where they can. */
  readonly isPartitioned: boolean;
}

/**
 * Deletes old reports every ten minutes: whole partitions, then rows in the small statements of every delete.
 * Off by default.
 */
export function keepLimits(
  { clock, config, every, log, signal }: Kernel<RetentionConfig>,
  kinds: { readonly [K in Kind['name']]: Cleanable },
): void {
  const limitOf = ({ name, permission }: Kind) => {
    const keep_ms = config[`database_limit_${permission}`];
    kinds[name].keeps('configuration', keep_ms || undefined);
    return keep_ms;
  };
  KINDS.forEach(limitOf);
  every('delete old reports', PERIOD_MS, async () => {
    for (const kind of KINDS) {
      const { name, table } = kind;
      const keep_ms = limitOf(kind);
      if (keep_ms === 0) continue;
      const last = clock.now() - keep_ms;
      const old = filterOf([{ timestamp_to: last }]);
      try {
        await kinds[name].drop({ upTo: last, goes: () => true });
        const rows = await kinds[name].remove(old);
        if (rows > 0) log.info('old reports deleted', { table, rows });
      } catch (error) {
        // A stop in the middle is no failure: the next start goes on.
        if (!signal.aborted) throw error;
      }
    }
  });
}
