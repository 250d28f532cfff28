import { countingIn, type Kernel } from '@svc/plugin-sdk';
import type { Config } from '../config.ts';
import { isChecked } from '../engine/checked.ts';
import { AgentStore } from './agents.ts';
import { AnswerStore } from './answers.ts';
import { CertificateStore } from './certificates.ts';
import { untilMissed } from './hours.ts';
import { IsolatedStore } from './isolated.ts';
import { LatencyStore } from './latency.ts';
import { MonitorStore } from './monitors.ts';
import { OutageStore } from './outages.ts';
import type { PackedMonitor } from './packer.ts';
import { ResultStore } from './results.ts';
import { StateStore } from './states.ts';
import { UptimeStore } from './uptime.ts';
import { VerdictStore } from './verdicts.ts';

export type Stores = ReturnType<typeof openStores>;

/** Opens the tables of the plugin. */
export function openStores(kernel: Kernel<Config>) {
  const { clock, db } = kernel;
  const results = new ResultStore(db, clock);
  return {
    monitors: new MonitorStore(db, countingIn(kernel), clock),
    states: new StateStore(db, clock),
    verdicts: new VerdictStore(db, clock),
    results,
    latency: new LatencyStore(db, results),
    outages: new OutageStore(db),
    uptime: new UptimeStore({ db, clock, coverEnd }),
    certificates: new CertificateStore(db),
    isolatedServers: new IsolatedStore(db),
    agents: new AgentStore(db),
    answers: new AnswerStore(db),
  };
}

/** Returns how long a result of a monitor says something; what is called, and groups, do without results. */
export const coverEnd = ({ kind, interval_s }: PackedMonitor) =>
  isChecked(kind) ? untilMissed(interval_s) : 'always';
