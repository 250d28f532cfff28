import { Database as DatabaseIcon, Plus, Table2 } from 'lucide';
import { address, useCrumbs } from '../../../frame/index.ts';
import { AskButton } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { ChoosePane, MenuPane } from '../menu-pane.tsx';
import { nameMistake } from '../model.ts';
import { Panes } from '../panes.tsx';
import { Database } from './database.tsx';
import { toDatabase, useDatabases } from './model.ts';

export function Databases() {
  const { list, create, mayCreate } = useDatabases();
  const { query } = address.value;
  const [name, table] = [query.get('in'), query.get('table')];
  useCrumbs(
    ...(name === null ? [] : [{ label: name, to: toDatabase(name) }]),
    ...(table === null ? [] : [{ label: table }]),
  );
  return (
    <Panes depth={name === null ? 1 : 'rest'} second="list">
      <MenuPane
        title={t.stores.databases}
        list={list}
        current={name}
        pick={({ name: id }) => ({ id, label: id, to: toDatabase(id) })}
        empty={{ icon: DatabaseIcon, title: t.stores.noDatabases, text: t.stores.noDatabasesText }}
        add={
          mayCreate && (
            <AskButton
              icon={Plus}
              title={t.stores.newDatabase}
              label={t.stores.name}
              action={t.stores.create}
              hint={t.stores.databaseHint}
              check={nameMistake}
              onDone={create}
            />
          )
        }
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
        <Database key={name} name={name} table={table} onChanged={list.refresh} />
      )}
    </Panes>
  );
}
