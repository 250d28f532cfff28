import { SEVERITIES, type Severity } from '@svc/plugin-notify/api';
import type { PlaceState, VerdictState } from './types.ts';

const STATES = ['up', 'suspect', 'down', 'unknown', 'degraded', 'paused'] as const;

/** Returns the word of a verdict. */
export const stateWord = (state: VerdictState) =>
  STATES[state] as Exclude<(typeof STATES)[number], 'suspect'>;

/** Returns the word of what a place says. */
export const placeWord = (state: PlaceState) =>
  STATES[state] as Exclude<(typeof STATES)[number], 'degraded' | 'paused'>;

export const severityNumber = (severity: Severity) => SEVERITIES.indexOf(severity) as 0 | 1 | 2;
