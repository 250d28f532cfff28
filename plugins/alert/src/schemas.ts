import { SEVERITIES } from '@svc/plugin-notify/api';
import { optional, Type, Uuid } from '@svc/plugin-sdk';
import { EVENT_KINDS, SOURCES } from './types.ts';
import {
  closed,
  LabelName,
  Line,
  Name,
  Names,
  OrNull,
  Seconds,
  SeverityWord,
  Text,
  Time,
} from './wire.ts';

export { Name, SeverityWord, Time } from './wire.ts';

export const Scope = Type.Object(
  {
    all: Type.Optional(Type.Literal(true, { description: 'All that the owner may read.' })),
    agents: Type.Optional(Type.Array(Uuid, { maxItems: 1_000 })),
    tags: Type.Optional(Names('Machines, or monitors, with one of these tags.')),
    monitors: Type.Optional(Names('Monitors, by name or as `shop*`; for the source `monitor`.')),
  },
  { ...closed, description: '`{"all": true}`, or lists of which one must match.' },
);

export const MatcherSchema = Type.Object(
  {
    rules: Type.Optional(Names('Rules, by name.')),
    agents: Type.Optional(Type.Array(Uuid, { maxItems: 1_000 })),
    tags: Type.Optional(Names('Machines and monitors with one of these tags.')),
    monitors: Type.Optional(Names('Monitors, by name or as `shop*`.')),
    severity: Type.Optional(SeverityWord),
  },
  {
    ...closed,
    minProperties: 1,
    description:
      'All kinds that are present must match, names within a kind are alternatives; `severity` matches it and lower ones.',
  },
);

const Condition = Text({
  minLength: 1,
  maxLength: 2_000,
  description: 'Condition in CEL, for example `cpu_usage > 90`.',
});

const ruleMembers = {
  scope: Scope,
  condition: Condition,
  clear: optional(
    Text({
      minLength: 1,
      maxLength: 2_000,
      description:
        'Condition under which an open alert ends. Default: that `condition` does not hold.',
    }),
  ),
  for_s: optional(Seconds(86_400, 'Seconds for which it must hold before it opens. Default: 0.')),
  clear_for_s: optional(Seconds(86_400, 'Seconds for which `clear` must hold. Default: 0.')),
  severity: optional(Type.Enum([...SEVERITIES], { description: 'Default: `warning`.' })),
  enable: optional(Type.Boolean({ description: 'Default: true.' })),
  notify: optional(
    Type.Boolean({
      description: 'False: it shows in the dashboard and is not sent. Default: true.',
    }),
  ),
  policy: optional(Line({ maxLength: 80, description: 'Default: `default`.' })),
  repeat_s: optional(
    Seconds(604_800, 'Seconds until it is told again; 0: never. Default: as the policy says.'),
  ),
  summary: optional(
    Text({
      maxLength: 500,
      description:
        'Text with `{{subject.name}}`, `subject.id`, `subject.tags`, `part`, `rule`, `severity`, `value`, `threshold`, `since`, `duration`, `labels.NAME`, for the source `monitor` `monitor.kind`, `monitor.target`, `monitor.group`, `monitor.places`, `monitor.detail`, and filters as in `{{since|date:Europe/Berlin}}`; times and durations are told in the language of the channel, and in its zone where they name none.',
    }),
  ),
  runbook: optional(Line({ maxLength: 500, description: 'Address of instructions.' })),
  labels: optional(
    Type.Record(LabelName, Line({ maxLength: 200 }), {
      ...closed,
      maxProperties: 20,
    }),
  ),
};

export const SourceWord = Type.Enum([...SOURCES], {
  description:
    '`machine`: values of summaries. `part`: disks, cards, interfaces. `presence`: silence. `event`: events of agents. `server`: this server. `monitor`: what monitors say.',
});

export const NewRule = Type.Object({ name: Name, source: SourceWord, ...ruleMembers }, closed);
/** Members that are absent stay as they are; null takes the default. */
export const RuleChange = Type.Object(
  {
    name: Type.Optional(Name),
    ...ruleMembers,
    scope: Type.Optional(Scope),
    condition: Type.Optional(Condition),
  },
  closed,
);

export const RuleAnswer = Type.Object({
  id: Type.Integer(),
  name: Name,
  source: SourceWord,
  scope: Scope,
  condition: Condition,
  clear: OrNull(Type.String()),
  for_s: Type.Integer(),
  clear_for_s: Type.Integer(),
  severity: SeverityWord,
  enable: Type.Boolean(),
  notify: Type.Boolean(),
  policy: OrNull(Type.String()),
  repeat_s: OrNull(Type.Integer()),
  summary: Type.String(),
  runbook: Type.String(),
  labels: Type.Record(Type.String(), Type.String()),
  shipped: OrNull(Type.String({ description: 'Id of the default rule it came from.' })),
  owner: OrNull(
    Type.String({ description: 'Key of the token that wrote it; null: the Super Token.' }),
  ),
  updated_at: Time(),
  problem: OrNull(Type.String({ description: 'Reason that it does not run; null: it runs.' })),
  open: Type.Integer({ description: 'Open alerts.' }),
});

export const Subject = Type.Object({
  kind: Type.Enum(['agent', 'monitor', 'server', 'channel']),
  id: Type.String(),
  name: Type.String(),
});

export const AlertAnswer = Type.Object({
  id: Type.Integer(),
  rule: Name,
  rule_id: Type.Integer(),
  severity: SeverityWord,
  state: Type.Enum(['pending', 'open', 'clearing', 'closed']),
  subject: Subject,
  part: Type.String(),
  episode: Type.Integer(),
  since: Time(),
  opened_at: OrNull(Time()),
  closed_at: OrNull(Time()),
  value: OrNull(Type.Number()),
  value_text: Type.String({ description: 'The value as people read it: `96.2 %`.' }),
  threshold: Type.String({ description: 'Threshold of the rule as people read it: `> 90`.' }),
  summary: Type.String(),
  acked_by: OrNull(Type.String()),
  acked_at: OrNull(Time()),
  acked_until: OrNull(Time()),
  ack_note: OrNull(Type.String()),
  hidden_by: OrNull(
    Type.Object(
      { kind: Type.Enum(['silence', 'window', 'subject', 'frozen']), name: Type.String() },
      { description: 'Reason that nothing is sent now: a silence, a window, another alert.' },
    ),
  ),
  told: Type.Array(Type.String(), { description: 'Channels that heard of it.' }),
  flapping: Type.Boolean(),
  below: Type.Integer({ description: 'Alerts that this one suppresses.' }),
});

export const EventAnswer = Type.Object({
  id: Type.Integer(),
  alert_id: Type.Integer(),
  rule: Type.String(),
  severity: SeverityWord,
  subject: Subject,
  part: Type.String(),
  episode: Type.Integer(),
  at: Time(),
  kind: Type.Enum([...EVENT_KINDS]),
  by: OrNull(Type.String()),
  detail: Type.Record(Type.String(), Type.Unknown()),
});

const Delivery = Type.Object({
  event_id: Type.Integer(),
  channel: Type.String(),
  state: Type.Enum(['waiting', 'sent', 'dropped', 'merged']),
  created_at: Time(),
  sent_at: OrNull(Time()),
  status: OrNull(Type.Integer()),
  tries: Type.Integer(),
});

export const AlertPage = Type.Object({
  alert: AlertAnswer,
  rule: OrNull(RuleAnswer),
  events: Type.Array(EventAnswer),
  deliveries: Type.Array(Delivery),
});

export const NewSilence = Type.Object(
  {
    scope: MatcherSchema,
    reason: Line({ minLength: 1, maxLength: 300 }),
    starts_at: optional(Time('Unix ms. Default: now.')),
    ends_at: Time('Unix ms, at most a year from now.'),
  },
  closed,
);
export const SilenceAnswer = Type.Object({
  id: Type.Integer(),
  scope: MatcherSchema,
  reason: Type.String(),
  created_by: OrNull(Type.String()),
  created_at: Time(),
  starts_at: Time(),
  ends_at: Time(),
  ended_by: OrNull(Type.String()),
  hides: Type.Integer({ description: 'Open alerts that it hides now.' }),
});

const windowMembers = {
  scope: MatcherSchema,
  zone: optional(Line({ maxLength: 64, description: 'IANA zone of `cron`. Default: `UTC`.' })),
  once: optional(Type.Object({ from: Time(), to: Time() }, closed)),
  cron: optional(Line({ maxLength: 120, description: 'Begin as a cron line of five fields.' })),
  duration_s: optional(
    Type.Integer({
      minimum: 60,
      maximum: 604_800,
      description: 'Seconds it lasts.',
    }),
  ),
  effect: optional(
    Type.Enum(['quiet', 'pause'], {
      description:
        '`quiet`: nothing is sent. `pause`: nothing is checked, either. Default: `quiet`.',
    }),
  ),
  public: optional(Names('Slugs of the status pages that show it.')),
  enable: optional(Type.Boolean({ description: 'Default: true.' })),
};
export const NewWindow = Type.Object({ name: Name, ...windowMembers }, closed);
export const WindowChange = Type.Object(
  { name: Type.Optional(Name), ...windowMembers, scope: Type.Optional(MatcherSchema) },
  closed,
);
export const WindowAnswer = Type.Object({
  id: Type.Integer(),
  name: Name,
  scope: MatcherSchema,
  zone: Type.String(),
  once: OrNull(Type.Object({ from: Time(), to: Time() })),
  cron: OrNull(Type.String()),
  duration_s: OrNull(Type.Integer()),
  effect: Type.Enum(['quiet', 'pause']),
  public: Type.Array(Type.String()),
  enable: Type.Boolean(),
  active: Type.Boolean(),
  next: Type.Array(Type.Tuple([Time(), Time()]), { description: 'The next five, `[from, to]`.' }),
});
