import type { Statements } from './statements.ts';

/** Tables that a copy of an earlier version may lack. */
const COMPLETE = 'notify_outbox';

/** Table `notify_state`: one row. */
export class StateStore {
  readonly #on: Statements;
  /** SQL conditions that hold while rows of other plugins are sealed with the key. */
  readonly #kept: string[] = [];

  constructor(on: Statements) {
    this.#on = on;
  }

  /** Has the key matter while this SQL condition holds. */
  keep(exists: string): void {
    this.#kept.push(exists);
  }

  async fingerprint(): Promise<string | null> {
    const text = 'select key_fingerprint from notify_state where id = 1';
    const [row] = await this.#on.rows<{ key_fingerprint: string | null }>(text);
    return row?.key_fingerprint ?? null;
  }

  /** Tells whether the key of the database matters: a secret was sealed with it, or a server sends with it now. */
  async isKeyUsed(): Promise<boolean> {
    const text = `select id from notify_state where id = 1 and not ${this.#unused}`;
    return (await this.#on.rows(text)).length > 0;
  }

  /** Remembers the key, unless another one matters. @returns false: it does */
  async claim(fingerprint: string): Promise<boolean> {
    const text = `update notify_state set key_fingerprint = ? where id = 1 and (key_fingerprint is null
      or key_fingerprint = ? or ${this.#unused}) returning id`;
    return (await this.#on.rows(text, [fingerprint, fingerprint])).length > 0;
  }

  get #unused(): string {
    const { forms } = this.#on.db;
    const used = ['exists (select 1 from channel where secret is not null)', ...this.#kept];
    return `(until < ${forms.now} and not (${used.join(' or ')}))`;
  }

  async publicUrl(): Promise<string | null> {
    const text = 'select public_url from notify_state where id = 1';
    const [row] = await this.#on.read<{ public_url: string | null }>(text);
    return row?.public_url ?? null;
  }

  /** Remembers the address of the page in the place of an earlier one: it leads the links of all messages. */
  async setUrl(url: string): Promise<void> {
    const text = 'update notify_state set public_url = ? where id = 1 returning id';
    await this.#on.rows(text, [url]);
  }

  /** Drops what waited in a database that was restored from a copy. @returns how many; undefined: the copy has no such table */
  async dropRestored(): Promise<number | undefined> {
    if (!(await this.#on.db.query.schema.hasTable(COMPLETE))) return undefined;
    return this.#on.transaction(async (trx) => {
      const counts = `update channel set dropped = dropped + (select count(*) from notify_outbox o
        where o.channel_id = channel.id and o.state = 0) returning id`;
      await this.#on.rows(counts, [], trx);
      const drop = `update notify_outbox set state = 2, last_error = 'dropped by a restore' where state = 0 returning id`;
      return (await this.#on.rows(drop, [], trx)).length;
    });
  }
}
