import type { HoldingKind } from '@svc/plugin-sdk';

/** Databases count for the token that created them; bytes are bounded by the file. */
export const databasesHeld = (config: {
  readonly max_databases_per_token: number;
}): HoldingKind => ({
  kind: 'database',
  plural: 'databases',
  rows: 'select owner, 0 as bytes from db_registry',
  limits: () => ({
    rows: {
      most: config.max_databases_per_token || Number.POSITIVE_INFINITY,
      key: 'max_databases_per_token under [db]',
    },
  }),
});
