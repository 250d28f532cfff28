import { type Auth, type Kernel, RpcError } from '@svc/plugin-sdk';
import { Tokens } from '@svc/plugin-token/api';
import { groupSets, type SetValue } from './group.ts';
import { type MultiRead, openMultiRead } from './store/multi.ts';
import { Reads } from './store/reads.ts';
import { Writes } from './store/writes.ts';

export interface KvConfig {
  readonly max_value_bytes: number;
  readonly max_items: number;
  readonly max_namespace_bytes: number;
  readonly retention: boolean;
  readonly retention_interval_ms: number;
}

/** Parts that the methods work with. */
export interface Kv {
  readonly auth: Auth;
  readonly tokens: Tokens;
  readonly reads: Reads;
  readonly writes: Writes;
  readonly multi: MultiRead;
  readonly set: SetValue;
  /** Key that makes a namespace exist without any value. */
  readonly marker: string;
  readonly maxBytes: () => number;
  readonly maxValueBytes: () => number;
  readonly maxItems: () => number;
  readonly maxNamespaceBytes: () => number;
  /** Tells whether this database can hold a text. */
  readonly storable: (text: string) => boolean;
  /** @throws RpcError 999 for U+0000 where no text holds it (kv.md §1.3) */
  readonly refuseZero: (...texts: readonly string[]) => void;
}

export function createKv(kernel: Kernel<KvConfig>): Kv {
  const { auth, brand, config, db, server } = kernel;
  const writes = new Writes(db);
  const maxNamespaceBytes = () => config.max_namespace_bytes || Number.MAX_SAFE_INTEGER;
  const storable = (text: string) => db.forms.holdsZero || !text.includes('\0');
  return {
    auth,
    tokens: kernel.use(Tokens),
    reads: new Reads(db),
    writes,
    multi: openMultiRead(db),
    set: groupSets((rows) => writes.set(rows, maxNamespaceBytes())),
    marker: brand.rewrite('__svc_namespace_marker__'),
    maxBytes: () => server.maxResponseBytes(),
    maxValueBytes: () => config.max_value_bytes,
    maxItems: () => config.max_items,
    maxNamespaceBytes,
    storable,
    refuseZero(...texts) {
      if (texts.every(storable)) return;
      throw RpcError.other('this database cannot hold U+0000 in a text');
    },
  };
}
