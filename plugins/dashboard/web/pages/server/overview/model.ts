import { usePoll, useServer } from '../../../frame/index.ts';

/** Version, UUID and kind of the database. */
export function useIdentity() {
  const { call, may } = useServer();
  return usePoll('about', async () => {
    const [version, uuid, database] = await Promise.all([
      call('svc-server_version'),
      call('svc-server_uuid'),
      may('svc-server_get_database_type') === false
        ? undefined
        : call('svc-server_get_database_type'),
    ]);
    return { version, uuid, database: database?.data };
  });
}

const DELAY_EVERY_MS = 5_000;

/** Time that the server takes to answer, ms; undefined: it does not. */
export function useDelay(): number | undefined {
  const { call, connection } = useServer();
  const { data } = usePoll(
    'delay',
    async () => {
      const begun = performance.now();
      await call('svc-server_hello');
      return performance.now() - begun;
    },
    { every_ms: DELAY_EVERY_MS },
  );
  return connection.value.state === 'open' ? data : undefined;
}

export function usePlugins() {
  const { call } = useServer();
  return usePoll('plugins', () => call('svc-server_plugins'));
}

/** Tables by what they hold; what is in none of these is "the rest". */
const KINDS = {
  reports: /^(dynamic_|static_monitoring)/,
  series: /^series_/,
  tasks: /^task/,
  results: /^(crontab_result|js_result)/,
  kv: /^kv/,
  audit: /^audit/,
  events: /^agent_(event|uptime|presence|refusal|address)/,
} as const;
type KindName = keyof typeof KINDS | 'rest';

/** Bytes by kind, the largest first; the rest at the end, also what no table says. */
export function byKind(
  tables: Readonly<Record<string, number>>,
  total: number,
): readonly (readonly [KindName, number])[] {
  const sums = new Map<KindName, number>();
  let counted = 0;
  for (const [name, bytes] of Object.entries(tables)) {
    const kind = (Object.keys(KINDS) as (keyof typeof KINDS)[]).find((one) =>
      KINDS[one].test(name),
    );
    if (kind === undefined) continue;
    counted += bytes;
    sums.set(kind, (sums.get(kind) ?? 0) + bytes);
  }
  const rows = [...sums].sort(([, a], [, b]) => b - a);
  return [...rows, ['rest', Math.max(0, total - counted)]];
}
