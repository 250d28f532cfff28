/**
 * The program that checks signatures for the installer and for the script that starts an agent; `plugins/enrol/build.mjs`
 * makes one file of it. It prints the file `trust` that is to be written, or says on standard error why not (status 1):
 *
 * - `first MANIFEST FINGERPRINT`: for a machine that trusts no key yet;
 * - `next MANIFEST PLATFORM TRUST [TRUST OF THE AGENT]`: before an update;
 * - `ran MANIFEST PLATFORM TRUST`: after it;
 * - `back MANIFEST AGENT TRUST [TRUST OF THE AGENT]`: whether this agent may be put back.
 */
import { existsSync, readFileSync } from 'node:fs';
import { readManifest } from './manifest.ts';
import {
  firstTrust,
  isVouchedFor,
  newerOf,
  nextTrust,
  ranHere,
  readTrust,
  type Trust,
  trustText,
} from './trust.ts';

const text = (path: string) => readFileSync(path, 'utf8');

function trustIn(path: string): Trust {
  const found = readTrust(text(path));
  if (!found) throw new Error(`${path} names no key`);
  return found;
}

/** The agent's user writes it: absent or wrong, it says nothing. */
const trustOfAgent = (path: string | undefined): Trust | undefined =>
  path !== undefined && existsSync(path) ? readTrust(text(path)) : undefined;

function run([what, manifest_path = '', second = '', third = '', fourth]: string[]): string {
  const manifest = readManifest(text(manifest_path));
  if (what === 'first') return trustText(firstTrust(manifest, second));
  const trust = trustIn(third);
  const agents = trustOfAgent(fourth);
  if (what === 'ran') return trustText(ranHere(manifest, trust, second));
  if (what === 'next') {
    const newest = newerOf(trust.newest, agents?.newest);
    return trustText(nextTrust(manifest, { ...trust, newest }, second));
  }
  if (isVouchedFor(manifest, readFileSync(second), agents ? [trust, agents] : [trust])) return '';
  throw new Error('the version before is not one that ran here, by its signature');
}

try {
  process.stdout.write(run(process.argv.slice(2)));
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
