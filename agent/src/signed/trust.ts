import { createHash } from 'node:crypto';
import { fingerprintOf, isKey, type Manifest } from './manifest.ts';

/** The newest version that ran on this machine. */
export interface Newest {
  readonly version: string;
  /** Time when it was signed, Unix ms. */
  readonly made: number;
  /** SHA-256 of the agent, and of the server's Node where the machine has it. */
  readonly agent: string;
  readonly runtime: string | undefined;
}

/** Keys and the newest version that a machine trusts: the file `trust` of an installed agent. */
export interface Trust {
  readonly key: string;
  /** The key before it, for the version that ran here before. */
  readonly before: string | undefined;
  readonly newest: Newest | undefined;
}

const NEWEST = /^newest (\d+\.\d+\.\d+\S{0,31}) (\d{1,15}) ([0-9a-f]{64}) ([0-9a-f]{64}|-)$/m;

/** @returns undefined: it is not a file of trust */
export function readTrust(text: string): Trust | undefined {
  const word = (name: string) => new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1];
  const key = word('key');
  const before = word('before');
  if (key === undefined || !isKey(key) || (before !== undefined && !isKey(before)))
    return undefined;
  const [, version, made, agent = '', runtime] = NEWEST.exec(text) ?? [];
  const newest =
    version === undefined
      ? undefined
      : { version, made: Number(made), agent, runtime: runtime === '-' ? undefined : runtime };
  return { key, before, newest };
}

export const trustText = ({ key, before, newest }: Trust): string =>
  [
    `key ${key}`,
    ...(before === undefined ? [] : [`before ${before}`]),
    ...(newest === undefined
      ? []
      : [`newest ${newest.version} ${newest.made} ${newest.agent} ${newest.runtime ?? '-'}`]),
    '',
  ].join('\n');

/** A machine's first trust. @throws Error where another key has signed */
export function firstTrust({ key }: Manifest, fingerprint: string): Trust {
  if (fingerprintOf(key) === fingerprint) return { key, before: undefined, newest: undefined };
  throw new Error(`the server signs with the key ${fingerprintOf(key)}, not with ${fingerprint}`);
}

/**
 * Trust once the version of this manifest runs here: a new key comes in a manifest that the old one has signed.
 * @throws Error for one that the trusted key has not signed, and for one that is older than what ran here
 */
export function nextTrust(manifest: Manifest, trust: Trust, platform: string): Trust {
  const { key, newest } = trust;
  if (!manifest.signers.has(key))
    throw new Error(
      `what the server gives is signed with the key ${fingerprintOf(manifest.key)}, and this machine trusts ${fingerprintOf(key)}`,
    );
  if (newest && isOlder(manifest, newest, platform))
    throw new Error(
      `version ${manifest.version} of the server is older than ${newest.version}, which ran here`,
    );
  return manifest.key === key ? trust : { key: manifest.key, before: key, newest };
}

/** Returns the trust once the version has run here. */
export function ranHere(manifest: Manifest, trust: Trust, platform: string): Trust {
  const { version, made, parts } = manifest;
  const agent = parts.get(`agent ${version}`) ?? '';
  return { ...trust, newest: { version, made, agent, runtime: parts.get(`runtime ${platform}`) } };
}

/** Order of two builds of one version: the one signed earlier is older where they are not the same. */
function isOlder({ version, made, parts }: Manifest, newest: Newest, platform: string): boolean {
  const order = compareVersions(version, newest.version);
  if (order !== 0) return order < 0;
  const runtime = parts.get(`runtime ${platform}`);
  const isSame =
    parts.get(`agent ${version}`) === newest.agent &&
    (runtime === newest.runtime || runtime === undefined || newest.runtime === undefined);
  return made < newest.made && !isSame;
}

/** Below 0: the first one is older. What follows a hyphen comes before the version itself. */
export function compareVersions(one: string, other: string): number {
  const [[a, pre], [b, before]] = [one, other].map(split) as [Split, Split];
  const at = a.findIndex((number, index) => number !== b[index]);
  if (at >= 0) return (a[at] ?? 0) - (b[at] ?? 0);
  if (pre === before) return 0;
  if (pre === '' || before === '') return pre === '' ? 1 : -1;
  return pre < before ? -1 : 1;
}

type Split = [numbers: number[], more: string];
function split(version: string): Split {
  const [numbers = '', ...more] = version.split('-');
  return [numbers.split('.').map(Number), more.join('-')];
}

/** The newer of what two files say ran here. */
export const newerOf = (one: Newest | undefined, other: Newest | undefined): Newest | undefined => {
  if (!one || !other) return one ?? other;
  const order = compareVersions(one.version, other.version) || one.made - other.made;
  return order >= 0 ? one : other;
};

/** Tells whether this is the agent of a manifest that a trusted key has signed. */
export function isVouchedFor(manifest: Manifest, agent: Buffer, trusts: readonly Trust[]): boolean {
  const keys = trusts.flatMap(({ key, before }) => [
    key,
    ...(before === undefined ? [] : [before]),
  ]);
  const digest = createHash('sha256').update(agent).digest('hex');
  return (
    manifest.parts.get(`agent ${manifest.version}`) === digest &&
    keys.some((key) => manifest.signers.has(key))
  );
}
