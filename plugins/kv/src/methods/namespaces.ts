import { type CallContext, type Methods, RpcError, Type } from '@svc/plugin-sdk';
import type { Kv } from '../kv.ts';
import { checkLength, checkText } from '../names.ts';
import { mayCreate, mayDeleteNamespace, mayListKeys } from '../permissions.ts';
import { listable, mayListNamespaces } from '../visible.ts';
import { noNamespace, Success } from './shared.ts';

const Name = Type.String({ description: 'Name of the namespace.' });

const withSoundName = (params: { namespace: string }) => {
  checkText('namespace', params.namespace);
  return params;
};

/** Methods on whole namespaces. */
export function addNamespaceMethods(methods: Methods, kv: Kv): void {
  addCreate(methods, kv);
  addDeleteNamespace(methods, kv);
  addLists(methods, kv);
}

function addCreate(methods: Methods, { refuseZero, writes, marker }: Kv): void {
  methods.add('kv_create', {
    summary: 'Makes a namespace by storing its marker key.',
    params: { namespace: Name },
    result: Type.Object({ namespace: Type.String(), kv: Type.Object({}) }),
    audit: ({ namespace }) => namespace,
    prepare: withSoundName,
    access: mayCreate,
    check({ namespace }) {
      checkLength('namespace', namespace);
      refuseZero(namespace);
    },
    async handle({ namespace }, { log }) {
      if (!(await writes.create(namespace, marker))) {
        throw RpcError.database(`Namespace '${namespace}' already exists`);
      }
      log.info('namespace created', { namespace });
      return { namespace, kv: {} };
    },
  });
}

function addDeleteNamespace(methods: Methods, { refuseZero, writes }: Kv): void {
  methods.add('kv_delete_namespace', {
    summary: 'Deletes every key of a namespace, and with them the namespace.',
    params: { namespace: Name },
    result: Success,
    audit: ({ namespace }) => namespace,
    prepare: withSoundName,
    access: mayDeleteNamespace,
    check: ({ namespace }) => refuseZero(namespace),
    async handle({ namespace }, { log }) {
      if (!(await writes.deleteNamespace(namespace))) throw noNamespace(namespace);
      log.info('namespace deleted', { namespace });
      return { success: true as const };
    },
  });
}

function addLists(methods: Methods, { refuseZero, reads, tokens, maxBytes, storable }: Kv): void {
  const limitsOf = ({ caller, signal }: CallContext) => ({
    maxBytes: maxBytes(),
    signal,
    share: caller.id,
  });

  methods.add('kv_get_all_keys', {
    summary: 'Keys of a namespace in byte order, its marker included.',
    params: { namespace: Name },
    result: Type.Array(Type.String()),
    prepare: withSoundName,
    access: mayListKeys,
    check: ({ namespace }) => refuseZero(namespace),
    async handle({ namespace }, call) {
      const keys = await reads.keys(namespace, limitsOf(call));
      if (keys.text.length === '[]'.length) throw noNamespace(namespace);
      return keys;
    },
  });

  methods.add('kv_list_all_namespace', {
    summary: 'Namespaces in byte order, of those that the caller may list.',
    params: {},
    result: Type.Array(Type.String()),
    right: {
      words:
        '`kv` `list_all_namespace`, in any scope; the answer holds the namespaces of those scopes',
      scopes: ['global'],
      permissions: [{ kv: 'list_all_namespace' }],
    },
    access: mayListNamespaces(tokens),
    handle(_params, call) {
      const names = listable(tokens, call.caller);
      if (names === 'all') return reads.namespaces(limitsOf(call));
      return reads.existing(names.filter(storable), limitsOf(call));
    },
  });
}
