import type { HoldingKind } from '@svc/plugin-sdk';

export const KIND = 'channel';
export const TEXTS = 'text';

/** Part of what all tokens may have together that one token may have, with those that it created. */
const SHARE = 4;
/** Texts of one token that may wait, and of all tokens together; the Super Token has as much room as all. */
const MOST_TEXTS = 1_000;
const MOST_TEXTS_OF_ALL = 10_000;

/** Channels count for the token that wrote them last. */
export const channelsHeld = (config: { readonly max_channels: number }): HoldingKind => ({
  kind: KIND,
  plural: 'channels',
  rows: 'select owner, octet_length(config) + coalesce(octet_length(secret), 0) as bytes from channel',
  limits: () => ({
    rows: {
      most: Math.ceil(config.max_channels / SHARE),
      key: 'max_channels under [notify], of which a token has a quarter,',
    },
    shared: { most: config.max_channels, key: 'max_channels under [notify]' },
  }),
});

/** Texts that wait count for the token that sent them. */
export const textsHeld: HoldingKind = {
  kind: TEXTS,
  plural: 'texts that wait',
  rows: `select nullif(owner, '') as owner, 0 as bytes from notify_outbox where state = 0 and priority = 3`,
  limits: () => ({
    rows: { most: MOST_TEXTS, key: 'this server' },
    shared: { most: MOST_TEXTS_OF_ALL, key: 'this server' },
  }),
  remedy: 'wait until some are sent',
};
