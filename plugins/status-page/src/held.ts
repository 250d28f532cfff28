import type { HoldingKind } from '@svc/plugin-sdk';

/** Pages count for the token that wrote them last. */
export const pagesHeld = (config: {
  readonly max_pages: number;
  readonly max_pages_per_owner: number;
}): HoldingKind => ({
  kind: 'status-page',
  plural: 'status pages',
  rows: 'select owner, octet_length(settings) + coalesce(octet_length(logo), 0) as bytes from status_page',
  limits: () => ({
    rows: { most: config.max_pages_per_owner, key: 'max_pages_per_owner under [status-page]' },
    shared: { most: config.max_pages, key: 'max_pages under [status-page]' },
  }),
});
