import type { Holdings } from '@svc/plugin-sdk';
import type { TokenConfig } from '../config.ts';

export { TokenHoldings } from './service.ts';

/** Registers tokens as a kind: they count for the token that created them. */
export function registerTokens(
  holdings: Holdings,
  config: Pick<TokenConfig, 'max_children' | 'max_child_bytes'>,
): void {
  holdings.register({
    kind: 'token',
    plural: 'tokens',
    rows: 'select parent as owner, held_bytes as bytes from token where id <> 1',
    limits: () => ({
      rows: { most: config.max_children, key: 'max_children under [token]' },
      bytes: {
        most: config.max_child_bytes || Number.POSITIVE_INFINITY,
        key: 'max_child_bytes under [token]',
      },
    }),
  });
}
