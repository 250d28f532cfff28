import { Pencil, Table2, Trash2 } from 'lucide';
import { Loaded, to } from '../../../frame/index.ts';
import { AskButton, Command, ConfirmButton, Empty } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { nameMistake } from '../model.ts';
import { Pane, PickList } from '../panes.tsx';
import { toDatabase, useDatabase } from './model.ts';
import { Sql } from './sql.tsx';

const FIRST_TABLE = 'create table visits (time integer, page text)';

interface Props {
  readonly name: string;
  readonly table: string | null;
  readonly onChanged: () => void;
}

/** Tables of a database, and a box for SQL. */
export function Database({ name, table, onChanged }: Props) {
  const database = useDatabase(name, onChanged);
  const { tables, mayRead } = database;
  return (
    <>
      <Pane
        title={name}
        at={2}
        back={to('stores', 'db')}
        actions={<Actions name={name} database={database} />}
      >
        <Loaded of={tables} what={t.stores.unread}>
          {(found) => (
            <PickList
              label={t.stores.tables}
              current={table}
              picks={found.map((one) => ({
                id: one.name,
                label: one.name,
                note: one.isView ? t.stores.view : undefined,
                to: toDatabase(name, one.name),
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
      </Pane>
      {mayRead && <Sql name={name} table={table} onWritten={tables.refresh} />}
    </>
  );
}

interface ActionsProps {
  readonly name: string;
  readonly database: ReturnType<typeof useDatabase>;
}

function Actions({ name, database }: ActionsProps) {
  const { tables, rename, remove, mayRename, mayRemove } = database;
  return (
    <>
      {mayRename && (
        <AskButton
          icon={Pencil}
          title={t.stores.renameDatabase}
          label={t.stores.name}
          action={t.stores.rename}
          initial={name}
          check={nameMistake}
          onDone={rename}
        />
      )}
      {mayRemove && (
        <ConfirmButton
          icon={Trash2}
          label={t.stores.removeDatabase}
          title={t.stores.removeDatabaseTitle(name)}
          action={t.stores.remove}
          onConfirm={remove}
        >
          <p>{t.stores.removeDatabaseText(tables.data?.length ?? 0)}</p>
        </ConfirmButton>
      )}
    </>
  );
}
