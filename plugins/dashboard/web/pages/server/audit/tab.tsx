import { ShieldCheck } from 'lucide';
import { useState } from 'preact/hooks';
import { address, Loaded, setQuery } from '../../../frame/index.ts';
import { Button, Card, Empty, ErrorNote, format, Select, TextField } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { Verification } from './dialogs/verification.tsx';
import { filtersOf, OUTCOMES, type Row, useAudit, useNames } from './model.ts';

/** Changes and who made them, the newest first; filters in the address, and a check of the record's chains. */
export function Audit() {
  const s = t.server.audit;
  const filters = filtersOf(address.value.query);
  const { page, older, readOlder, error } = useAudit(filters);
  const namesOf = useNames();
  const [isChecking, setChecking] = useState(false);
  return (
    <div class="stack">
      <div class="row server-filters">
        <TextField
          label={s.method}
          type="search"
          mono
          placeholder="token_create"
          value={filters.method}
          onText={(method) => setQuery({ method })}
        />
        <TextField
          label={s.token}
          type="search"
          mono
          value={filters.token}
          onText={(token) => setQuery({ token })}
        />
        <Select
          label={s.outcome}
          value={filters.outcome}
          options={OUTCOMES.map((value) => ({ value, label: s.outcomes[value] }))}
          onChange={(value) => setQuery({ outcome: value === 'all' ? undefined : value })}
        />
        <span class="grow" />
        <Button icon={ShieldCheck} onClick={() => setChecking(true)}>
          {s.verify}
        </Button>
      </div>
      <Loaded of={page} what={s.unreadable}>
        {({ rows, next }) => (
          <Changes
            rows={[...rows, ...(older?.rows ?? [])]}
            next={older ? older.next : next}
            namesOf={namesOf}
            onOlder={readOlder}
          />
        )}
      </Loaded>
      {error !== undefined && <ErrorNote error={error} what={s.unreadable} />}
      {isChecking && <Verification onClose={() => setChecking(false)} />}
    </div>
  );
}

interface ChangesProps {
  readonly rows: readonly Row[];
  readonly next: string | null;
  readonly namesOf: ReturnType<typeof useNames>;
  readonly onOlder: (before: string) => Promise<void>;
}

function Changes({ rows, next, namesOf, onOlder }: ChangesProps) {
  const s = t.server.audit;
  if (rows.length === 0) return <Empty title={s.none}>{s.noneHint}</Empty>;
  return (
    <Card flush>
      <ol class="server-audit" aria-label={t.server.parts.audit}>
        {rows.map((row, at) => (
          <Change key={`${row.at} ${rows.length - at}`} row={row} {...namesOf(row)} />
        ))}
      </ol>
      {next !== null && (
        <div class="server-more">
          <Button onClick={() => void onOlder(next)}>{s.older}</Button>
        </div>
      )}
    </Card>
  );
}

interface ChangeProps {
  readonly row: Row;
  readonly who: string;
  readonly what: string;
}

function Change({ row, who, what }: ChangeProps) {
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
