import type { AgentRegistry } from '@svc/plugin-agent-uuid/api';
import { canonicalUuid, type Methods, optional, Type, Uuid } from '@svc/plugin-sdk';
import type { Reports } from './reports.ts';
import { AGENT_KINDS, mayReport } from './rights.ts';
import type { Sessions } from './sessions.ts';
import { AgentKinds, ChecksItem, ReportedResults, resultIn } from './wire.ts';

export interface AgentMethodParts {
  readonly registry: AgentRegistry;
  readonly reports: Reports;
  readonly sessions: Sessions;
}

/** `monitor_register` and `monitor_report`: agents as places. */
export function addAgentMethods(methods: Methods, parts: AgentMethodParts): void {
  const { registry, reports, sessions } = parts;
  methods.addSubscription('monitor_register', {
    summary: 'The checks of monitors that are placed at an agent, and what changes of them.',
    description:
      'A later registration of the same agent replaces this one. Checks hold the secrets that they need. An agent is a place while it is registered, and for five minutes after.',
    addition: true,
    unsubscribe: 'monitor_unregister',
    secret: true,
    params: { uuid: Uuid, kinds: optional(AgentKinds) },
    item: ChecksItem,
    access: { anyOf: ({ uuid }) => mayReport(canonicalUuid(uuid)) },
    open: ({ uuid, kinds }, { peer }, push) =>
      sessions.open({ uuid: canonicalUuid(uuid), kinds: kinds ?? AGENT_KINDS, peer, push }),
  });

  methods.add('monitor_report', {
    summary: 'Stores results of checks that an agent made.',
    description:
      'A result that is there already, by its monitor and time, changes nothing, so that a report may be sent again. Results of other monitors, of another form, from the future, older than six hours, or closer together than checks can come are not taken; a certificate of another form is left out.',
    addition: true,
    params: {
      uuid: Uuid,
      results: ReportedResults,
    },
    result: Type.Object({
      taken: Type.Integer(),
      refused: Type.Integer({ description: 'Results that are not taken.' }),
    }),
    logsRefusals: true,
    access: { anyOf: ({ uuid }) => mayReport(canonicalUuid(uuid)) },
    async handle({ uuid, results }) {
      const agent = await registry.find(canonicalUuid(uuid));
      if (!agent || agent.soft_delete) return { taken: 0, refused: results.length };
      const good = results.flatMap((one) => resultIn(one) ?? []);
      const { taken } = await reports.take(agent, good);
      return { taken, refused: results.length - taken };
    },
  });
}
