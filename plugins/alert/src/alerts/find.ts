import { type Auth, type Principal, RpcError } from '@svc/plugin-sdk';
import { mayDo } from '../rules/rights.ts';
import type { AlertStore } from '../store/alerts.ts';
import type { Alert } from '../types.ts';

export interface Wanted {
  readonly id: number;
  readonly verb: 'read' | 'write' | 'ack';
  readonly caller: Principal;
}

/** Returns an alert with which the caller may do this. @throws RpcError 102, 103, 105 */
export async function alertFor(
  { auth, store }: { readonly auth: Auth; readonly store: AlertStore },
  { id, verb, caller }: Wanted,
): Promise<Alert> {
  const alert = await store.byId(id);
  const uuids = alert?.subject_kind === 'agent' ? [alert.subject_id] : undefined;
  const wanted = mayDo(verb, uuids);
  // Without the right nobody learns which alerts there are.
  if (!(await auth.allows(caller, wanted))) throw RpcError.denied(mayDo(verb).denied);
  if (!alert) throw RpcError.notFound(`there is no alert ${id}`);
  return alert;
}
