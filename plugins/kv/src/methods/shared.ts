import { RpcError, Type } from '@svc/plugin-sdk';

export const Success = Type.Object({ success: Type.Literal(true) });

/** Clients take the name out of this text and create the namespace (kv.md §3): it must not change. */
export const noNamespace = (namespace: string) =>
  RpcError.database(`Namespace '${namespace}' not found`);

export const isFull = (namespace: string, most: number) =>
  RpcError.invalid(
    `Namespace '${namespace}' may hold ${most} bytes, which this value would exceed: delete keys of it, or have max_namespace_bytes under [kv] raised`,
  );
