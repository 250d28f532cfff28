import type { HoldingKind } from '@svc/plugin-sdk';

interface Limits {
  readonly max_jobs_per_owner: number;
  readonly max_job_bytes_per_owner: number;
}

/** Jobs count for the token that wrote them last. */
export const jobsHeld = (config: Limits): HoldingKind => ({
  kind: 'job',
  plural: 'jobs',
  rows: 'select owner, held_bytes as bytes from crontab',
  limits: () => ({
    rows: {
      most: config.max_jobs_per_owner || Number.POSITIVE_INFINITY,
      key: 'max_jobs_per_owner under [crontab]',
    },
    bytes: {
      most: config.max_job_bytes_per_owner || Number.POSITIVE_INFINITY,
      key: 'max_job_bytes_per_owner under [crontab]',
    },
  }),
});
