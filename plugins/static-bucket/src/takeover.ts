import type { Auth, Principal } from '@svc/plugin-sdk';
import { RpcError } from '@svc/plugin-sdk';
import type { Bucket } from './api.ts';
import { everywhere, mayReadIt } from './permissions.ts';
import { directoryKey, overlapping } from './rules.ts';
import type { Changes } from './store.ts';

/** Caller that asks for a directory or for the server's root. */
export interface Claimant {
  readonly caller: Principal;
  /** Tells whether it holds the server's permission: `static_bucket` `write` in scope `global`, or the Super Token. */
  readonly global: boolean;
}

export async function claimantOf(caller: Principal, auth: Auth): Promise<Claimant> {
  return { caller, global: caller.super || (await auth.allows(caller, everywhere())) };
}

/** Owner to store in a record that this claimant writes. */
export const ownedBy = ({ caller, global }: Claimant) =>
  caller.super ? { owner: null, owner_global: null } : { owner: caller.id, owner_global: global };

/** @throws RpcError 102 without the server's permission, 108 for a second root */
export function claimRoot(name: string, buckets: readonly Bucket[], { global }: Claimant): void {
  if (!global) {
    const why =
      "is_http_root serves it at the server's root, which takes permission Write in scope global";
    throw RpcError.denied(`Permission denied for static-bucket '${name}': ${why}`);
  }
  if (buckets.some(({ is_http_root }) => is_http_root))
    throw RpcError.invalid('Another static already has is_http_root enabled');
}

export interface DirectoryClaim {
  readonly name: string;
  readonly path: string;
  /** The record before the change. */
  readonly old?: Bucket;
  readonly claimant: Claimant;
  readonly auth: Auth;
  /** Tells whether something lies in the directory. */
  readonly isInUse: (path: string) => Promise<boolean>;
}

/**
 * Claims a directory for a bucket: one that no other bucket has, and without the server's permission none that another bucket
 * had or that holds files of unknown origin. @throws RpcError 108, 102
 */
export async function claimDirectory(claim: DirectoryClaim, changes: Changes): Promise<void> {
  const { name, path, old, claimant, auth, isInUse } = claim;
  const others = changes.buckets.filter((bucket) => bucket !== old);
  const other = overlapping(path, others);
  if (other) {
    const isKnown = await auth.allows(claimant.caller, mayReadIt(other.name));
    const whose = isKnown ? `static '${other.name}'` : 'another static';
    throw RpcError.invalid(`path overlaps the directory of ${whose}`);
  }
  const former = await changes.former(path);
  if (!claimant.global) {
    const own = former.filter((each) => each.name === name).map((each) => each.path);
    const wanted = directoryKey(path);
    const isOwn = [...own, ...(old ? [directoryKey(old.path)] : [])].some((had) =>
      wanted.startsWith(had),
    );
    if (own.length < former.length || (!isOwn && (await isInUse(path)))) {
      const why =
        'the directory holds files or belonged to another static, which takes permission Write in scope global';
      throw RpcError.denied(`Permission denied for static-bucket '${name}': ${why}`);
    }
  }
  await changes.forgetFormer(path);
}
