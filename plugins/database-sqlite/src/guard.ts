import type { GuardedTables, SqlCaller } from '@svc/plugin-sdk/sql';
import type Sqlite from 'better-sqlite3';
import type { BoundStatement } from './placeholders.ts';
import { namesIn } from './split.ts';
import { vacuumFile } from './vacuum-file.ts';

/** Pages of the file as they lie on the disk, and values that ANALYZE took from indexes of any table. */
const RAW = ['sqlite_dbpage', 'sqlite_stat3', 'sqlite_stat4'];
/** Pragmas that reach other files, or change what the engine takes for the schema or does for all other connections. */
const PRAGMAS =
  /^(?:writable_schema|schema_version|trusted_schema|(?:temp|data)_store_directory|journal_mode|locking_mode|hexkey|key|rekey)$/;
const DDL = new Set(['create', 'alter', 'drop', 'reindex']);
/** Tables of the engine itself: a number there ends the ids of a table, a value sends every search of the server astray. */
const ENGINE = /^sqlite_(?:sequence|stat\d)$/;
const READS = /^(?:select|values|explain|pragma)$/;

/** Pragmas that are refused for every caller: they lead to other files, or change what the engine takes for the schema. */
const CLOSED_PRAGMAS = /^(?:(?:temp|data)_store_directory|writable_schema|schema_version)$/;

/**
 * Refuses what reaches other files than the database's own, or its schema by other ways than statements: the driver has no authorizer, and these words only begin a statement.
 * @param vacuum_folder in which `VACUUM INTO` may make a file
 * @throws Error
 */
export function refuseForeignFiles(statement: BoundStatement, vacuum_folder?: string): void {
  const { sql, word } = statement;
  const foreign =
    word === 'attach' ||
    word === 'detach' ||
    (isPragma(sql) && namesIn(sql).some((name) => CLOSED_PRAGMAS.test(name)));
  if (foreign)
    throw new Error(
      'not authorized: this leads to other files, or past the schema of the database',
    );
  vacuumFile(statement, vacuum_folder);
}

/** A PRAGMA acts while it is compiled, behind `explain`, too. */
function isPragma(sql: string): boolean {
  return namesIn(sql).find((word) => !/^(?:explain|query|plan)$/.test(word)) === 'pragma';
}

/**
 * Keeps a caller's statements from tables. The driver has no authorizer, so there are two walls: names in any quoting,
 * before anything is prepared, and, for what reaches a table by another name (views, triggers, foreign keys), the trees that
 * the compiled statement opens.
 */
export class Guard {
  readonly #db: Sqlite.Database;
  readonly #isSuper: boolean;
  /** Guarded tables by name in lower case. */
  readonly #tables = new Map<string, GuardedTables[string]>();

  constructor(db: Sqlite.Database, tables: GuardedTables, caller: SqlCaller) {
    this.#db = db;
    this.#isSuper = caller === 'super';
    for (const [name, kind] of Object.entries(tables)) this.#tables.set(name.toLowerCase(), kind);
    if (this.#isSuper) return;
    for (const name of [...RAW, ...this.#virtual()]) this.#tables.set(name, 'secret');
  }

  /** Must come before the first statement is prepared: a PRAGMA acts while it is. @throws Error */
  refuseNames(statements: readonly BoundStatement[]): void {
    for (const { sql, word } of statements) {
      const names = namesIn(sql);
      if (word === 'create' && names[1] === 'virtual') this.#refuseVirtual(names);
      if (!this.#isSuper && isPragma(sql) && names.some((name) => PRAGMAS.test(name)))
        throw new Error('not authorized: this PRAGMA is open to the Super Token only');
      const shapes = DDL.has(word) && !onlyShows(names);
      const own = names.find((name) => ENGINE.test(name));
      if (own && !readsOnly(word, names))
        throw new Error(`not authorized: the table ${own} is written by the engine only`);
      for (const name of word === 'drop' ? [...names, ...this.#ofTriggers(names)] : names) {
        const kind = this.#tables.get(name);
        if (kind === 'secret' || (kind && shapes)) throw this.#refusal(name);
      }
    }
  }

  /** The tables on which these triggers stand, and every name in their texts. */
  #ofTriggers(triggers: readonly string[]): string[] {
    const rows = this.#db
      .prepare("select lower(name), sql from main.sqlite_schema where type = 'trigger'")
      .raw()
      .all() as [string, string][];
    return rows.filter(([name]) => triggers.includes(name)).flatMap(([, sql]) => namesIn(sql));
  }

  /** A virtual table reads others by itself, and takes tables whose names begin with its own for its parts. */
  #refuseVirtual(names: readonly string[]): void {
    if (!this.#isSuper)
      throw new Error('not authorized: virtual tables are open to the Super Token only');
    for (const table of this.#tables.keys())
      if (names.some((name) => table.startsWith(`${name}_`))) throw this.#refusal(table);
  }

  /** Must come right before the statement runs: the one before it may have changed the schema. @throws Error */
  refuseTrees({ word, numbered, sql }: BoundStatement, values: readonly object[]): void {
    // `explain` only compiles.
    if (word === 'explain') return;
    const text = values.length === 0 ? sql : numbered;
    const program = this.#db
      .prepare(`explain ${text}`)
      .raw()
      .all(...values) as Instruction[];
    const roots = this.#roots();
    let inTrigger = false;
    for (const [at, instruction] of program.entries()) {
      // Programs of triggers follow the statement's own, each from address 0 on.
      inTrigger ||= at > 0 && instruction[0] === 0;
      const { root, change } = treeOf(instruction);
      const table = root === undefined ? undefined : roots.get(root);
      const kind = table === undefined ? undefined : this.#tables.get(table);
      if (table === undefined || kind === undefined) continue;
      // The engine forgets what it noted of the table or index that goes.
      if (word === 'drop' && change !== 'shape' && ENGINE.test(table)) continue;
      const isOpen = kind === 'data' || (kind === 'counter' && inTrigger);
      if (kind === 'secret' || change === 'shape' || (change && !isOpen))
        throw this.#refusal(table);
    }
  }

  /** Guarded tables by the first pages of their own trees and of their indexes. */
  #roots(): Map<number, string> {
    const rows = this.#db
      .prepare('select rootpage, lower(tbl_name) from main.sqlite_schema where rootpage > 0')
      .raw()
      .all() as [number, string][];
    return new Map(rows.filter(([, table]) => this.#tables.has(table)));
  }

  /** Virtual tables made by the Super Token over a secret one: they read it by themselves. */
  #virtual(): string[] {
    const rows = this.#db
      .prepare("select lower(name), sql from main.sqlite_schema where sql like 'create virtual%'")
      .raw()
      .all() as [string, string][];
    const isSecret = (name: string) => this.#tables.get(name) === 'secret';
    return rows.filter(([, sql]) => namesIn(sql).some(isSecret)).map(([name]) => name);
  }

  #refusal(table: string): Error {
    const isData = this.#tables.get(table) === 'data';
    const shape = isData ? 'what is no row of ' : '';
    const who = this.#isSuper ? 'written by the server only' : 'open to the Super Token only';
    return new Error(`not authorized: ${shape}the table ${table} is ${who}`);
  }
}

/** A view, and a table that refers to no other, leave the tables that they name as they are. */
function onlyShows(names: readonly string[]): boolean {
  const [create, kind] = names.filter((name) => name !== 'temp' && name !== 'temporary');
  if (create !== 'create') return false;
  return kind === 'view' || (kind === 'table' && !names.includes('references'));
}

/** A table that the statement names is left as it is. */
function readsOnly(word: string, names: readonly string[]): boolean {
  if (word !== 'with') return READS.test(word) || onlyShows(names);
  return !names.some((name) => /^(?:insert|replace|update|delete)$/.test(name));
}

/** Address, name, p1, p2, p3, p4, p5 of what `explain` shows. */
type Instruction = [number, string, number, number, number, unknown, number];
/** The number of a root page stands in a register. */
const IN_REGISTER = 0x10;

interface Tree {
  /** Its first page in the main schema. */
  readonly root?: number;
  readonly change?: 'rows' | 'shape';
}

/** The tree of the main schema that an instruction opens, empties or drops. */
function treeOf([, name, p1, p2, p3, , p5]: Instruction): Tree {
  const main = (database: number, root: number) => (database === 0 ? { root } : {});
  if (name === 'OpenRead' || name === 'ReopenIdx') return main(p3, p2);
  if (name === 'OpenWrite' && (p5 & IN_REGISTER) === 0) return { ...main(p3, p2), change: 'rows' };
  if (name === 'Clear') return { ...main(p2, p1), change: 'rows' };
  return name === 'Destroy' ? { ...main(p3, p1), change: 'shape' } : {};
}
