import type { Methods } from '@svc/client';
import type { Server } from '../../frame/index.ts';
import type { Probe } from '../../parts/probe/index.ts';

type NewMonitor = Methods['monitor_create']['params']['monitor'];

const USUAL_S = 60;
const LEAST_S = 10;

/** Seconds between two runs of a cron line of six fields that is regular; else a minute. */
export function intervalOf(expression: string): number {
  const [second = '', minute = '', hour = '', ...days] = expression.trim().split(/\s+/);
  if (days.some((one) => one !== '*')) return USUAL_S;
  const every = (field: string): number | undefined => {
    const step = /^(?:\*|0)\/(\d+)$/.exec(field)?.[1];
    return field === '*' ? 1 : step === undefined ? undefined : Number(step);
  };
  const isOnce = (field: string) => /^\d+$/.test(field);
  const seconds = hour === '*' && minute === '*' ? every(second) : undefined;
  if (seconds !== undefined) return Math.max(LEAST_S, seconds);
  const minutes = hour === '*' && isOnce(second) ? every(minute) : undefined;
  if (minutes !== undefined) return minutes * 60;
  const hours = isOnce(second) && isOnce(minute) ? every(hour) : undefined;
  return hours === undefined ? USUAL_S : Math.min(hours, 24) * 3_600;
}

/** Returns the kind and the fields that measure what the probe does. */
function checkOf({ kind, target }: Probe): Pick<NewMonitor, 'kind' | 'spec' | 'condition'> {
  if (kind === 'ping') return { kind: 'ping', spec: { host: target } };
  // Any status was an answer.
  if (kind === 'http_ping') return { kind: 'http', spec: { url: target }, condition: 'true' };
  const colon = target.lastIndexOf(':');
  const host = target.slice(0, colon).replace(/^\[|\]$/g, '');
  return { kind: 'tcp', spec: { host, port: Number(target.slice(colon + 1)) } };
}

/** Tells whether a job makes the probe, so that a monitor can take its place. */
export const isTurnable = ({ jobs }: Probe): boolean => jobs.length > 0;

/** Makes a monitor of a probe, and then switches off the jobs that made it. @returns the name of the monitor */
export async function turnIntoMonitor({ call }: Server, probe: Probe): Promise<string> {
  const [name = probe.target] = probe.jobs;
  const jobs = await call('crontab_get');
  const job = jobs.find((one) => one.name === name);
  const interval_s = intervalOf(job?.cron_expression ?? '');
  await call('monitor_create', {
    monitor: {
      ...{ name: name.slice(0, 80), ...checkOf(probe), interval_s },
      places: { server: false, agents: [...probe.agents] },
    },
  });
  for (const one of probe.jobs) await call('crontab_set_enable', { name: one, enable: false });
  return name;
}

/** Tells whether the token may make monitors and change jobs. */
export const mayTurn = ({ has, holds }: Server): boolean =>
  has('monitor') && has('crontab') && holds('monitor', 'write') && holds('crontab', 'write');
