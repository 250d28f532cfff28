import { ShieldCheck } from 'lucide';
import { useState } from 'preact/hooks';
import {
  address,
  Loaded,
  setQuery,
  useMachines,
  usePoll,
  useServer,
  useTokenName,
} from '../../frame/index.ts';
import {
  Button,
  Card,
  Dialog,
  Empty,
  ErrorNote,
  format,
  Select,
  TextField,
} from '../../parts/index.ts';
import { t } from '../../strings/index.ts';

/** A row of `audit_query` (plugins/audit/README.md). */
interface Row {
  readonly at: number;
  readonly token: string;
  readonly name: string;
  readonly method: string;
  readonly target: string;
  readonly address: string;
  /** Or the code of the error. */
  readonly outcome: 'ok' | number;
  readonly count: number;
}

const PAGE = 100;
const OUTCOMES = ['all', 'done', 'refused'] as const;
type Outcome = (typeof OUTCOMES)[number];

/** Who changed what: newest first, filters in the address, and whether the chain of the record holds. */
export function Audit() {
  const { call } = useServer();
  const s = t.server.audit;
  const { query } = address.value;
  const method = query.get('method') ?? '';
  const token = query.get('token') ?? '';
  const asked = query.get('outcome');
  const outcome: Outcome = OUTCOMES.find((one) => one === asked) ?? 'all';
  const [isChecking, setChecking] = useState(false);
  const filter = {
    ...(method !== '' && { method }),
    ...(token !== '' && { token }),
    ...(outcome !== 'all' && { success: outcome === 'done' }),
  };
  const nameOf = useNames();
  const key = JSON.stringify(filter);
  const page = usePoll(`audit ${key}`, (signal) => read(undefined, signal));
  const [older, setOlder] = useState<{ key: string; rows: readonly Row[]; next: string | null }>();
  const [error, setError] = useState<unknown>();
  const more = older?.key === key ? older : undefined;
  async function read(before?: string, signal?: AbortSignal) {
    const { rows, next } = await call(
      'audit_query',
      { query: filter, limit: PAGE, ...(before !== undefined && { before }) },
      signal ? { signal } : {},
    );
    return { rows: rows as readonly Row[], next };
  }
  const readOlder = async (before: string) => {
    try {
      const { rows, next } = await read(before);
      setError(undefined);
      setOlder({ key, rows: [...(more?.rows ?? []), ...rows], next });
    } catch (failure) {
      setError(failure);
    }
  };
  return (
    <div class="stack">
      <div class="row server-filters">
        <TextField
          label={s.method}
          type="search"
          mono
          placeholder="token_create"
          value={method}
          onText={(text) => setQuery({ method: text === '' ? undefined : text })}
        />
        <TextField
          label={s.token}
          type="search"
          mono
          value={token}
          onText={(text) => setQuery({ token: text === '' ? undefined : text })}
        />
        <Select
          label={s.outcome}
          value={outcome}
          options={OUTCOMES.map((value) => ({ value, label: s.outcomes[value] }))}
          onChange={(value) => setQuery({ outcome: value === 'all' ? undefined : value })}
        />
        <span class="grow" />
        <Button icon={ShieldCheck} onClick={() => setChecking(true)}>
          {s.verify}
        </Button>
      </div>
      <Loaded of={page} what={s.unreadable}>
        {({ rows, next }) => {
          const all = more ? [...rows, ...more.rows] : rows;
          const before = more ? more.next : next;
          if (all.length === 0) return <Empty title={s.none}>{s.noneHint}</Empty>;
          return (
            <Card flush>
              <ol class="server-audit" aria-label={t.server.parts.audit}>
                {all.map((row, at) => (
                  <Change key={`${row.at} ${all.length - at}`} row={row} {...nameOf(row)} />
                ))}
              </ol>
              {before !== null && (
                <div class="server-more">
                  <Button onClick={() => void readOlder(before)}>{s.older}</Button>
                </div>
              )}
            </Card>
          );
        }}
      </Loaded>
      {error !== undefined && <ErrorNote error={error} what={s.unreadable} />}
      {isChecking && <Check onClose={() => setChecking(false)} />}
    </div>
  );
}

interface Names {
  readonly who: string;
  readonly what: string;
}

/** Machines by their names: those whose token changed something, and those that were changed. */
function useNames(): (row: Row) => Names {
  const { call, me } = useServer();
  const machines = useMachines();
  const tokenName = useTokenName();
  const tokens = usePoll('audit tokens', async () => {
    const { tokens: all } = me.isSuper ? await call('token_list_all_tokens') : { tokens: [] };
    return new Map(all.map((one) => [one.token_key, one]));
  });
  return ({ token, name, target }) => {
    const known = tokens.data?.get(token) ?? {
      token_key: name || token,
      username: name || null,
      token_limit: [],
    };
    return {
      who: tokenName(known as Parameters<typeof tokenName>[0]) || t.server.audit.nobody,
      what: machines.of(target)?.name ?? target,
    };
  };
}

function Change({ row, who, what }: { readonly row: Row } & Names) {
  const s = t.server.audit;
  return (
    <li>
      <time dateTime={new Date(row.at).toISOString()} title={format.dateTime(row.at)}>
        {format.when(row.at)}
      </time>
      <code class="server-method">{row.method}</code>
      <span class="server-what ellipsis" title={row.target}>
        {what}
      </span>
      <span class="muted ellipsis" title={`${row.token} ${row.address}`}>
        {s.by(who, row.address)}
      </span>
      <span class="row">
        {row.count > 1 && <span class="tag">{s.times(format.number(row.count))}</span>}
        {row.outcome !== 'ok' && <span class="tag bad">{s.refused(row.outcome)}</span>}
      </span>
    </li>
  );
}

/** Every row of every chain is counted over again: it may take a while. */
function Check({ onClose }: { readonly onClose: () => void }) {
  const { call } = useServer();
  const s = t.server.audit;
  const found = usePoll('audit check', () => call('audit_verify', {}, { timeout_ms: 600_000 }));
  return (
    <Dialog title={s.verify} onClose={onClose}>
      <Loaded of={found} what={s.uncheckable}>
        {({ ok, chains }) => (
          <div class="stack">
            <p class={ok ? '' : 'bad'}>{ok ? s.holds : s.broken}</p>
            <ul class="stack">
              {chains.map(({ chain, rows, problems }) => (
                <li key={chain}>
                  <code>{chain.slice(0, 8)}</code> {s.rows(format.number(rows))}
                  {problems.slice(0, 5).map(({ seq, problem }) => (
                    <div key={seq} class="bad">
                      {s.problem(format.number(seq), problem)}
                    </div>
                  ))}
                </li>
              ))}
            </ul>
          </div>
        )}
      </Loaded>
    </Dialog>
  );
}
