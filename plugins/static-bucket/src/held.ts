import type { HoldingKind } from '@svc/plugin-sdk';

/** Buckets count for the token that wrote them last, and so does the directory that a bucket leaves behind; bytes are bounded by the bucket. */
export const bucketsHeld = (config: {
  readonly max_buckets: number;
  readonly max_buckets_per_owner: number;
}): HoldingKind => ({
  kind: 'bucket',
  plural: 'buckets',
  rows: `select owner, 0 as bytes from static_file union all select owner, 0 as bytes from static_file_former`,
  limits: () => ({
    rows: {
      most: config.max_buckets_per_owner || Number.POSITIVE_INFINITY,
      key: 'max_buckets_per_owner under [static-bucket]',
    },
    shared: { most: config.max_buckets, key: 'max_buckets under [static-bucket]' },
  }),
  remedy:
    'delete some, with their files first: what a bucket leaves behind counts until it is empty',
});
