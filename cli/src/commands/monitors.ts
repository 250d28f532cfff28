import { Complaint } from '../io.ts';
import type { Session } from '../session.ts';
import { ago, table } from '../table.ts';
import { clean } from '../text.ts';
import { applyFile } from './file/apply.ts';
import { exportLists } from './file/export.ts';
import { monitorRows } from './file/monitors.ts';
import { showMonitor } from './monitor.ts';
import { monitorOf, tryTarget } from './target.ts';

interface Row {
  readonly name: string;
  readonly target: string;
  readonly group: string | null;
  readonly tags: readonly string[];
  readonly state: string;
  readonly since: number;
  readonly detail: string;
  readonly ms: number | null;
  readonly uptime: number | null;
}

const COLUMNS = ['name', 'state', 'since', 'ms', 'uptime_24h', 'group', 'target', 'detail'];
/** Columns that are left out on a narrow terminal, the first one first. */
const SPARE = ['group', 'detail', 'uptime_24h', 'ms', 'target'];

const STATES = ['up', 'degraded', 'down', 'unknown', 'paused'];

/** Second words of `svc monitors`; another one is the name of a monitor. */
const VERBS: Readonly<Record<string, (session: Session) => Promise<unknown>>> = {
  add,
  try: tryTarget,
  check: (session) => change(session, 'monitor_check_now', {}, 'is checked now'),
  enable: (session) => change(session, 'monitor_set_enable', { enable: true }, 'is switched on'),
  disable: (session) => change(session, 'monitor_set_enable', { enable: false }, 'is switched off'),
  delete: (session) => change(session, 'monitor_delete', {}, 'is deleted'),
  export: (session) => exportLists(session, ['monitors']),
  apply: (session) => applyFile(session, session.word(1, 'FILE')),
};

/** `svc monitors`: all, or those that are named; `svc monitors VERB …` */
export async function monitors(session: Session): Promise<unknown> {
  const [verb] = session.words;
  const run = verb !== undefined && Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
  if (run) return run(session);
  if (verb === undefined) return list(session);
  for (const name of session.words) await showMonitor(session, name);
}

async function list(session: Session): Promise<void> {
  const { flags, io } = session;
  const { state, group, tag } = flags;
  if (state !== undefined && !STATES.includes(state))
    throw new Complaint(`'${clean(state)}': --state is one of ${STATES.join(', ')}`, 2);
  const rows = (await monitorRows<Row>(session)).filter(
    (row) =>
      (state === undefined || row.state === state) &&
      (group === undefined || row.group === group) &&
      (tag === undefined || row.tags.includes(tag)),
  );
  if (flags.json) return session.printJson(rows);
  if (rows.length === 0 && io.stdout.isTTY) return session.print('There is none.\n');
  await session.printOn(table(io, rows.map(cellsOf), COLUMNS, SPARE));
}

const cellsOf = (row: Row) => ({
  ...row,
  since: ago(row.since),
  ms: row.ms === null ? null : Math.round(row.ms),
  uptime_24h: row.uptime === null ? null : `${row.uptime} %`,
  detail: row.detail === '' ? null : row.detail,
});

/** `svc monitors add TARGET` */
async function add(session: Session): Promise<void> {
  const target = session.word(1, 'TARGET');
  const monitor = monitorOf(target, session.flags.name);
  const made = (await session.anyMethod.call('monitor_create', { monitor })) as {
    readonly name: string;
    readonly kind: string;
    readonly interval_s: number;
  };
  if (session.flags.json) return session.printJson(made);
  session.print(`${clean(made.name)} is checked by ${made.kind} every ${made.interval_s} s\n`);
}

async function change(session: Session, method: string, more: object, says: string): Promise<void> {
  const name = session.word(1, 'NAME');
  const answer = await session.anyMethod.call(method, { name, ...more } as never);
  if (session.flags.json) return session.printJson(answer);
  session.print(`${clean(name)} ${says}\n`);
}
