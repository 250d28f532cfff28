import { SEVERITIES } from '@svc/plugin-notify/api';
import { optional, Type, Uuid } from '@svc/plugin-sdk';
import { KINDS } from './types.ts';

const closed = { additionalProperties: false } as const;
export const OrNull = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()]);
export const Time = (description = 'Unix ms.') =>
  Type.Integer({ minimum: 0, maximum: 4_102_444_800_000, description });

export const MonitorName = Type.String({
  minLength: 1,
  maxLength: 80,
  description: 'Name that people read; unique.',
});
export const KindWord = Type.Enum([...KINDS], {
  description:
    '`http`, `tcp`, `ping`, `dns`, `tls`, `domain`: it is checked. `heartbeat`: it is called. `group`: it consists of others.',
});
const Tags = Type.Array(Type.String({ minLength: 1, maxLength: 80 }), { maxItems: 50 });

export const PlacesSchema = Type.Object(
  {
    server: optional(Type.Boolean({ description: 'The server itself. Default: true.' })),
    agents: optional(Type.Array(Uuid, { maxItems: 100 })),
    tags: optional(Tags),
    pick: optional(
      Type.Integer({
        minimum: 1,
        maximum: 20,
        description:
          'So many of the agents; the same ones as long as they are there. Default: as many as `agents` names, else 1.',
      }),
    ),
  },
  { ...closed, description: 'Places that check it.' },
);

/** Members of `spec` by kind; `checkSpec` refuses those that a kind does not have. */
export const SpecSchema = Type.Record(Type.String({ maxLength: 40 }), Type.Unknown(), {
  maxProperties: 24,
  description: 'Fields of the kind (`monitor_kinds`).',
});
const SecretSchema = Type.Record(Type.String({ maxLength: 40 }), Type.Unknown(), {
  maxProperties: 8,
  description: 'Secret fields of the kind. They are stored sealed and never answered.',
});

const whole = (minimum: number, maximum: number, description: string) =>
  optional(Type.Integer({ minimum, maximum, description }));

const members = {
  secret: optional(SecretSchema),
  group: optional(Type.String({ maxLength: 80, description: 'Heading under which it is shown.' })),
  tags: optional(Tags),
  interval_s: whole(5, 86_400, 'Seconds between two checks of one place. Default: 60.'),
  timeout_s: whole(1, 60, 'Seconds that a check may take. Default: 10, at most half the interval.'),
  retries: whole(0, 20, 'Failures after the first until a place says down. Default: 2.'),
  retry_s: whole(5, 3_600, 'Seconds between these. Default: 20.'),
  recover_after: whole(1, 20, 'Good results until a place says up again. Default: 1.'),
  places: optional(PlacesSchema),
  down_when: whole(
    1,
    100,
    'Places that must say down. Default: more than half of those that know.',
  ),
  condition: optional(
    Type.String({
      minLength: 1,
      maxLength: 2_000,
      description: 'Condition in CEL under which a check is good. Default: that of its kind.',
    }),
  ),
  upside_down: optional(Type.Boolean({ description: 'True: it is good when the check fails.' })),
  parent: optional(
    Type.String({ maxLength: 80, description: 'Monitor through which this one is reached.' }),
  ),
  severity: optional(Type.Enum([...SEVERITIES], { description: 'Default: `critical`.' })),
  public_name: optional(
    Type.String({ maxLength: 80, description: 'Name on status pages. Default: `name`.' }),
  ),
  enable: optional(Type.Boolean({ description: 'Default: true.' })),
  note: optional(Type.String({ maxLength: 2_000 })),
};

export const NewMonitor = Type.Object(
  { name: MonitorName, kind: KindWord, spec: SpecSchema, ...members },
  closed,
);
/** Members that are absent stay as they are; null takes the default. */
export const MonitorChange = Type.Object(
  {
    ...{ name: Type.Optional(MonitorName), spec: Type.Optional(SpecSchema), ...members },
    renew_key: optional(
      Type.Boolean({
        description: 'True: the heartbeat gets another key, and its addresses end. Default: false.',
      }),
    ),
  },
  closed,
);

const FieldAnswer = Type.Object({
  name: Type.String(),
  title: Type.String(),
  type: Type.Enum(['text', 'url', 'number', 'boolean', 'choice', 'list', 'multiline']),
  required: Type.Boolean(),
  secret: Type.Boolean(),
  choices: Type.Optional(Type.Array(Type.String())),
  default: Type.Optional(Type.Unknown()),
  example: Type.Optional(Type.String()),
  help: Type.Optional(Type.String()),
});

export const KindAnswer = Type.Object({
  kind: KindWord,
  title: Type.String(),
  summary: Type.String(),
  fields: Type.Array(FieldAnswer),
});

export const StateWord = Type.Enum(['up', 'degraded', 'down', 'unknown', 'paused'], {
  description:
    '`degraded`: some places say down, fewer than are needed. `unknown`: no place knows. `paused`: it is switched off, or a maintenance window pauses it.',
});
export const PlaceWord = Type.Enum(['up', 'suspect', 'down', 'unknown']);

export const VerdictAnswer = Type.Object({
  state: StateWord,
  since: Time(),
  up: Type.Integer({ description: 'Places that say up.' }),
  down: Type.Integer(),
  unknown: Type.Integer(),
  detail: Type.String({ description: 'Why it is down.' }),
});

export const PlaceAnswer = Type.Object({
  place: Type.String({ description: '`server`, or the UUID of an agent.' }),
  state: PlaceWord,
  since: Time(),
  last_at: Time(),
  ms: OrNull(Type.Number()),
  code: OrNull(Type.Integer()),
  detail: Type.String(),
  problem: OrNull(Type.String({ description: 'Why the agent does not check it.' })),
});

export const MonitorAnswer = Type.Object({
  id: Type.Integer(),
  name: MonitorName,
  kind: KindWord,
  spec: SpecSchema,
  secret: Type.Record(Type.String(), Type.Object({ set: Type.Boolean() }), {
    description: 'Which secret fields are set.',
  }),
  group: OrNull(Type.String()),
  tags: Type.Array(Type.String()),
  interval_s: Type.Integer(),
  timeout_s: Type.Integer(),
  retries: Type.Integer(),
  retry_s: Type.Integer(),
  recover_after: Type.Integer(),
  places: Type.Object({
    server: Type.Boolean(),
    agents: Type.Optional(Type.Array(Type.String())),
    tags: Type.Optional(Type.Array(Type.String())),
    pick: Type.Optional(Type.Integer()),
  }),
  down_when: OrNull(Type.Integer()),
  condition: OrNull(Type.String()),
  upside_down: Type.Boolean(),
  parent: OrNull(Type.String()),
  severity: Type.Enum([...SEVERITIES]),
  public_name: OrNull(Type.String()),
  enable: Type.Boolean(),
  note: Type.String(),
  owner: OrNull(
    Type.String({ description: 'Key of the token that wrote it; null: the Super Token.' }),
  ),
  imported_from: OrNull(Type.String()),
  created_at: Time(),
  updated_at: Time(),
  problem: OrNull(Type.String({ description: 'Why it does not run.' })),
  verdict: VerdictAnswer,
  paused_by: OrNull(
    Type.Object({
      window: Type.String({ description: 'Empty: the caller may not see it.' }),
      until: Time(),
    }),
  ),
  ping_url: OrNull(
    Type.String({
      description:
        'Address that the job of a heartbeat calls; a path where the server knows no address of its own. Null: it is no heartbeat, the caller may not `write` it, or its key is not readable here.',
    }),
  ),
  push_url: OrNull(
    Type.String({ description: 'The same for clients that call `/push/KEY?status=up`.' }),
  ),
});

export const LastAnswer = Type.Object({
  at: Time(),
  place: Type.String(),
  text: Type.String({ description: 'Its beginning, at most 300 characters.' }),
});

/** A monitor in a list: no settings beyond what a row shows. */
export const MonitorRow = Type.Object({
  id: Type.Integer(),
  name: MonitorName,
  kind: KindWord,
  target: Type.String({ description: 'What is checked, as people read it.' }),
  group: OrNull(Type.String()),
  tags: Type.Array(Type.String()),
  interval_s: Type.Integer(),
  enable: Type.Boolean(),
  state: StateWord,
  since: Time(),
  detail: Type.String(),
  ms: OrNull(Type.Number({ description: 'Time of the newest check, the fastest place.' })),
  not_after: OrNull(Time('Unix ms at which its certificate ends.')),
  last_at: OrNull(
    Time(
      'Unix ms of the newest result or call; of a heartbeat that was never called: from when on it is awaited.',
    ),
  ),
  recent: Type.String({
    description:
      'The last 30 outcomes, the newest last: `u` up, `d` failed, `?` unknown, one letter each.',
  }),
  uptime: OrNull(Type.Number({ description: 'Per cent of the last 24 hours.' })),
});

export const ResultAnswer = Type.Object({
  at: Time(),
  place: Type.String(),
  ok: OrNull(Type.Boolean()),
  ms: OrNull(Type.Number()),
  code: OrNull(Type.Integer()),
  detail: OrNull(Type.String()),
});

export const OutageAnswer = Type.Object({
  from: Time(),
  to: OrNull(Time()),
  cause: Type.String(),
  places: Type.Array(Type.String()),
});

const Inspected = {
  valid: Type.Boolean(),
  reason: OrNull(Type.String({ description: 'Why it is not valid.' })),
  protocol: OrNull(Type.String()),
  names: Type.Array(Type.String()),
  chain: Type.Array(
    Type.Object({
      subject: Type.String(),
      issuer: Type.String(),
      not_before: Type.Integer(),
      not_after: Type.Integer(),
      fingerprint: Type.String({ description: 'SHA-256.' }),
    }),
    { description: 'The own certificate first.' },
  ),
  missing: Type.Array(Type.String(), { description: 'Issuers that should have been served.' }),
};

export const CertificateAnswer = Type.Object({
  place: Type.String(),
  at: Time('Unix ms at which it was seen first.'),
  ...Inspected,
});

export const TryAnswer = Type.Object({
  ok: Type.Boolean(),
  ms: OrNull(Type.Number()),
  code: OrNull(Type.Integer()),
  detail: OrNull(Type.String({ description: 'Why it is not good.' })),
  values: Type.Record(Type.String(), Type.Unknown(), {
    description: 'What was measured: the variables of its condition. Long ones are left out.',
  }),
  sample: OrNull(Type.String({ description: 'Beginning of the answer.' })),
  certificate: OrNull(Type.Object(Inspected)),
});

export const UptimeAnswer = Type.Object({
  from: Time(),
  to: Time(),
  uptime: OrNull(
    Type.Number({ description: 'Per cent, never rounded up; null: less than half is known.' }),
  ),
  coverage: Type.Number({ description: 'Share of the time that is known.' }),
  up_s: Type.Number(),
  degraded_s: Type.Number(),
  down_s: Type.Number(),
  unknown_s: Type.Number(),
  paused_s: Type.Number(),
});
