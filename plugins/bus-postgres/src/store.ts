import type { Database } from '@svc/plugin-sdk';
import type { ClientBase } from 'pg';

/** A receiver that has not read a row after this time counts as dead. */
const KEEP_MS = 60_000;

/** The database's time: those of servers differ. */
const NOW = '(extract(epoch from clock_timestamp()) * 1000)::bigint';

/** One notification, at most 7,999 bytes. */
export interface Notice {
  readonly channel: string;
  readonly payload: string;
}

/** A frame that a notification only names. */
export interface Body {
  readonly id: string;
  readonly body: string;
}

/** Listens to two channels of this schema: that of all servers, and `own`. @returns the name of the first */
export async function listen(client: ClientBase, own: (all: string) => string): Promise<string> {
  // A crash ends all connections, and their notifications with them: no commit waits for the disk.
  await client.query('set synchronous_commit = off');
  const found = await client.query<{ name: string }>(
    "select 'svc_bus_' || substr(md5(current_schema()), 1, 8) as name",
  );
  const all = found.rows[0]?.name ?? '';
  await client.query(`listen "${all}"; listen "${own(all)}"`);
  return all;
}

/** Number of the database's process that serves this connection. */
export async function backendOf(client: ClientBase): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid;
}

/** One notification over the pool. */
export const notifyBeside = (db: Database, channel: string, payload: string): Promise<unknown> =>
  db.all('select pg_notify(?, ?)', [channel, payload]);

/** Rows and notifications in one transaction, in this order. */
export async function notify(
  client: ClientBase,
  notices: readonly Notice[],
  bodies: readonly Body[],
): Promise<void> {
  const channels = notices.map(({ channel }) => channel);
  const payloads = notices.map(({ payload }) => payload);
  const send =
    'select count(pg_notify(channel, payload)) from unnest($1::text[], $2::text[]) as notice (channel, payload)';
  if (bodies.length === 0) {
    await client.query({ name: 'bus-notify', text: send, values: [channels, payloads] });
    return;
  }
  const ids = bodies.map(({ id }) => id);
  const texts = bodies.map(({ body }) => body);
  await client.query({
    name: 'bus-notify-rows',
    text: `with kept as (insert into bus_message (id, sent_at, body) select id, ${NOW}, body from unnest($3::uuid[], $4::text[]) as message (id, body)) ${send}`,
    values: [channels, payloads, ids, texts],
  });
}

/** Takes the bodies of these rows, by id. Rows of `mine` are removed, because only this server reads them. */
export async function takeBodies(
  client: ClientBase,
  shared: readonly string[],
  mine: readonly string[],
): Promise<Map<string, string>> {
  const read = async (name: string, text: string, ids: readonly string[]): Promise<Body[]> => {
    if (ids.length === 0) return [];
    const found = await client.query<Body>({ name, text, values: [ids] });
    return found.rows;
  };
  const rows = [
    ...(await read('bus-read', 'select id, body from bus_message where id = any($1)', shared)),
    ...(await read(
      'bus-take',
      'delete from bus_message where id = any($1) returning id, body',
      mine,
    )),
  ];
  return new Map(rows.map(({ id, body }) => [id, body]));
}

/** Removes rows that all servers have read by now. */
export async function removeOld(db: Database): Promise<void> {
  await db.all(`delete from bus_message where sent_at < ${NOW} - ${KEEP_MS}`);
}
