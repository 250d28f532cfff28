import { type Methods, RpcError, Type } from '@svc/plugin-sdk';
import { checkLength, checkText } from '../names.ts';
import type { KvParts } from '../parts.ts';
import { mayCreate, mayDeleteNamespace, mayListKeys } from '../permissions.ts';
import { listable, mayListNamespaces } from '../visible.ts';
import { noNamespace, Success } from './shared.ts';

/** Methods on whole namespaces. */
export function addNamespaceMethods(methods: Methods, parts: KvParts): void {
  const { refuseZero, reads, writes, tokens } = parts;
  const Name = Type.String();
  const withSoundName = (params: { namespace: string }) => {
    checkText('namespace', params.namespace);
    return params;
  };
  const limitsOf = (signal: AbortSignal) => ({ maxBytes: parts.maxBytes(), signal });

  methods.add('kv_create', {
    summary: 'Makes a namespace by storing its marker key.',
    params: { namespace: Name },
    result: Type.Object({ namespace: Type.String(), kv: Type.Object({}) }),
    prepare: withSoundName,
    access: mayCreate,
    check({ namespace }) {
      checkLength('namespace', namespace);
      refuseZero(namespace);
    },
    async handle({ namespace }) {
      if (!(await writes.create(namespace, parts.marker))) {
        throw RpcError.database(`Namespace '${namespace}' already exists`);
      }
      return { namespace, kv: {} };
    },
  });

  methods.add('kv_delete_namespace', {
    summary: 'Deletes every key of a namespace, and with them the namespace.',
    params: { namespace: Name },
    result: Success,
    prepare: withSoundName,
    access: mayDeleteNamespace,
    check: ({ namespace }) => refuseZero(namespace),
    async handle({ namespace }) {
      if (!(await writes.deleteNamespace(namespace))) throw noNamespace(namespace);
      return { success: true as const };
    },
  });

  methods.add('kv_get_all_keys', {
    summary: 'Keys of a namespace in byte order, its marker included.',
    params: { namespace: Name },
    result: Type.Array(Type.String()),
    prepare: withSoundName,
    access: mayListKeys,
    check: ({ namespace }) => refuseZero(namespace),
    async handle({ namespace }, { signal }) {
      const keys = await reads.keys(namespace, limitsOf(signal));
      if (keys.text.length === '[]'.length) throw noNamespace(namespace);
      return keys;
    },
  });

  methods.add('kv_list_all_namespace', {
    summary: 'Namespaces in byte order, of those that the caller may list.',
    params: {},
    result: Type.Array(Type.String()),
    access: mayListNamespaces(tokens),
    handle(_params, { caller, signal }) {
      const names = listable(tokens, caller);
      if (names === 'all') return reads.namespaces(limitsOf(signal));
      return reads.existing(names.filter(parts.storable), limitsOf(signal));
    },
  });
}
