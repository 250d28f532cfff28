import type { HoldingKind, HoldingLimits } from '@svc/plugin-sdk';
import { HELD_POLICIES } from './policies/store.ts';
import { HELD_SILENCES } from './silences/store.ts';
import { HELD } from './store/rules.ts';
import { HELD_WINDOWS } from './windows/store.ts';

/** Part of what all tokens may have together that one token may have, with those that it created. */
const SHARE = 4;

/** Limits of a token and of all tokens together; the Super Token has room of its own. */
const limitsOf = (most: number, key: string): HoldingLimits => ({
  rows: {
    most: Math.ceil(most / SHARE),
    key: `${key} under [alert], of which a token has a quarter,`,
  },
  shared: { most, key: `${key} under [alert]` },
});

/** Rules count for the token that wrote them last. */
export const rulesHeld = (config: { readonly max_rules: number }): HoldingKind => ({
  kind: HELD,
  plural: 'alert rules',
  rows: `select owner, octet_length(condition) + octet_length(scope) + octet_length(summary) as bytes from alert_rule
    where deleted = 0`,
  limits: () => limitsOf(config.max_rules, 'max_rules'),
});

export interface SettingsLimits {
  readonly max_silences: number;
  readonly max_windows: number;
  readonly max_policies: number;
}

/** Silences, windows and policies count for the token that wrote them last; silences until they end. */
export const settingsHeld = (config: SettingsLimits, now: () => number): readonly HoldingKind[] => [
  {
    kind: HELD_SILENCES,
    plural: 'silences',
    remedy: 'end some',
    get rows() {
      return `select owner, octet_length(scope) as bytes from alert_silence where ends_at > ${Math.trunc(now())}`;
    },
    limits: () => limitsOf(config.max_silences, 'max_silences'),
  },
  {
    kind: HELD_WINDOWS,
    plural: 'maintenance windows',
    rows: 'select owner, octet_length(scope) as bytes from alert_window',
    limits: () => limitsOf(config.max_windows, 'max_windows'),
  },
  {
    kind: HELD_POLICIES,
    plural: 'alert policies',
    rows: 'select owner, octet_length(steps) as bytes from alert_policy',
    limits: () => limitsOf(config.max_policies, 'max_policies'),
  },
];
