import {
  type Call,
  canonicalUuid,
  type Logger,
  type Methods,
  RpcError,
  Type,
  Uuid,
} from '@svc/plugin-sdk';
import type { Passes } from '@svc/plugin-token/api';
import { mayConnect } from './permissions.ts';

/** Returns the purpose of a pass: the terminals of one agent. */
export const purposeOf = (agentUuid: string): string => `terminal ${agentUuid}`;

/** `terminal_pass`, an addition (terminal.md §10): what opens a terminal of one agent, and nothing else. */
export function addPass(methods: Methods, passes: Passes | undefined): void {
  methods.add('terminal_pass', {
    summary:
      'Make a pass for the terminal of an agent: what stands in an address is no credential.',
    description:
      '`key:secret` is the `token` of `/terminal` for this agent for ten minutes, and nothing else. The terminal that it opened ends with ' +
      'the session or token that made the pass, and with the right. Of more than a hundred passes of one token the oldest ends.',
    addition: true,
    params: { agent_uuid: Uuid },
    result: Type.Object({
      key: Type.String({ description: 'Names the pass; no secret.' }),
      secret: Type.String(),
      ends_at: Type.Integer({ description: 'Unix ms, its last.' }),
    }),
    audit: ({ agent_uuid }) => agent_uuid,
    secret: true,
    logsRefusals: true,
    prepare: ({ agent_uuid }) => ({ agentUuid: canonicalUuid(agent_uuid) }),
    access: { needs: ({ agentUuid }) => mayConnect(agentUuid) },
    handle({ agentUuid }, { caller }) {
      const made = passes?.make(caller, purposeOf(agentUuid));
      if (!made) throw RpcError.invalid('the plugin token, which makes passes, is not enabled');
      return made;
    },
  });
}

/** A refused pass is no failure of the server: one warning, where other calls are errors. */
export function logRefusal(log: Logger, { method, caller, target }: Call, error?: RpcError): void {
  if (!error || method !== 'terminal_pass') return;
  const { code, message: reason } = error;
  log.warn('terminal refused', { agent_uuid: target?.(), caller: caller?.id, code, reason });
}
