import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { canonicalUuid, RpcError, UserError } from '@svc/plugin-sdk';
import { builtInNames, entriesOf } from '../plugins/find.ts';
import { asksForUuid, fixAutoGen } from './auto-gen.ts';
import { BUILT_IN_SCHEMES, DATABASE_URLS, type Head, HeadSchema, MAX_TIMER_MS } from './head.ts';
import { parseListener } from './listener.ts';
import { parseToml } from './parse.ts';
import { checkValue, isTable, type Problem, pick, problemsError, withHint } from './section.ts';
import { writeConfig } from './write.ts';

/** A configuration whose head is sound; sections of plugins are still raw. */
export interface ParsedConfig {
  readonly raw: Record<string, unknown>;
  readonly head: Head;
  /** Sentences for the log: what is allowed and probably not meant. */
  readonly warnings: readonly string[];
}

export interface LoadedConfig extends ParsedConfig {
  /** Text of the file as it is. */
  readonly text: string;
}

/** Longest path of a Unix socket that every system takes, bytes. */
const MAX_SOCKET_PATH = 103;

/**
 * Reads the file, writes a generated UUID into it where it says `auto_gen` (configuration.md §2).
 * @param draft text to take instead, for a file that is written later
 * @throws UserError that names the file
 */
export async function loadConfig(path: string, draft?: string): Promise<LoadedConfig> {
  try {
    const text = draft
      ? fixAutoGen(draft, randomUUID())
      : await withUuid(path, await readText(path));
    return { text, ...parseConfig(text) };
  } catch (error) {
    throw inFile(path, error);
  }
}

/** Returns an error for the operator, with the name of the file. A fault of a database is no bug and needs no stack. */
export function inFile(path: string, error: unknown): unknown {
  if (!(error instanceof Error) || error.message.includes(path)) return error;
  const isDatabase = (found: unknown) => found instanceof RpcError && found.code === 103;
  const more = isDatabase(error.cause) ? `: ${(error.cause as Error).message}` : '';
  if (!(error instanceof UserError) && !isDatabase(error) && more === '') return error;
  return new UserError(`${error.message}${more}\n(configuration: ${path})`, { cause: error });
}

/** Parses and validates a complete text; `auto_gen` is no UUID here. @throws UserError with line and key */
export function parseConfig(text: string): ParsedConfig {
  const raw = parseToml(text);
  const { value, problems } = checkValue(HeadSchema, pick(HeadSchema, raw), []);
  if (problems.length > 0) {
    const hinted = problems.map((problem) => withHint(problem, raw));
    throw problemsError(hinted, text);
  }
  const head = value as Head;
  const wrong = headProblems(head);
  if (wrong.length > 0) throw problemsError(wrong, text);
  return { raw, head: normal(head), warnings: warningsOf(raw, head) };
}

async function readText(path: string): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await readFile(path));
  } catch (error) {
    const reason = error instanceof TypeError ? 'it is not UTF-8 text' : (error as Error).message;
    throw new UserError(`cannot read the configuration ${path}: ${reason}`, { cause: error });
  }
}

async function withUuid(path: string, text: string): Promise<string> {
  if (!asksForUuid(parseToml(text))) return text;
  const fixed = fixAutoGen(text, randomUUID());
  if (asksForUuid(parseToml(fixed))) {
    throw new UserError(
      'server_uuid: auto_gen is replaced only where the key stands bare at the start of a line',
    );
  }
  try {
    await writeConfig(path, fixed);
  } catch (error) {
    throw new UserError(
      `server_uuid: the generated UUID cannot be written to ${path}: ${(error as Error).message}`,
      { cause: error },
    );
  }
  return fixed;
}

/** Rules a schema cannot say. */
function headProblems(head: Head): Problem[] {
  const { ws_listener, enable_unix_socket, unix_socket_path, tls_cert, tls_key } = head;
  const problems: Problem[] = [];
  const note = (key: keyof Head, message: string) => problems.push({ path: [key], message });
  if (parseListener(ws_listener) === undefined) note('ws_listener', listenerFault(ws_listener));
  if (enable_unix_socket && Buffer.byteLength(unix_socket_path) > MAX_SOCKET_PATH)
    note('unix_socket_path', `must not be longer than ${MAX_SOCKET_PATH} bytes`);
  if (tls_cert !== undefined && tls_key === undefined)
    note('tls_cert', 'is set without tls_key: set both, or none for plain HTTP');
  if (tls_key !== undefined && tls_cert === undefined)
    note('tls_key', 'is set without tls_cert: set both, or none for plain HTTP');
  const [scheme = ''] = head.database.database_url.split(':', 1);
  // Another plugin than the built-in ones may be a driver.
  if (!BUILT_IN_SCHEMES.includes(scheme) && !entriesOf(head).some(isForeign))
    problems.push({ path: ['database', 'database_url'], message: `must be: ${DATABASE_URLS}` });
  return problems;
}

const listenerFault = (text: string): string =>
  Number(/:(\d+)$/.exec(text)?.[1]) > 65_535
    ? 'must be IP:port, with a port of at most 65535'
    : 'must be IP:port or [IPv6]:port, such as 127.0.0.1:2211; host names are not accepted';

const isForeign = (plugin: string): boolean => !builtInNames().includes(plugin);

function normal(head: Head): Head {
  return {
    ...withTimers(head),
    server_uuid: canonicalUuid(head.server_uuid),
    brand: { ...head.brand, peer_header: head.brand.peer_header.toLowerCase() },
    database: withTimers(head.database),
  };
}

/** A copy whose times (`…_ms`) are cut to what a timer can count. */
function withTimers<T extends object>(table: T): T {
  const cut = ([key, value]: [string, unknown]) =>
    key.endsWith('_ms') ? [key, Math.min(Number(value), MAX_TIMER_MS)] : [key, value];
  return Object.fromEntries(Object.entries(table).map(cut)) as T;
}

function warningsOf(raw: Record<string, unknown>, head: Head): string[] {
  return Object.entries(raw).flatMap(([name, table]) =>
    LISTS.filter((key) => isTable(table) && Array.isArray(table[key]) && !head[key]).map(
      (key) =>
        `${key} stands inside the table [${name}] and chooses no plugins there: move it above the first table`,
    ),
  );
}

const LISTS = ['plugins', 'extra_plugins'] as const;
