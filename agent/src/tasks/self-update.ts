import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { ServerConfig } from '../config.ts';
import { readText } from '../content.ts';
import { download } from '../http/download.ts';
import type { TaskHandler } from '../task-context.ts';

/** Time for the answer to leave before the agent ends; what started it starts the new version. */
const END_AFTER_MS = 500;
const TRY_MS = 10_000;

/**
 * Puts the version of the server that asks for it in place of this one (task.md §2). False: nothing was replaced, because
 * this agent was not installed by a server, or the server has another version than the wanted one, or the same as here.
 * A version that does not connect is taken back by the program that starts the agent (plugins/enrol/install.sh).
 */
export const selfUpdate: TaskHandler = async (content, { log, server, runtime, signal }) => {
  const tag = readText(content, 'self_update');
  const bundle = process.env['SVC_AGENT_BUNDLE'];
  const refused = (why: string): false => {
    log.warn(`self_update refused: ${why}`, { tag });
    return false;
  };
  if (bundle === undefined) return refused('this agent was not installed by a server');
  const [, wanted] = /^v(\d+\.\d+\.\d+)$/.exec(tag) ?? [];
  if (wanted === undefined) return refused('the version is not like v1.2.3');
  const found = await offered(server, signal);
  if (found?.version !== wanted) return refused('the server does not have this version');
  if (digestOf(await readFile(bundle)) === found.digest) return refused('it is the running one');
  await replace(bundle, await download(`${found.base}/agent`, server, signal), found.digest);
  log.info('updated', { tag });
  runtime.clock.after('self_update', END_AFTER_MS, () => process.kill(process.pid, 'SIGTERM'));
  return true;
};

/** What the server has, by its list of digests. */
async function offered(server: ServerConfig, signal: AbortSignal) {
  const base = server.ws_url.replace(/^ws/, 'http').replace(/\/rpc$/, '/enrol');
  const text = (await download(`${base}/manifest`, server, signal)).toString();
  const [, version, digest] = /^agent (\S+) ([0-9a-f]{64}) \d+$/m.exec(text) ?? [];
  return version === undefined ? undefined : { base, version, digest };
}

/** @throws Error when the digest is wrong, or the new version does not start */
async function replace(bundle: string, bytes: Buffer, digest: string | undefined): Promise<void> {
  if (digestOf(bytes) !== digest) throw new Error('the digest of the new version is wrong');
  const folder = dirname(bundle);
  const fresh = join(folder, 'svc-agent.new.mjs');
  try {
    await writeFile(fresh, bytes, { mode: 0o600, flush: true });
    await promisify(execFile)(process.execPath, [fresh, '-v'], { timeout: TRY_MS });
    await copyFile(bundle, join(folder, 'svc-agent.old.mjs'));
    await writeFile(join(folder, 'trial'), '0\n');
    await rename(fresh, bundle);
  } finally {
    await rm(fresh, { force: true });
  }
}

const digestOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
