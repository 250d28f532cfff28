import { useState } from 'preact/hooks';
import { navigate, to, useMachines, usePoll, useServer } from '../../../frame/index.ts';
import {
  format,
  prettyJson,
  readJson,
  toast,
  undo,
  useUnsavedWarning,
} from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { isOffered } from '../model.ts';

/** A deleted namespace with fewer keys can come back. */
const MOST_UNDONE = 500;
/** Key of an ordinary row that keeps an empty namespace alive; it is not shown. */
const MARKER = /^__\w+_namespace_marker__$/;
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

/** Address of a namespace, or of a key in it. */
export const toNamespace = (namespace: string, key?: string): string =>
  to('stores', 'kv', { in: namespace, key });

export const named = (text: string): string => (text.trim() === '' ? t.stores.emptyName : text);

/** Names of namespaces: what a machine wrote stands under its UUID, and people know it by its name. */
export function useNamespaceName(): (namespace: string) => string {
  const machines = useMachines();
  return (namespace) => {
    const machine = UUID.test(namespace) ? machines.of(namespace) : undefined;
    return machine?.given_name || machine?.host_name ? machine.name : named(namespace);
  };
}

export function useNamespaces() {
  const { call, may } = useServer();
  const list = usePoll('namespaces', () => call('kv_list_all_namespace'));
  const create = async (namespace: string) => {
    await call('kv_create', { namespace });
    list.refresh();
    navigate(toNamespace(namespace));
  };
  return { list, create, mayCreate: isOffered(may('kv_create', { namespace: 'a' })) };
}

/** Keys of a namespace; `onChanged`: it was deleted, or has come back. */
export function useKeys(namespace: string, onChanged: () => void) {
  const { call, may } = useServer();
  const title = useNamespaceName()(namespace);
  const list = usePoll(`keys ${namespace}`, async () =>
    (await call('kv_get_all_keys', { namespace })).filter((key) => !MARKER.test(key)),
  );
  const mistake = (key: string) =>
    key.includes('*') ? t.stores.keyStar : list.data?.includes(key) ? t.stores.keyTaken : undefined;
  const restore = async (values: readonly { readonly key: string; readonly value: unknown }[]) => {
    await call('kv_create', { namespace });
    for (const { key, value } of values) await call('kv_set_value', { namespace, key, value });
    onChanged();
  };
  const remove = async () => {
    const isSmall = (list.data?.length ?? MOST_UNDONE) < MOST_UNDONE;
    const before = isSmall
      ? await call('kv_get_multi_value', { namespace_key: [{ namespace, key: '*' }] })
      : undefined;
    await call('kv_delete_namespace', { namespace });
    onChanged();
    navigate(to('stores', 'kv'));
    const done = t.stores.removedNamespace(title);
    toast(done, before && undo(t.stores, () => restore(before)));
  };
  const mayWrite = isOffered(may('kv_set_value', { namespace, key: 'a', value: null }));
  const mayRemove = isOffered(may('kv_delete_namespace', { namespace }));
  return { title, list, mistake, remove, mayWrite, mayRemove };
}
export type Keys = ReturnType<typeof useKeys>;

/** Value of a key; `onChanged`: the key is new, or gone. */
export function useValue(namespace: string, key: string, onChanged: () => void) {
  const { call, may } = useServer();
  const id = JSON.stringify([namespace, key]);
  const read = () => call('kv_get_value', { namespace, key });
  const stored = usePoll(`value ${id}`, read);
  const put = async (value: unknown) => {
    await call('kv_set_value', { namespace, key, value });
    stored.set(value);
    onChanged();
  };
  const drop = async () => {
    await call('kv_delete_key', { namespace, key });
    stored.set(null);
    onChanged();
  };
  /** `before`: undefined, where there was no such key. */
  const save = async (value: unknown, before: unknown) => {
    await put(value);
    const back = () => (before === undefined ? drop() : put(before));
    toast(t.stores.saved(named(key)), undo(t.stores, back));
  };
  const remove = async () => {
    const before = stored.data;
    await drop();
    const back = () => put(before);
    toast(t.stores.removedKey(named(key)), undo(t.stores, back));
  };
  const mayWrite = isOffered(may('kv_set_value', { namespace, key, value: null }));
  const mayRemove = isOffered(may('kv_delete_key', { namespace, key }));
  return { id, stored, read, save, remove, mayWrite, mayRemove };
}

/** A change that is shown before it is saved. */
export interface Review {
  /** Value that the server has now; undefined: no such key. */
  readonly before: unknown;
  /** Tells whether the server's value is not the one that the change was made from. */
  readonly isStale: boolean;
}

interface Edited {
  /** Undefined: there is no such key. */
  readonly stored: unknown;
  readonly id: string;
  readonly drafts: Map<string, string>;
  readonly readNow: () => Promise<unknown>;
}

/** JSON that is edited: checked while it is typed, and compared with the server before it is saved. */
export function useEdit({ stored, id, drafts, readNow }: Edited) {
  const [draft, setDraft] = useDraft(drafts, id);
  const [review, setReview] = useState<Review>();
  const original = stored === undefined ? '' : prettyJson(stored);
  const text = draft ?? original;
  const read = text.trim() === '' ? undefined : readJson(text);
  /** Undefined: it is no JSON. */
  const next = read && 'value' in read ? read : undefined;
  const formatted = next && prettyJson(next.value);
  const startReview = async () => {
    const now = await readNow();
    const before = stored === undefined && now === null ? undefined : now;
    const isStale = before !== undefined && prettyJson(before) !== original;
    setReview({ before, isStale });
  };
  return {
    text,
    setDraft,
    next,
    formatted,
    isInvalid: read !== undefined && next === undefined,
    isChanged: next !== undefined && formatted !== original,
    isUnsaved: draft !== undefined && draft !== original,
    summary: read && ('error' in read ? read.error : kindAndSize(read.value, text)),
    review,
    startReview,
    endReview: () => setReview(undefined),
  };
}

/** Text that is typed: it stays while the reader is elsewhere on this page, and the browser asks before it closes. */
function useDraft(drafts: Map<string, string>, id: string) {
  const [draft, setDraft] = useState(drafts.get(id));
  useUnsavedWarning(drafts.size > 0);
  const set = (text: string | undefined) => {
    if (text === undefined) drafts.delete(id);
    else drafts.set(id, text);
    setDraft(text);
  };
  return [draft, set] as const;
}

function kindAndSize(value: unknown, text: string): string {
  const kind =
    value === null
      ? 'null'
      : Array.isArray(value)
        ? 'array'
        : typeof value === 'bigint'
          ? 'number'
          : (typeof value as 'object' | 'string' | 'number' | 'boolean');
  const size = new TextEncoder().encode(text).length;
  return t.stores.valid(t.stores.types[kind], format.text(format.bytes(size)));
}
