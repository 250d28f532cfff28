import { fileOnly, reload, type Static, type TSchema, Type } from '@svc/plugin-sdk';

const on = <T extends TSchema>(schema: T): T => fileOnly(reload(schema));

/** Section `[notify]`. */
export const config = Type.Object({
  allow_private: on(
    Type.Array(Type.String({ minLength: 1 }), {
      default: [],
      description:
        'Private addresses that channels of tokens may reach: `IP`, `NETWORK/BITS` or `NAME`, each with or without `:PORT`. Those of the Super Token reach all.',
    }),
  ),
  key_file: fileOnly(
    Type.String({
      minLength: 1,
      default: 'secrets.key',
      description: 'Key of the secrets of channels; beside the configuration unless absolute.',
    }),
  ),
  public_url: on(
    Type.String({
      default: '',
      maxLength: 300,
      description:
        'Address of the dashboard, for links in messages; empty: of the page on which the first channel was made.',
    }),
  ),
  keep_days: reload(
    Type.Integer({
      minimum: 1,
      maximum: 3_650,
      default: 30,
      description: 'Days that messages are kept after they were sent or dropped.',
    }),
  ),
  max_per_minute: reload(
    Type.Integer({
      minimum: 1,
      maximum: 10_000,
      default: 100,
      description: 'Messages a minute over all channels; further ones wait.',
    }),
  ),
  give_up_h: reload(
    Type.Integer({
      minimum: 1,
      maximum: 720,
      default: 24,
      description: 'Hours after which a message that could not be sent is dropped.',
    }),
  ),
  max_channels: reload(
    Type.Integer({
      minimum: 0,
      maximum: 1_000,
      default: 100,
      description:
        'Channels that all tokens together may have, one token a quarter of it, and as many again the Super Token.',
    }),
  ),
});

export type Config = Static<typeof config>;
