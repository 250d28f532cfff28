import type { Auth, PermissionKind, Principal, Requirement, Scope } from '@svc/plugin-sdk';
import type { Tokens } from '@svc/plugin-token/api';

/**
 * The kind `monitor`, in the scope `monitor` of a name; `report` in the scope `agent_uuid`: additions to those of the protocol.
 * `answer` reads what targets answered and jobs sent.
 */
export const permissions: { readonly [kind: string]: PermissionKind } = {
  monitor: { words: ['read', 'write', 'delete', 'report', 'answer'] },
};
export const scopes = { monitor: 'prefix' } as const;

/** The right to do this with one monitor. */
export const mayDo = (word: 'read' | 'write' | 'delete' | 'answer', name: string): Requirement => ({
  scopes: [{ monitor: name }],
  permissions: [{ monitor: word }],
  denied: `Missing monitor ${word} permission for the monitor '${name}'`,
});

/** Tells whether the caller may write some monitor, whether it is there or not: one name, those of a pattern, or all. */
export async function mayWriteSome(
  { auth, tokens }: { readonly auth: Auth; readonly tokens: Tokens },
  caller: Principal,
): Promise<boolean> {
  const permission = { monitor: 'write' };
  const isOne = (scope: Scope) => scope === 'global' || scope['monitor'] !== undefined;
  const held = tokens.record(caller) ? tokens.scopes(caller, permission).find(isOne) : 'global';
  // Whether the credential is valid now is for the right itself to say.
  const wanted = { scopes: [held ?? 'global'], permissions: [permission], denied: '' };
  return auth.allows(caller, wanted);
}
