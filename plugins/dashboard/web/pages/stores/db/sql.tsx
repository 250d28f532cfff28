import { Download, Play } from 'lucide';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useServer } from '../../../frame/index.ts';
import { Button, Confirm, ErrorNote, format, Skeleton } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { save } from '../files/bytes.ts';
import { Pane } from '../panes.tsx';
import { csvOf, type Row, Rows } from './rows.tsx';

/** Rows that a click on a table shows. */
const FIRST = 100;
const selectOf = (table: string) => `select * from "${table.replaceAll('"', '""')}" limit ${FIRST}`;

/** Comments, texts and quoted names say nothing about what a statement does. */
const QUOTED = /--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|'[^']*'?|"[^"]*"?/g;

/** Would it take away what is there? Words decide: a question too many is better than one too few. */
export const isLossy = (sql: string): boolean =>
  sql
    .replace(QUOTED, ' ')
    .split(';')
    .some(
      (one) =>
        /\b(?:drop|delete|replace|alter)\b/i.test(one) ||
        (/\bupdate\b/i.test(one) && !/\bwhere\b/i.test(one)),
    );

interface Answer {
  readonly rows: readonly Row[];
  readonly count: number;
  readonly truncated: boolean;
  readonly ms: number;
}

interface Props {
  readonly name: string;
  /** Its first rows are shown. */
  readonly table: string | null;
  /** Something may have changed the tables. */
  readonly onWritten: () => void;
}

/** A box for SQL and the rows that it gives. */
export function Sql({ name, table, onWritten }: Props) {
  const { call } = useServer();
  const [sql, setSql] = useState('');
  const [answer, setAnswer] = useState<Answer>();
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const round = useRef(0);
  const run = async (text: string) => {
    const mine = ++round.current;
    const begun = performance.now();
    setBusy(true);
    setError(undefined);
    try {
      const { data, row_count, truncated } = await call('db_exec_sql', { name, sql: text });
      if (mine !== round.current) return;
      setAnswer({ rows: data, count: row_count, truncated, ms: performance.now() - begun });
    } catch (failure) {
      if (mine === round.current) setError(failure);
    } finally {
      if (mine === round.current) setBusy(false);
      if (!/^\s*select\b/i.test(text)) onWritten();
    }
  };
  useEffect(() => {
    if (table === null) return;
    setSql(selectOf(table));
    void run(selectOf(table));
  }, [name, table]);
  const submit = () => {
    if (sql.trim() === '' || isBusy) return;
    if (isLossy(sql)) setAsking(true);
    else void run(sql);
  };
  return (
    <Pane title={t.stores.sql} at={3}>
      <form
        class="stores-sql"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <textarea
          class="input mono"
          aria-label={`${t.stores.sql}: ${name}`}
          spellcheck={false}
          rows={Math.min(14, Math.max(4, sql.split('\n').length + 1))}
          placeholder="select 1"
          value={sql}
          onInput={(event) => setSql(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
            event.preventDefault();
            submit();
          }}
        />
        <footer class="row wrap">
          <span class="muted small grow">{t.stores.sqlHint}</span>
          <Button
            kind="primary"
            type="submit"
            icon={Play}
            busy={isBusy}
            disabled={sql.trim() === ''}
          >
            {t.stores.run}
          </Button>
        </footer>
      </form>
      {error !== undefined && (
        <div class="stores-note">
          <ErrorNote error={error} />
        </div>
      )}
      {isBusy && !answer && <Skeleton rows={4} />}
      {answer && error === undefined && <Result name={table ?? name} answer={answer} />}
      {isAsking && (
        <Confirm
          title={t.stores.lossy}
          action={t.stores.lossyAction}
          onClose={() => setAsking(false)}
          onConfirm={async () => void run(sql)}
        >
          <p>{t.stores.lossyText}</p>
          <pre class="stores-statement">{sql}</pre>
        </Confirm>
      )}
    </Pane>
  );
}

function Result({ name, answer }: { readonly name: string; readonly answer: Answer }) {
  const { rows, count, truncated, ms } = answer;
  const time = format.text(format.milliseconds(ms));
  if (rows.length === 0)
    return (
      <p class="muted stores-note" role="status">
        {t.stores.noRows}
      </p>
    );
  return (
    <div class="stores-result">
      <div class="row wrap stores-note">
        <span class="muted small grow" role="status">
          {truncated
            ? t.stores.firstRows(format.number(rows.length), format.number(count))
            : t.stores.rows(format.number(count), time)}
        </span>
        <Button
          kind="quiet"
          icon={Download}
          onClick={() => save(`${name}.csv`, new Blob([csvOf(rows)], { type: 'text/csv' }))}
        >
          {t.stores.csv}
        </Button>
      </div>
      <Rows rows={rows} />
    </div>
  );
}
