/**
 * The shortcuts of the tests: where a test gets into the product by another way than its users. Each has twins, tests that
 * take the real way. `test/shortcuts.test.ts` keeps the list whole.
 */

export interface Shortcut {
  /** What a test does, and what a user does instead. */
  readonly what: string;
  /** Finds it in a source. */
  readonly pattern: RegExp;
  /** The files that take it, from the root of the repository; left out: any file of the tests may. */
  readonly files?: readonly string[];
  /** Tests that take the real way: file and the beginning of the title as it stands in the source. */
  readonly twins: readonly (readonly [file: string, title: string])[];
}

/** Sources in which rows are what is tested: SQL of callers, and the database layer itself. */
export const ABOUT_SQL = /^test\/(?:kernel|upgrade)\/|exec-sql|svc-server-sql|sql-values/;

/** Rows of this table are written by hand; users' rows come by a call. */
const rows = (table: string, ...twins: Shortcut['twins']): Shortcut => ({
  what: `writes rows of ${table}, most often with a past that a test cannot wait for; users have them by calls and time`,
  pattern: new RegExp(`insert into ${table}\\b`, 'i'),
  twins,
});

const PLUGIN = [
  'test/stranger/plugin.test.ts',
  'is made, tested, packed, installed and served beside',
] as const;
const START = [
  'test/stranger/install.test.ts',
  'npm start serves and reports, and the commands of the quick start go on',
] as const;
const LOG_IN = [
  'test/dashboard/frame.test.ts',
  'a token is exchanged for a session: the tab keeps that',
] as const;

export const shortcuts: readonly Shortcut[] = [
  {
    what: 'puts a credential into the storage of a page; a person logs in on the form and gets a session',
    pattern: /(?:session|local)Storage\.setItem\('svc-session/,
    files: ['test/dashboard/fleet.test.ts', 'test/dashboard/kit.ts'],
    twins: [
      LOG_IN,
      ['test/dashboard/frame.test.ts', 'user and password work, and stay on the device on request'],
      [
        'test/dashboard/terminal.test.ts',
        'a person who logged in by token or by password types into a shell at once',
      ],
    ],
  },
  {
    what: 'links installed packages into a folder; a user installs them with npm',
    pattern:
      /symlink(?:Sync)?\([^)]*node_modules|symlink\(target, place|linkInstalled\(|linkDevDependencies\(/,
    files: [
      'test/documentation.test.ts',
      'test/guides.test.ts',
      'test/new-plugin.test.ts',
      'test/plugin-project.ts',
      'test/sdk-package.test.ts',
    ],
    twins: [PLUGIN],
  },
  {
    what: "boots the server in the test's process, with plugin objects; a user starts the program",
    pattern: /export async function bootForTest/,
    files: ['plugin-sdk/src/testing.ts', 'server/src/testing/index.ts'],
    twins: [
      START,
      ['test/first-start.test.ts', 'serve says where to open it behind the line that it listens'],
    ],
  },
  {
    what: 'takes the Super Token from a service; a user reads the two lines of the first start',
    pattern: /service: 'token\.first'/,
    files: ['server/src/testing/index.ts'],
    twins: [['test/first-start.test.ts', 'init ends with the two lines between two rules']],
  },
  {
    what: 'stores passwords by a quick hash; the default is a slow one',
    pattern: /password_kdf: 'sha256'/,
    files: [
      'server/src/testing/configuration.ts',
      'test/protocol/auth-password.test.ts',
      'test/protocol/terminal-pass.test.ts',
      'test/protocol/token-password-policy.test.ts',
      'test/protocol/token-session.test.ts',
    ],
    twins: [['test/protocol/auth-password.test.ts', 'slow hashes are the default']],
  },
  {
    what: 'commits reports after 1 ms; a server as it is delivered waits for 200 ms for more of them',
    pattern: /flush_interval_ms: 1\b/,
    files: ['server/src/testing/configuration.ts', 'test/protocol/agent-reports.test.ts'],
    twins: [
      [
        'test/protocol/agent-own-pace.test.ts',
        'a report waits for others that share its commit, and 64 wait for nobody',
      ],
      ['test/crash.test.ts', 'times kill -9 at a random moment under load loses no answered'],
    ],
  },
  {
    what: 'copies a database that was migrated before; a user has an empty one at the first start',
    pattern: /copied \? await templateFor/,
    files: ['server/src/testing/database.ts'],
    twins: [['test/first-start.test.ts', 'init ends with the two lines between two rules']],
  },
  {
    what: 'plays an agent over the wire; a user runs the agent of this repository',
    pattern: /export async function simAgent/,
    files: ['test/protocol/task-kit.ts'],
    twins: [
      [
        'test/agent-program-tasks-end-to-end.test.ts',
        'takes the first task once the agent has registered',
      ],
      ['test/dashboard/real-agents.test.ts', 'a command on both is answered side by side'],
    ],
  },
  {
    what: "plays a slow agent, which takes its messages when a test moves the server's clock; agents take them in time",
    pattern: /export function readThroughRing/,
    files: ['test/protocol/task-kit.ts'],
    twins: [
      [
        'test/example-agent-slow.test.ts',
        'it loses none of 5 × 300 tasks beside 235 that are never answered',
      ],
    ],
  },
  {
    what: "writes an agent's configuration; a user pastes the line of `enrol`, or has what `npm start` makes",
    pattern: /export async function startAgent/,
    files: ['test/agent-program-process.ts'],
    twins: [
      START,
      [
        'test/stranger/enrol.test.ts',
        'brings a machine into its fleet, for terminals and tasks as well',
      ],
      [
        'test/guides.test.ts',
        'the second machine appears and takes a task by the steps of its guide',
      ],
    ],
  },
  {
    what: "plays the push service to a page; a person's browser asks that of its maker",
    pattern: /PushManager\.prototype\.subscribe/,
    files: ['test/dashboard/web-push.test.ts'],
    twins: [
      ['test/dashboard/web-push.test.ts', 'a browser that reaches no push service is told so'],
    ],
  },
  {
    what: 'puts runtimes of machines into their folder; a user has them by `fetch-runtime`',
    pattern: /join\(runtimes, 'linux-/,
    files: ['test/enrol/methods.test.ts'],
    twins: [['test/enrol/commands.test.ts', 'fetch-runtime takes the package with npm']],
  },
  {
    what: 'runs the commands of a page by functions of the same name; a user types `npx`',
    pattern: /^npx\(\) \{/m,
    files: ['test/documentation.test.ts'],
    twins: [['test/stranger/commands.test.ts', 'the commands of the pages run as they are typed']],
  },
  {
    what: 'adds options to `npm start` of a page; a user types it as it stands',
    pattern: /npm start -- --data \$\{/,
    files: ['test/documentation.test.ts'],
    twins: [['test/stranger/commands.test.ts', 'the commands of the pages run as they are typed']],
  },
  rows('agent_event', [
    'test/protocol/agent-events.test.ts',
    'an agent that reports has come, and it has gone when it was silent for half a minute',
  ]),
  rows('agent_presence', [
    'test/protocol/agent-events.test.ts',
    'an agent that reports has come, and it has gone when it was silent for half a minute',
  ]),
  rows('agent_uptime', [
    'test/protocol/agent-events.test.ts',
    'uptime is counted over a restart, which is told once and not as an absence',
  ]),
  rows('audit', [
    'test/security/audit.test.ts',
    'a change is recorded with who, what, when, from where and its outcome',
  ]),
  rows('bus_message', [
    'test/many-servers.test.ts',
    'an agent of a killed server is reached through another one within seconds',
  ]),
  rows('audit_chain', [
    'test/security/audit-end.test.ts',
    'the file names the last row, once that row counts',
  ]),
  rows('js_worker', [
    'test/protocol/js-worker.test.ts',
    'create answers with the record, without script and env',
  ]),
  rows('crontab', ['test/protocol/crontab-runs.test.ts', 'jobs run at their seconds, once each']),
  rows('crontab_result', [
    'test/protocol/crontab-runs.test.ts',
    'jobs run at their seconds, once each',
  ]),
  rows('alert', [
    'test/alert/told.test.ts',
    'a busy machine is told after its hold and the wait, with its true beginning; the end once, in a silence too',
  ]),
  rows('notify_outbox', [
    'test/notify/sending.test.ts',
    'a receiver that answers 500 for ten minutes gets one message when it is back',
  ]),
  rows('alert_event', [
    'test/alert/told.test.ts',
    'a busy machine is told after its hold and the wait, with its true beginning; the end once, in a silence too',
  ]),
  rows('db_registry', ['test/protocol/db.test.ts', 'a prefix scope covers what begins so']),
  rows('dynamic_monitoring_summary', [
    'test/protocol/agent-reports.test.ts',
    'what was answered is there after a restart, the latest value too',
  ]),
  rows('js_result', [
    'test/protocol/js-worker-runs.test.ts',
    'the row is there while the run waits, with its parameters',
  ]),
  rows('kv', ['test/protocol/kv.test.ts', 'of many values set at once each is stored']),
  rows('monitor', ['test/monitor/methods.test.ts', 'a monitor is made with defaults, changed']),
  rows('monitor_day', ['test/monitor/store-uptime.test.ts', 'what is told does not depend on']),
  rows('monitor_hour', ['test/monitor/store-uptime.test.ts', 'what is told does not depend on']),
  rows('monitor_outage', [
    'test/monitor/checks.test.ts',
    'failures beyond the retries are down since the first one',
  ]),
  rows('monitoring_uuid', [
    'test/protocol/agent-reports.test.ts',
    'simultaneous first reports of a new agent all succeed, and register it once',
  ]),
  rows('series_rollup', [
    'test/protocol/agent-series.test.ts',
    'rollups answer the same as the reports that they were made of',
  ]),
  rows('static_file', [
    'test/protocol/static-bucket.test.ts',
    'the chapter: create, read, update, list, delete',
  ]),
  rows('task', [
    'test/agent-program-tasks-end-to-end.test.ts',
    'takes the first task once the agent has registered',
  ]),
  rows('token', [
    'test/protocol/token.test.ts',
    'token_get shows the record of a key and secret, and of a username and password',
  ]),
  rows('schema_migrations', [
    'test/upgrade.test.ts',
    'the server starts without a warning and makes no second Super Token',
  ]),
  rows('traffic_day', [
    'test/protocol/agent-traffic.test.ts',
    'buffered reports, a clock that is set right and a start of the server count each byte once',
  ]),
];
