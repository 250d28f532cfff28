import { useEffect, useRef, useState } from 'preact/hooks';
import { navigate, to, usePoll, useServer } from '../../../frame/index.ts';
import { toast } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { isOffered } from '../model.ts';
import type { Row } from './cells.ts';

const TABLES = `select name, type from sqlite_master where type in ('table', 'view') and name not like 'sqlite\\_%' escape '\\' order by name`;
/** Rows that a click on a table shows. */
const FIRST = 100;
const selectOf = (table: string) => `select * from "${table.replaceAll('"', '""')}" limit ${FIRST}`;

/** Address of a database, or of a table in it. */
export const toDatabase = (name: string, table?: string): string =>
  to('stores', 'db', { in: name, table });

export function useDatabases() {
  const { call, may } = useServer();
  const list = usePoll('databases', async () => (await call('db_list')).data);
  const create = async (name: string) => {
    await call('db_create', { name });
    list.refresh();
    navigate(toDatabase(name));
  };
  return { list, create, mayCreate: isOffered(may('db_create', { name: 'a' })) };
}

interface TableName {
  readonly name: string;
  readonly isView: boolean;
}

/** A database and its tables; `onChanged`: it has another name, or is gone. */
export function useDatabase(name: string, onChanged: () => void) {
  const { call, may } = useServer();
  const tables = usePoll<readonly TableName[]>(`tables ${name}`, async () => {
    const { data } = await call('db_exec_sql', { name, sql: TABLES });
    return data.map((row) => ({ name: String(row['name']), isView: row['type'] === 'view' }));
  });
  const rename = async (new_name: string) => {
    await call('db_update', { name, new_name });
    onChanged();
    navigate(toDatabase(new_name));
  };
  const remove = async () => {
    await call('db_delete', { name });
    onChanged();
    navigate(to('stores', 'db'));
    toast(t.stores.removedDatabase(name));
  };
  return {
    tables,
    rename,
    remove,
    mayRead: isOffered(may('db_exec_sql', { name, sql: '' })),
    mayRename: isOffered(may('db_update', { name, new_name: `${name}2` })),
    mayRemove: isOffered(may('db_delete', { name })),
  };
}

/** Comments, texts and quoted names say nothing about what a statement does. */
const QUOTED = /--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|'[^']*'?|"[^"]*"?/g;

/** Tells whether SQL takes away what is there. Words decide: a question too many is better than one too few. */
const isLossy = (sql: string): boolean =>
  sql
    .replace(QUOTED, ' ')
    .split(';')
    .some(
      (one) =>
        /\b(?:drop|delete|replace|alter)\b/i.test(one) ||
        (/\bupdate\b/i.test(one) && !/\bwhere\b/i.test(one)),
    );

/** Rows that a statement gave. */
export interface Answer {
  readonly rows: readonly Row[];
  readonly count: number;
  readonly truncated: boolean;
  readonly ms: number;
}

/** SQL that is typed and run; the first rows of `table` are shown at once. `onWritten`: the tables may have changed. */
export function useSql(name: string, table: string | null, onWritten: () => void) {
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
  const stopAsking = () => setAsking(false);
  return { sql, setSql, answer, error, isBusy, submit, run, isAsking, stopAsking };
}
