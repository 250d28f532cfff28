import { optional, Type } from '@svc/plugin-sdk';
import { SEVERITIES } from './severity.ts';
import { LANGUAGES } from './words/language.ts';

export { LANGUAGES };

const closed = { additionalProperties: false } as const;
const Time = (description: string) => Type.Integer({ minimum: 0, description });

export const ChannelName = Type.String({
  pattern: '^(?![._-])[A-Za-z0-9._-]{0,63}[A-Za-z0-9]$',
  description: 'Name of the channel: letters, digits, `.`, `_` and `-`, at most 64.',
});

const Values = (description: string) =>
  Type.Record(Type.String({ maxLength: 64 }), Type.Unknown(), { description, maxProperties: 32 });

const common = {
  config: Values('Fields of the kind that are no secret (`channel_kinds`).'),
  secret: optional(Values('Secret fields of the kind. They are stored sealed and never answered.')),
  language: optional(Type.Enum([...LANGUAGES], { description: 'Default: `en`.' })),
  zone: optional(
    Type.String({ maxLength: 64, description: 'IANA time zone of its messages. Default: `UTC`.' }),
  ),
  enable: optional(Type.Boolean({ description: 'Default: true.' })),
};

export const NewChannel = Type.Object(
  { name: ChannelName, kind: Type.String({ maxLength: 32 }), ...common },
  closed,
);

/** Members that are absent stay as they are; a secret field that is null is emptied. */
export const ChannelChange = Type.Object(
  { ...common, config: Type.Optional(common.config) },
  closed,
);

export const ChannelAnswer = Type.Object({
  name: ChannelName,
  kind: Type.String(),
  config: Values('Fields of the kind.'),
  secret: Type.Record(Type.String(), Type.Object({ set: Type.Boolean() }), {
    description: 'The secret fields that are set.',
  }),
  language: Type.Enum([...LANGUAGES]),
  zone: Type.String(),
  enable: Type.Boolean(),
  owner: Type.Optional(
    Type.String({ description: 'Key of the token that wrote it; absent: the Super Token.' }),
  ),
  created_at: Time('Unix ms.'),
  updated_at: Time('Unix ms.'),
  failing_since: Type.Union([Time('Unix ms; null: it works.'), Type.Null()]),
  last_ok_at: Type.Union([Time('Unix ms of the last message that was taken.'), Type.Null()]),
  last_status: Type.Union([Type.Integer(), Type.Null()]),
  last_error: Type.Union([
    Type.String({ description: 'Answer of the receiver, for the owner of the channel only.' }),
    Type.Null(),
  ]),
  sent: Type.Integer(),
  failed: Type.Integer(),
  dropped: Type.Integer(),
  waiting: Type.Integer({ description: 'Messages in the outbox.' }),
  problem: Type.Union([
    Type.String({
      description: 'Reason that it sends nothing: its owner lost the right. null: it sends.',
    }),
    Type.Null(),
  ]),
});

/** One field of a form. */
export const KindField = Type.Object({
  name: Type.String(),
  title: Type.String(),
  type: Type.Enum(['text', 'url', 'number', 'boolean', 'choice', 'list', 'multiline']),
  required: Type.Boolean(),
  secret: Type.Boolean(),
  choices: Type.Optional(Type.Array(Type.String())),
  default: Type.Optional(Type.Unknown()),
  example: Type.Optional(Type.String()),
  help: Type.Optional(Type.String({ description: 'Place where people find the value.' })),
});

export const KindAnswer = Type.Object({
  kind: Type.String(),
  title: Type.String(),
  summary: Type.String(),
  fields: Type.Array(KindField),
  priorities: Type.Optional(
    Type.Record(Type.String(), Type.String(), {
      description: 'Severity → priority that this kind knows.',
    }),
  ),
  example_url: Type.Optional(Type.String({ description: 'URL that fills the form.' })),
});

/** Result of a test, and of the reading of a pasted URL. */
export const TestAnswer = Type.Object({
  ok: Type.Boolean(),
  host: Type.String(),
  status: Type.Union([Type.Integer(), Type.Null()]),
  ms: Type.Number(),
  message: Type.String({
    description: 'Answer of the receiver in words, and the change that helps.',
  }),
});

export const UrlAnswer = Type.Object({
  kind: Type.String(),
  config: Values('Fields of the kind.'),
  secret: Values('Secret fields of the kind, as the URL holds them.'),
});

export const OutboxAnswer = Type.Object({
  id: Type.Integer(),
  channel: ChannelName,
  message_id: Type.String(),
  type: Type.String(),
  title: Type.String(),
  severity: Type.Enum([...SEVERITIES]),
  state: Type.Enum(['waiting', 'sent', 'dropped', 'merged']),
  tries: Type.Integer(),
  due: Time('Unix ms of the next try.'),
  created_at: Time('Unix ms.'),
  sent_at: Type.Union([Time('Unix ms.'), Type.Null()]),
  status: Type.Union([Type.Integer(), Type.Null()]),
  last_error: Type.Union([Type.String(), Type.Null()]),
});
