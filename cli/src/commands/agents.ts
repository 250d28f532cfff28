import type { KnownAgent, Session } from '../session.ts';
import { ago, bytes, percent, speed } from '../table.ts';

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

/** Whether it takes tasks. */
const tasks = ({ connected_for_tasks, tasks_allowed }: KnownAgent): string | undefined =>
  connected_for_tasks ? 'yes' : tasks_allowed === false ? 'off' : undefined;

/** `svc agents` */
export async function agents(session: Session): Promise<void> {
  const known = await session.agents();
  const uuids = known.map(({ uuid }) => uuid);
  const params = { uuids, fields: [...FIELDS] };
  const rows: Row[] = await session.client.call('agent_dynamic_summary_multi_last_query', params);
  const last = new Map(rows.map((row) => [row['uuid'], row]));
  const shown = known.map((agent) => {
    const { uuid, name, tags, version } = agent;
    const row = last.get(uuid) ?? { uuid };
    if (session.flags.json) return { ...row, ...agent };
    const told = { uuid, name, tags: tags?.join(' '), version, tasks: tasks(agent) };
    return { ...told, seen: ago(row['timestamp']), ...figures(row) };
  });
  session.printRows(shown, ['uuid', 'name', 'seen', ...COLUMNS, 'tasks', 'version', 'tags']);
}

/** `svc watch AGENT`: a line for each report, until it is interrupted. */
export async function watch(session: Session): Promise<void> {
  const uuid = await session.agent(session.word(0, 'AGENT'));
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
