import { useState } from 'preact/hooks';
import { isMissing, setValue, usePoll, useServer } from '../../../frame/index.ts';
import { toast } from '../../../parts/index.ts';
import { DAY_MS, type Days, daysOf, isShorter } from '../../../parts/kept-days.ts';
import { valueIn } from '../../../parts/toml.ts';
import { t } from '../../../strings/index.ts';
import { useConfigurationWarnings } from '../model.ts';

/** Tables with a limit of their own, and the plugin that owns each. */
const LIMITS = {
  dynamic_monitoring_summary: 'agent',
  dynamic_monitoring: 'agent',
  static_monitoring: 'agent',
  task: 'task',
  crontab_result: 'crontab',
  js_result: 'js-worker',
} as const;
export type Kind = keyof typeof LIMITS;
const KINDS = Object.keys(LIMITS) as Kind[];
const GLOBAL = 'global';
export const KEEP_DAYS = 'retention.keep_days';
const STANDARD_DAYS = 14;
const keyOf = (kind: Kind) => `database_limit_${kind}`;

/** Days of what has no time of its own and no rule; 0: forever. */
export function useStandardDays(): number {
  const { warnings } = useConfigurationWarnings();
  // A database of an earlier version keeps everything until that is configured otherwise, and the server says that it does.
  return warnings.some(({ key }) => key === KEEP_DAYS) ? 0 : STANDARD_DAYS;
}

/** Limits that hold for all machines, by their keys. */
export function useLimits() {
  const { call, has } = useServer();
  return usePoll('limits of the server', async (): Promise<Readonly<Record<string, unknown>>> => {
    if (!has('kv')) return {};
    try {
      const namespace_key = [{ namespace: GLOBAL, key: 'database_limit_*' }];
      const rows = await call('kv_get_multi_value', { namespace_key });
      return Object.fromEntries(rows.map(({ key, value }) => [key, value]));
    } catch (error) {
      if (isMissing(error)) return {};
      throw error;
    }
  });
}

export interface Kept {
  readonly stored: Readonly<Record<string, unknown>>;
  /** The configuration file. */
  readonly text: string;
  /** Days of what has no time of its own and no rule; 0: forever. */
  readonly standard: number;
}

/** Choices of how long each table keeps its rows, until they are saved. */
export function useChoices({ stored, text, standard }: Kept, onSaved: () => void) {
  const server = useServer();
  const [chosen, setChosen] = useState<Partial<Record<Kind, Days>>>({});
  const kinds = KINDS.filter((kind) => server.has(LIMITS[kind]));
  const before = (kind: Kind) => daysOf(stored[keyOf(kind)]);
  const now = (kind: Kind) => chosen[kind] ?? before(kind);
  const changed = kinds.filter((kind) => now(kind) !== before(kind));
  /** Days of a choice; 0: forever. */
  const lengthOf = (kind: Kind, days: Days): number =>
    days === ''
      ? ruleDays(text, kind, standard)
      : days === 'other'
        ? Number(stored[keyOf(kind)]) / DAY_MS
        : Number(days);
  const save = async () => {
    for (const kind of changed) {
      const value = now(kind) === '' ? undefined : Number(now(kind)) * DAY_MS;
      await setValue(server, GLOBAL, keyOf(kind), value);
    }
    toast(t.server.retention.saved);
    onSaved();
  };
  const isLess = changed.some((kind) =>
    isShorter(lengthOf(kind, before(kind)), lengthOf(kind, now(kind))),
  );
  const choose = (kind: Kind, days: Days) => setChosen({ ...chosen, [kind]: days });
  return { kinds, before, now, choose, changed, lengthOf, isLess, save };
}

/** Days for a table without a limit of its own; 0: forever. */
function ruleDays(text: string, kind: Kind, standard: number): number {
  const own = Number(valueIn(text, 'agent', keyOf(kind)) ?? 0);
  return own > 0 ? own / DAY_MS : Number(valueIn(text, 'retention', 'keep_days') ?? standard);
}

/** Bytes of a table with its partitions; the longest name that fits is the table's. */
export function bytesOf(sizes: Readonly<Record<string, number>>, kind: Kind): number {
  const owner = (table: string) =>
    KINDS.filter((one) => table === one || table.startsWith(`${one}_`)).toSorted(
      (a, b) => b.length - a.length,
    )[0];
  return Object.entries(sizes).reduce(
    (sum, [table, size]) => (owner(table) === kind ? sum + size : sum),
    0,
  );
}
