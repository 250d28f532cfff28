/** The seconds that test files may take on two idle cores, two files at a time. */

/** Seconds that the long loops (`npm run proof`) may declare together, two files at a time: a quarter of an hour. */
export const PROOF_BUDGET_S = 1850;

interface Budget {
  readonly seconds: number;
  /** What takes the time. */
  readonly why: string;
  /** The file starts the program, a database or a real client: `--fast` leaves it out. */
  readonly starts?: true;
}

/** For every file that is not listed below. */
const DEFAULT_SECONDS = 5;

// biome-ignore format: one file per line
const budgets: Readonly<Record<string, Budget>> = {
  'test/enrol/methods.test.ts': { seconds: 8, why: 'both databases' },
  'test/metrics/prometheus.test.ts': { seconds: 9, why: 'a real Prometheus', starts: true },
  'test/metrics/otlp.test.ts': { seconds: 9, why: 'a collector that never answers, and one that waits for its turn' },
  'test/enrol/commands.test.ts': { seconds: 14, why: 'a program per test', starts: true },
  'test/enrol/installer.test.ts': { seconds: 60, why: 'machines that are enrolled, updated and removed by the real script', starts: true },
  'test/metrics/metrics.test.ts': { seconds: 8, why: 'a thousand agents' },
  'test/protocol/token-session.test.ts': { seconds: 9, why: 'both databases with restarts, and two servers' },
  'test/dashboard/frame.test.ts': { seconds: 18, why: 'builds the page where it is stale, a browser', starts: true },
  'test/dashboard/server.test.ts': { seconds: 12, why: 'a browser', starts: true },
  'test/dashboard/states.test.ts': { seconds: 30, why: 'a browser that opens every page with every right or plugin missing', starts: true },
  'test/dashboard/agent.test.ts': { seconds: 25, why: 'a browser that draws every chart', starts: true },
  'test/dashboard/probes.test.ts': { seconds: 12, why: 'a browser', starts: true },
  'test/dashboard/fleet.test.ts': { seconds: 20, why: 'a browser with a thousand machines', starts: true },
  'test/dashboard/jobs.test.ts': { seconds: 20, why: 'a browser, a server and an agent', starts: true },
  'test/dashboard/real-agents.test.ts': { seconds: 15, why: 'a browser, a server and two agents', starts: true },
  'test/dashboard/tasks.test.ts': { seconds: 18, why: 'a browser, a server and an agent', starts: true },
  'test/dashboard/terminal.test.ts': { seconds: 12, why: 'a browser, a server, an agent and shells', starts: true },
  'test/dashboard/tokens.test.ts': { seconds: 12, why: 'a browser', starts: true },
  'test/dashboard/stores.test.ts': { seconds: 15, why: 'builds the page where it is stale, a browser', starts: true },
  'test/dashboard/workers.test.ts': { seconds: 15, why: 'a browser, and a server that runs scripts', starts: true },
  'test/backup/files.test.ts': { seconds: 12, why: 'a server, and a new one for each restore' },
  'test/backup/database.test.ts': { seconds: 16, why: 'servers on both databases, each restored to both' },
  'test/backup/terminal.test.ts': { seconds: 10, why: 'programs in terminals', starts: true },
  'test/security/shares.test.ts': { seconds: 10, why: 'endless scripts and statements, on both databases' },
  'test/security/quotas-kv.test.ts': { seconds: 7, why: 'hundreds of values on both databases, and on two servers' },
  'test/security/quotas-db.test.ts': { seconds: 10, why: 'processes that are ended with their memory' },
  'test/security/quotas-buckets.test.ts': { seconds: 8, why: 'hundreds of files that are flushed' },
  'test/security/quotas-scripts.test.ts': { seconds: 10, why: 'servers with scripts, on both databases' },
  'test/security/quotas-results.test.ts': { seconds: 6, why: 'both databases' },
  'test/security/receiving.test.ts': { seconds: 8, why: 'half a gigabyte at a server of its own', starts: true },
  'test/security/connections.test.ts': { seconds: 7, why: 'two thousand sockets' },
  'test/protocol/crontab-orphans.test.ts': { seconds: 25, why: 'waits for the deaths of servers and for slow claims' },
  'test/protocol/js-worker-runs.test.ts': { seconds: 32, why: 'runs on both databases, threads that start' },
  'test/many-servers.test.ts': { seconds: 25, why: 'three servers, 200 agents, kills', starts: true },
  'test/protocol/token-super.test.ts': { seconds: 22, why: 'starts servers at the same time', starts: true },
  'test/sdk-package.test.ts': { seconds: 28, why: 'packs, type-checks and runs projects, with an agent', starts: true },
  'test/crash.test.ts': { seconds: 15, why: 'kills and restarts servers under load', starts: true },
  'test/security/user-content.test.ts': { seconds: 10, why: 'servers with scripts, on both databases' },
  'test/security/owners.test.ts': { seconds: 10, why: 'runs of scripts on both databases' },
  'test/protocol/db.test.ts': { seconds: 10, why: 'random statements on both databases' },
  'test/protocol/db-running.test.ts': { seconds: 13, why: 'statements that run into their time limit' },
  'test/protocol/worker-route.test.ts': { seconds: 13, why: 'hundreds of requests to scripts' },
  'test/protocol/svc-server-sql.test.ts': { seconds: 8, why: 'each statement in a process, on both databases' },
  'test/security/file-modes.test.ts': { seconds: 12, why: 'a server for every umask', starts: true },
  'test/security/exec-sql.test.ts': { seconds: 8, why: 'a process or connection for each of 200 texts' },
  'test/security/exec-sql-role.test.ts': { seconds: 8, why: 'databases and roles of its own' },
  'test/systemd.test.ts': { seconds: 8, why: 'starts the program, and a process for each message', starts: true },
  'test/systemd-machine.test.ts': { seconds: 20, why: 'a systemd in namespaces, which starts a server and an agent', starts: true },
  'test/deployment.test.ts': { seconds: 5, why: 'kubectl, and a server on Postgres', starts: true },
  'test/proxies.test.ts': { seconds: 10, why: 'nginx and Caddy, and 50 MB through each', starts: true },
  'test/disk-full.test.ts': { seconds: 12, why: 'a server on a file system of its own', starts: true },
  'test/new-plugin.test.ts': { seconds: 12, why: 'compiles, packs and tests a project', starts: true },
  'test/protocol/agent-multi-last.test.ts': { seconds: 12, why: 'thousands of reports on both databases' },
  'test/start-watch.test.ts': { seconds: 12, why: 'restarts after changes', starts: true },
  'test/upgrade.test.ts': { seconds: 12, why: 'starts 0.6.0 data on both databases', starts: true },
  'test/documentation.test.ts': { seconds: 28, why: 'a server for every page', starts: true },
  'test/start-options.test.ts': { seconds: 14, why: 'npm start, also in a terminal', starts: true },
  'test/guides.test.ts': { seconds: 12, why: 'runs of tsc, two agents, plugins in a server and in a program', starts: true },
  'test/discovery/examples.test.ts': { seconds: 14, why: 'a hundred examples by curl, a hundred by the client' },
  'test/command-line.test.ts': { seconds: 25, why: 'a program per test', starts: true },
  'test/protocol/auth-password.test.ts': { seconds: 10, why: 'slow hashes, seconds without an older server' },
  'test/security/guessing.test.ts': { seconds: 8, why: '20,000 guesses on both databases, slow hashes' },
  'test/protocol/agent-deletes.test.ts': { seconds: 11, why: 'thousands of reports on both databases' },
  'test/protocol/crontab-runs.test.ts': { seconds: 11, why: 'many runs on both databases' },
  'test/protocol/task-delivery.test.ts': { seconds: 10, why: 'deadlines of deliveries, bursts of 300 tasks on both databases' },
  'test/protocol/agent-subscribe.test.ts': { seconds: 9, why: 'servers on both databases, 20 MB for a slow subscriber' },
  'test/status-page/browser.test.ts': { seconds: 15, why: 'a browser', starts: true },
  'test/status-page/methods.test.ts': { seconds: 8, why: 'both databases, two servers' },
  'test/status-page/http.test.ts': { seconds: 8, why: 'hundreds of requests, pages of forty probes' },
  'test/protocol/agent-events.test.ts': { seconds: 9, why: 'restarts on both databases, two servers' },
  'test/protocol/agent-series.test.ts': { seconds: 14, why: '200,000 reports on both databases' },
  'test/protocol/agent-uuid.test.ts': { seconds: 10, why: 'a fleet that registers at once, on both databases' },
  'test/protocol/kv.test.ts': { seconds: 10, why: 'a table of calls on both databases' },
  'test/protocol/js-worker.test.ts': { seconds: 9, why: 'scripts on both databases' },
  'test/protocol/terminal-servers.test.ts': { seconds: 9, why: '64 MiB through two servers' },
  'test/bus-postgres.test.ts': { seconds: 18, why: 'interrupted connections', starts: true },
  'test/security/audit.test.ts': { seconds: 30, why: 'a server for each forgery, on both databases; a killed one', starts: true },
  'test/protocol/retention.test.ts': { seconds: 30, why: 'servers on both databases, tens of thousands of rows' },
  'test/protocol/js-runtime.test.ts': { seconds: 8, why: 'hundreds of scripts' },
  'test/protocol/static-bucket.test.ts': { seconds: 8, why: 'many files on both databases' },
  'test/security/messages.test.ts': { seconds: 7, why: 'hundreds of messages over 256 KB' },
  'test/security/messages-attack.test.ts': { seconds: 40, why: 'messages of 10 MB to a server in its own process', starts: true },
  'test/agent-program-tasks-end-to-end.test.ts': { seconds: 12, why: 'tasks of a real agent on both databases', starts: true },
  'test/protocol/js-hostile-time.test.ts': { seconds: 7, why: 'scripts that run into their time limit' },
  'test/protocol/js-runtime-web.test.ts': { seconds: 7, why: 'hundreds of scripts' },
  'test/protocol/kv-values.test.ts': { seconds: 7, why: 'megabytes of values, many random ones' },
  'test/protocol/task-lists.test.ts': { seconds: 7, why: '100,000 tasks on both databases' },
  'test/example-workers.test.ts': { seconds: 6, why: 'scripts and a server in its own process', starts: true },
  'test/protocol/crontab-result.test.ts': { seconds: 6, why: 'thousands of results on both databases' },
  'test/protocol/crontab.test.ts': { seconds: 6, why: 'a table of jobs on both databases' },
  'test/protocol/js-result.test.ts': { seconds: 6, why: 'scripts on both databases' },
  'test/protocol/js-worker-servers.test.ts': { seconds: 12, why: 'two servers with scripts' },
  'test/protocol/monitoring-data-fields.test.ts': { seconds: 6, why: 'a table of queries on both databases' },
  'test/protocol/static-http-streams.test.ts': { seconds: 6, why: 'large files and slow clients' },
  'test/task-crash.test.ts': { seconds: 6, why: 'kills and restarts servers', starts: true },
  'test/agent-program-config.test.ts': { seconds: 5, why: 'programs with faulty configurations', starts: true },
  'test/agent-program-network-tasks.test.ts': { seconds: 5, why: 'real programs of the network', starts: true },
  'test/agent-program-permissions.test.ts': { seconds: 7, why: 'tasks of a real agent, and its restart', starts: true },
  'test/agent-program-quirks.test.ts': { seconds: 5, why: 'starts a program', starts: true },
  'test/client/package.test.ts': { seconds: 5, why: 'a browser', starts: true },
  'test/cli/commands.test.ts': { seconds: 15, why: 'a server, an agent, programs, and somebody who types into shells', starts: true },
  'test/browser.test.ts': { seconds: 5, why: 'a browser', starts: true },
  'test/bus-nats.test.ts': { seconds: 15, why: 'a NATS server', starts: true },
  'test/configurations.test.ts': { seconds: 20, why: 'starts every configuration', starts: true },
  'test/example-agent.test.ts': { seconds: 5, why: 'starts a program', starts: true },
  'test/hello-plugin.test.ts': { seconds: 5, why: 'starts the program with an npm package', starts: true },
  'test/js-worker-crash.test.ts': { seconds: 5, why: 'kills and restarts servers', starts: true },
  'test/kernel/database-outage.test.ts': { seconds: 5, why: 'a Postgres that comes and goes', starts: true },
  'test/kernel/database-postgres.test.ts': { seconds: 5, why: 'interrupted connections', starts: true },
  'test/kernel/database-sqlite.test.ts': { seconds: 5, why: 'processes that open one file', starts: true },
  'test/kernel/migrate.test.ts': { seconds: 5, why: 'processes that migrate at the same time', starts: true },
  'test/many-servers-coherence.test.ts': { seconds: 5, why: 'two servers and fifty kinds of change', starts: true },
  'test/postgres-volume-retention.test.ts': { seconds: 18, why: 'partitions of hundreds of days', starts: true },
  'test/postgres-volume.test.ts': { seconds: 10, why: 'partitions of hundreds of days', starts: true },
  'test/server/log-sinks.test.ts': { seconds: 8, why: 'processes that write to closed pipes, files of some MB', starts: true },
  'test/server/doctor.test.ts': { seconds: 20, why: 'a program for each fault, servers on both databases', starts: true },
  'test/server/doctor-machine.test.ts': { seconds: 10, why: 'a program for each fault', starts: true },
  'test/server/compiled.test.ts': { seconds: 8, why: 'four starts of the program', starts: true },
  'test/server/memory.test.ts': { seconds: 12, why: 'three starts of the program', starts: true },
};

/** `--fast` leaves out the files that may take longer. */
export const FAST_SECONDS = 5;

export const secondsOf = (name: string): number => budgets[name]?.seconds ?? DEFAULT_SECONDS;

/** Files that are listed here, but are not among `names` any more. */
export const goneFrom = (names: readonly string[]): string[] =>
  Object.keys(budgets).filter((name) => !names.includes(name));

export const startsPrograms = (name: string): boolean => budgets[name]?.starts ?? false;
