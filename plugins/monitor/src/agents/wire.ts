import { optional, type Static, Type } from '@svc/plugin-sdk';
import { Compile } from '@svc/plugin-sdk/typebox';
import { OrNull, Time } from '../schemas.ts';
import { AGENT_KINDS } from './rights.ts';

/** Results of one report. */
export const MOST_RESULTS = 500;

export const AgentKinds = Type.Array(Type.Enum([...AGENT_KINDS]), {
  maxItems: 16,
  description:
    'Kinds of tasks that the configuration of the agent allows: `http_request` for `http`, `tcp_ping` for `tcp` and `tls`, `ping`, `dns`. Checks of other kinds are not sent.',
});

const MonitorId = Type.Integer({ minimum: 1, description: 'Id of the monitor.' });

/** What an agent needs of a monitor to check it. */
export const CheckItem = Type.Object({
  monitor: MonitorId,
  version: Type.Integer({ description: 'Grows with each change.' }),
  interval_s: Type.Integer(),
  timeout_s: Type.Integer(),
  retries: Type.Integer(),
  retry_s: Type.Integer(),
  recover_after: Type.Integer(),
  upside_down: Type.Boolean(),
  condition: Type.String({ description: 'Condition in CEL under which the check is good.' }),
  host: Type.String({ description: 'At most two checks of one host run at a time.' }),
  spec: Type.Record(Type.String(), Type.Unknown(), {
    description: 'What is checked: `kind`, and the fields of that kind, the secret ones in clear.',
  }),
});

/** What changed for an agent. */
export const ChecksItem = Type.Object({
  time: Time('Unix ms of the server: times of results are by this clock.'),
  whole: Type.Boolean({ description: 'True: checks of earlier items are over.' }),
  checks: Type.Array(CheckItem, { description: 'Checks that are new or changed.' }),
  gone: Type.Array(Type.Integer(), { description: 'Monitors that are not checked here any more.' }),
  now: Type.Array(Type.Integer(), { description: 'Monitors that are to be checked at once.' }),
});

const Word = Type.String({ maxLength: 1_000 });
const Words = Type.Array(Word, { maxItems: 200 });
const Inspection = Type.Object({
  valid: Type.Boolean(),
  reason: OrNull(Word),
  protocol: OrNull(Word),
  names: Words,
  chain: Type.Array(
    Type.Object({
      ...{ subject: Word, issuer: Word, not_before: Time(), not_after: Time(), fingerprint: Word },
    }),
    { maxItems: 20 },
  ),
  missing: Words,
});

export const ReportedResult = Type.Object(
  {
    monitor: MonitorId,
    at: Time('Unix ms for which the check was planned, by the clock of the server.'),
    ok: OrNull(
      Type.Boolean({ description: 'Null: nothing can be said, because the agent is cut off.' }),
    ),
    ms: OrNull(Type.Number({ minimum: 0, maximum: 600_000 })),
    code: OrNull(Type.Integer({ minimum: 0, maximum: 999, description: 'Status of HTTP.' })),
    detail: OrNull(Type.String({ maxLength: 300, description: 'Why it failed.' })),
    doubtful: optional(
      Type.Boolean({
        description:
          'True: the agent may be losing its connection, so that this failure turns nothing down yet.',
      }),
    ),
    certificate: optional(Inspection),
  },
  { additionalProperties: false },
);

export type Reported = Static<typeof ReportedResult>;

/** One that has another form is refused alone: what a strange target sends silences no other monitor. */
export const ReportedResults = Type.Array(Type.Union([ReportedResult, Type.Object({})]), {
  maxItems: MOST_RESULTS,
  description: 'Results, in any order.',
});

/** Compiled by the first report. */
let form: ReturnType<typeof Compile<typeof ReportedResult>> | undefined;

/** Reads a result, without its certificate where that has another form. @returns undefined: it is none */
export function resultIn(row: object): Reported | undefined {
  form ??= Compile(ReportedResult);
  if (form.Check(row)) return row;
  const rest: unknown = { ...row, certificate: null };
  return form.Check(rest) ? rest : undefined;
}
