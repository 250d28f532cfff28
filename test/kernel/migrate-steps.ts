import type { MigrationStep } from '@svc/plugin-sdk/sql';

/** Steps of which each makes one table with one row; `inLast` runs at the end of the last one. */
export function raceSteps(count: number, inLast?: () => Promise<void>): MigrationStep[] {
  return Array.from({ length: count }, (_, at) => ({
    plugin: 'race',
    migration: {
      name: `000${at + 1}-create`,
      async up({ query }) {
        await query.schema.createTable(`race_${at}`, (table) => table.integer('id').primary());
        await query(`race_${at}`).insert({ id: at });
        if (at === count - 1) await inLast?.();
      },
    },
  }));
}
