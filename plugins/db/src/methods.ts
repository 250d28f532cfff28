import {
  type Auth,
  described,
  type Methods,
  type Principal,
  RpcError,
  Type,
} from '@svc/plugin-sdk';
import { jsonRows, RawJson } from '@svc/plugin-sdk/json';
import { JsonText } from '@svc/plugin-sdk/schemas';
import { callerValues } from '@svc/plugin-sdk/sql';
import { MAX_ROWS } from './connection.ts';
import type { Databases } from './databases.ts';
import { mayCreate, mayDelete, mayList, mayRead, mayRename, mayRun } from './permissions.ts';
import { rowText } from './values.ts';

const Name = Type.String({ description: 'Name of a registered database.' });
const answer = <T extends Parameters<typeof Type.Object>[0]>(data: T) =>
  Type.Object({ success: Type.Literal(true), data: Type.Object(data) });
const success = <T>(data: T) => ({ success: true as const, data });

const nullable = Type.Union([Type.Integer(), Type.Null()]);
const half = /\p{Surrogate}/u;

export interface MethodOptions {
  readonly databases: Databases;
  readonly auth: Auth;
  readonly shownPath: (name: string) => string;
  /** Returns what to store as the creator of a database. */
  readonly ownerOf: (caller: Principal) => string | null;
  /** Largest answer, bytes. */
  readonly maxBytes: () => number;
}

/** `db_*` (db.md §4). */
export function addMethods(methods: Methods, options: MethodOptions): void {
  addCreateAndRead(methods, options);
  addUpdateAndDelete(methods, options);
  addList(methods, options);
  addExecSql(methods, options);
}

function addCreateAndRead(
  methods: Methods,
  { databases, shownPath, ownerOf }: MethodOptions,
): void {
  methods.add('db_create', {
    summary: 'Registers a database and opens its file.',
    params: { name: Name },
    result: answer({ name: Type.String(), file_path: Type.String() }),
    audit: ({ name }) => name,
    access: mayCreate,
    async handle({ name }, { caller, log }) {
      await databases.create(name, ownerOf(caller));
      log.info('database created', { name });
      return success({ name, file_path: shownPath(name) });
    },
  });

  methods.add('db_read', {
    summary: 'A database as the registry has it; `active`: a connection is open.',
    params: { name: Name },
    result: answer({
      id: Type.Integer(),
      name: Type.String(),
      created_at: Type.Integer(),
      active: Type.Boolean(),
    }),
    access: mayRead,
    async handle({ name }) {
      const { id, created_at } = await databases.read(name);
      return success({ id, name, created_at, active: databases.isOpen(id) });
    },
  });
}

function addUpdateAndDelete(methods: Methods, { databases, auth }: MethodOptions): void {
  methods.add('db_update', {
    summary: 'Renames a database, when its statements have ended.',
    params: { name: Name, new_name: Type.String({ description: 'Its name from then on.' }) },
    result: answer({ id: Type.Integer(), name: Type.String(), created_at: Type.Integer() }),
    audit: ({ name, new_name }) => `${name} to ${new_name}`,
    right: {
      words: '`db` `update`, in the scopes `db` of the old and of the new name',
      scopes: [{ db: '<name>' }, { db: '<new_name>' }],
      permissions: [{ db: 'update' }],
    },
    access: mayRename(auth),
    async handle({ name, new_name }, { log }) {
      const { id, created_at } = await databases.rename(name, new_name);
      log.info('database renamed', { name, new_name });
      return success({ id, name: new_name, created_at });
    },
  });

  methods.add('db_delete', {
    summary: 'Deletes a database and its file, when its statements have ended.',
    params: { name: Name },
    result: Type.Object({ success: Type.Literal(true) }),
    audit: ({ name }) => name,
    access: mayDelete,
    async handle({ name }, { log }) {
      await databases.remove(name);
      log.info('database deleted', { name });
      return { success: true as const };
    },
  });
}

function addList(methods: Methods, { databases, shownPath }: MethodOptions): void {
  methods.add('db_list', {
    summary: 'All registered databases in byte order of their names.',
    params: {},
    result: Type.Object({
      success: Type.Literal(true),
      data: Type.Array(
        Type.Object({
          id: Type.Integer(),
          name: Type.String(),
          file_path: Type.String(),
          db_connections: nullable,
          max_lifetime_ms: nullable,
          created_at: Type.Integer(),
          is_active: Type.Boolean(),
        }),
      ),
    }),
    access: mayList,
    async handle() {
      const entries = await databases.list();
      return success(
        entries.map(({ id, name, db_connections, max_lifetime_ms, created_at }) => ({
          id,
          name,
          file_path: shownPath(name),
          db_connections,
          max_lifetime_ms,
          created_at,
          is_active: databases.isOpen(id),
        })),
      );
    },
  });
}

function addExecSql(methods: Methods, { databases, maxBytes }: MethodOptions): void {
  methods.add('db_exec_sql', {
    summary: 'Runs SQL on a registered database; rows as objects, at most 10,000.',
    description: 'Placeholders: `?5` and `$5` by place, `?` the next one over the whole text.',
    params: {
      name: Name,
      sql: Type.String({ description: 'Statements of SQLite.' }),
      params: described(
        Type.Optional(JsonText),
        'Values of the placeholders, a list. Absent: none.',
      ),
    },
    result: Type.Object({
      success: Type.Literal(true),
      data: Type.Array(Type.Object({})),
      row_count: Type.Integer(),
      truncated: Type.Boolean(),
    }),
    audit: ({ name, sql }) => `${name}: ${sql}`,
    secret: true,
    prepare(params) {
      if (half.test(params.sql)) throw RpcError.params('sql holds half of a surrogate pair');
      return params;
    },
    access: mayRun,
    async handle({ name, sql, params }, { caller, signal }) {
      const query = { sql, params: () => callerValues(params), owner: caller.id, signal };
      const done = await databases.run(name, query);
      // Rows that would not fit an answer were not kept.
      if (done.rows.length < Math.min(done.rowCount, MAX_ROWS)) {
        throw RpcError.responseTooBig(maxBytes());
      }
      const data = await jsonRows(done.rows, rowText, maxBytes());
      return new RawJson(
        `{"success":true,"data":${data},"row_count":${done.rowCount},"truncated":${done.truncated}}`,
      );
    },
  });
}
