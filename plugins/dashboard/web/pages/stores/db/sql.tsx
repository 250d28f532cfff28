import { Download, Play } from 'lucide';
import {
  Button,
  Confirm,
  ErrorNote,
  Form,
  format,
  Skeleton,
  saveFile,
} from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { Pane } from '../panes.tsx';
import { csvOf } from './cells.ts';
import { type Answer, useSql } from './model.ts';
import { Rows } from './rows.tsx';

interface Props {
  readonly name: string;
  /** Its first rows are shown. */
  readonly table: string | null;
  /** Something may have changed the tables. */
  readonly onWritten: () => void;
}

/** A box for SQL and the rows that it gives. */
export function Sql({ name, table, onWritten }: Props) {
  const { sql, setSql, answer, error, isBusy, submit, run, isAsking, stopAsking } = useSql(
    name,
    table,
    onWritten,
  );
  return (
    <Pane title={t.stores.sql} at={3}>
      <Statement name={name} sql={sql} isBusy={isBusy} onText={setSql} onSubmit={submit} />
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
          onClose={stopAsking}
          onConfirm={async () => void run(sql)}
        >
          <p>{t.stores.lossyText}</p>
          <pre class="stores-statement">{sql}</pre>
        </Confirm>
      )}
    </Pane>
  );
}

interface StatementProps {
  readonly name: string;
  readonly sql: string;
  readonly isBusy: boolean;
  readonly onText: (sql: string) => void;
  readonly onSubmit: () => void;
}

function Statement({ name, sql, isBusy, onText, onSubmit }: StatementProps) {
  return (
    <Form class="stores-sql" onSubmit={onSubmit}>
      <textarea
        class="input mono"
        aria-label={`${t.stores.sql}: ${name}`}
        spellcheck={false}
        rows={Math.min(14, Math.max(4, sql.split('\n').length + 1))}
        placeholder="select 1"
        value={sql}
        onInput={(event) => onText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          onSubmit();
        }}
      />
      <footer class="row wrap">
        <span class="muted small grow">{t.stores.sqlHint}</span>
        <Button kind="primary" type="submit" icon={Play} busy={isBusy} disabled={sql.trim() === ''}>
          {t.stores.run}
        </Button>
      </footer>
    </Form>
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
          onClick={() => saveFile(`${name}.csv`, new Blob([csvOf(rows)], { type: 'text/csv' }))}
        >
          {t.stores.csv}
        </Button>
      </div>
      <Rows rows={rows} />
    </div>
  );
}
