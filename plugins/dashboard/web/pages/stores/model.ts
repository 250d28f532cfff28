import { useServer } from '../../frame/index.ts';
import { t } from '../../strings/index.ts';

export const kinds = [
  { id: 'kv', plugin: 'kv', method: 'kv_list_all_namespace', right: 'list_all_namespace' },
  { id: 'db', plugin: 'db', method: 'db_list' },
  { id: 'files', plugin: 'static-bucket-file', method: 'static-bucket_list' },
] as const;
export type Kind = (typeof kinds)[number];

/** Returns the kinds whose stores the token may list. */
export function useKinds(): readonly Kind[] {
  const { has, may, holds } = useServer();
  return kinds.filter(
    (kind) =>
      has(kind.plugin) &&
      ('right' in kind ? holds(kind.id, kind.right) : may(kind.method) !== false),
  );
}

/** Tells by an answer of `may` whether an action is shown: one that only the call decides is, one that is still being asked about is not. */
export const isOffered = (allowed: boolean | null | undefined): boolean =>
  allowed ?? allowed === null;

const NAME = /^(?!\.\.?$)[A-Za-z0-9_.-]{1,128}$/;

/** Returns what is wrong with the name of a database or bucket. */
export const nameMistake = (name: string): string | undefined =>
  NAME.test(name) ? undefined : t.stores.badName;
