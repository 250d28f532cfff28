import { type AccessContext, type Auth, RpcError } from '@svc/plugin-sdk';
import type { MonitorNames } from '../monitors.ts';
import { mayAlert, mayDo } from '../rules/rights.ts';
import type { AlertStore } from '../store/alerts.ts';
import type { Alert } from '../types.ts';

type Verb = 'read' | 'write' | 'ack';

/** Text about the right to an alert, for the documentation. */
export const rightTo = (verb: Verb) => ({
  words: `\`alert\` \`${verb}\` of the machine or the monitor of the alert; in the scope \`global\` for alerts about anything else`,
  scopes: ['global'] as const,
  permissions: [{ alert: verb }],
});

/** The right to the alert of this id. Without it nobody learns which alerts there are. */
export const onAlert = (
  verb: Verb,
  {
    auth,
    store,
    monitors,
  }: { readonly auth: Auth; readonly store: AlertStore; readonly monitors: MonitorNames },
) => ({
  async custom({ id }: { readonly id: number }, call: AccessContext): Promise<void> {
    const caller = await call.authenticate();
    const alert = await store.byId(id);
    if (!(await auth.allows(caller, alert ? mayAlert(verb, alert, monitors) : mayDo(verb))))
      throw RpcError.denied(`Missing alert ${verb} permission for this alert`);
    if (!alert) throw noAlert(id);
  },
});

/** @throws RpcError 105 */
export async function alertOf(store: AlertStore, id: number): Promise<Alert> {
  const alert = await store.byId(id);
  if (!alert) throw noAlert(id);
  return alert;
}

const noAlert = (id: number) => RpcError.notFound(`there is no alert ${id}`);
