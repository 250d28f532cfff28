import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { codeOf } from '@svc/plugin-sdk/util';
import { agentBundle } from './bundle.ts';
import { Digests } from './files.ts';
import { partLines } from './installer.ts';
import { signedText } from './manifest.ts';
import { Runtimes } from './runtimes.ts';
import { blocksOf, keysOf } from './signing-key.ts';

/** Manifest next to the agent in a package that was signed when it was made: its server has no key, and signs nothing itself. */
const NAME = 'manifest';

/** @returns undefined: this server signs with a key of its own */
export async function shippedManifest(): Promise<string | undefined> {
  try {
    return await readFile(join(dirname(await agentBundle()), NAME), 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Returns the key that a manifest names as its signer. */
export const keyIn = (manifest: string): string => /^key (\S+)$/m.exec(manifest)?.[1] ?? '';

/**
 * Signed manifest that `npm run release -- --signing-key FILE` puts into the package. `made` is Unix ms; `runtimes` is a folder like that of
 * `runtime_path`.
 */
export async function releaseManifest(
  key_file: string,
  { version, made, runtimes }: { version: string; made: number; runtimes: string },
): Promise<string> {
  const digests = new Digests();
  const lines = await partLines(version, digests, new Runtimes(() => runtimes, digests));
  return signedText(lines, made, keysOf(blocksOf(await readFile(key_file, 'utf8'), key_file)));
}
