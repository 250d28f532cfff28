import type { Scenario } from '../types.ts';
import { agent } from './agent.ts';
import { alerts } from './alerts.ts';
import { backupScenarios } from './backup.ts';
import { busScenarios } from './bus.ts';
import { cost } from './cost.ts';
import { dashboard } from './dashboard.ts';
import { fleet } from './fleet.ts';
import { hello } from './hello.ts';
import { jobScenarios } from './jobs.ts';
import { kvScenarios } from './kv.ts';
import { live } from './live.ts';
import { monitors } from './monitors/index.ts';
import { queryScenarios } from './queries.ts';
import { quiet } from './quiet.ts';
import { reports } from './reports.ts';
import { series } from './series.ts';
import { soak } from './soak.ts';
import { start } from './start.ts';
import { statusPage } from './status-page.ts';
import { taskScenarios } from './tasks.ts';
import { workers } from './workers.ts';

/** All scenarios, in the order in which they run. `bench/README.md` says what each one guards. */
export const scenarios: readonly Scenario[] = [
  start,
  hello,
  cost,
  ...reports,
  ...queryScenarios,
  ...kvScenarios,
  statusPage,
  ...taskScenarios,
  ...jobScenarios,
  workers,
  ...busScenarios,
  fleet,
  quiet,
  soak,
  live,
  series,
  alerts,
  monitors,
  dashboard,
  agent,
  ...backupScenarios,
];
