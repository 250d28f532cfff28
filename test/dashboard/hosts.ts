/** Static reports of simulated machines, by which they have host names. */
import type { TestApp } from '@svc/plugin-sdk/testing';
import { staticReport } from '../protocol/agent-kit.ts';

let reports = 0;

/** The machine reports, as new, that its system calls it so. */
export async function reportHost(app: TestApp, uuid: string, host_name: string): Promise<void> {
  const report = staticReport({ uuid, time: Date.now() + reports++ });
  const system = { ...report.system, system_host_name: host_name };
  const data_hash = Array.from(Buffer.from(`${reports} ${host_name}`));
  await app.call('agent_report_static', [app.superToken, { ...report, system, data_hash }]);
}
