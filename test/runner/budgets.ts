/** The seconds that test files may take on two idle cores, two files at a time. */

/** Seconds that the long loops (`npm run proof`) may declare together: 25 minutes. */
export const PROOF_BUDGET_S = 1500;

interface Budget {
  readonly seconds: number;
  /** What takes the time. */
  readonly why?: string;
  /** The file starts the program, a database or a real client: `--fast` leaves it out. */
  readonly starts?: true;
}

/** For every file that is not listed below. */
const DEFAULT_SECONDS = 4;

const budgets: Readonly<Record<string, Budget>> = {
  'test/upgrade.test.ts': { seconds: 12, starts: true },
  'test/protocol/worker-route.test.ts': { seconds: 77 },
  'test/protocol/js-worker-runs.test.ts': { seconds: 73 },
  'test/protocol/static-webdav-streams.test.ts': { seconds: 60 },
  'test/crash.test.ts': { seconds: 47, starts: true },
  'test/protocol/terminal-servers.test.ts': { seconds: 38 },
  'test/protocol/token-super.test.ts': { seconds: 38, starts: true },
  'test/protocol/agent-uuid.test.ts': { seconds: 32 },
  'test/protocol/js-hostile-time.test.ts': { seconds: 31 },
  'test/protocol/agent-uuid-settings.test.ts': { seconds: 29 },
  'test/protocol/js-hostile-reach.test.ts': { seconds: 29 },
  'test/protocol/static-http-streams.test.ts': { seconds: 27 },
  'test/protocol/js-runtime.test.ts': { seconds: 26 },
  'test/protocol/kv-values.test.ts': { seconds: 24 },
  'test/protocol/terminal-relay.test.ts': { seconds: 24 },
  'test/protocol/static-bucket.test.ts': { seconds: 23 },
  'test/protocol/task-delivery.test.ts': { seconds: 23 },
  'test/protocol/task-lists.test.ts': { seconds: 22 },
  'test/kernel/listeners.test.ts': { seconds: 21 },
  'test/protocol/js-runtime-web.test.ts': { seconds: 21 },
  'test/command-line.test.ts': { seconds: 19, starts: true },
  'test/sdk-package.test.ts': {
    seconds: 20,
    why: 'packs, type-checks and runs projects',
    starts: true,
  },
  'test/start-watch.test.ts': { seconds: 12, starts: true },
  'test/new-plugin.test.ts': {
    seconds: 12,
    why: 'compiles, packs and tests a project',
    starts: true,
  },
  'test/protocol/js-hostile-heap.test.ts': { seconds: 18 },
  'test/protocol/js-hostile-values.test.ts': { seconds: 18 },
  'test/protocol/kv.test.ts': { seconds: 18 },
  'test/many-servers.test.ts': { seconds: 17, starts: true },
  'test/protocol/db-running.test.ts': { seconds: 17 },
  'test/task-crash.test.ts': { seconds: 16, starts: true },
  'test/protocol/monitoring-data-fields.test.ts': { seconds: 15 },
  'test/protocol/crontab-orphans.test.ts': { seconds: 14 },
  'test/protocol/db.test.ts': { seconds: 14 },
  'test/protocol/kv-retention.test.ts': { seconds: 14 },
  'test/protocol/static-bucket-paths.test.ts': { seconds: 13 },
  'test/protocol/static-http.test.ts': { seconds: 13 },
  'test/protocol/svc-server-config.test.ts': { seconds: 13 },
  'test/protocol/terminal.test.ts': { seconds: 13 },
  'test/protocol/js-hostile-escape.test.ts': { seconds: 12 },
  'test/protocol/static-bucket-file.test.ts': { seconds: 12 },
  'test/example-workers.test.ts': { seconds: 11, starts: true },
  'test/js-worker-crash.test.ts': { seconds: 10, starts: true },
  'test/protocol/crontab-runs.test.ts': { seconds: 10 },
  'test/protocol/js-worker-servers.test.ts': { seconds: 10 },
  'test/kernel/migrate.test.ts': { seconds: 9, starts: true },
  'test/protocol/svc-server-sql.test.ts': { seconds: 9 },
  'test/protocol/token.test.ts': { seconds: 9 },
  'test/example-agent.test.ts': { seconds: 9, starts: true },
  'test/bus-postgres.test.ts': { seconds: 8, starts: true },
  'test/configurations.test.ts': { seconds: 8, starts: true },
  'test/kernel/log-sinks.test.ts': { seconds: 8, starts: true },
  'test/postgres-volume-retention.test.ts': { seconds: 8, starts: true },
  'test/protocol/js-worker.test.ts': { seconds: 8 },
  'test/protocol/svc-server.test.ts': { seconds: 8 },
  'test/protocol/token-changes.test.ts': { seconds: 8 },
  'test/agent-program-tasks-end-to-end.test.ts': { seconds: 7, starts: true },
  'test/bus-line.test.ts': { seconds: 7 },
  'test/postgres-volume.test.ts': { seconds: 7, starts: true },
  'test/protocol/agent-deletes.test.ts': { seconds: 7 },
  'test/protocol/agent-multi-last.test.ts': { seconds: 7 },
  'test/protocol/db-files.test.ts': { seconds: 7 },
  'test/protocol/task-types.test.ts': { seconds: 7 },
  'test/protocol/token-permission.test.ts': { seconds: 7 },
  'test/kernel/database-postgres.test.ts': { seconds: 6, starts: true },
  'test/many-servers-coherence.test.ts': { seconds: 6, starts: true },
  'test/protocol/js-result.test.ts': { seconds: 6 },
  'test/agent-program-terminal.test.ts': { seconds: 5 },
  'test/kernel/database-sqlite.test.ts': { seconds: 5, starts: true },
  'test/protocol/db-sql.test.ts': { seconds: 5 },
  'test/protocol/monitoring-data-static.test.ts': { seconds: 5 },
  'test/protocol/task-lifetime.test.ts': { seconds: 5 },
  'test/protocol/task-servers.test.ts': { seconds: 5 },
  'test/browser.test.ts': { seconds: 4, starts: true },
  'test/bus-nats.test.ts': { seconds: 4, starts: true },
  'test/agent-program-config.test.ts': { seconds: 4, starts: true },
  'test/agent-program-quirks.test.ts': { seconds: 4, starts: true },
  'test/agent-program-network-tasks.test.ts': { seconds: 4, starts: true },
  'test/hello-plugin.test.ts': { seconds: 4, starts: true },
  'test/kernel/database-outage.test.ts': { seconds: 4, starts: true },
};

export const secondsOf = (name: string): number => budgets[name]?.seconds ?? DEFAULT_SECONDS;

export const startsPrograms = (name: string): boolean => budgets[name]?.starts ?? false;
