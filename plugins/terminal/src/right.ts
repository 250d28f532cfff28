import type { Auth, Logger, Principal } from '@svc/plugin-sdk';
import type { Tokens } from '@svc/plugin-token/api';
import { mayConnect } from './permissions.ts';
import { whenAborted } from './session.ts';

export interface RightOptions {
  readonly auth: Auth;
  readonly tokens: () => Tokens | undefined;
  readonly log: Logger;
}

/** Aborts when the caller's credential ends, or when its right to the terminals of the agent is taken away; watched until `over` aborts. */
export function rightOf(
  caller: Principal,
  agentUuid: string,
  over: AbortSignal,
  { auth, tokens, log }: RightOptions,
): AbortSignal {
  const gone = new AbortController();
  const look = async () => {
    try {
      if (!(await auth.allows(caller, mayConnect(agentUuid)))) gone.abort();
    } catch (error) {
      log.error('the right to a terminal could not be asked', { agent_uuid: agentUuid, error });
      gone.abort();
    }
  };
  const forget = tokens()?.whenLimitsChange(caller, () => void look());
  whenAborted(over, () => forget?.());
  // It may have changed since the caller was let in.
  void look();
  return AbortSignal.any([caller.ended, gone.signal]);
}
