import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { memorySettings } from '../server/bin/memory.js';
import { makePlace, type Place } from '../test/process/place.ts';
import { type ServerProcess, startServer, superToken } from '../test/process/server.ts';
import { ensurePostgres } from './postgres.ts';
import type { Dialect } from './types.ts';

/** What the probe inside the server says. */
export interface Probe {
  readonly rss_mb: number;
  readonly cpu_ms: number;
  readonly delay_p99_ms: number;
  readonly delay_max_ms: number;
}

/** The built server on an empty database, in its own process. */
export interface Bench {
  readonly place: Place;
  readonly token: string;
  /** `ws://127.0.0.1:PORT/` */
  readonly socketUrl: string;
  readonly startup_ms: number;
  readonly pid: number;
  /** Since the last `reset`. */
  probe(command?: 'read' | 'reset'): Promise<Probe>;
  /** Orderly stop; the files stay for `place.read` until `place.remove`. */
  end(): Promise<void>;
}

const quiet = '[logging]\nlog_filter = "warn"';

/**
 * Starts the server with its default configuration and only warnings on the console.
 * @param tables TOML of further sections
 * @param program path of another built `svc-server`
 */
export async function startBench(dialect: Dialect, tables = '', program?: string): Promise<Bench> {
  if (dialect === 'postgres') await ensurePostgres();
  const place = await makePlace(dialect, { tables: `${quiet}\n${tables}` });
  const server = await startProbed(place, program);
  return {
    place,
    token: superToken(server.output()),
    socketUrl: `${place.site.url.replace('http', 'ws')}/`,
    startup_ms: server.startup_ms,
    pid: server.child.pid ?? 0,
    probe: (command = 'read') => probe(server.child, command),
    end: () => end(server),
  };
}

/** One more start on the same files. */
export function startProbed(place: Place, program?: string): Promise<ServerProcess> {
  const nodeArgs = ['--import', join(import.meta.dirname, 'probe.mjs')];
  // A server that is spoken to does not begin anew with these.
  const env = memorySettings(process.env) ?? process.env;
  return startServer(place.site, { nodeArgs, ipc: true, env, ...(program && { program }) });
}

export async function probe(child: ChildProcess, command: string): Promise<Probe> {
  const answer = once(child, 'message', { signal: AbortSignal.timeout(10_000) });
  child.send(command);
  return (await answer)[0] as Probe;
}

export async function end(server: ServerProcess): Promise<void> {
  const status = await server.end('SIGTERM');
  if (status.code !== 0) throw new Error(`the server ended badly:\n${server.output()}`);
}
