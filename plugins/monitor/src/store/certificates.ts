import { createHash } from 'node:crypto';
import type { Inspection } from '@svc/checks';
import type { Database } from '@svc/plugin-sdk';
import { BoundedCache } from '@svc/plugin-sdk/util';
import { member, readRows, writeRows } from './sql.ts';

const COLUMNS = 'monitor_id, place_id, at, fingerprint, not_after, lifetime_ms, body';
const MOST_KNOWN = 10_000;

/** Certificates that a place saw. */
export interface Seen {
  readonly monitor_id: number;
  readonly place_id: number;
  /** Unix ms. */
  readonly at: number;
  readonly inspection: Inspection;
}

/** Own certificate that ends first: Unix ms of its end, and the length of its life, ms. */
export interface End {
  readonly not_after: number;
  readonly lifetime_ms: number;
}

interface Row {
  readonly monitor_id: number;
  readonly place_id: number;
  readonly at: number;
  readonly body: string;
}

/** Table `monitor_tls`, written where certificates change. Methods throw RpcError 103 when the database fails. */
export class CertificateStore {
  readonly #db: Database;
  /** Fingerprints that this server wrote last. */
  readonly #known = new BoundedCache<string, string>({ most: MOST_KNOWN });

  constructor(db: Database) {
    this.#db = db;
  }

  /** Stores what a place saw, unless it saw the same before. */
  async put(seen: Seen): Promise<void> {
    const { monitor_id, place_id, at, inspection } = seen;
    const key = `${monitor_id} ${place_id}`;
    const fingerprint = fingerprintOf(inspection);
    if (this.#known.get(key) === fingerprint) return;
    const [own] = inspection.chain;
    const lifetime = own ? own.not_after - own.not_before : null;
    const body = JSON.stringify(inspection);
    const text = `insert into monitor_tls (${COLUMNS}) select ${member(0, 'bigint')}, ${member(1, 'integer')},
        ${member(2, 'bigint')}, ${member(3, 'text')}, ${member(4, 'bigint')}, ${member(5, 'bigint')}, ${member(6, 'text')}
      from ${this.#db.forms.elements} as v where exists (select 1 from monitor m where m.id = ${member(0, 'bigint')})
      on conflict (monitor_id, place_id) do update set at = excluded.at, fingerprint = excluded.fingerprint,
        not_after = excluded.not_after, lifetime_ms = excluded.lifetime_ms, body = excluded.body
      where monitor_tls.fingerprint <> excluded.fingerprint returning monitor_id`;
    const row = [monitor_id, place_id, at, fingerprint, own?.not_after ?? null, lifetime, body];
    await writeRows(this.#db.query, text, [JSON.stringify([row])]);
    this.#known.set(key, fingerprint);
  }

  /** Forgets what was seen of a monitor whose target changed. */
  async forget(monitor_id: number): Promise<void> {
    const text = 'delete from monitor_tls where monitor_id = ? returning place_id';
    await writeRows(this.#db.query, text, [monitor_id]);
  }

  async ofMonitor(monitor_id: number): Promise<Seen[]> {
    const columns = 'monitor_id, place_id, at, body';
    const sql = `select ${columns} from monitor_tls where monitor_id = ? order by place_id`;
    const rows = await readRows<Row>(this.#db, { columns, sql, params: [monitor_id] });
    return rows.map(({ body, ...row }) => ({
      ...row,
      inspection: JSON.parse(body) as Inspection,
    }));
  }

  /** Returns the certificate of each monitor that ends first. */
  async ends(): Promise<ReadonlyMap<number, End>> {
    const columns = 'monitor_id, not_after, lifetime_ms';
    const sql = `select ${columns} from monitor_tls where not_after is not null order by not_after desc`;
    const rows = await readRows<End & { readonly monitor_id: number }>(this.#db, {
      ...{ columns, sql, params: [], long: true },
    });
    return new Map(
      rows.map(({ monitor_id, not_after, lifetime_ms }) => [
        monitor_id,
        { not_after, lifetime_ms },
      ]),
    );
  }
}

/** Text that differs where the certificates or their validity do. The reason is no part of it: it counts days. */
function fingerprintOf({ valid, chain, missing }: Inspection): string {
  const parts = [valid, chain.map(({ fingerprint }) => fingerprint), missing];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
