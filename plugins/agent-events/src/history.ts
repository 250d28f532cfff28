import type { Database } from '@svc/plugin-sdk';
import { guarded, marks } from '@svc/plugin-sdk/sql';
import type { AgentHistory, Away, Coming, Seen, StoredEvent } from './api.ts';

/** 50 agents over 400 days take less. */
const MOST_BYTES = 4 * 1024 * 1024;

/** The tables as other plugins see them. */
export function openHistory(db: Database): AgentHistory {
  const read: Read = (columns, rest, params) =>
    guarded('the history of agents could not be read', async () => {
      const sql = `select '[' || ${columns.join(" || ',' || ")} || ']' as json from ${rest}`;
      const { text } = await db.jsonArray(sql, params, { maxBytes: MOST_BYTES, short: 'try' });
      return JSON.parse(typeof text === 'string' ? text : Buffer.from(text).toString());
    });
  return {
    seen: (ids, fromDay) => seen(read, ids, fromDay),
    away: () => away(read),
    addresses: () => addresses(read, db.forms),
    events: (after, from) => events(read, db.forms, after, from),
    comings: (ids, from, to) => comings(read, ids, { from, to }),
  };
}

async function away(read: Read): Promise<Away[]> {
  const where = 'agent_presence where here = 0 and last_seen > 0';
  const rows = await read(['uuid_id', 'last_seen'], where, []);
  return rows.map(([id, since]) => ({ id: Number(id), since: Number(since) }));
}

async function addresses(
  read: Read,
  { jsonText }: Database['forms'],
): Promise<ReadonlyMap<number, string>> {
  const where = 'agent_presence where address is not null';
  return new Map(await read<[number, string]>(['uuid_id', jsonText('address')], where, []));
}

/** Indexes (time) and (id). */
async function events(
  read: Read,
  { jsonText }: Database['forms'],
  after: number,
  from: number,
): Promise<StoredEvent[]> {
  const columns = ['id', 'uuid_id', jsonText('kind'), 'time', 'detail'];
  const where = `(select id, uuid_id, kind, time, detail from agent_event
    where id > ? and time >= ? and uuid_id is not null order by id limit 1000) e order by id`;
  const rows = await read<[number, number, string, number, StoredEvent['detail']]>(columns, where, [
    after,
    from,
  ]);
  return rows.map(([id, agent, kind, time, detail]) => ({ id, agent, kind, time, detail }));
}

type Read = <Row = [id: number, a: number, b: number]>(
  columns: readonly string[],
  rest: string,
  params: readonly number[],
) => Promise<Row[]>;

async function seen(
  read: Read,
  ids: readonly number[],
  fromDay: number,
): Promise<ReadonlyMap<number, Seen>> {
  if (ids.length === 0) return new Map();
  const these = `uuid_id in (${marks(ids.length)})`;
  // Index (uuid_id, day) of the uptime, (uuid_id) of the presence.
  const [presences, firsts, days] = await Promise.all([
    read(['uuid_id', 'here', 'last_seen'], `agent_presence where ${these}`, ids),
    read(['uuid_id', 'min(day)'], `agent_uptime where ${these} group by uuid_id`, ids),
    read(['uuid_id', 'day', 'ms'], `agent_uptime where ${these} and day >= ?`, [...ids, fromDay]),
  ]);
  const firstDay = new Map(firsts.map(([id, day]) => [id, day]));
  const found = new Map<number, Seen & { readonly days: Map<number, number> }>();
  for (const [id, here, since] of presences) {
    // A row without a time knows an address only.
    if (since === 0) continue;
    found.set(id, { here: here === 1, since, firstDay: firstDay.get(id), days: new Map() });
  }
  for (const [id, day, ms] of days) found.get(id)?.days.set(day, ms);
  return found;
}

const HERE = `case kind when 'came' then 1 else 0 end`;

async function comings(
  read: Read,
  ids: readonly number[],
  { from, to }: { readonly from: number; readonly to: number },
): Promise<ReadonlyMap<number, readonly Coming[]>> {
  if (ids.length === 0) return new Map();
  const these = `uuid_id in (${marks(ids.length)})`;
  const changes = `agent_event where ${these} and kind in ('came', 'went')`;
  const before = `select max(id) from ${changes} and time < ? group by uuid_id`;
  // Index (uuid_id, time). Events are kept for a while, the last state always.
  const [old, events, presences] = await Promise.all([
    read(['uuid_id', HERE, 'time'], `agent_event where id in (${before})`, [...ids, from]),
    read(['uuid_id', HERE, 'time'], `${changes} and time >= ? and time < ? order by time, id`, [
      ...ids,
      from,
      to,
    ]),
    read(['uuid_id', 'here', 'last_seen'], `agent_presence where ${these}`, ids),
  ]);
  const found = new Map<number, Coming[]>();
  const add = ([id, here, time]: readonly [number, number, number]) => {
    const list = found.get(id) ?? [];
    found.set(id, list);
    const isNewer = time > 0 && time < to && time > (list.at(-1)?.time ?? 0);
    if (isNewer) list.push({ here: here === 1, time });
  };
  for (const row of [...old, ...events, ...presences]) add(row);
  return found;
}
