import { SEVERITIES } from '@svc/plugin-notify/api';
import type { Alert, Rule } from '../types.ts';

/** Returns the rule with the severity of one alert: that of an alert about a monitor is at most the monitor's, as it was at the opening. */
export const asSevere = <R extends Pick<Rule, 'severity'>>(
  rule: R,
  { detail: { severity = 'critical' } }: Pick<Alert, 'detail'>,
): R =>
  SEVERITIES.indexOf(severity) < SEVERITIES.indexOf(rule.severity) ? { ...rule, severity } : rule;
