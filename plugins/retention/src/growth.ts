import { type Kernel, sizeText } from '@svc/plugin-sdk';

const DAY_MS = 86_400_000;
/** Time that it takes to see what a day adds, ms. */
const WATCH_MS = 600_000;

/** Watches a history that nothing bounds, and says once what a day of it costs. */
export function watchGrowth(
  { clock, db, log }: Pick<Kernel, 'clock' | 'db' | 'log'>,
  tables: () => readonly string[],
): () => Promise<void> {
  let first: { readonly at: number; readonly used: number } | undefined;
  let isReported = false;
  return async () => {
    if (isReported || !db.space) return;
    const used = await db.space.used(tables(), Number.POSITIVE_INFINITY);
    const at = clock.now();
    first ??= { at, used };
    if (at - first.at < WATCH_MS || used <= first.used) return;
    isReported = true;
    const bytes = ((used - first.used) / (at - first.at)) * DAY_MS;
    log.warn(
      'this database keeps its history for ever, because an earlier version made it; keep_days or budget under [retention] bound it',
      { used: sizeText(used), each_day: sizeText(bytes) },
    );
  };
}
