import { Braces, Database, KeyRound, Plus, Trash2 } from 'lucide';
import { useState } from 'preact/hooks';
import {
  address,
  go,
  Loaded,
  type Resource,
  to,
  useCrumbs,
  useMachines,
  usePoll,
  useServer,
} from '../../../frame/index.ts';
import { Ask, Button, Confirm, Empty, toast } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { ChoosePane, MenuPane } from '../menu-pane.tsx';
import { Pane, Panes, PickList, shown } from '../panes.tsx';
import { undo } from '../undo.ts';
import { Value } from './value.tsx';

/** A deleted namespace with fewer keys can come back. */
const MOST_UNDONE = 500;
/** An ordinary row that keeps an empty namespace alive; nobody looks for it. */
const MARKER = /^__\w+_namespace_marker__$/;
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

export const named = (text: string): string => (text.trim() === '' ? t.stores.emptyName : text);

/** What a machine wrote stands under its UUID: people know it by its name. */
function useSpaceName(): (namespace: string) => string {
  const machines = useMachines();
  return (namespace) => {
    const machine = UUID.test(namespace) ? machines.of(namespace) : undefined;
    return machine?.given_name || machine?.host_name ? machine.name : named(namespace);
  };
}

export function Namespaces({ drafts }: { readonly drafts: Map<string, string> }) {
  const { call, may } = useServer();
  const nameOf = useSpaceName();
  const { query } = address.value;
  const [namespace, key] = [query.get('in'), query.get('key')];
  const list = usePoll('namespaces', () => call('kv_list_all_namespace'));
  const [isAsking, setAsking] = useState(false);
  useCrumbs(
    ...(namespace === null
      ? []
      : [{ label: nameOf(namespace), to: to('stores', 'kv', { in: namespace }) }]),
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
          to: to('stores', 'kv', { in: name }),
        })}
        empty={{
          icon: Database,
          title: t.stores.noNamespaces,
          text: t.stores.noNamespacesText,
        }}
        add={t.stores.newNamespace}
        onAdd={shown(may('kv_create', { namespace: 'a' })) ? () => setAsking(true) : undefined}
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
        <Keys key={namespace} namespace={namespace} name={key} drafts={drafts} spaces={list} />
      )}
      {isAsking && (
        <Ask
          title={t.stores.newNamespace}
          label={t.stores.name}
          action={t.stores.create}
          hint={t.stores.namespaceHint}
          onClose={() => setAsking(false)}
          onDone={async (name) => {
            await call('kv_create', { namespace: name });
            list.refresh();
            go(to('stores', 'kv', { in: name }));
          }}
        />
      )}
    </Panes>
  );
}

interface KeysProps {
  readonly namespace: string;
  readonly name: string | null;
  readonly drafts: Map<string, string>;
  readonly spaces: Resource<string[]>;
}

function Keys({ namespace, name, drafts, spaces }: KeysProps) {
  const { call, may } = useServer();
  const title = useSpaceName()(namespace);
  const list = usePoll(`keys ${namespace}`, async () =>
    (await call('kv_get_all_keys', { namespace })).filter((key) => !MARKER.test(key)),
  );
  const [open, setOpen] = useState<'new' | 'remove'>();
  const mayWrite = shown(may('kv_set_value', { namespace, key: 'a', value: null }));
  const mayRemove = shown(may('kv_delete_namespace', { namespace }));
  const close = () => setOpen(undefined);
  return (
    <>
      <Pane
        title={title}
        at={2}
        back={to('stores', 'kv')}
        actions={
          <>
            {mayWrite && (
              <Button
                kind="quiet"
                icon={Plus}
                label={t.stores.newKey}
                onClick={() => setOpen('new')}
              />
            )}
            {mayRemove && (
              <Button
                kind="quiet"
                icon={Trash2}
                label={t.stores.removeNamespace}
                onClick={() => setOpen('remove')}
              />
            )}
          </>
        }
      >
        <Loaded of={list} what={t.stores.unread}>
          {(keys) => (
            <PickList
              label={t.stores.keys}
              current={name}
              picks={keys.map((key) => ({
                id: key,
                label: named(key),
                to: to('stores', 'kv', { in: namespace, key }),
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
      {name === null ? (
        <ChoosePane
          of={t.stores.value}
          at={3}
          icon={Braces}
          title={t.stores.chooseKey}
          text={t.stores.chooseKeyText}
        />
      ) : (
        <Value
          key={name}
          namespace={namespace}
          name={name}
          isKnown={list.data?.includes(name)}
          drafts={drafts}
          onChanged={list.refresh}
        />
      )}
      {open === 'new' && (
        <Ask
          title={t.stores.newKey}
          label={t.stores.name}
          action={t.stores.create}
          hint={t.stores.keyHint}
          check={(key) =>
            key.includes('*')
              ? t.stores.keyStar
              : list.data?.includes(key)
                ? t.stores.keyTaken
                : undefined
          }
          onClose={close}
          onDone={async (key) => go(to('stores', 'kv', { in: namespace, key }))}
        />
      )}
      {open === 'remove' && (
        <Confirm
          title={t.stores.removeNamespaceTitle(title)}
          action={t.stores.remove}
          onClose={close}
          onConfirm={async () => {
            const isSmall = (list.data?.length ?? MOST_UNDONE) < MOST_UNDONE;
            const before = isSmall
              ? await call('kv_get_multi_value', { namespace_key: [{ namespace, key: '*' }] })
              : undefined;
            await call('kv_delete_namespace', { namespace });
            spaces.refresh();
            go(to('stores', 'kv'));
            const bringBack = async (values: NonNullable<typeof before>) => {
              await call('kv_create', { namespace });
              for (const { key, value } of values)
                await call('kv_set_value', { namespace, key, value });
              spaces.refresh();
            };
            const done = t.stores.removedNamespace(title);
            toast(done, before && undo(() => bringBack(before)));
          }}
        >
          <p>{t.stores.removeNamespaceText(list.data?.length ?? 0)}</p>
        </Confirm>
      )}
    </>
  );
}
