import type { Database } from '@svc/plugin-sdk';
import type { Sql } from '@svc/plugin-sdk/sql';
import type { Filter } from '../conditions.ts';
import type { Kind } from '../kinds.ts';
import { aheadIndexOf, IS_AHEAD } from '../migrations/0004-ahead.ts';
import { AHEAD_MS, FUTURE_MS } from '../newest-rule.ts';
import { whereOf } from './sql.ts';

/** Time before every other. */
export const EVER: bigint = -(2n ** 63n);

const OPEN = { from: undefined, to: undefined };
export const EVERY_ROW: Filter = { uuids: [], timestamp: OPEN, storage: OPEN, limit: undefined };

/** The time as of which a row counts where the newest is asked; `time` is its own. */
export const countedSql = (time: string): string =>
  `case when ${time} > m.storage_time + ${AHEAD_MS} then m.storage_time else ${time} end`;

export interface NewestAsk {
  readonly filter: Filter;
  /** The id of an agent, or the expression that gives it; undefined: all agents. */
  readonly whose: number | { readonly sql: string } | undefined;
  /** Unix ms by the server's clock. */
  readonly now: number;
}

/**
 * The newest row that matches, with the time as of which it counts as `counted`. A step into the index of rows from clocks that
 * were ahead, and one into that of `timestamp`, where the first row that counts as of its own time is looked for: no further
 * back than the row of the first step counts, nor ahead of `now`. What counts as of a time ahead of `now` arrived while the
 * server's clock was ahead, and is the newest only where there is nothing else.
 */
export function newestSql(
  { dialect }: Pick<Database, 'dialect'>,
  { table }: Pick<Kind, 'table'>,
  { filter, whose, now }: NewestAsk,
): Sql {
  const { text, params } = whereOf(filter, typeof whose === 'number' ? whose : undefined, {
    by: 'timestamp',
  });
  const where = typeof whose === 'object' ? `${text} and m.uuid_id = ${whose.sql}` : text;
  const { to } = filter.timestamp;
  // What is ahead arrived before the end of a window.
  const arrived = to === undefined ? '' : 'and m.storage_time < ?';
  const before = to === undefined ? [] : [least(BigInt(to) - BigInt(AHEAD_MS))];
  const index = dialect === 'sqlite' ? `indexed by "${aheadIndexOf(table)}"` : '';
  const latest = now + FUTURE_MS;
  return {
    text: `with ahead as (select m.*, m.storage_time as counted from ${table} m ${index} ${where} ${arrived}
        and m.storage_time <= ? and ${IS_AHEAD} order by m.storage_time desc, m.id desc limit 1),
      others as (select m.*, m.timestamp as counted from ${table} m ${where}
        and m.timestamp >= coalesce((select counted from ahead), ?) and m.timestamp <= ?
        and (${IS_AHEAD}) is not true order by m.timestamp desc, m.id desc limit 1),
      known as (select * from ahead union all select * from others),
      future as (select m.*, ${countedSql('m.timestamp')} as counted from ${table} m ${where}
        and m.timestamp > ? and not exists (select 1 from known) order by m.timestamp desc, m.id desc limit 1)
      select * from (select * from known union all select * from future) n order by counted desc, id desc limit 1`,
    params: [...params, ...before, latest, ...params, EVER, latest, ...params, latest],
  };
}

const least = (time: bigint): bigint => (time < EVER ? EVER : time);
