import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { readText } from '../content.ts';
import { download } from '../http/download.ts';
import { readManifest } from '../signed/manifest.ts';
import {
  bundlePath,
  enrolAddress,
  manifestPath,
  PLATFORM,
  trustOf,
  writeTrust,
} from '../signed/own-trust.ts';
import { nextTrust, type Trust } from '../signed/trust.ts';
import type { TaskHandler } from '../task-context.ts';

/** Time for the answer to leave before the agent ends; what started it starts the new version. */
const END_AFTER_MS = 500;
const TRY_MS = 10_000;

/**
 * Puts the version of the server that asks for it in place of this one (task.md §2). False: nothing was replaced, because
 * this agent was not installed by a server, or the server has another version than the wanted one, or the same as here, or
 * one that the trusted key has not signed or that is older than what ran here (enrol.md §3).
 * A version that does not connect is taken back by the program that starts the agent (plugins/enrol/install.sh).
 */
export const selfUpdate: TaskHandler = async (content, { log, server, runtime, signal }) => {
  const tag = readText(content, 'self_update');
  const bundle = bundlePath();
  const refused = (why: string): false => {
    log.warn(`self_update refused: ${why}`, { tag });
    return false;
  };
  if (bundle === undefined) return refused('this agent was not installed by a server');
  const [, wanted] = /^v(\d+\.\d+\.\d+)$/.exec(tag) ?? [];
  if (wanted === undefined) return refused('the version is not like v1.2.3');
  const trust = await trustOf(bundle);
  if (!trust) return refused('no key is trusted here yet (install.sh --trust-key pins one)');
  const base = enrolAddress(server);
  const text = (await download(`${base}/manifest`, server, signal)).toString();
  const read = checked(text, trust);
  if (typeof read === 'string') return refused(read);
  const { manifest, next } = read;
  if (manifest.version !== wanted) return refused('the server does not have this version');
  const digest = manifest.parts.get(`agent ${wanted}`) ?? '';
  if (digestOf(await readFile(bundle)) === digest) return refused('it is the running one');
  await replace(bundle, { bytes: await download(`${base}/agent`, server, signal), digest, text });
  if (next.key !== trust.key) await writeTrust(bundle, next);
  log.info('updated', { tag });
  runtime.clock.after('self_update', END_AFTER_MS, () => process.kill(process.pid, 'SIGTERM'));
  return true;
};

/** @returns a text: why the manifest is refused */
function checked(text: string, trust: Trust) {
  try {
    const manifest = readManifest(text);
    return { manifest, next: nextTrust(manifest, trust, PLATFORM) };
  } catch (error) {
    return (error as Error).message;
  }
}

/** @throws Error when the digest is wrong, or the new version does not start */
async function replace(
  bundle: string,
  { bytes, digest, text }: { bytes: Buffer; digest: string; text: string },
): Promise<void> {
  if (digestOf(bytes) !== digest) throw new Error('the digest of the new version is wrong');
  const folder = dirname(bundle);
  const fresh = join(folder, 'svc-agent.new.mjs');
  const old = join(folder, 'svc-agent.old.mjs');
  try {
    await writeFile(fresh, bytes, { mode: 0o600, flush: true });
    await promisify(execFile)(process.execPath, [fresh, '-v'], { timeout: TRY_MS });
    await copyFile(bundle, old);
    await moveManifest(manifestPath(bundle), manifestPath(old));
    await writeFile(manifestPath(bundle), text, { mode: 0o600, flush: true });
    await writeFile(join(folder, 'trial'), '0\n');
    await rename(fresh, bundle);
  } finally {
    await rm(fresh, { force: true });
  }
}

/** Moves the manifest of a version; one from before signatures has none. */
async function moveManifest(from: string, to: string): Promise<void> {
  await rm(to, { force: true });
  await rename(from, to).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
}

const digestOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
