import type { Database } from '@svc/plugin-sdk';
import { RawJson } from '@svc/plugin-sdk/json';
import { guarded } from '@svc/plugin-sdk/sql';
import { type Item, keysOf } from '../patterns.ts';
import { type ReadLimits, readArray } from './read-array.ts';
import { type Distinct, repeated } from './repeats.ts';

/** More items than this are looked up away from the event loop. */
const FEW_ITEMS = 2_000;

/** Values of many keys and patterns, in request order, from one snapshot (kv.md §4.4). */
export type MultiRead = (asked: Distinct, limits: ReadLimits) => Promise<RawJson>;

/** One statement for the whole call, so one snapshot; one range of the unique index for each item. */
export function openMultiRead(db: Database): MultiRead {
  const sql = db.dialect === 'sqlite' ? sqliteSql : postgresSql;
  const read = async (items: readonly Item[], text: string, limits: ReadLimits) => {
    const params = [await placesOf(items)];
    return readArray(db, { sql: text, params, few: items.length <= FEW_ITEMS }, limits);
  };
  return (asked, limits) =>
    guarded('read failed', async () => {
      const { items, order } = asked;
      if (items.length === order.length) return read(items, sql.rows, limits);
      // The text holds places and lengths in addition to the rows, so it may be longer than the answer.
      const roomy = { ...limits, maxBytes: 2 * limits.maxBytes };
      const { text } = await read(items, sql.placed, roomy);
      return new RawJson(await repeated(Buffer.from(text as string), asked, limits.maxBytes));
    });
}

const EXACT = 0;
const RANGE = 1;
const OPEN_RANGE = 2;

/** Items that are written before other calls get their turn. */
const SLICE = 4_000;

/** The parameter of the SQL below. */
async function placesOf(items: readonly Item[]): Promise<string> {
  const texts: string[] = [];
  for (let at = 0; at < items.length; at += SLICE) {
    if (at > 0) await new Promise(setImmediate);
    texts.push(JSON.stringify(items.slice(at, at + SLICE).map(place)).slice(1, -1));
  }
  return `[${texts.join(',')}]`;
}

/** One item for the SQL below: `[head of the answer, namespace, from, to, mode]`. */
function place({ namespace, key }: Item): unknown[] {
  const keys = keysOf(key);
  const head = `{"namespace":${JSON.stringify(namespace)},"key":`;
  if ('exact' in keys) {
    return [`${head}${JSON.stringify(key)},"value":`, namespace, keys.exact, null, EXACT];
  }
  const mode = keys.to === undefined ? OPEN_RANGE : RANGE;
  return [head, namespace, keys.from, keys.to ?? null, mode];
}

// A left join walks the items in their order and each item's keys in the order of the index: no sort, which would
// have to read everything first. No text lies between a text and the same text with a zero byte, and any blob comes after all texts.
const sqliteText = `(i.value ->> 0) || iif(i.value ->> 4 = ${EXACT}, '', json_quote(k.key) || ',"value":')
    || coalesce(k.value, 'null') || '}'`;
const sqliteRows = `
  from json_each(?) i left join kv k
    on k.namespace = i.value ->> 1 and k.key >= i.value ->> 2
    and k.key < case i.value ->> 4
      when ${EXACT} then (i.value ->> 2) || char(0) when ${RANGE} then i.value ->> 3 else x'' end
  where k.id is not null or i.value ->> 4 = ${EXACT}`;
const sqliteSql = {
  rows: `select ${sqliteText} ${sqliteRows}`,
  /** Rows with the place of the item, and the bytes of the row. */
  placed: `select i.key || ',' || length(cast(${sqliteText} as blob)) || ',' || ${sqliteText} ${sqliteRows}`,
};

const postgresText = `(i.value ->> 0)
    || case i.value ->> 4 when '${EXACT}' then '' else to_json(k.key)::text || ',"value":' end
    || coalesce(k.value::text, 'null') || '}'`;
const postgresRows = `
  from json_array_elements(cast(? as json)) with ordinality as i (value, place)
  left join lateral (
    select key, value from kv
    where i.value ->> 4 = '${EXACT}' and namespace = i.value ->> 1 and key = i.value ->> 2
    union all
    select key, value from kv
    where i.value ->> 4 = '${RANGE}' and namespace = i.value ->> 1
      and key >= i.value ->> 2 and key < i.value ->> 3
    union all
    select key, value from kv
    where i.value ->> 4 = '${OPEN_RANGE}' and namespace = i.value ->> 1 and key >= i.value ->> 2
  ) k on true
  where k.key is not null or i.value ->> 4 = '${EXACT}'
  order by i.place, k.key`;
const postgresSql = {
  rows: `select ${postgresText} ${postgresRows}`,
  placed: `select (i.place - 1) || ',' || octet_length(${postgresText}) || ',' || ${postgresText} ${postgresRows}`,
};
