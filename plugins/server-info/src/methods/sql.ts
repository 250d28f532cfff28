import {
  type Brand,
  type CallContext,
  type Database,
  DatabaseChanged,
  described,
  type Messaging,
  type Methods,
  type Principal,
  Type,
} from '@svc/plugin-sdk';
import { jsonRows, RawJson } from '@svc/plugin-sdk/json';
import { JsonText } from '@svc/plugin-sdk/schemas';
import { type CallerValue, callerValues } from '@svc/plugin-sdk/sql';
import { rowText } from '../cells.ts';
import { mayRunSql } from '../permissions.ts';
import { SqlResult } from '../schemas.ts';
import { runSql } from '../store.ts';

/** Most rows of one answer. */
const MAX_ROWS = 10_000;

/** Parts that the SQL methods work with. */
export interface SqlContext {
  readonly db: Database;
  /** Returns what runs the SQL of this caller. @throws RpcError 102 */
  readonly runner: (caller: Principal) => Database['execute'];
  readonly publish: Messaging['publish'];
  readonly brand: Brand;
  readonly timeout_ms: () => number;
  /** Folder in which the Super Token's `VACUUM INTO` may make a file. */
  readonly vacuumFolder: () => string | undefined;
  /** Largest answer, bytes. */
  readonly maxBytes: () => number;
}

/** `exec_sql` and `get_database_type`. */
export function addSqlMethods(methods: Methods, context: SqlContext): void {
  const { db, brand } = context;

  methods.add('svc-server_exec_sql', {
    summary: 'Runs SQL on the main database, in its own dialect.',
    description:
      'Placeholders on SQLite: `?5` and `$5` by place, `?` the next one over the whole text; on Postgres `$5`.',
    params: {
      sql: Type.String({ description: 'SQL of the main database.' }),
      params: described(
        Type.Optional(JsonText),
        'Values of the placeholders, a list. Absent: none.',
      ),
    },
    result: SqlResult,
    audit: ({ sql }) => sql,
    secret: true,
    access: mayRunSql(brand),
    handle: async ({ sql, params }, call) =>
      execute(context, sql, await callerValues(params), call),
  });

  methods.add('svc-server_get_database_type', {
    summary: 'Which database engine holds the main database.',
    params: {},
    result: Type.Object({ success: Type.Literal(true), data: Type.String() }),
    access: mayRunSql(brand),
    handle: () => ({ success: true as const, data: db.dialect }),
  });
}

async function execute(
  { publish, runner, timeout_ms, vacuumFolder, maxBytes }: SqlContext,
  sql: string,
  params: readonly CallerValue[],
  { caller, signal }: CallContext,
): Promise<RawJson> {
  const vacuum_folder = caller.super ? vacuumFolder() : undefined;
  const limits = { maxRows: MAX_ROWS, timeout_ms: timeout_ms() };
  const options = { ...limits, signal, share: caller.id, vacuum_folder };
  try {
    const done = await runSql(runner(caller), sql, params, options);
    const data = await jsonRows(done.rows, rowText, maxBytes());
    const count = done.columns.length > 0 ? done.rowCount : done.affected;
    return new RawJson(
      `{"success":true,"data":${data},"row_count":${count},"truncated":${done.truncated}}`,
    );
  } finally {
    // After a failure too: an earlier statement of the same text may have been kept.
    if (mayWrite(sql)) publish(DatabaseChanged, {});
  }
}

/** Tells whether a text may write: not only for a single statement of a kind that reads. Not one pattern: blanks before a second `;` would take the square of the time. */
function mayWrite(sql: string): boolean {
  if (!/^\s*(?:select|values|show|explain)\b/i.test(sql)) return true;
  const end = sql.indexOf(';');
  return end >= 0 && sql.slice(end + 1).trim() !== '';
}
