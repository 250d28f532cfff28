import { codeOf } from '@svc/plugin-sdk/driver';
import { eachRow } from './batch.ts';
import { type ConnectionSettings, openConnection, Statements } from './connection.ts';
import { addsRows, DiskRoom, freeReserveIfLow, type Room } from './disk-room.ts';
import { bindable, exact, exactObjects } from './exact.ts';
import { collectLeftOver } from './left-over.ts';
import { answer, given, orEnd, serveRequests } from './serve-thread.ts';
import { giveBack } from './space.ts';
import { tableSizes } from './table-sizes.ts';
import type {
  BatchAnswer,
  BatchPart,
  BatchRequest,
  ControlRequest,
  QueryAnswer,
  QueryRequest,
  WriterRequest,
} from './writer-messages.ts';

const settings = await given<ConnectionSettings & Room>();
const db = orEnd(() => {
  if (settings.role === 'writer') freeReserveIfLow(settings);
  return openConnection(settings);
});
const room = new DiskRoom(db, settings);
const statements = new Statements(db);
/** Batches that wait for the end of a transaction of the query builder. */
const waiting: BatchRequest[] = [];
let held = false;

collectLeftOver();
serveRequests<WriterRequest>((request) => {
  if (request.kind === 'batch') waiting.push(request);
  else answer(request, () => handle(request));
  while (!held && !db.inTransaction) {
    const next = waiting.shift();
    if (!next) break;
    answer(next, () => batch(next));
  }
});

function handle(request: QueryRequest | ControlRequest): unknown {
  switch (request.kind) {
    case 'query':
      return query(request);
    case 'hold':
      room.check(0);
      held = true;
      return true;
    case 'release':
      held = false;
      return true;
    case 'full':
      return room.setLow();
    case 'sizes':
      return tableSizes(db);
    case 'shrink':
      // The transaction of a caller, or of another process, must not take part.
      return held || db.inTransaction || giveBack(db);
    case 'close':
      return db.close();
  }
}

function query(request: QueryRequest): QueryAnswer {
  if (db.readonly) return run(request);
  const adds = addsRows(request.sql);
  const isAlone = !db.inTransaction;
  if (adds || isAlone) room.check(adds ? roomFor(bytesOf(request.params)) : 0);
  try {
    return run(request);
  } catch (error) {
    if (!isFull(error)) throw error;
    room.setLow();
    // What deletes has room now; a transaction is gone as a whole.
    if (adds || !isAlone) throw error;
    return run(request);
  }
}

/** A row stands in the log and in an index, too. Never 0, which would say that nothing is added. */
const roomFor = (bytes: number): number => 2 * bytes + 1;

const bytesOf = (params: readonly unknown[]): number =>
  params.reduce<number>((sum, value) => {
    if (typeof value === 'string') return sum + 2 * value.length;
    return sum + (value instanceof Uint8Array ? value.byteLength : 9);
  }, 0);

const isFull = (error: unknown): boolean => codeOf(error) === 'SQLITE_FULL';

function run({ sql, params }: QueryRequest): QueryAnswer {
  const statement = statements.get(sql);
  const values = params.map(bindable);
  if (statement.reader) return { rows: exactObjects(statement.all(values) as object[]) };
  const { changes, lastInsertRowid } = statement.run(values);
  return { changes, lastID: exact(lastInsertRowid) };
}

function batch({ parts }: BatchRequest): BatchAnswer {
  const refused: [number, number, string, string][] = [];
  const bytes = parts.reduce((sum, part) => sum + bytesOfPart(part), 0);
  room.check(roomFor(bytes));
  statements.get('begin immediate').run();
  try {
    for (const [at, part] of parts.entries())
      insertAll(part, (...refusal) => refused.push([at, ...refusal]));
    statements.get('commit').run();
  } catch (error) {
    if (db.inTransaction) statements.get('rollback').run();
    if (isFull(error)) room.setLow();
    throw error;
  }
  return refused;
}

const bytesOfPart = ({ numbers, text, others }: BatchPart): number =>
  9 * numbers.length + 2 * text.length + bytesOf(others);

function insertAll(
  part: BatchPart,
  refuse: (index: number, message: string, code: string) => void,
): void {
  let insert: ReturnType<typeof statements.get> | undefined;
  eachRow(part, (row, index) => {
    try {
      // A table that is gone refuses its own rows; those of the other tables go on.
      insert ??= statements.get(part.sql);
      insert.run(...row);
    } catch (error) {
      // A refused statement leaves no trace in its transaction: the other rows go on.
      if (!isRowError(error)) throw error;
      refuse(index, error.message, String(error.code ?? ''));
    }
  });
}

/** Tells whether the row itself or its table is at fault, so that sending it again cannot help. */
function isRowError(error: unknown): error is Error & { code?: unknown } {
  if (error instanceof TypeError || error instanceof RangeError) return true;
  const code = String((error as { code?: unknown }).code ?? '');
  return db.inTransaction && /^SQLITE_(?:ERROR$|CONSTRAINT|MISMATCH|TOOBIG|RANGE)/.test(code);
}
