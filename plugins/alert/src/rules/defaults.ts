import type { StoredRule } from '../store/rows.ts';
import type { NewStoredRule, RuleStore } from '../store/rules.ts';
import type { Rule } from '../types.ts';

/** Fields of a default rule that people may change. */
export const FIELDS = [
  'name',
  'scope',
  'condition',
  'clear',
  'for_s',
  'clear_for_s',
  'severity',
  'enable',
  'notify',
  'policy',
  'repeat_s',
  'summary',
  'runbook',
  'labels',
] as const;
export type Field = (typeof FIELDS)[number];
/** Fields whose change has open alerts judged anew. */
const MEANING: readonly Field[] = ['scope', 'condition', 'clear', 'for_s', 'clear_for_s'];

/** Tells whether a change of these fields changes what a rule says. */
export const changesMeaning = (fields: readonly Field[]): boolean =>
  fields.some((field) => MEANING.includes(field));

/** Fields in which two rules differ. */
export const differences = (a: Pick<Rule, Field>, b: Pick<Rule, Field>): Field[] =>
  FIELDS.filter((field) => JSON.stringify(a[field]) !== JSON.stringify(b[field]));

type Settings = Pick<Rule, Field | 'source'>;
type Given = Pick<Rule, 'name' | 'source' | 'condition'> & Partial<Settings>;

const shown = { severity: 'info', notify: false } as const;

const GIVEN: Readonly<Record<string, Given>> = {
  offline: {
    name: 'Machine offline',
    source: 'presence',
    condition: 'silent_for > 120 && !("intermittent" in tags)',
    clear: 'silent_for < 60',
    clear_for_s: 30,
    severity: 'critical',
  },
  'disk-almost-full': {
    name: 'Disk almost full',
    source: 'part',
    condition: 'disk.used_percent > 90 && disk.free < GiB(50)',
    clear: 'disk.used_percent < 85 || disk.free > GiB(60)',
    for_s: 300,
    clear_for_s: 300,
  },
  'disk-full': {
    name: 'Disk full',
    source: 'part',
    condition: 'disk.used_percent > 97 && disk.free < GiB(10)',
    clear: 'disk.used_percent < 94',
    for_s: 60,
    clear_for_s: 300,
    severity: 'critical',
  },
  memory: {
    name: 'Memory pressure',
    source: 'machine',
    condition:
      'available_memory < total_memory * 0.05 && (total_swap == 0 || swap_used_percent > 60)',
    clear: 'available_memory > total_memory * 0.10',
    for_s: 600,
    clear_for_s: 300,
  },
  refused: { name: 'Reports refused', source: 'event', condition: 'event == "refused"' },
  contract: {
    name: 'Machine contract ends',
    source: 'machine',
    condition: 'expires_in_days < 7',
    clear: 'expires_in_days > 7',
    ...shown,
  },
  'channel-failing': {
    name: 'Channel failing',
    source: 'server',
    condition: 'problem == "channel_failing" && lasts_s > 900',
  },
  'database-disk': {
    name: 'Disk of the database almost full',
    source: 'server',
    condition: 'problem == "database_disk"',
    clear_for_s: 600,
  },
  'reports-lost': {
    name: 'Reports lost',
    source: 'server',
    condition: 'problem == "reports_lost"',
    clear_for_s: 600,
  },
  'server-dead': {
    name: 'Another server dead',
    source: 'server',
    condition: 'problem == "server_dead" && lasts_s > 60',
  },
  'cut-off': {
    name: 'Server cut off',
    source: 'server',
    condition: 'problem == "cut_off"',
    clear_for_s: 60,
    severity: 'critical',
  },
  'monitor-down': {
    name: 'Monitor down',
    source: 'monitor',
    condition: 'state == "down" && kind != "heartbeat"',
    severity: 'critical',
  },
  'heartbeat-late': {
    name: 'Heartbeat late or failed',
    source: 'monitor',
    condition: 'state == "down" && kind == "heartbeat"',
    severity: 'critical',
  },
  certificate: {
    name: 'Certificate expiring',
    source: 'monitor',
    condition: 'tls.days_left < least(14, tls.lifetime_days / 4)',
  },
  'certificate-critical': {
    name: 'Certificate about to expire',
    source: 'monitor',
    condition: 'tls.days_left < least(3, tls.lifetime_days / 10)',
    severity: 'critical',
    repeat_s: 0,
  },
  'clock-off': {
    name: 'Clock of a machine off',
    source: 'machine',
    condition: 'clock_offset_s > 60 || clock_offset_s < -60',
    clear: 'clock_offset_s < 30 && clock_offset_s > -30',
    for_s: 300,
    clear_for_s: 60,
  },
  'cpu-busy': {
    name: 'CPU busy',
    source: 'machine',
    condition: 'avg("cpu_usage", "30m") > 95',
    clear: 'avg("cpu_usage", "30m") < 80',
    clear_for_s: 600,
    ...shown,
  },
  restarted: {
    name: 'Machine restarted',
    source: 'machine',
    condition: 'uptime_s < 600',
    ...shown,
  },
};

/** Scope that default rules come with. */
export const DEFAULT_SCOPE = { all: true } as const;

/** Settings of a rule that says nothing else. */
export const UNSET = {
  clear: null,
  for_s: 0,
  clear_for_s: 0,
  severity: 'warning',
  enable: true,
  notify: true,
  policy: null,
  repeat_s: null,
  summary: '',
  runbook: '',
  labels: {},
} as const;

/** Default rules by their ids. */
export const DEFAULTS: ReadonlyMap<string, Settings> = new Map(
  Object.entries(GIVEN).map(([id, given]) => [id, { scope: DEFAULT_SCOPE, ...UNSET, ...given }]),
);

/** Rule as it is stored first. */
export const firstRule = (
  settings: Settings,
  { owner, now, shipped = null }: { owner: string | null; now: number; shipped?: string | null },
): NewStoredRule => ({
  ...settings,
  shipped,
  touched: [],
  deleted: false,
  owner,
  version: 1,
  meaning: 1,
  created_at: now,
  updated_at: now,
  slow_at: null,
});

/** Adds default rules that are new, and brings fields that nobody touched up to date. Deleted ones stay deleted. @throws RpcError 103 */
export async function addDefaults(store: RuleStore, now: number): Promise<void> {
  const stored = new Map((await store.all()).map((rule) => [rule.shipped, rule]));
  const missing = [...DEFAULTS].filter(([id]) => !stored.has(id));
  if (missing.length > 0)
    await store.insertShipped(
      missing.map(([shipped, settings]) => firstRule(settings, { owner: null, now, shipped })),
    );
  for (const [id, settings] of DEFAULTS) {
    const rule = stored.get(id);
    const newer = rule && !rule.deleted && updated(rule, settings, now);
    if (newer) await store.change(newer);
  }
}

function updated(rule: StoredRule, settings: Settings, now: number): StoredRule | undefined {
  const changed = differences(rule, settings);
  const isNew = changesMeaning(changed.filter((field) => !rule.touched.includes(field)));
  // One that was too slow stays off, unless it says something else now.
  const isSlow = rule.slow_at !== null && !isNew;
  const isTouched = (field: string) =>
    field === 'name' || rule.touched.includes(field) || (isSlow && field === 'enable');
  const fields = changed.filter((field) => !isTouched(field));
  if (fields.length === 0) return undefined;
  const newer = Object.fromEntries(fields.map((field) => [field, settings[field]]));
  const slow_at = isSlow ? rule.slow_at : null;
  const meaning = rule.meaning + Number(changesMeaning(fields));
  return { ...rule, ...newer, slow_at, meaning, version: rule.version + 1, updated_at: now };
}
