import { useState } from 'preact/hooks';
import { isMissing, Loaded, setValue, usePoll, useServer } from '../../../frame/index.ts';
import { Amount, Bar, Button, Card, Confirm, format, Select, toast } from '../../../parts/index.ts';
import { DAY_MS, DAYS, type Days, daysOf, isShorter } from '../../../parts/kept-days.ts';
import { valueIn } from '../../../parts/toml.ts';
import { t } from '../../../strings/index.ts';
import { ConfigurationNotes } from '../configuration/notes.tsx';
import { Rules } from './rules.tsx';

/** Tables with a limit of their own, and the plugin that owns each. */
const LIMITS = {
  dynamic_monitoring_summary: 'agent',
  dynamic_monitoring: 'agent',
  static_monitoring: 'agent',
  task: 'task',
  crontab_result: 'crontab',
  js_result: 'js-worker',
} as const;
type Kind = keyof typeof LIMITS;
const KINDS = Object.keys(LIMITS) as Kind[];
const GLOBAL = 'global';
const KEEP_DAYS = 'retention.keep_days';
const STANDARD_DAYS = 14;
const keyOf = (kind: Kind) => `database_limit_${kind}`;

/** What the server keeps, how much of it there is, and for how long: limits of single tables, and the rules of the file. */
export function Retention() {
  const { call, has } = useServer();
  const file = usePoll('configuration', () => call('svc-server_read_config'));
  const storage = usePoll('storage', () => call('svc-server_database_storage'));
  const warnings = usePoll('warnings', () => call('svc-server_config_warnings'));
  // A database of an earlier version keeps everything until somebody says otherwise, and the server says that it does.
  const keepsAll = warnings.data?.warnings.some(({ key }) => key === KEEP_DAYS);
  const standard = keepsAll ? 0 : STANDARD_DAYS;
  const limits = usePoll('limits of the server', async () => {
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
  return (
    <Loaded of={file} what={t.server.configuration.unreadable}>
      {(text) => (
        <div class="stack">
          <ConfigurationNotes />
          <Loaded of={limits} what={t.server.retention.unreadable}>
            {(stored) => (
              <Limits
                key={JSON.stringify(stored)}
                stored={stored}
                text={text}
                standard={standard}
                sizes={storage.data?.tables}
                onSaved={limits.refresh}
              />
            )}
          </Loaded>
          <Rules key={text} text={text} standard={standard} onSaved={file.refresh} />
        </div>
      )}
    </Loaded>
  );
}

interface LimitsProps {
  readonly stored: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** Days of what has no time of its own and no rule; 0: for ever. */
  readonly standard: number;
  /** Bytes of each table; undefined until the server has told. */
  readonly sizes: Readonly<Record<string, number>> | undefined;
  readonly onSaved: () => void;
}

function Limits({ stored, text, standard, sizes, onSaved }: LimitsProps) {
  const server = useServer();
  const s = t.server.retention;
  const kinds = KINDS.filter((kind) => server.has(LIMITS[kind]));
  const before = (kind: Kind) => daysOf(stored[keyOf(kind)]);
  const [chosen, setChosen] = useState<Partial<Record<Kind, Days>>>({});
  const [isAsking, setAsking] = useState(false);
  const changed = kinds.filter((kind) => (chosen[kind] ?? before(kind)) !== before(kind));
  const words = (kind: Kind, days: Days) =>
    days === ''
      ? s.byRule(ruleOf(text, kind, standard))
      : days === 'other'
        ? s.days(format.number(Number(stored[keyOf(kind)]) / DAY_MS, 1))
        : days === '0'
          ? s.forEver
          : s.days(format.number(Number(days)));
  const length = (kind: Kind, days: Days) =>
    days === ''
      ? ruleDays(text, kind, standard)
      : days === 'other'
        ? Number(stored[keyOf(kind)]) / DAY_MS
        : Number(days);
  const bytes = kinds.map((kind) => sizes && bytesOf(sizes, kind));
  const most = Math.max(1, ...bytes.map((size) => size ?? 0));
  return (
    <Card
      title={s.title}
      actions={
        server.has('kv') && (
          <Button kind="primary" disabled={changed.length === 0} onClick={() => setAsking(true)}>
            {s.save}
          </Button>
        )
      }
    >
      <p class="muted">{s.hint}</p>
      <ul class="server-storage server-kept">
        {kinds.map((kind, at) => (
          <li key={kind}>
            <span>{s.kinds[kind]}</span>
            <Bar value={(bytes[at] ?? 0) / most} warn={2} bad={2} label={s.kinds[kind]} />
            <Amount {...amountOf(bytes[at])} />
            <Select<Days>
              bare
              label={s.keep(s.kinds[kind])}
              value={chosen[kind] ?? before(kind)}
              options={[...DAYS, ...(before(kind) === 'other' ? (['other'] as const) : [])].map(
                (days) => ({ value: days, label: words(kind, days) }),
              )}
              onChange={(days) => setChosen({ ...chosen, [kind]: days })}
            />
          </li>
        ))}
      </ul>
      {isAsking && (
        <Confirm
          title={s.ask}
          action={s.save}
          onClose={() => setAsking(false)}
          onConfirm={async () => {
            for (const kind of changed) {
              const days = chosen[kind];
              const value = days === '' ? undefined : Number(days) * DAY_MS;
              await setValue(server, GLOBAL, keyOf(kind), value);
            }
            toast(s.saved);
            onSaved();
          }}
        >
          <ul class="stack">
            {changed.map((kind) => (
              <li key={kind}>
                {s.change(
                  s.kinds[kind],
                  words(kind, before(kind)),
                  words(kind, chosen[kind] ?? before(kind)),
                )}
              </li>
            ))}
          </ul>
          {changed.some((kind) =>
            isShorter(length(kind, before(kind)), length(kind, chosen[kind] ?? before(kind))),
          ) && <p class="note warn">{s.lost}</p>}
        </Confirm>
      )}
    </Card>
  );
}

/** What holds for a table without a limit of its own, days; 0: for ever. */
function ruleDays(text: string, kind: Kind, standard: number): number {
  const own = Number(valueIn(text, 'agent', keyOf(kind)) ?? 0);
  return own > 0 ? own / DAY_MS : Number(valueIn(text, 'retention', 'keep_days') ?? standard);
}

function ruleOf(text: string, kind: Kind, standard: number): string {
  const s = t.server.retention;
  const days = ruleDays(text, kind, standard);
  return days === 0 ? s.forEver : s.days(format.number(days));
}

function amountOf(size: number | undefined) {
  if (size === undefined) return { of: undefined };
  return { of: format.bytes(size), title: format.exact(size, 'B') };
}

/** A table with its partitions; the longest name that fits is the table's. */
function bytesOf(sizes: Readonly<Record<string, number>>, kind: Kind): number {
  const owner = (table: string) =>
    KINDS.filter((one) => table === one || table.startsWith(`${one}_`)).toSorted(
      (a, b) => b.length - a.length,
    )[0];
  return Object.entries(sizes).reduce(
    (sum, [table, size]) => (owner(table) === kind ? sum + size : sum),
    0,
  );
}
