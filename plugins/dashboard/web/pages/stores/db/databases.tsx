import { Database, Pencil, Table2, Trash2 } from 'lucide';
import { useState } from 'preact/hooks';
import {
  address,
  go,
  Loaded,
  type Resource,
  to,
  useCrumbs,
  usePoll,
  useServer,
} from '../../../frame/index.ts';
import { Ask, Button, Command, Confirm, Empty, toast } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { ChoosePane, MenuPane } from '../menu-pane.tsx';
import { Pane, Panes, PickList, shown } from '../panes.tsx';
import { Sql } from './sql.tsx';

const NAME = /^(?!\.\.?$)[A-Za-z0-9_.-]{1,128}$/;
export const nameCheck = (text: string): string | undefined =>
  NAME.test(text) ? undefined : t.stores.badName;

const TABLES = `select name, type from sqlite_master where type in ('table', 'view') and name not like 'sqlite\\_%' escape '\\' order by name`;
const FIRST_TABLE = 'create table visits (time integer, page text)';

export function Databases() {
  const { call, may } = useServer();
  const { query } = address.value;
  const [name, table] = [query.get('in'), query.get('table')];
  const list = usePoll('databases', async () => (await call('db_list')).data);
  const [isAsking, setAsking] = useState(false);
  useCrumbs(
    ...(name === null ? [] : [{ label: name, to: to('stores', 'db', { in: name }) }]),
    ...(table === null ? [] : [{ label: table }]),
  );
  return (
    <Panes depth={name === null ? 1 : 'rest'} second="list">
      <MenuPane
        title={t.stores.databases}
        list={list}
        current={name}
        pick={({ name }) => ({ id: name, label: name, to: to('stores', 'db', { in: name }) })}
        empty={{
          icon: Database,
          title: t.stores.noDatabases,
          text: t.stores.noDatabasesText,
        }}
        add={t.stores.newDatabase}
        onAdd={shown(may('db_create', { name: 'a' })) ? () => setAsking(true) : undefined}
      />
      {name === null ? (
        <ChoosePane
          of={t.stores.tables}
          at={2}
          icon={Table2}
          title={t.stores.chooseDatabase}
          text={t.stores.chooseDatabaseText}
        />
      ) : (
        <One key={name} name={name} table={table} onChanged={list.refresh} />
      )}
      {isAsking && (
        <Ask
          title={t.stores.newDatabase}
          label={t.stores.name}
          action={t.stores.create}
          hint={t.stores.databaseHint}
          check={nameCheck}
          onClose={() => setAsking(false)}
          onDone={async (made) => {
            await call('db_create', { name: made });
            list.refresh();
            go(to('stores', 'db', { in: made }));
          }}
        />
      )}
    </Panes>
  );
}

interface OneProps {
  readonly name: string;
  readonly table: string | null;
  readonly onChanged: () => void;
}

function One({ name, table, onChanged }: OneProps) {
  const { call, may } = useServer();
  const [open, setOpen] = useState<'rename' | 'remove'>();
  const mayRead = shown(may('db_exec_sql', { name, sql: '' }));
  const tables = usePoll<readonly TableName[]>(`tables ${name}`, async () => {
    const { data } = await call('db_exec_sql', { name, sql: TABLES });
    return data.map((row) => ({ name: String(row['name']), isView: row['type'] === 'view' }));
  });
  const close = () => setOpen(undefined);
  return (
    <>
      <Pane
        title={name}
        at={2}
        back={to('stores', 'db')}
        actions={
          <>
            {shown(may('db_update', { name, new_name: `${name}2` })) && (
              <Button
                kind="quiet"
                icon={Pencil}
                label={t.stores.renameDatabase}
                onClick={() => setOpen('rename')}
              />
            )}
            {shown(may('db_delete', { name })) && (
              <Button
                kind="quiet"
                icon={Trash2}
                label={t.stores.removeDatabase}
                onClick={() => setOpen('remove')}
              />
            )}
          </>
        }
      >
        <TableList name={name} table={table} tables={tables} />
      </Pane>
      {mayRead && <Sql name={name} table={table} onWritten={tables.refresh} />}
      {open === 'rename' && (
        <Ask
          title={t.stores.renameDatabase}
          label={t.stores.name}
          action={t.stores.rename}
          initial={name}
          check={nameCheck}
          onClose={close}
          onDone={async (made) => {
            await call('db_update', { name, new_name: made });
            onChanged();
            go(to('stores', 'db', { in: made }));
          }}
        />
      )}
      {open === 'remove' && (
        <Confirm
          title={t.stores.removeDatabaseTitle(name)}
          action={t.stores.remove}
          onClose={close}
          onConfirm={async () => {
            await call('db_delete', { name });
            onChanged();
            go(to('stores', 'db'));
            toast(t.stores.removedDatabase(name));
          }}
        >
          <p>{t.stores.removeDatabaseText(tables.data?.length ?? 0)}</p>
        </Confirm>
      )}
    </>
  );
}

interface TableName {
  readonly name: string;
  readonly isView: boolean;
}

interface TablesProps {
  readonly name: string;
  readonly table: string | null;
  readonly tables: Resource<readonly TableName[]>;
}

const TableList = ({ name, table, tables }: TablesProps) => (
  <Loaded of={tables} what={t.stores.unread}>
    {(found) => (
      <PickList
        label={t.stores.tables}
        current={table}
        picks={found.map((one) => ({
          id: one.name,
          label: one.name,
          note: one.isView ? t.stores.view : undefined,
          to: to('stores', 'db', { in: name, table: one.name }),
        }))}
        empty={
          <Empty icon={Table2} title={t.stores.noTables}>
            <p>{t.stores.noTablesText}</p>
            <Command text={FIRST_TABLE} />
          </Empty>
        }
      />
    )}
  </Loaded>
);
