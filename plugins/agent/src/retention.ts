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
