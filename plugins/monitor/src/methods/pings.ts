import { type Methods, optional, RpcError, Type } from '@svc/plugin-sdk';
import type { Changes } from '../changes.ts';
import { MonitorName, OrNull, Time } from '../schemas.ts';
import { MOST_PINGS, type PingStore } from '../store/pings.ts';
import { on } from './monitors.ts';

export interface PingParts {
  readonly changes: Changes;
  readonly pings: PingStore;
}

/** Call of a heartbeat. */
const PingAnswer = Type.Object({
  id: Type.Integer(),
  at: Time(),
  kind: Type.String({
    description:
      '`success`, `start`, `fail`, `log`; `ignored`: it came by a method that does not count.',
  }),
  exit_status: OrNull(Type.Integer()),
  rid: OrNull(Type.String({ description: 'Run that it belongs to.' })),
  method: Type.String(),
  address: Type.String({ description: 'Address of whoever called.' }),
  agent: Type.String({ description: 'Program of whoever called.' }),
  ms: OrNull(Type.Number({ description: 'Time that the run took.' })),
  body: Type.String({ description: 'Beginning of what was sent, at most 10,000 bytes.' }),
});

/** `monitor_pings`. */
export function addPingMethod(methods: Methods, { changes, pings }: PingParts): void {
  methods.add('monitor_pings', {
    summary: 'The last calls of a heartbeat with what they sent, the newest first.',
    addition: true,
    secret: true,
    params: {
      name: MonitorName,
      limit: optional(
        Type.Integer({ minimum: 1, maximum: MOST_PINGS, description: `Default: ${MOST_PINGS}.` }),
      ),
    },
    result: Type.Array(PingAnswer),
    access: on('answer'),
    async handle({ name, limit }) {
      const { id, kind } = await changes.monitor(name);
      if (kind !== 'heartbeat')
        throw RpcError.invalid(`monitors of the kind ${kind} are not called`);
      const rows = await pings.withBodies(id, limit ?? MOST_PINGS);
      return rows.map(({ monitor_id: _monitor, body, ...ping }) => ({
        ...ping,
        body: Buffer.from(body).toString(),
      }));
    },
  });
}
