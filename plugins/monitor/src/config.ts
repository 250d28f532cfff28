import { fileOnly, reload, type Static, type TSchema, Type } from '@svc/plugin-sdk';

const whole = (minimum: number, maximum: number, initial: number, description: string) =>
  reload(Type.Integer({ minimum, maximum, default: initial, description }));
const fileReload = <T extends TSchema>(schema: T): T => fileOnly(reload(schema));

/** Section `[monitor]`. */
export const config = Type.Object({
  allow_private: fileReload(
    Type.Array(Type.String({ minLength: 1 }), {
      default: [],
      description:
        'Private addresses that monitors of tokens may reach: `IP`, `NETWORK/BITS` or `NAME`, each with or without `:PORT`. Those of the Super Token reach all.',
    }),
  ),
  rdap_list: fileOnly(
    Type.String({
      default: 'https://data.iana.org/rdap/dns.json',
      pattern: '^https?://',
      description:
        'List of the registries that tell when domains end (RFC 9224), for monitors of the kind `domain`. It is read when the first of them is checked, and once a week.',
    }),
  ),
  concurrent: whole(1, 500, 50, 'Checks at a time on each server.'),
  min_interval_s: whole(5, 3_600, 10, 'Shortest interval of monitors that the server checks.'),
  max_monitors: whole(
    ...([0, 5_000, 5_000] as const),
    'Monitors that all tokens together may have, one token a quarter of it, and as many again the Super Token.',
  ),
  keep_results_days: whole(1, 3_650, 90, 'Days that results of checks are kept.'),
  keep_hours_days: whole(
    ...([1, 36_500, 730] as const),
    'Days that hours, outages and changes are kept; days are kept for ever.',
  ),
});

export type Config = Static<typeof config>;
