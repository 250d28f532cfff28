import { optional, Type, Uuid } from '@svc/plugin-sdk';
import { IMPACTS, LANGUAGES } from './page.ts';

/** Entries of one page. */
export const MOST_ENTRIES = 40;
/** Incidents of one page that are public, and as many that are not; the oldest go. */
export const MOST_INCIDENTS = 100;
/** Base64 of the largest logo, 64 KiB. */
const LOGO_TEXT = Math.ceil(65_536 / 3) * 4;

export const Slug = Type.String({
  pattern: '^[a-z0-9]+(?:-[a-z0-9]+)*$',
  maxLength: 40,
  description: 'Name of the page in its address: small letters, digits and hyphens, at most 40.',
});
const Color = Type.String({ pattern: '^#[0-9a-fA-F]{6}$', description: '`#rrggbb`' });
const Time = Type.Integer({ minimum: 0, maximum: 4_102_444_800_000, description: 'Unix ms.' });
const closed = { additionalProperties: false } as const;

const Probe = Type.Object(
  {
    type: Type.Enum(['ping', 'tcp_ping', 'http_ping']),
    target: Type.String({ minLength: 1, maxLength: 500, description: 'As the tasks name it.' }),
    job: optional(Type.String({ maxLength: 200, description: 'Only tasks of this job.' })),
  },
  closed,
);

const minutes = (most: number, description: string) =>
  optional(Type.Integer({ minimum: 0, maximum: most, description }));

const AutoIncident = Type.Object(
  {
    as: Type.Enum(['draft', 'publish'], {
      description: 'A draft shows to those only who edit the page.',
    }),
    after_minutes: minutes(1_440, 'Minutes that the outage has to last. Default: 5.'),
    reopen_minutes: minutes(
      10_080,
      'Minutes after its end in which the next outage goes on with the same incident. Default: 30.',
    ),
    title: optional(
      Type.String({ maxLength: 120, description: 'Default: the name, and that it is down.' }),
    ),
    text: optional(Type.String({ maxLength: 500, description: 'Plain text. Default: none.' })),
  },
  closed,
);

const Entry = Type.Object(
  {
    name: optional(
      Type.String({
        minLength: 1,
        maxLength: 80,
        description: 'What readers see. Default, of a monitor only: its public name.',
      }),
    ),
    agent: Type.Optional(Uuid),
    probe: optional(Probe),
    monitor: optional(
      Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'Id of a monitor, in the place of an agent.',
      }),
    ),
    auto_incident: optional(AutoIncident),
    group: optional(Type.String({ maxLength: 60, description: 'Heading over the entry.' })),
    key: optional(
      Type.String({
        pattern: '^[a-z0-9-]{1,20}$',
        description: 'Names the entry in addresses of badges. Default: a number.',
      }),
    ),
  },
  closed,
);

const settings = {
  description: optional(Type.String({ maxLength: 300 })),
  language: optional(
    Type.Enum(['auto', ...LANGUAGES], { description: 'Default: as the browser asks.' }),
  ),
  url: optional(Type.String({ maxLength: 200, description: 'Public address, for feeds.' })),
  accent: optional(Color),
  banner: optional(Color),
  zone: optional(
    Type.String({ maxLength: 64, description: 'Time zone of the days of monitors. Default: UTC.' }),
  ),
  logo: optional(
    Type.String({
      maxLength: LOGO_TEXT,
      description: 'Base64 of a PNG, JPEG, WebP or SVG, at most 64 KiB.',
    }),
  ),
};
const Title = Type.String({ minLength: 1, maxLength: 80 });
const Entries = Type.Array(Entry, { maxItems: MOST_ENTRIES });

export const NewPage = Type.Object({ title: Title, entries: Entries, ...settings }, closed);
/** Members that are absent stay as they are; null takes the default. */
export const PageChange = Type.Object(
  { title: Type.Optional(Title), entries: Type.Optional(Entries), ...settings },
  closed,
);

export const PageAnswer = Type.Object({
  slug: Slug,
  page: NewPage,
  owner: Type.Optional(
    Type.String({ description: 'Key of the token that wrote it; absent: the Super Token.' }),
  ),
  monitors: Type.Optional(
    Type.Array(
      Type.Object({
        key: Type.String({ description: 'Key of the entry.' }),
        state: Type.Enum(['shown', 'asleep', 'gone', 'denied'], {
          description:
            '`asleep`: no plugin `monitor` here; `gone`: deleted; `denied`: the owner may not read it.',
        }),
      }),
      {
        description:
          'Entries that show monitors, and whether readers see them; absent: there are none.',
      },
    ),
  ),
  updated_at: Time,
});

const incident = {
  title: Type.String({ minLength: 1, maxLength: 120 }),
  text: optional(Type.String({ maxLength: 1_000, description: 'Plain text.' })),
  impact: optional(Type.Enum([...IMPACTS], { description: 'Default: `notice`.' })),
  begins_at: optional(Type.Integer({ ...Time, description: 'Unix ms. Default: now.' })),
  ends_at: optional(Type.Integer({ ...Time, description: 'Unix ms; null: it goes on.' })),
  draft: optional(
    Type.Boolean({ description: 'Tells that readers do not see it. Default: false.' }),
  ),
};
export const NewIncident = Type.Object(incident, closed);
/** Members that are absent stay as they are; null takes the default. */
export const IncidentChange = Type.Object(
  { ...incident, title: Type.Optional(incident.title) },
  closed,
);

export const IncidentAnswer = Type.Object({
  id: Type.Integer(),
  title: Type.String(),
  text: Type.String(),
  impact: Type.Enum([...IMPACTS]),
  begins_at: Time,
  ends_at: Type.Union([Time, Type.Null()]),
  updated_at: Time,
  draft: Type.Optional(Type.Literal(true, { description: 'Readers do not see it.' })),
  auto: Type.Optional(Type.Literal(true, { description: 'An outage made it, and ends it.' })),
});
