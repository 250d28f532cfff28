import type { Database } from '@svc/plugin-sdk';
import { guarded } from '@svc/plugin-sdk/sql';

export interface Refused {
  readonly uuid: string | null;
  /** Unix ms. */
  readonly time: number;
  /** JSON of a `Detail`. */
  readonly detail: string;
  readonly address: string | null;
}

/** The last refusals since `from`, an agent each, the newest first. Index (uuid_id, id) of refusals. @throws RpcError 103 */
export const refusedSince = (
  db: Database,
  uuidSql: (column: string) => string,
  from: number,
  most: number,
): Promise<Refused[]> =>
  read(() =>
    db.all(
      `select ${uuidSql('uuid_id')} as uuid, time, detail, address from
          (select e.uuid_id, e.time, e.detail, p.address from agent_event e
            left join agent_presence p on p.uuid_id = e.uuid_id
            where e.id in (select max(id) from agent_event where kind = 'refused' and time >= ? group by uuid_id)) r
        order by time desc limit ?`,
      [from, most],
    ),
  );

export interface Census {
  readonly agents: number;
  /** Reported when a server last looked. */
  readonly here: number;
  /** Number of addresses that they report from; `address` is one of them. */
  readonly addresses: number;
  readonly address: string;
}

/** @throws RpcError 103 */
export const census = (db: Database): Promise<Census> =>
  read(
    async () =>
      (await db.first(
        `select count(*) as agents, coalesce(sum(here), 0) as here, count(distinct address) as addresses,
          coalesce(min(address), '') as address from agent_presence`,
      )) as Census,
  );

const read = <T>(work: () => Promise<T>): Promise<T> =>
  guarded('the history of agents could not be read', work);
