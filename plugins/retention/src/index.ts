import { RetentionLimits } from '@svc/plugin-kv/api';
import { definePlugin, reload, sizeText } from '@svc/plugin-sdk';
import type { ConfigWarning } from '@svc/plugin-sdk/kernel';
import { History, type HistoryTable } from './api.ts';
import { removeBeyond, removeConfigured } from './explicit.ts';
import { watchGrowth } from './growth.ts';
import { migrations } from './migrations/index.ts';
import { config, policyOf } from './policy.ts';
import { Rounds } from './rounds.ts';
import { Store } from './store.ts';
import { Turn } from './turn.ts';

const PERIOD_MS = 5 * 60_000;
/** Period of the limits of the owners' own configuration. */
const CONFIGURED_MS = 10 * 60_000;
const TURN = {
  table: 'retention',
  holder: 'value',
  row: `name = 'turn'`,
  lasts_ms: 600_000,
};

const UNBOUNDED: ConfigWarning = {
  kind: 'advice',
  key: 'retention.keep_days',
  message: `this database keeps its history for ever, because an earlier version made it: retention.keep_days = 14 or retention.budget = "20 GB" bound it`,
};

/** Bounds reports, task and job results by age and by a budget of the disk: service `History`, table `retention`. */
export default definePlugin({
  name: 'retention',
  optional: [RetentionLimits],
  provides: [History],
  config: reload(config),
  migrations,
  guards: { retention: 'fixed' },

  setup(kernel) {
    const { config: settings, db, every, hooks, log, useOptional } = kernel;
    const store = new Store(db);
    const tables: HistoryTable[] = [];
    const rounds = new Rounds(kernel, tables, new Turn(db, TURN));
    const watch = watchGrowth(kernel, () => tables.map(({ table }) => table));
    let running: Promise<void> = Promise.resolve();

    kernel.provide(History, {
      keep(table) {
        const { kind } = table;
        if (kind) {
          useOptional(RetentionLimits)?.every(kind, (limits) =>
            removeBeyond(table, limits, kernel),
          );
        }
        if ('remove' in table) tables.push(table);
        else tables.push({ ...table, remove: (slice) => store.remove(table, slice) });
      },
    });

    every('delete old reports', CONFIGURED_MS, () => removeConfigured(tables, kernel));
    hooks.start.tap(async () => {
      const isNew = await store.isNew();
      const policy = async () => policyOf(settings, isNew, await db.space?.disk());
      const round = async () => {
        const now = await policy();
        await rounds.run(now);
        if (now.keep_ms === undefined && now.budget === undefined && !isNew) await watch();
      };
      every('old history', PERIOD_MS, () => {
        running = round();
        return running;
      });
      const { keep_ms, budget } = await policy();
      log.info('history is kept', {
        days: keep_ms === undefined ? 'all' : keep_ms / 86_400_000,
        budget: budget === undefined ? 'none' : sizeText(budget),
      });
    });
    hooks.warnings.tap(async (found) => {
      const unbounded = settings.keep_days === undefined && settings.budget === undefined;
      if (unbounded && !(await store.isNew())) found.push(UNBOUNDED);
      if (rounds.excess !== undefined) {
        found.push({ kind: 'advice', key: 'retention.budget', message: rounds.excess });
      }
    });
    hooks.stop.tap(() => running.catch(() => undefined));
  },
});
