import { createReadStream, createWriteStream } from 'node:fs';
import { rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import {
  BUCKETS,
  CALLERS,
  CONFIGURATION,
  DATABASE,
  FORMAT,
  type Manifest,
  type Part,
  SECRETS,
  textOf,
} from './manifest.ts';
import { copySqlite, countRows, valuesOf } from './snapshot-sqlite.ts';
import { readTree } from './tree.ts';
import type { Writer } from './writer.ts';

/** Data to back up. */
export interface Server {
  readonly version: string;
  readonly server_uuid: string;
  readonly now: () => number;
  readonly database: 'sqlite' | 'postgres';
  /** Copies the main database, as it is at one moment, into a SQLite file. */
  readonly snapshot: (to: string) => Promise<void>;
  /** Path of a database of callers; undefined: the server has none. */
  readonly callerFile: ((name: string) => string) | undefined;
  readonly buckets: Buckets | undefined;
  /** Configuration without its secrets. */
  readonly configuration: () => Promise<string>;
  /** Encrypted configuration. */
  readonly secrets: (() => Promise<Buffer>) | undefined;
  /** Told of every step; throws when the work shall end. */
  readonly report: (line: string) => void;
}

/** The folder of all buckets. */
export interface Buckets {
  readonly folder: string;
  /** Names of unfinished uploads. */
  readonly isTemporary: (name: string) => boolean;
}

/** Makes one backup; on failure nothing of it is left. */
export async function makeBackup(writer: Writer, server: Server): Promise<Manifest> {
  const made_at = server.now();
  try {
    const file = join(writer.scratch, 'database.sqlite');
    await server.snapshot(file);
    server.report('counting rows');
    const tables = countRows(file);
    const names = valuesOf(file, 'db_registry', 'name');
    const parts: Part[] = [await putPacked(writer, DATABASE, file, server.report)];
    parts.push(...(await putCallers(writer, server, names)));
    const { files, links, empty } = await putBuckets(writer, server);
    parts.push(...files, ...(await putConfiguration(writer, server)));
    const { version, server_uuid, database } = server;
    const head = { format: FORMAT, version, server_uuid, made_at, database };
    const manifest = { ...head, tables, parts, links, empty };
    await writer.finish(textOf(manifest));
    return manifest;
  } catch (error) {
    await writer.abandon();
    throw error;
  }
}

/** Databases of callers, each as it is at a moment of its own. One that was never used has no file. */
async function putCallers(
  writer: Writer,
  { callerFile, report }: Server,
  names: readonly string[],
): Promise<Part[]> {
  const parts: Part[] = [];
  for (const name of callerFile ? names : []) {
    const file = callerFile?.(name) ?? '';
    if (!(await stat(file).catch(() => undefined))) continue;
    const copy = join(writer.scratch, 'callers.sqlite');
    await copySqlite(file, copy, () => report(`copying the database '${name}'`));
    parts.push(await putPacked(writer, `${CALLERS}${name}.db.gz`, copy, report));
  }
  return parts;
}

async function putBuckets(writer: Writer, { buckets, report }: Server) {
  const files: Part[] = [];
  if (!buckets) return { files, links: {}, empty: [] };
  const { folder, isTemporary } = buckets;
  const tree = await readTree(folder, isTemporary);
  for (const [at, { path, mtime_ms }] of tree.files.entries()) {
    report(`copying files of buckets: ${at + 1} of ${tree.files.length}`);
    const part = await writer.put(`${BUCKETS}${path}`, join(folder, path));
    if (part) files.push({ ...part, mtime_ms });
  }
  return { files, links: tree.links, empty: tree.empty };
}

async function putConfiguration(writer: Writer, server: Server): Promise<Part[]> {
  const parts: Part[] = [];
  const put = async (path: string, content: string | Buffer) => {
    const file = join(writer.scratch, path);
    await writeFile(file, content, { mode: 0o600 });
    const part = await writer.put(path, file, { moves: true });
    if (part) parts.push(part);
  };
  await put(CONFIGURATION, await server.configuration());
  if (server.secrets) await put(SECRETS, await server.secrets());
  return parts;
}

/** Takes a temporary file into the backup, compressed. */
async function putPacked(
  writer: Writer,
  path: string,
  file: string,
  report: Server['report'],
): Promise<Part> {
  const packed = `${file}.gz`;
  const { size } = await stat(file);
  const read = { bytes: 0 };
  const counted = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      read.bytes += chunk.length;
      report(`compressing ${path}: ${Math.floor((100 * read.bytes) / size)} %`);
      yield chunk;
    }
  };
  const to = createWriteStream(packed, { mode: 0o600 });
  await pipeline(createReadStream(file), counted, createGzip({ level: 3 }), to);
  await rm(file);
  const part = await writer.put(path, packed, { moves: true });
  if (!part) throw new Error(`${packed} is gone`);
  return part;
}
