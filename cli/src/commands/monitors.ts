import { Complaint } from '../io.ts';
import type { Session } from '../session.ts';
import { ago, table } from '../table.ts';
import { clean } from '../text.ts';
import { APPLY_TAKES, applyFile } from './file/apply.ts';
import { exportLists } from './file/export.ts';
import { monitorRows } from './file/monitors.ts';
import { demandOnly, type Own } from './flags.ts';
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

interface Verb {
  readonly takes: readonly Own[];
  readonly run: (session: Session) => Promise<unknown>;
}

/** Second words of `svc monitors`; another one is the name of a monitor. */
const VERBS: Readonly<Record<string, Verb>> = {
  add: { takes: ['json', 'name', 'dryRun'], run: add },
  try: { takes: ['json'], run: tryTarget },
  check: change('monitor_check_now', {}, 'is checked now'),
  enable: change('monitor_set_enable', { enable: true }, 'is switched on'),
  disable: change('monitor_set_enable', { enable: false }, 'is switched off'),
  delete: change('monitor_delete', {}, 'is deleted'),
  export: { takes: ['json'], run: (session) => exportLists(session, ['monitors']) },
  apply: { takes: APPLY_TAKES, run: (session) => applyFile(session, session.word(1, 'FILE')) },
};

/** `svc monitors`: all, or those that are named; `svc monitors VERB …` */
export async function monitors(session: Session): Promise<unknown> {
  const [verb] = session.words;
  const found = verb !== undefined && Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
  if (found) {
    demandOnly(session, `svc monitors ${verb}`, found.takes);
    return found.run(session);
  }
  if (verb === undefined) return list(session);
  demandOnly(session, 'svc monitors NAME', ['json']);
  for (const at of session.words.keys()) await showMonitor(session, nameAt(session, at));
}

/** The name of a monitor among the words. @throws Complaint for one that no monitor has */
function nameAt(session: Session, at: number): string {
  const name = session.word(at, 'NAME');
  if (name.trim() === '') throw new Complaint('NAME is empty: svc monitors lists the names', 2);
  return name;
}

async function list(session: Session): Promise<void> {
  const { flags, io } = session;
  const { state, group, tag } = flags;
  demandOnly(session, 'svc monitors', ['json', 'state', 'group', 'tag']);
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
  const { dryRun, json } = session.flags;
  const params = { monitor, ...(dryRun && { dry_run: true }) };
  const made = (await session.anyMethod.call('monitor_create', params)) as {
    readonly name: string;
    readonly kind: string;
    readonly interval_s: number;
  };
  if (json) return session.printJson(made);
  const is = dryRun ? 'would be' : 'is';
  session.print(`${clean(made.name)} ${is} checked by ${made.kind} every ${made.interval_s} s\n`);
}

function change(method: string, more: object, says: string): Verb {
  const run = async (session: Session) => {
    const name = nameAt(session, 1);
    const answer = await session.anyMethod.call(method, { name, ...more } as never);
    if (session.flags.json) return session.printJson(answer);
    session.print(`${clean(name)} ${says}\n`);
  };
  return { takes: ['json'], run };
}
