import { type Machine, machineOf, machines, shortId } from '../machines.ts';
import type { Session } from '../session.ts';
import { ago, bytes, percent, speed, table } from '../table.ts';

const FIELDS = [
  'cpu_usage',
  'used_memory',
  'total_memory',
  'load_one',
  'receive_speed',
  'transmit_speed',
] as const;

type Row = Readonly<Record<string, unknown>>;

const figures = (row: Row) => ({
  cpu: percent(row['cpu_usage']),
  memory:
    typeof row['used_memory'] === 'number'
      ? `${bytes(row['used_memory'])} of ${bytes(row['total_memory'])}`
      : '-',
  load: row['load_one'],
  received: speed(row['receive_speed']),
  sent: speed(row['transmit_speed']),
});
const COLUMNS = ['cpu', 'memory', 'load', 'received', 'sent'];

/** Tells whether an agent takes tasks. */
const tasks = ({ connected_for_tasks, tasks_allowed }: Machine): string | undefined =>
  connected_for_tasks ? 'yes' : tasks_allowed === false ? 'off' : undefined;

/** Columns that are left out on a narrow terminal, the first one first. */
const SPARE = ['tags', 'version', 'sent', 'received', 'load', 'uuid', 'memory', 'tasks'];

/** `svc agents`: by name. A terminal gets the beginning of each UUID, which is enough to name the agent; a pipe the whole one. */
export async function agents(session: Session): Promise<void> {
  const listed = await machines(session);
  const uuids = listed.map(({ uuid }) => uuid);
  const params = { uuids, fields: [...FIELDS] };
  const rows: Row[] = await session.client.call('agent_dynamic_summary_multi_last_query', params);
  const last = new Map(rows.map((row) => [row['uuid'], row]));
  if (session.flags.json)
    return session.printJson(
      listed.map(({ label, ...agent }) => ({ ...last.get(agent.uuid), ...agent, label })),
    );
  const { isTTY } = session.io.stdout;
  const cells = listed.map((agent) => {
    const { label: name, tags, version } = agent;
    const row = last.get(agent.uuid) ?? {};
    const uuid = isTTY ? shortId(agent.uuid) : agent.uuid;
    const facts = { uuid, name, tags: tags?.join(' '), version, tasks: tasks(agent) };
    return { ...facts, seen: ago(row['timestamp']), ...figures(row) };
  });
  const first = isTTY ? ['name', 'uuid'] : ['uuid', 'name'];
  const names = [...first, 'seen', ...COLUMNS, 'tasks', 'version', 'tags'];
  // A server knows the version of an agent only when that has answered a task `version`.
  const isKnown = !isTTY || listed.some(({ version }) => version);
  const shown = isKnown ? names : names.filter((name) => name !== 'version');
  session.print(table(session.io, cells, shown, SPARE));
}

/** `svc watch AGENT`: a line for each report, until it is interrupted. */
export async function watch(session: Session): Promise<void> {
  const uuid = await machineOf(session, session.word(0, 'AGENT'));
  const params = { agents: [uuid], fields: [...FIELDS] };
  let left = session.flags.count ?? Infinity;
  for await (const { agents: rows } of session.client.subscribe('agent_subscribe', params)) {
    for (const row of rows as Row[]) {
      if (session.flags.json) session.printJson(row);
      else session.print(`${line(row)}\n`);
      if (--left <= 0) return;
    }
  }
}

function line(row: Row): string {
  const { cpu, memory, load, received, sent } = figures(row);
  const time = new Date(Number(row['timestamp'])).toISOString().slice(11, 19);
  return `${time}  cpu ${cpu}  memory ${memory}  load ${load ?? '-'}  in ${received}  out ${sent}`;
}
