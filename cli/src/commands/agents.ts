import type { Session } from '../session.ts';
import { ago, bytes, percent } from '../table.ts';

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
  memory: `${bytes(row['used_memory'])} of ${bytes(row['total_memory'])}`,
  load: row['load_one'],
  received: `${bytes(row['receive_speed'])}/s`,
  sent: `${bytes(row['transmit_speed'])}/s`,
});
const COLUMNS = ['cpu', 'memory', 'load', 'received', 'sent'];

/** `svc agents` */
export async function agents(session: Session): Promise<void> {
  const uuids = await session.client.call('agent-uuid_list_all');
  const params = { uuids, fields: [...FIELDS] };
  const rows: Row[] = await session.client.call('agent_dynamic_summary_multi_last_query', params);
  const last = new Map(rows.map((row) => [row['uuid'], row]));
  const names = await session.names(uuids);
  const shown = uuids.map((uuid) => {
    const row = last.get(uuid) ?? { uuid };
    const name = names.get(uuid);
    if (session.flags.json) return { ...row, name: name ?? null };
    return { uuid, name, seen: ago(row['timestamp']), ...figures(row) };
  });
  session.printRows(shown, ['uuid', 'name', 'seen', ...COLUMNS]);
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
