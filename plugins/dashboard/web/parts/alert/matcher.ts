import type { Methods } from '@svc/client';
import type { Alert } from './types.ts';

export type Matcher = Methods['alert_silence_create']['params']['silence']['scope'];

/** Scope of a silence for one alert: its rule, on its machine or monitor. Scopes name nothing else. */
export function matcherOf({ rule, subject }: Pick<Alert, 'rule' | 'subject'>): Matcher {
  const rules = [rule];
  if (subject.kind === 'agent') return { rules, agents: [subject.id] };
  return subject.kind === 'monitor' ? { rules, monitors: [subject.id] } : { rules };
}

/** Beginning of the names that a pattern of monitors stands for (`shop*`); undefined: it is one name. */
export const beginningOf = (monitor: string): string | undefined =>
  monitor.endsWith('*') ? monitor.slice(0, -1) : undefined;

/** Tells whether a list of monitors, of names and of patterns, names this one. */
export const namesMonitor = (monitors: readonly string[], name: string): boolean =>
  monitors.some((one) => {
    const beginning = beginningOf(one);
    return one === name || (beginning !== undefined && name.startsWith(beginning));
  });
