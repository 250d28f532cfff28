import { Database, KeyRound, Plus } from 'lucide';
import { address, useCrumbs } from '../../../frame/index.ts';
import { AskButton } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { ChoosePane, MenuPane } from '../menu-pane.tsx';
import { Panes } from '../panes.tsx';
import { Keys } from './keys.tsx';
import { named, toNamespace, useNamespaceName, useNamespaces } from './model.ts';

export function Namespaces({ drafts }: { readonly drafts: Map<string, string> }) {
  const nameOf = useNamespaceName();
  const { list, create, mayCreate } = useNamespaces();
  const { query } = address.value;
  const [namespace, key] = [query.get('in'), query.get('key')];
  useCrumbs(
    ...(namespace === null ? [] : [{ label: nameOf(namespace), to: toNamespace(namespace) }]),
    ...(key === null ? [] : [{ label: named(key) }]),
  );
  return (
    <Panes depth={namespace === null ? 1 : key === null ? 2 : 3} second="list">
      <MenuPane
        title={t.stores.namespaces}
        list={list}
        current={namespace}
        pick={(name) => ({
          id: name,
          label: nameOf(name),
          note: nameOf(name) === named(name) ? undefined : name.slice(0, 8),
          to: toNamespace(name),
        })}
        empty={{ icon: Database, title: t.stores.noNamespaces, text: t.stores.noNamespacesText }}
        add={
          mayCreate && (
            <AskButton
              icon={Plus}
              title={t.stores.newNamespace}
              label={t.stores.name}
              action={t.stores.create}
              hint={t.stores.namespaceHint}
              onDone={create}
            />
          )
        }
      />
      {namespace === null ? (
        <ChoosePane
          of={t.stores.keys}
          at={2}
          icon={KeyRound}
          title={t.stores.chooseNamespace}
          text={t.stores.chooseNamespaceText}
        />
      ) : (
        <Keys
          key={namespace}
          namespace={namespace}
          current={key}
          drafts={drafts}
          onChanged={list.refresh}
        />
      )}
    </Panes>
  );
}
