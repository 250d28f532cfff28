import type { Database } from '@svc/plugin-sdk';
import { member, readRows, slices, storable, writeRows } from './sql.ts';

const COLUMNS = 'monitor_id, place_id, at, text';

/** Beginning of an answer that was not good, as a place got it last. */
export interface Answer {
  readonly monitor_id: number;
  readonly place_id: number;
  /** Unix ms at which the check was planned. */
  readonly at: number;
  /** At most 300 characters. */
  readonly text: string;
}

/** Table `monitor_answer`: one row for each place of a monitor. Methods throw RpcError 103 when the database fails. */
export class AnswerStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Stores answers in place of older ones; of each place one at most. */
  async put(answers: readonly Answer[]): Promise<void> {
    const text = `insert into monitor_answer (${COLUMNS}) select ${member(0, 'bigint')}, ${member(1, 'integer')},
        ${member(2, 'bigint')}, ${member(3, 'text')} from ${this.#db.forms.elements} as v
      where exists (select 1 from monitor m where m.id = ${member(0, 'bigint')}) order by 1, 2
      on conflict (monitor_id, place_id) do update set at = excluded.at, text = excluded.text
      where monitor_answer.at < excluded.at returning monitor_id`;
    for (const some of slices(answers)) {
      const rows = some.map(({ monitor_id, place_id, at, text: said }) => {
        return [monitor_id, place_id, at, storable(said)];
      });
      await writeRows(this.#db.query, text, [JSON.stringify(rows)]);
    }
  }

  /** Returns the newest answer of a monitor. */
  async last(monitor_id: number): Promise<Answer | undefined> {
    const sql = `select ${COLUMNS} from monitor_answer where monitor_id = ? order by at desc limit 1`;
    const [row] = await readRows<Answer>(this.#db, {
      ...{ columns: COLUMNS, sql, params: [monitor_id] },
    });
    return row && { ...row, monitor_id: Number(row.monitor_id), at: Number(row.at) };
  }
}
