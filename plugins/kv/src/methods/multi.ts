import { type AccessContext, type Auth, type Methods, RpcError, Type } from '@svc/plugin-sdk';
import type { Kv } from '../kv.ts';
import { checkItem, type Item } from '../patterns.ts';
import { reading } from '../permissions.ts';
import { distinctOf } from '../store/repeats.ts';

/** Limit of items, whatever `[kv] max_items` says. */
const MOST_ITEMS = 100_000;
const Items = Type.Array(Type.Object({ namespace: Type.String(), key: Type.String() }), {
  maxItems: MOST_ITEMS,
  description:
    'Keys, each with its namespace; `*` at the end of a key stands for any text. `[kv] max_items` may allow fewer.',
});
const Answer = Type.Array(
  Type.Object({ namespace: Type.String(), key: Type.String(), value: Type.Unknown() }),
);

/** Pairs of namespace and pattern whose rights are checked together. */
const AT_ONCE = 100_000;
/** Pairs checked one by one before other calls get their turn. */
const SLICE = 256;

/** `kv_get_multi_value` (kv.md §4.4). */
export function addMultiMethod(methods: Methods, kv: Kv): void {
  methods.add('kv_get_multi_value', {
    summary: 'Values of many keys and key patterns, from one snapshot, in request order.',
    description: 'A pattern is a prefix and `*`. Missing exact keys come with the value null.',
    params: { namespace_key: Items },
    result: Answer,
    prepare({ namespace_key: items }) {
      if (items.length === 0) throw RpcError.invalid('namespace_key cannot be empty');
      const most = kv.maxItems();
      if (items.length > most) throw RpcError.invalid(`namespace_key has more than ${most} items`);
      return distinctOf(items);
    },
    right: {
      words: '`kv` `read` of each key or pattern, in the scope `kv_namespace` of its namespace',
      scopes: [{ kv_namespace: '<namespace>' }],
      permissions: [{ kv: { read: '<key>' } }],
    },
    access: { custom: ({ items }, call) => admit(kv.auth, items, call) },
    check({ items }) {
      for (const { namespace, key } of items) kv.refuseZero(namespace, key);
    },
    handle: (asked, { caller, signal }) =>
      kv.multi(asked, { maxBytes: kv.maxBytes(), signal, share: caller.id }),
  });
}

/** The first item that fails decides the error: its form, then the credential, then the right to it. */
async function admit(auth: Auth, items: readonly Item[], call: AccessContext): Promise<void> {
  const problem = firstProblem(items);
  const sound = problem ? items.slice(0, problem.at) : items;
  if (sound.length > 0) await authorize(auth, sound, call);
  if (problem) throw problem.error;
}

function firstProblem(items: readonly Item[]): { at: number; error: unknown } | undefined {
  for (let at = 0; at < items.length; at++) {
    try {
      checkItem(items[at] as Item);
    } catch (error) {
      return { at, error };
    }
  }
  return undefined;
}

async function authorize(auth: Auth, items: readonly Item[], call: AccessContext): Promise<void> {
  const caller = await call.authenticate();
  if (caller.super) return;
  // Every namespace with every pattern is more than the call asks for: a right to all of them covers the call.
  const namespaces = [...new Set(items.map(({ namespace }) => namespace))];
  const keys = [...new Set(items.map(({ key }) => key))];
  const whole = {
    scopes: namespaces.map((name) => ({ kv_namespace: name })),
    permissions: keys.map((key) => ({ kv: { read: key } })),
    denied: '',
  };
  const few = namespaces.length * keys.length <= AT_ONCE;
  if (few && (await auth.allows(caller, whole))) return;
  for (let at = 0; at < items.length; at++) {
    const wanted = reading(items[at] as Item);
    if (!(await auth.allows(caller, wanted))) throw RpcError.denied(wanted.denied);
    if (at % SLICE === SLICE - 1) await new Promise(setImmediate);
  }
}
