import { Braces, KeyRound, Plus, Trash2 } from 'lucide';
import { Loaded, navigate, to } from '../../../frame/index.ts';
import { AskButton, ConfirmButton, Empty } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { ChoosePane } from '../menu-pane.tsx';
import { Pane, PickList } from '../panes.tsx';
import { type Keys as Model, named, toNamespace, useKeys } from './model.ts';
import { Value } from './value.tsx';

interface Props {
  readonly namespace: string;
  readonly current: string | null;
  readonly drafts: Map<string, string>;
  readonly onChanged: () => void;
}

/** The keys of a namespace and the value of the current one. */
export function Keys({ namespace, current, drafts, onChanged }: Props) {
  const keys = useKeys(namespace, onChanged);
  const { title, list, mayWrite } = keys;
  return (
    <>
      <Pane
        title={title}
        at={2}
        back={to('stores', 'kv')}
        actions={<Actions namespace={namespace} keys={keys} />}
      >
        <Loaded of={list} what={t.stores.unread}>
          {(found) => (
            <PickList
              label={t.stores.keys}
              current={current}
              picks={found.map((key) => ({
                id: key,
                label: named(key),
                to: toNamespace(namespace, key),
              }))}
              empty={
                <Empty icon={KeyRound} title={t.stores.noKeys}>
                  {mayWrite && t.stores.noKeysText}
                </Empty>
              }
            />
          )}
        </Loaded>
      </Pane>
      {current === null ? (
        <ChoosePane
          of={t.stores.value}
          at={3}
          icon={Braces}
          title={t.stores.chooseKey}
          text={t.stores.chooseKeyText}
        />
      ) : (
        <Value
          key={current}
          namespace={namespace}
          name={current}
          isKnown={list.data?.includes(current)}
          drafts={drafts}
          onChanged={list.refresh}
        />
      )}
    </>
  );
}

interface ActionsProps {
  readonly namespace: string;
  readonly keys: Model;
}

function Actions({ namespace, keys }: ActionsProps) {
  const { title, list, mistake, remove, mayWrite, mayRemove } = keys;
  return (
    <>
      {mayWrite && (
        <AskButton
          icon={Plus}
          title={t.stores.newKey}
          label={t.stores.name}
          action={t.stores.create}
          hint={t.stores.keyHint}
          check={mistake}
          onDone={async (key) => navigate(toNamespace(namespace, key))}
        />
      )}
      {mayRemove && (
        <ConfirmButton
          icon={Trash2}
          label={t.stores.removeNamespace}
          title={t.stores.removeNamespaceTitle(title)}
          action={t.stores.remove}
          onConfirm={remove}
        >
          <p>{t.stores.removeNamespaceText(list.data?.length ?? 0)}</p>
        </ConfirmButton>
      )}
    </>
  );
}
