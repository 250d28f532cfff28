import type { HoldingKind } from '@svc/plugin-sdk';
import { HELD } from './store/rules.ts';

/** Rules count for the token that wrote them last. */
export const rulesHeld = (config: { readonly max_rules: number }): HoldingKind => ({
  kind: HELD,
  plural: 'alert rules',
  rows: `select owner, octet_length(condition) + octet_length(scope) + octet_length(summary) as bytes from alert_rule
    where deleted = 0`,
  limits: () => ({ shared: { most: config.max_rules, key: 'max_rules under [alert]' } }),
});
