import type { HoldingKind } from '@svc/plugin-sdk';

export const KIND = 'channel';

/** Channels count for the token that wrote them last. */
export const channelsHeld = (config: { readonly max_channels: number }): HoldingKind => ({
  kind: KIND,
  plural: 'channels',
  rows: 'select owner, octet_length(config) + coalesce(octet_length(secret), 0) as bytes from channel',
  limits: () => ({ shared: { most: config.max_channels, key: 'max_channels under [notify]' } }),
});
